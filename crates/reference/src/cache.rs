//! Computed solutions on disk, found again by what they solve.
//!
//! An entry is one file: a checksum, then the statement and the solution. It is written under another name and
//! renamed, so that readers see whole entries or none; an entry that does not check, or that states something
//! else, is computed anew. Where nothing can be written, solutions are computed in every process.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where entries lie.
#[derive(Clone, PartialEq, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Keeps nothing.
    pub const NONE: Cache = Cache { folder: None };

    /// The user's cache folder: `$PINNACE_CACHE`, or `pinnace` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn of_user() -> Cache {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("PINNACE_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("pinnace")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache/pinnace")));
        Cache { folder: folder.map(|folder| folder.join("references")) }
    }

    /// A cache in a given folder.
    pub fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder: Some(folder) }
    }

    /// What was kept for a statement, if it is there and whole.
    pub(super) fn get(&self, statement: &str) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.folder.as_ref()?.join(name(statement))).ok()?;
        let (checksum, rest) = bytes.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*checksum) != crc32fast::hash(rest) {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (stated, solution) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        (stated == statement.as_bytes()).then(|| solution.to_vec())
    }

    /// Keeps a solution. A disk that cannot be written to is not an error.
    pub(super) fn put(&self, statement: &str, solution: &[u8]) {
        let mut rest = (statement.len() as u64).to_le_bytes().to_vec();
        rest.extend_from_slice(statement.as_bytes());
        rest.extend_from_slice(solution);
        let mut bytes = crc32fast::hash(&rest).to_le_bytes().to_vec();
        bytes.append(&mut rest);
        _ = self.write(&name(statement), &bytes);
    }

    fn write(&self, name: &str, bytes: &[u8]) -> std::io::Result<()> {
        /// Distinguishes the unfinished files of one process.
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let Some(folder) = &self.folder else { return Ok(()) };
        std::fs::create_dir_all(folder)?;
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let unfinished = folder.join(format!("{name}.{}.{number}", std::process::id()));
        let written =
            std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, folder.join(name)));
        if written.is_err() {
            _ = std::fs::remove_file(&unfinished);
        }
        written
    }
}

/// Two statements may share a name: the statement itself is compared.
fn name(statement: &str) -> String {
    format!("{:08x}.bin", crc32fast::hash(statement.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pinnace-references-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_solution_is_found_again_by_what_it_solves() {
        let folder = folder("found");
        let cache = Cache::in_folder(folder.clone());
        assert_eq!(cache.get("heat"), None);
        cache.put("heat", b"warm");
        assert_eq!(cache.get("heat"), Some(b"warm".to_vec()));
        std::fs::rename(folder.join(name("heat")), folder.join(name("wave"))).expect("a writable folder");
        assert_eq!(cache.get("wave"), None, "an entry of another statement");
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_damaged_or_truncated_entry_is_not_loaded_and_can_be_replaced() {
        let folder = folder("damaged");
        let cache = Cache::in_folder(folder.clone());
        cache.put("heat", b"warm");
        let path = folder.join(name("heat"));
        let whole = std::fs::read(&path).expect("an entry");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("a writable folder");
            assert_eq!(cache.get("heat"), None, "truncated to {length}");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, damaged).expect("a writable folder");
            assert_eq!(cache.get("heat"), None, "damaged at {place}");
        }
        cache.put("heat", b"warm");
        assert_eq!(cache.get("heat"), Some(b"warm".to_vec()));
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_no_error() {
        let file = folder("file");
        std::fs::write(&file, "a file where a folder should be").expect("a writable place");
        for cache in [Cache::in_folder(file.clone()), Cache::NONE] {
            cache.put("heat", b"warm");
            assert_eq!(cache.get("heat"), None);
        }
        _ = std::fs::remove_file(file);
    }
}
