//! What can go wrong between a plan and its numbers.

use crate::cuda::CudaError;
use crate::{Device, Precision};
use linear::Level;

/// What has the wrong size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// The number of point sets, against the plan's terms.
    PointSets,
    /// The numbers per point, against the term's row.
    RowWidth,
    /// The number of parameters, against the plan's.
    Parameters,
    /// The length of a gradient, against the plan's parameters.
    Gradient,
    /// The length of an output, against points times residuals.
    Output,
    /// The number of weights, against the plan's residuals.
    Weights,
    /// The position of a term, against how many there are.
    Term,
    /// The number of steps to try, against the most at once.
    Steps,
}

/// Why a kernel cannot be made or run.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum KernelError {
    /// An argument does not fit the plan: the caller mixed up two plans.
    #[error("{shape:?} is {found} where the plan needs {expected}")]
    Misfit {
        /// Which argument.
        shape: Dimension,
        /// What the plan needs.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A precision that the device does not compute in.
    #[error("device `{device}` does not compute in {precision}")]
    Precision {
        /// Which device.
        device: Device,
        /// Which precision.
        precision: Precision,
    },
    /// Instructions that this CPU does not have.
    #[error("this CPU does not support {level}")]
    Level {
        /// Which instruction set.
        level: Level,
    },
    /// A device that draws no points was asked to.
    #[error("device `{device}` cannot draw points")]
    DrawsNothing {
        /// Which device.
        device: Device,
    },
    /// A device that solves no equations was asked to.
    #[error("device `{device}` cannot solve linear systems")]
    SolvesNothing {
        /// Which device.
        device: Device,
    },
    /// The GPU's engine cannot be made, or stopped.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// Checks one size.
pub(crate) fn fits(shape: Dimension, expected: usize, found: usize) -> Result<(), KernelError> {
    if expected == found { Ok(()) } else { Err(KernelError::Misfit { shape, expected, found }) }
}
