//! What can go wrong with the folder of a run.

use super::TransferError;
use crate::checkpoint::Fault;
use crate::trainer::{Concern, Renewal};
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
    #[error("`{text}` {reason}")]
    Override {
        /// As the user wrote it.
        text: String,
        /// Why.
        reason: Reason,
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
    pub(super) fn write(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Write { path, cause }
    }

    pub(super) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
        let path = path.to_owned();
        move |cause| RunError::Read { path, cause }
    }
}

/// Which of its states a run is opened at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Used {
    /// The newest.
    Newest,
    /// The best that was kept.
    Best,
    /// The checkpoint that someone named.
    Named,
}

impl Used {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Used::Newest => "newest",
            Used::Best => "best",
            Used::Named => "named",
        }
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
    /// The newest state is that of a training that went wrong.
    Suspect {
        /// What is wrong with it.
        concern: Concern,
        /// The steps taken in it.
        newest: u64,
        /// The steps taken in the one that is used.
        step: u64,
        /// Which one that is.
        used: Used,
    },
    /// Something begins anew where the run goes on.
    Renewed(Renewal),
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
            Notice::Suspect { concern, newest, step, used } => match used {
                Used::Best => write!(
                    formatter,
                    "{concern} after step {newest}; using the best state that was kept, after step {step}"
                ),
                Used::Newest | Used::Named => {
                    write!(formatter, "{concern} after step {newest}, which is the state that is used")
                }
            },
            Notice::Renewed(renewal) => renewal.fmt(formatter),
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
