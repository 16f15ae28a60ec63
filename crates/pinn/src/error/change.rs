//! Why a run cannot be changed so.

use kernel::Precision;
use std::fmt;

/// Why a run cannot continue with an override.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangeRefusal {
    /// It changes more than training.
    NotTraining,
    /// Points and random features follow from the seed.
    Seed,
    /// It computes in the numbers that it began with.
    Precision {
        /// Which.
        own: Precision,
    },
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
    OwnBudgets {
        /// The first phase of the file that is left, from 0.
        phase: usize,
    },
}

impl fmt::Display for ChangeRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What to do instead.
        const FROM: &str = "`pinnace train PROBLEM --from RUN` starts a new run from these weights";
        match self {
            ChangeRefusal::NotTraining => {
                write!(
                    formatter,
                    "would make it another run: only `training` may change when a run is continued, and `threads`, `affinity`, `priority` and `workers` of `performance`; {FROM}"
                )
            }
            ChangeRefusal::Seed => write!(
                formatter,
                "would make it another run: its points, and possibly its features, follow from the seed; {FROM}"
            ),
            ChangeRefusal::Precision { own } => write!(
                formatter,
                "would make it another run: this one computes in {own}, and goes on in it; {FROM}"
            ),
            ChangeRefusal::Windows => formatter
                .write_str("would make it another run: each time window has its own network; train anew"),
            ChangeRefusal::Network => formatter.write_str("would make another network of it: train anew"),
            ChangeRefusal::Ansatz { unknowns } => write!(
                formatter,
                "would change the meaning of the trained weights: {} would be another function of them; {FROM}, as an initial guess",
                unknowns.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
            ChangeRefusal::OwnBudgets { phase } => write!(
                formatter,
                "changes nothing: the phases of this run that are left state budgets of their own; change those, as in `--set training.phase.{phase}.budget=...`, where phases are counted from 0",
            ),
        }
    }
}
