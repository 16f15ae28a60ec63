//! What takes long to make, on disk, found again by what it was made from.
//!
//! An entry is one file: a checksum, then the key and the content. Readers see whole entries or none; an entry that
//! does not check, or has the name of another one, is made anew. Where nothing can be written, everything is made
//! again in every process, and that is all.

use crate::entry::{HITS, MISSES};
use crate::holdings::{Holdings, cache_limit};
use crate::replace_among_others;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

/// Where entries lie.
#[derive(Clone, PartialEq, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// All caches of the user, which this one counts in and keeps small.
    holdings: Option<Holdings>,
}

/// What an entry was made from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Key(u128);

impl Key {
    /// From everything that can change what is made: texts, options, versions.
    pub fn of(parts: &[&str]) -> Key {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Key(hash(&bytes))
    }

    fn name(self, ending: &str) -> String {
        format!("{:032x}.{ending}", self.0)
    }
}

impl Cache {
    /// Keeps nothing.
    pub const NONE: Cache = Cache { folder: None, holdings: None };

    /// A room of the user's cache folder: of `$PINNACE_CACHE`, or of `pinnace` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn of_user(room: &str) -> Cache {
        let holdings = Holdings::of_user();
        Cache { folder: holdings.as_ref().map(|all| all.folder().join(room)), holdings }
    }

    /// A cache in a given folder.
    pub fn in_folder(folder: PathBuf) -> Cache {
        Cache { folder: Some(folder), holdings: None }
    }

    /// What was kept, if it is there and whole.
    pub fn get(&self, key: Key) -> Option<Vec<u8>> {
        self.get_with(key, <[u8]>::to_vec)
    }

    /// What `make` makes of the content that was kept, which is not copied.
    pub fn get_with<T>(&self, key: Key, make: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let found = self.find(key, make);
        self.count(if found.is_some() { HITS } else { MISSES });
        found
    }

    fn find<T>(&self, key: Key, make: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let path = self.folder.as_ref()?.join(key.name("bin"));
        let bytes = std::fs::read(&path).ok()?;
        if self.holdings.is_some() {
            // What was used last is removed last.
            let file = File::options().append(true).open(&path);
            _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        }
        let (checksum, rest) = bytes.split_first_chunk::<4>()?;
        let (stated, content) = rest.split_first_chunk::<16>()?;
        let whole = u32::from_le_bytes(*checksum) == crc32fast::hash(rest);
        (whole && u128::from_le_bytes(*stated) == key.0).then(|| make(content))
    }

    /// Keeps an entry. A disk that cannot be written to is not an error.
    pub fn put(&self, key: Key, content: &[u8]) {
        let mut bytes = Vec::with_capacity(20 + content.len());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&key.0.to_le_bytes());
        bytes.extend_from_slice(content);
        let checksum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&checksum.to_le_bytes());
        _ = self.write(&key.name("bin"), &bytes);
        if let (Some(holdings), Ok(limit)) = (&self.holdings, cache_limit()) {
            _ = holdings.shrink(limit);
        }
    }

    /// One more of its kind, where a user's caches are counted.
    fn count(&self, name: &str) {
        if let (Some(folder), Some(_)) = (&self.folder, &self.holdings) {
            let file = File::options().append(true).create(true).open(folder.join(name));
            _ = file.and_then(|mut file| file.write_all(b"."));
        }
    }

    /// Keeps a text for people beside its entry; says where, or where it would have been.
    pub fn put_text(&self, key: Key, ending: &str, text: &str) -> PathBuf {
        let name = key.name(ending);
        self.write(&name, text.as_bytes()).unwrap_or_else(|| PathBuf::from(name))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        std::fs::create_dir_all(folder).ok()?;
        let path = folder.join(name);
        replace_among_others(&path, bytes).ok().map(|()| path)
    }
}

/// FNV-1a with 128 bits: enough to tell apart what one user makes.
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

    #[test]
    fn an_entry_is_found_again_by_what_it_was_made_from() {
        let folder = folder("found");
        let cache = Cache::in_folder(folder.clone());
        let (heat, wave) = (Key::of(&["heat", "wave"]), Key::of(&["hea", "twave"]));
        assert_eq!(cache.get(heat), None);
        cache.put(heat, b"warm");
        assert_eq!(cache.get(heat), Some(b"warm".to_vec()));
        assert_eq!(cache.get(wave), None);
        std::fs::rename(folder.join(heat.name("bin")), folder.join(wave.name("bin")))
            .expect("a writable folder");
        assert_eq!(cache.get(wave), None, "an entry of another name");
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_damaged_or_truncated_entry_is_not_loaded_and_can_be_replaced() {
        let folder = folder("damaged");
        let cache = Cache::in_folder(folder.clone());
        let key = Key::of(&["heat"]);
        cache.put(key, b"warm");
        let path = folder.join(key.name("bin"));
        let whole = std::fs::read(&path).expect("an entry");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("a writable folder");
            assert_eq!(cache.get(key), None, "truncated to {length}");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, damaged).expect("a writable folder");
            assert_eq!(cache.get(key), None, "damaged at {place}");
        }
        cache.put(key, b"warm");
        assert_eq!(cache.get(key), Some(b"warm".to_vec()));
        _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn many_writers_and_readers_see_whole_entries_or_none() {
        let folder = folder("crowd");
        let cache = Cache::in_folder(folder.clone());
        let keys = ["one", "two"].map(|text| Key::of(&[text]));
        // Different entries of the same name, as two versions of a compiler might write them.
        let entries = [1u8, 2, 3].map(|byte| vec![byte; 50_000]);
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
    fn a_place_that_cannot_be_written_is_no_error() {
        let file = folder("file");
        std::fs::write(&file, "a file where a folder should be").expect("a writable place");
        let key = Key::of(&["heat"]);
        for cache in [Cache::in_folder(file.clone()), Cache::NONE] {
            cache.put(key, b"warm");
            assert_eq!(cache.get(key), None);
            assert!(!cache.put_text(key, "txt", "text").exists());
        }
        _ = std::fs::remove_file(file);
    }
}
