//! What can go wrong with the folder of a run.

use crate::checkpoint::CheckpointFault;
use std::path::{Path, PathBuf};

/// The file that lists the checksums of a run.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Why a run cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Something cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// What.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Something cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// What.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Neither a run nor a checkpoint in one.
    #[error("{} is not a run: it has no {missing}", path.display())]
    NotARun {
        /// What was named.
        path: PathBuf,
        /// What a run has.
        missing: &'static str,
    },
    /// The folder for a new run is in use.
    #[error("{} exists and is not empty; name another folder, or continue the run there with `pinnace resume`", path.display())]
    Taken {
        /// Which folder.
        path: PathBuf,
    },
    /// Another process trains this run.
    #[error("{} is being trained by another process{}", path.display(), process.map(|id| format!(" ({id})")).unwrap_or_default())]
    Busy {
        /// Which run.
        path: PathBuf,
        /// The other process.
        process: Option<u32>,
    },
    /// None of the checkpoints can be used; this is what is wrong with the newest.
    #[error("{}: {fault}", path.display())]
    Checkpoint {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        fault: CheckpointFault,
    },
    /// A checkpoint cannot be made: the state is not one of the problem.
    #[error("the state cannot be saved: {0}")]
    Unsavable(CheckpointFault),
    /// Files that decide what the run computes are not what it was trained with.
    #[error(
        "{} {} not what this run was trained with: the checksum in {} differs; restore {}, or delete {} to accept the files as they are",
        files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", "),
        if files.len() == 1 { "is" } else { "are" },
        folder.join(MANIFEST).display(),
        if files.len() == 1 { "it" } else { "them" },
        folder.join(MANIFEST).display()
    )]
    Changed {
        /// Of which run.
        folder: PathBuf,
        /// Which files.
        files: Vec<PathBuf>,
    },
    /// The lock leads elsewhere: taking it would write there.
    #[error("{} is not a regular file, and whatever it leads to would be overwritten: remove it", path.display())]
    StrangeLock {
        /// Which.
        path: PathBuf,
    },
    /// One of several checkpoints where a whole run is wanted.
    #[error("{} is a checkpoint: name the run's folder", path.display())]
    OnlyACheckpoint {
        /// Which file.
        path: PathBuf,
    },
}

impl RunError {
    /// Names what cannot be written.
    pub fn write(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Write { path, cause }
    }

    /// Names what cannot be read.
    pub fn read(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Read { path, cause }
    }
}
