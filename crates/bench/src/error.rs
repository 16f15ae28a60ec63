//! Why there is no measurement.

use crate::{AccuracyError, BaselineError, CaseError};
use kernel::KernelError;
use pinnace::sample::HostPoints;
use pinnace::{Refusal, TrainError};
use plot::PlotError;

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// What is to be measured cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// It cannot be run.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A device does not draw such points.
    #[error("the device cannot draw them: {obstacle}")]
    HostPoints {
        /// Why.
        obstacle: HostPoints,
    },
    /// Its loss is no basis for a step.
    #[error("no step can be taken: {0}")]
    Refused(#[from] Refusal),
    /// The starting line of a comparison cannot be read.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// There is nothing to compare with.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// Trainings cannot be compared.
    #[error(transparent)]
    Accuracy(#[from] AccuracyError),
    /// What was measured cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PlotError),
    /// The system does not give that many threads.
    #[error("cannot start {threads} threads")]
    Threads {
        /// How many were asked for.
        threads: usize,
    },
}
