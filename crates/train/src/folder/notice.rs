//! What users should know about a run that can be used all the same.

use super::{Record, Renewal};
use crate::Concern;
use crate::checkpoint::CheckpointFault;
use std::fmt;
use std::path::PathBuf;

/// A run that another process trains.
#[derive(Clone, PartialEq, Debug)]
pub struct Live {
    /// The other process, where it says so.
    pub process: Option<u32>,
    /// Steps in its newest checkpoint.
    pub saved: u64,
    /// Its newest line of metrics.
    pub logged: Option<Box<Record>>,
}

impl fmt::Display for Live {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = self.process.map(|id| format!(" {id}")).unwrap_or_default();
        write!(
            formatter,
            "this run is being trained by process{process}; this is its newest checkpoint, after {} step{}",
            self.saved,
            if self.saved == 1 { "" } else { "s" }
        )?;
        match self.logged.as_deref() {
            Some(Record { step, loss, .. }) if *step > self.saved => {
                write!(formatter, ", while training is at step {step} (loss {loss:.3e})")
            }
            Some(_) => Ok(()),
            None => write!(formatter, ", and no step is logged yet"),
        }
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
        fault: CheckpointFault,
        /// The steps taken in the one that is used.
        step: u64,
    },
    /// The checkpoint that was written last is gone, an older one is used.
    Missing {
        /// The one that is gone.
        path: PathBuf,
        /// The steps taken in the one that is used.
        step: u64,
    },
    /// The checkpoint that is used is whole, but the manifest does not know it.
    Unlisted {
        /// Which.
        path: PathBuf,
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
        /// The steps after which another method took over in the newest state's phase, if one did.
        method_since: Option<u64>,
    },
    /// Something begins anew where the run goes on.
    Renewed(Renewal),
    /// There is no manifest.
    Unchecked {
        /// Which run.
        path: PathBuf,
    },
    /// The manifest itself is damaged.
    DamagedManifest {
        /// Which file.
        path: PathBuf,
    },
    /// The notes about where the run was trained were damaged.
    DamagedEnvironment {
        /// Which file.
        path: PathBuf,
        /// What the damaged one is called now.
        aside: PathBuf,
    },
    /// Lines of the metrics that nobody can read.
    DamagedLines {
        /// Which file.
        path: PathBuf,
        /// The first of them, from 1.
        first: usize,
        /// How many there are.
        count: usize,
        /// What the file with them is called now, where they were removed.
        aside: Option<PathBuf>,
    },
    /// A process was killed while it made a run; what it left was removed.
    Abandoned {
        /// What was removed.
        path: PathBuf,
    },
    /// Another process trains the run.
    Live(Live),
    /// This version does not have the device or precision that the run was trained with.
    OtherDevice {
        /// Which it was.
        trained: String,
        /// What is used.
        used: String,
    },
    /// The run was trained with another order of sums, or another choice of points: from here on its bits differ.
    OtherArithmetic {
        /// The version that it was trained with.
        trained: u64,
        /// The version of this program.
        used: u64,
    },
    /// The CPU has other instructions: the results agree up to rounding only.
    OtherLevel {
        /// Those it was trained with.
        trained: String,
        /// Those of this CPU.
        used: String,
    },
}

impl Notice {
    /// Whether something may be wrong; otherwise it is only good to know.
    pub fn is_warning(&self) -> bool {
        match self {
            // Whoever changes the method knows that the loss may rise.
            Notice::Suspect { concern: Concern::Risen { .. }, method_since: Some(_), .. } => false,
            Notice::Damaged { .. }
            | Notice::Missing { .. }
            | Notice::Unlisted { .. }
            | Notice::Suspect { .. }
            | Notice::DamagedManifest { .. }
            | Notice::DamagedEnvironment { .. }
            | Notice::DamagedLines { .. }
            | Notice::OtherDevice { .. }
            | Notice::OtherArithmetic { .. }
            | Notice::OtherLevel { .. } => true,
            Notice::Renewed(_) | Notice::Unchecked { .. } | Notice::Abandoned { .. } | Notice::Live(_) => {
                false
            }
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Damaged { path, fault, step } => {
                write!(
                    formatter,
                    "{}: {fault}; using the previous checkpoint, at step {step}",
                    path.display()
                )
            }
            Notice::Missing { path, step } => write!(
                formatter,
                "{}, the newest checkpoint of this run, is missing; using the previous one, at step {step}",
                path.display()
            ),
            Notice::Unlisted { path } => write!(
                formatter,
                "{} is not among the checkpoints in manifest.json: was it put there, or the run copied while it was trained? It is used",
                path.display()
            ),
            Notice::Unchecked { path } => write!(
                formatter,
                "{} has no manifest.json, like runs of earlier versions: changes to its files cannot be detected (`pinnace resume` creates one)",
                path.display()
            ),
            Notice::DamagedManifest { path } => write!(
                formatter,
                "{} is damaged: changes to files of this run cannot be detected (`pinnace resume` creates a new one)",
                path.display()
            ),
            Notice::DamagedEnvironment { path, aside } => write!(
                formatter,
                "{} is damaged: a new one is started, the damaged one is kept as {}",
                path.display(),
                aside.display()
            ),
            Notice::DamagedLines { path, first, count, aside } => {
                let lines = if *count == 1 { "1 line is" } else { &format!("{count} lines are") };
                write!(formatter, "{}: {lines} damaged and left out, from line {first} on", path.display())?;
                match aside {
                    Some(aside) => write!(formatter, "; the file with them is kept as {}", aside.display()),
                    None => Ok(()),
                }
            }
            Notice::Abandoned { path } => write!(
                formatter,
                "removed {}, left behind by a process that was killed while it created a run",
                path.display()
            ),
            Notice::Live(live) => live.fmt(formatter),
            Notice::Suspect { concern, newest, step, used, method_since } => {
                formatter.write_str(&concern.after(*newest))?;
                if let Some(since) = method_since {
                    write!(formatter, "; the optimizer was changed after step {since}")?;
                }
                match used {
                    Used::Best => write!(formatter, "; using the best saved state, after step {step}"),
                    Used::Newest => write!(formatter, "; using this state, the newest"),
                    Used::Named => write!(formatter, "; using this state"),
                }
            }
            Notice::Renewed(renewal) => renewal.fmt(formatter),
            Notice::OtherDevice { trained, used } => {
                write!(formatter, "this run was trained on {trained}, which is not available: using {used}")
            }
            Notice::OtherArithmetic { trained, used } => write!(
                formatter,
                "this run was trained with arithmetic {trained}, this version has arithmetic {used}: bits differ from here on"
            ),
            Notice::OtherLevel { trained, used } => write!(
                formatter,
                "this run was trained with {trained} instructions, this CPU has {used}: results agree up to rounding"
            ),
        }
    }
}
