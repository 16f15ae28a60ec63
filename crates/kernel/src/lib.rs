//! A [`Plan`](equation::taylor::Plan) as running code on a device.
//!
//! [`Kernel::compile`] is the only way in. What to optimise, where points come from and what is
//! written to files is decided elsewhere: here a plan, points and parameters become losses, residuals
//! and gradients.

mod adjoints;
pub mod cpu;
pub mod cuda;
mod device;
mod engine;
mod error;
mod kernel;
mod points;
mod recipe;
mod reference;
mod sums;

pub use device::{ChosenDevice, Device, DeviceError};
pub use error::{Dimension, KernelError};
pub use kernel::{Kernel, LinearizedSums, TriedSums};
pub use method::{Precision, PrecisionError};
pub use points::Points;
pub use recipe::{DrawnColumn, DrawnInside, DrawnPart, EpochOrder, Recipe, Sequence, Supply, Visits};
pub use sums::{Sums, Visited, Weighted, factors};
