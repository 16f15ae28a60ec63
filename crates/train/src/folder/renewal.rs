//! What begins anew where a run goes on.

use std::fmt;

/// Something that begins anew where a run goes on.
#[derive(Clone, PartialEq, Debug)]
pub enum Renewal {
    /// Another method takes over.
    Method {
        /// In which phase, from 0.
        phase: usize,
        /// The one before, where it is known.
        from: Option<String>,
        /// The one that takes over.
        to: String,
        /// Steps taken in the run before.
        step: u64,
    },
    /// The loss is another function: points or their weights are chosen otherwise.
    Loss {
        /// In which phase, from 0.
        phase: usize,
        /// Steps taken in the run before.
        step: u64,
    },
}

impl fmt::Display for Renewal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Renewal::Method { phase, from, to, step } => {
                let (phase, from) = (phase + 1, from.as_deref().unwrap_or("the method before"));
                write!(
                    formatter,
                    "phase {phase} goes on with {to} after step {step}: what {from} has learned about the loss is dropped, the parameters and the counts of steps stay"
                )
            }
            Renewal::Loss { phase, step } => write!(
                formatter,
                "phase {} goes on after step {step} with points or weights chosen as it now says: they are drawn anew",
                phase + 1
            ),
        }
    }
}
