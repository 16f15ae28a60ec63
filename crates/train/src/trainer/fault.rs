//! What is wrong with a state that training was to continue from.

use crate::StateError;

/// A state that does not fit the phases.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoopFault {
    /// A saved state is not one of the phase's method or of the task.
    #[error("the saved state does not fit phase {}: {cause}; was its optimizer changed?", phase + 1)]
    Misfit {
        /// Which phase, from 0.
        phase: usize,
        /// What does not fit.
        cause: StateError,
    },
    /// A saved state is in a phase that there is not.
    #[error("the saved state is in phase {}, there are {phases}", phase + 1)]
    NoSuchPhase {
        /// Which phase, from 0.
        phase: usize,
        /// How many there are.
        phases: usize,
    },
}
