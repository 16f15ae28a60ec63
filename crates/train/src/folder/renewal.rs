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
                    "phase {phase} continues with {to} after step {step}: the state of {from} is dropped, parameters and step counts are kept"
                )
            }
            Renewal::Loss { phase, step } => write!(
                formatter,
                "phase {} continues after step {step} with changed points or weights: points are drawn anew",
                phase + 1
            ),
        }
    }
}
