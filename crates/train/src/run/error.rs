//! What can go wrong with the folder of a run.

use super::TransferError;
use crate::checkpoint::Fault;
use std::fmt;
use std::path::{Path, PathBuf};

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
    #[error("{} is no run: it has no {missing}", path.display())]
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
        fault: Fault,
    },
    /// A checkpoint cannot be made: the state is not one of the problem.
    #[error("the state cannot be saved: {0}")]
    Unsavable(Fault),
    /// Another run does not fit this problem.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// An override that would make another run of it.
    #[error(
        "`{text}` would make it another run: only `training` may change when a run is continued, and not its seed; start a new one with `pinnace train --from`"
    )]
    Override {
        /// As the user wrote it.
        text: String,
    },
    /// One of several checkpoints where a whole run is wanted.
    #[error("{} is a checkpoint: name the run's folder", path.display())]
    OnlyACheckpoint {
        /// Which file.
        path: PathBuf,
    },
}

impl RunError {
    pub(super) fn write(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Write { path, cause }
    }

    pub(super) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Read { path, cause }
    }
}

/// Something about a run that its user should know.
#[derive(Debug)]
pub enum Notice {
    /// The newest checkpoint cannot be used, an older one is.
    Damaged {
        /// The one that cannot be used.
        path: PathBuf,
        /// Why.
        fault: Fault,
        /// The steps taken in the one that is used.
        step: u64,
    },
    /// This version does not have the device or precision that the run was trained with.
    OtherDevice {
        /// Which it was.
        trained: String,
        /// What is used.
        used: String,
    },
    /// The processor has other instructions: the results agree up to rounding only.
    OtherLevel {
        /// Those it was trained with.
        trained: String,
        /// Those of this processor.
        used: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Damaged { path, fault, step } => {
                write!(
                    formatter,
                    "{}: {fault}; using the checkpoint before it, at step {step}",
                    path.display()
                )
            }
            Notice::OtherDevice { trained, used } => {
                write!(formatter, "this run was trained on {trained}, which is not here: using {used}")
            }
            Notice::OtherLevel { trained, used } => write!(
                formatter,
                "this run was trained with {trained} instructions, this processor has {used}: results agree up to rounding"
            ),
        }
    }
}
