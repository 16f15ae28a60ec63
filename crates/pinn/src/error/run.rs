//! What can go wrong with the folder of a run.

use super::TransferError;
use std::fmt;
use std::path::{Path, PathBuf};
use train::checkpoint::Fault;

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
    #[error("`{text}` {reason}")]
    Override {
        /// As the user wrote it.
        text: String,
        /// Why.
        reason: Reason,
    },
    /// Files that decide what the run computes are not what it was trained with.
    #[error(
        "{} {} not what this run was trained with: the checksum in {} is another; restore {}, or delete {} to accept the run's files as they are",
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
    #[error("{} is no regular file, and whatever it leads to would be overwritten: remove it", path.display())]
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

/// Why a run cannot go on with an override.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It changes more than training.
    NotTraining,
    /// Points and random features follow from the seed.
    Seed,
    /// Each window has a network of its own.
    Windows,
    /// The network would be another.
    Network,
    /// The same weights would be other functions.
    Ansatz {
        /// Which unknowns.
        unknowns: Vec<String>,
    },
    /// The phases have budgets of their own.
    OwnBudgets,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What to do instead.
        const FROM: &str = "`pinnace train PROBLEM --from RUN` starts a new run from these weights";
        match self {
            Reason::NotTraining => {
                write!(formatter, "would make it another run: only `training` may change when a run is continued; {FROM}")
            }
            Reason::Seed => write!(
                formatter,
                "would make it another run: its points follow from the seed, and what the network sees of them may; {FROM}"
            ),
            Reason::Windows => formatter.write_str(
                "would make it another run: each window of time has a network of its own, which is trained for its times; train anew",
            ),
            Reason::Network => formatter.write_str("would make another network of it: train anew"),
            Reason::Ansatz { unknowns } => write!(
                formatter,
                "would change what the trained weights mean: {} would be built from them in another way, and no longer be what was trained; {FROM}, as a first guess",
                unknowns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
            Reason::OwnBudgets => formatter.write_str(
                "changes nothing: the phases of this run that are left state budgets of their own; change those, as in `--set training.phase.0.budget=...`, where phases are counted from 0",
            ),
        }
    }
}

impl RunError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Write { path, cause }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Read { path, cause }
    }
}
