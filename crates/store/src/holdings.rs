//! What caches of a user hold, and how they stay small. Only files that a cache has made are ever removed: their names are keys,
//! and entries state their own key.

use crate::atomic::is_partial;
use crate::bytes::read_bytes;
use crate::entry::{HITS, MISSES, is_own_entry, key_in};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What a user's caches may take where nobody says otherwise, in bytes.
const LIMIT: u64 = 2 << 30;

/// Unfinished files of this age were left by processes that are gone.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder with the caches of a user, each in a room of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holdings {
    folder: PathBuf,
}

/// What a room holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoomHoldings {
    /// Its name.
    pub name: String,
    /// Things that were made, each with the texts beside it.
    pub entries: usize,
    /// Bytes of all of them.
    pub bytes: u64,
    /// When the entry that was not used for the longest time was used.
    pub oldest: Option<SystemTime>,
    /// When an entry was used last.
    pub newest: Option<SystemTime>,
    /// How often something was found.
    pub hits: u64,
    /// How often something had to be made.
    pub misses: u64,
}

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    /// How many entries.
    pub entries: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// An entry with all files that belong to it.
struct OwnEntry {
    files: Vec<PathBuf>,
    bytes: u64,
    used: SystemTime,
}

/// The most bytes that the caches of a user may take: `$PINNACE_CACHE_BYTES`, or 2 GiB.
pub fn cache_limit() -> Result<u64, String> {
    match std::env::var("PINNACE_CACHE_BYTES") {
        Ok(text) if !text.trim().is_empty() => read_bytes(&text)
            .map(|bytes| bytes as u64)
            .map_err(|error| format!("PINNACE_CACHE_BYTES: {error}")),
        Ok(_) | Err(_) => Ok(LIMIT),
    }
}

impl Holdings {
    /// The user's: `$PINNACE_CACHE`, or `pinnace` in `$XDG_CACHE_HOME` or `~/.cache`; `None` where there is no such place.
    pub fn of_user() -> Option<Holdings> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("PINNACE_CACHE")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("pinnace")))
            .or_else(|| variable("HOME").map(|folder| folder.join(".cache/pinnace")));
        folder.map(Holdings::in_folder)
    }

    /// Those in a given folder.
    pub fn in_folder(folder: PathBuf) -> Holdings {
        Holdings { folder }
    }

    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What every room holds, by name. Rooms without entries and counts are none.
    pub fn rooms(&self) -> io::Result<Vec<RoomHoldings>> {
        let mut rooms = Vec::new();
        for path in self.room_paths()? {
            let entries = entries(&path)?;
            let count = |name: &str| fs::symlink_metadata(path.join(name)).map_or(0, |found| found.len());
            let room = RoomHoldings {
                name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                entries: entries.len(),
                bytes: entries.iter().map(|entry| entry.bytes).sum(),
                oldest: entries.iter().map(|entry| entry.used).min(),
                newest: entries.iter().map(|entry| entry.used).max(),
                hits: count(HITS),
                misses: count(MISSES),
            };
            if room.entries > 0 || room.hits + room.misses > 0 {
                rooms.push(room);
            }
        }
        Ok(rooms)
    }

    /// Removes all entries, or those that were last used before a moment; with all, the counts begin anew.
    pub fn clear(&self, unused_since: Option<SystemTime>) -> io::Result<Removed> {
        let mut removed = Removed::default();
        for path in self.room_paths()? {
            for entry in entries(&path)? {
                if unused_since.is_none_or(|moment| entry.used < moment) {
                    entry.remove(&mut removed)?;
                }
            }
            forget_partial(&path);
            if unused_since.is_none() {
                [HITS, MISSES].iter().for_each(|name| _ = fs::remove_file(path.join(name)));
            }
        }
        Ok(removed)
    }

    /// Removes what was not used for the longest time, until no more bytes are left than these.
    pub fn shrink(&self, most: u64) -> io::Result<Removed> {
        let mut all = Vec::new();
        for path in self.room_paths()? {
            all.extend(entries(&path)?);
        }
        let mut bytes: u64 = all.iter().map(|entry| entry.bytes).sum();
        let mut removed = Removed::default();
        all.sort_by(|one, other| (one.used, &one.files).cmp(&(other.used, &other.files)));
        for entry in all {
            if bytes <= most {
                break;
            }
            bytes -= entry.bytes;
            entry.remove(&mut removed)?;
        }
        Ok(removed)
    }

    /// The folders right below. Links are not followed: what they lead to is somebody else's.
    fn room_paths(&self) -> io::Result<Vec<PathBuf>> {
        let found = match fs::read_dir(&self.folder) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            found => found?,
        };
        let mut rooms = Vec::new();
        for entry in found {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                rooms.push(entry.path());
            }
        }
        rooms.sort();
        Ok(rooms)
    }
}

impl OwnEntry {
    fn remove(self, removed: &mut Removed) -> io::Result<()> {
        for file in &self.files {
            match fs::remove_file(file) {
                // Another process was faster.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                done => done?,
            }
        }
        removed.entries += 1;
        removed.bytes += self.bytes;
        Ok(())
    }
}

/// The entries of a room: files with a key for a name, which entries state themselves, and texts beside them.
fn entries(room: &Path) -> io::Result<Vec<OwnEntry>> {
    let mut found: BTreeMap<u128, OwnEntry> = BTreeMap::new();
    for file in fs::read_dir(room)? {
        let path = file?.path();
        // Another process may have removed it since.
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        let Some(key) = key_in(&path).filter(|_| about.is_file()) else { continue };
        if path.extension() == Some(OsStr::new("bin")) && !is_own_entry(&path, key) {
            continue;
        }
        let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let entry = found.entry(key).or_insert(OwnEntry { files: Vec::new(), bytes: 0, used });
        entry.files.push(path);
        entry.bytes += about.len();
        entry.used = entry.used.max(used);
    }
    Ok(found.into_values().collect())
}

/// Removes what writers have left that are gone.
fn forget_partial(room: &Path) {
    let Ok(found) = fs::read_dir(room) else { return };
    for path in found.flatten().map(|entry| entry.path()).filter(|path| is_partial(path)) {
        let is_own = path
            .file_name()
            .and_then(OsStr::to_str)
            .is_some_and(|name| key_in(Path::new(&name[..name.len().min(36)])).is_some());
        let age = fs::symlink_metadata(&path).and_then(|about| about.modified()).map(|then| then.elapsed());
        if is_own && matches!(age, Ok(Ok(age)) if age > FORGOTTEN) {
            _ = fs::remove_file(path);
        }
    }
}
