//! Compiled kernels on disk, found again by what they were made from.
//!
//! An entry is one file: a checksum, then the image and the log. It is written under another name and renamed, so
//! that readers see whole entries or none; an entry that does not check is made anew. Where nothing can be written,
//! kernels are compiled again in every process, and that is all.

use super::compiler::{self, Compiled};
use crate::cuda::CudaError;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where entries lie.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// What a compiled kernel depends on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Key(u128);

impl Key {
    /// From everything that can change the image: text, options, versions.
    pub(crate) fn of(parts: &[&str]) -> Key {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Key(hash(&bytes))
    }
}

impl Cache {
    /// The user's cache folder: `$PINNACE_CACHE`, or `pinnace` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub(crate) fn of_user() -> Cache {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("PINNACE_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("pinnace")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache/pinnace")));
        Cache { folder: folder.map(|folder| folder.join("cuda")) }
    }

    /// A cache in a given folder.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: &std::path::Path) -> Cache {
        Cache { folder: Some(folder.to_owned()) }
    }

    /// A source compiled for an architecture: found here, or made and kept.
    pub(crate) fn compiled(
        &self,
        kernel: &str,
        text: &str,
        architecture: &str,
    ) -> Result<Compiled, CudaError> {
        let (major, minor) = compiler::version()?;
        let options = compiler::options(text, architecture).join(" ");
        let key = Key::of(&[text, &options, &format!("{major}.{minor}"), env!("CARGO_PKG_VERSION")]);
        if let Some(compiled) = self.get(key) {
            return Ok(compiled);
        }
        let source_file = self.put_source(key, text);
        let compiled = compiler::compile(kernel, text, architecture).map_err(|error| match error {
            CudaError::Compile { kernel, log, .. } => CudaError::Compile { kernel, source_file, log },
            other => other,
        })?;
        self.put(key, &compiled);
        Ok(compiled)
    }

    /// An entry, if it is there and whole.
    pub(crate) fn get(&self, key: Key) -> Option<Compiled> {
        let bytes = std::fs::read(self.folder.as_ref()?.join(name(key, "bin"))).ok()?;
        let (checksum, rest) = bytes.split_first_chunk::<16>()?;
        if u128::from_le_bytes(*checksum) != hash(rest) {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (image, log) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Compiled { image: image.to_owned(), log: String::from_utf8_lossy(log).into_owned() })
    }

    /// Keeps an entry. A disk that cannot be written to is not an error.
    pub(crate) fn put(&self, key: Key, compiled: &Compiled) {
        let mut rest = (compiled.image.len() as u64).to_le_bytes().to_vec();
        rest.extend_from_slice(&compiled.image);
        rest.extend_from_slice(compiled.log.as_bytes());
        let mut bytes = hash(&rest).to_le_bytes().to_vec();
        bytes.append(&mut rest);
        _ = self.write(&name(key, "bin"), &bytes);
    }

    /// Keeps a kernel's source beside its entry; says where, or where it would have been.
    pub(crate) fn put_source(&self, key: Key, text: &str) -> PathBuf {
        let name = name(key, "cu");
        self.write(&name, text.as_bytes()).unwrap_or_else(|| PathBuf::from(name))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Option<PathBuf> {
        /// Distinguishes the unfinished files of one process.
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let folder = self.folder.as_ref()?;
        std::fs::create_dir_all(folder).ok()?;
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let unfinished = folder.join(format!("{name}.{}.{number}", std::process::id()));
        let path = folder.join(name);
        let written = std::fs::write(&unfinished, bytes).and_then(|()| std::fs::rename(&unfinished, &path));
        if written.is_err() {
            _ = std::fs::remove_file(&unfinished);
        }
        written.ok().map(|()| path)
    }
}

fn name(key: Key, ending: &str) -> String {
    format!("{:032x}.{ending}", key.0)
}

/// FNV-1a with 128 bits: enough to tell apart what one user compiles and what a disk damages.
fn hash(bytes: &[u8]) -> u128 {
    const OFFSET: u128 = 0x6c62272e07bb014262b821756295c58d;
    const PRIME: u128 = 0x0000000001000000000000000000013b;
    bytes.iter().fold(OFFSET, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pinnace-cache-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        folder
    }

    fn entry() -> Compiled {
        Compiled { image: vec![1, 2, 3, 0, 255], log: "no spills".to_owned() }
    }

    #[test]
    fn an_entry_is_found_again_by_what_it_was_made_from() {
        let folder = folder("found");
        let cache = Cache::in_folder(&folder);
        let key = Key::of(&["text", "sm_90a"]);
        assert_eq!(cache.get(key), None);
        cache.put(key, &entry());
        assert_eq!(cache.get(key), Some(entry()));
        assert_eq!(cache.get(Key::of(&["texts", "m_90a"])), None);
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_damaged_or_truncated_entry_is_not_loaded() {
        let folder = folder("damaged");
        let cache = Cache::in_folder(&folder);
        let key = Key::of(&["text"]);
        cache.put(key, &entry());
        let path = folder.join(name(key, "bin"));
        let whole = std::fs::read(&path).expect("an entry");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("a writable folder");
            assert_eq!(cache.get(key), None, "truncated to {length}");
        }
        let mut damaged = whole;
        damaged[20] ^= 1;
        std::fs::write(&path, damaged).expect("a writable folder");
        assert_eq!(cache.get(key), None);
        cache.put(key, &entry());
        assert_eq!(cache.get(key), Some(entry()));
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn many_writers_and_readers_see_whole_entries_or_none() {
        let folder = folder("crowd");
        let cache = Cache::in_folder(&folder);
        let keys = ["one", "two"].map(|text| Key::of(&[text]));
        // Different entries of the same name, as two versions of a compiler might write them.
        let entries = [1u8, 2, 3].map(|byte| Compiled { image: vec![byte; 50_000], log: byte.to_string() });
        std::thread::scope(|scope| {
            for entry in &entries {
                let (cache, entries) = (&cache, &entries);
                scope.spawn(move || {
                    for round in 0..40 {
                        cache.put(keys[round % 2], entry);
                        assert!(entries.contains(&cache.get(keys[round % 2]).expect("a whole entry")));
                    }
                });
            }
        });
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 2, "no unfinished files stay");
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_no_error() {
        let folder = folder("file");
        std::fs::write(&folder, "a file where a folder should be").expect("a writable place");
        let cache = Cache::in_folder(&folder);
        cache.put(Key::of(&["text"]), &entry());
        assert_eq!(cache.get(Key::of(&["text"])), None);
        assert!(!cache.put_source(Key::of(&["text"]), "text").exists());
        _ = std::fs::remove_file(folder);
    }
}
