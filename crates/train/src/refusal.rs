//! Why no step can be taken, or not where it was to be.

use std::error::Error;
use std::sync::Arc;

/// Why an evaluation is no basis for a step.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// This residual (by position in [`Losses::mean_squares`](crate::Losses::mean_squares)) is infinite or no number.
    #[error("residual {0} is not finite")]
    Residual(usize),
    /// The loss is finite, its gradient or the gradient's square is not.
    #[error("the gradient is not finite")]
    Gradient,
    /// A method for sums of squares was given another loss.
    #[error("the loss is not a sum of squares")]
    NotSquares,
    /// A device was to take the steps of a method that has no rule for them.
    #[error("the optimizer takes its steps on the host")]
    NoRule,
    /// A method's vectors are not where it left them: this is another loss.
    #[error("the optimizer's vectors belong to another loss")]
    NoVectors,
    /// A device has no room for what was asked of it.
    #[error("the device has less than {bytes} bytes free")]
    NoRoom {
        /// What it would have taken.
        bytes: usize,
    },
    /// The device failed.
    #[error(transparent)]
    Device(Arc<dyn Error + Send + Sync>),
}

/// What a method does on the host for want of memory on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortage {
    /// It solves its equations there.
    Equations {
        /// What they would have taken on the device.
        bytes: usize,
    },
    /// It keeps there what it remembers.
    Vectors {
        /// What that would have taken on the device.
        bytes: usize,
    },
}
