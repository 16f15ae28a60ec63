//! What the operating system still gives this process.

use super::MemoryError;
use std::path::Path;

/// Names bytes that count in place of what the system says.
pub(super) const VARIABLE: &str = "PINNACE_HOST_MEMORY";

/// Where control groups of the second version are, and those of the first that bound memory.
const GROUPS: &str = "/sys/fs/cgroup";
const MEMORY_GROUPS: &str = "/sys/fs/cgroup/memory";

/// Bytes of memory that this process can still take: what the machine has free, as far as its control groups and the
/// limit of its address space let it; or what `PINNACE_HOST_MEMORY` in the environment says. `None` where nobody tells.
pub fn available() -> Result<Option<u64>, MemoryError> {
    match std::env::var_os(VARIABLE) {
        Some(text) => stated(&text.to_string_lossy()).map(Some),
        None => Ok(from_files(&|path| std::fs::read_to_string(path).ok())),
    }
}

fn stated(text: &str) -> Result<u64, MemoryError> {
    let number = text.trim().parse::<f64>().ok().filter(|number| *number >= 0.0);
    number.map(|number| number as u64).ok_or_else(|| MemoryError::Variable { text: text.to_owned() })
}

/// The same from the system's files, which `read` gives the text of.
fn from_files(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let free = read(Path::new("/proc/meminfo")).and_then(|text| kibibytes(&text, "MemAvailable:"));
    let groups = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let bounds = groups.lines().filter_map(|line| group(line, read));
    free.into_iter().chain(bounds).chain(address_space(read)).min()
}

/// A line such as `MemAvailable:   123 kB`, in bytes.
pub(super) fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = rest.split_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

/// What a control group and those around it leave, by a line of /proc/self/cgroup such as `0::/user.slice` (second version)
/// or `4:memory:/jobs` (first version).
fn group(line: &str, read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let (root, files, caches) = match controllers {
        "" => (GROUPS, ["memory.max", "memory.current"], ["inactive_file ", "active_file "]),
        list if list.split(',').any(|one| one == "memory") => (
            MEMORY_GROUPS,
            ["memory.limit_in_bytes", "memory.usage_in_bytes"],
            ["total_inactive_file ", "total_active_file "],
        ),
        _ => return None,
    };
    let own = Path::new(root).join(path.trim_start_matches('/'));
    // In a container the path may be the host's, which is not to be seen; the root of what is to be seen bounds it, too.
    let levels = own.ancestors().take_while(|folder| folder.starts_with(root));
    let left = levels.filter_map(|folder| {
        let number = |name: &str| read(&folder.join(name))?.trim().parse::<u64>().ok();
        let (limit, used) = (number(files[0])?, number(files[1])?);
        // Pages of files are given back when memory is wanted.
        let stat = read(&folder.join("memory.stat")).unwrap_or_default();
        let pages =
            |key: &&str| stat.lines().find_map(|line| line.strip_prefix(*key)?.trim().parse::<u64>().ok());
        let pages: u64 = caches.iter().filter_map(pages).sum();
        Some(limit.saturating_sub(used.saturating_sub(pages)))
    });
    left.min()
}

/// What a limit of the address space leaves (`ulimit -v`).
fn address_space(read: &dyn Fn(&Path) -> Option<String>) -> Option<u64> {
    let limits = read(Path::new("/proc/self/limits"))?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&read(Path::new("/proc/self/status"))?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Option<u64> {
        from_files(&|path| {
            let known = files.iter().find(|(name, _)| Path::new(name) == path);
            known.map(|(_, text)| (*text).to_owned())
        })
    }

    const MACHINE: (&str, &str) = ("/proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    4000 kB\n");

    #[test]
    fn what_is_stated_is_a_number_of_bytes() {
        assert_eq!((stated("8e9"), stated(" 300 ")), (Ok(8_000_000_000), Ok(300)));
        assert!(["", "8GB", "-1", "nan"].iter().all(|text| stated(text).is_err()));
    }

    #[test]
    fn the_least_of_machine_groups_and_address_space_counts() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[MACHINE]), Some(4_096_000));
        let second = [
            MACHINE,
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/a/b/memory.current", "1\n"),
            ("/sys/fs/cgroup/a/memory.max", "3000000\n"),
            ("/sys/fs/cgroup/a/memory.current", "1500000\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 400000\nactive_file 100000\n"),
        ];
        assert_eq!(found(&second), Some(2_000_000), "the group around it bounds it, caches do not count");
        let first = [
            MACHINE,
            ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/elsewhere\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "900\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"),
        ];
        assert_eq!(found(&first), Some(0));
        let limited = [
            MACHINE,
            ("/proc/self/limits", "Limit  Soft  Hard\nMax address space         2048000  unlimited  bytes\n"),
            ("/proc/self/status", "Name:\tx\nVmSize:\t    1000 kB\n"),
        ];
        assert_eq!(found(&limited), Some(1_024_000));
        let unlimited = [MACHINE, ("/proc/self/limits", "Max address space   unlimited  unlimited  bytes\n")];
        assert_eq!(found(&unlimited), Some(4_096_000));
    }
}
