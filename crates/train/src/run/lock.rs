//! One process at a time trains a run.

use super::RunError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

/// Held by the process that trains; the system lets go of it when the process ends, however it ends, so
/// that no lock outlives its owner.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the run in `folder`, or says who has it.
    pub(super) fn take(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join("lock");
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(RunError::write(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut owner = String::new();
                // Whoever it is: the run is taken.
                let _ = file.read_to_string(&mut owner);
                return Err(RunError::Busy { path: folder.to_owned(), process: owner.trim().parse().ok() });
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
