//! Runs that are being made: folders under hidden names, until they are whole.

use super::{METRICS, lock};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Before this age a draft without a lock may be one that has just been begun.
const YOUNG: Duration = Duration::from_secs(3600);

/// Where the run `name` is made under `parent` by this process.
pub(super) fn draft(parent: &Path, name: &str) -> PathBuf {
    parent.join(format!(".{name}-{}", std::process::id()))
}

/// Removes drafts whose processes have ended, and says which. One that cannot be removed only takes space.
pub(super) fn sweep(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let named = folders.filter(|entry| entry.file_name().to_str().is_some_and(is_draft));
    let drafts = named.map(|entry| entry.path()).filter(|path| is_abandoned(path));
    drafts.filter(|path| fs::remove_dir_all(path).is_ok()).collect()
}

/// Whether a folder is called as drafts are: hidden, and with date, time and process at the end.
fn is_draft(name: &str) -> bool {
    let digits = |part: Option<&str>, count: Option<usize>| {
        part.is_some_and(|part| {
            !part.is_empty()
                && part.bytes().all(|letter| letter.is_ascii_digit())
                && count.is_none_or(|count| part.len() == count)
        })
    };
    let mut parts = name.rsplitn(4, '-');
    digits(parts.next(), None)
        && digits(parts.next(), Some(6))
        && digits(parts.next(), Some(8))
        && parts.next().is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
}

/// Whether nobody works on a draft any more. Whatever has a line of metrics was trained: it is no draft.
fn is_abandoned(path: &Path) -> bool {
    if fs::metadata(path.join(METRICS)).is_ok_and(|metrics| metrics.len() > 0) {
        return false;
    }
    lock::is_free(path).unwrap_or_else(|| {
        let changed = fs::metadata(path).and_then(|found| found.modified());
        changed.is_ok_and(|moment| SystemTime::now().duration_since(moment).is_ok_and(|age| age > YOUNG))
    })
}

#[cfg(test)]
mod tests {
    use super::is_draft;

    #[test]
    fn only_hidden_folders_with_date_time_and_process_are_drafts() {
        assert!(is_draft(".a-b-20261115-081500-4711") && is_draft(".x-20261115-081500-1"));
        for name in ["a-20261115-081500-4711", ".git", ".a-20261115-081500", ".a-2026-081500-1", ".-1-2-3"] {
            assert!(!is_draft(name), "{name}");
        }
    }
}
