//! One process at a time trains a run.

use super::RunError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

const LOCK: &str = "lock";

/// How often a lock is tried that is taken. Whoever looks at a run holds it for a moment; whoever trains keeps it.
const ATTEMPTS: usize = 5;

/// Between two of them.
const PAUSE: Duration = Duration::from_millis(20);

/// Held by the process that trains; the system lets go of it when the process ends, however it ends, so
/// that no lock outlives its owner.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the run in `folder`, or says who has it.
    pub(super) fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(LOCK);
        let mut file = match open_or_create(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == ErrorKind::InvalidInput => {
                return Err(RunError::StrangeLock { path });
            }
            Err(cause) => return Err(RunError::Write { path, cause }),
        };
        let mut taken = file.try_lock();
        for _ in 1..ATTEMPTS {
            if !matches!(taken, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(PAUSE);
            taken = file.try_lock();
        }
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunError::Busy { path: folder.to_owned(), process: owner(&mut file) });
            }
            // A disk without locks has no users who need them.
            Err(TryLockError::Error(cause)) if cause.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(cause)) => return Err(RunError::Write { path, cause }),
        }
        let written = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(RunError::write(&path))?;
        Ok(Lock { _file: file })
    }
}

/// The process, if it is not this one, that holds the lock of a run; `Some(None)` where it does not say who it is.
pub(super) fn held_by_another(folder: &Path) -> Option<Option<u32>> {
    let mut file = open(&folder.join(LOCK), OpenOptions::new().read(true)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(owner(&mut file)).filter(|id| *id != Some(std::process::id())),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Whether there is a lock in `folder` whose owner has ended; `None` where there is no lock.
pub(super) fn is_free(folder: &Path) -> Option<bool> {
    match open(&folder.join(LOCK), OpenOptions::new().read(true)) {
        Ok(file) => Some(file.try_lock().is_ok()),
        Err(cause) if cause.kind() == ErrorKind::NotFound => None,
        Err(_) => Some(false),
    }
}

/// What the lock says about its owner.
fn owner(file: &mut File) -> Option<u32> {
    let mut owner = String::new();
    file.take(32).read_to_string(&mut owner).ok()?;
    owner.trim().parse().ok()
}

/// Opens the lock for writing. Nothing is written through links: a new file is made where there is nothing at all, and
/// another one only opened.
fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => open(path, &options),
        made => made,
    }
}

/// Opens a regular file that is no link, not even one that has just come in its place.
fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let strange = || io::Error::new(ErrorKind::InvalidInput, "it is not a regular file");
    if !path.symlink_metadata()?.is_file() {
        return Err(strange());
    }
    let file = options.open(path)?;
    if is_same(&file, path)? { Ok(file) } else { Err(strange()) }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (opened, named) = (file.metadata()?, path.symlink_metadata()?);
    Ok((opened.dev(), opened.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_same(_file: &File, path: &Path) -> io::Result<bool> {
    Ok(path.symlink_metadata()?.is_file())
}
