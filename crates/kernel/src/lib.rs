//! A [`Plan`](equation::taylor::Plan) as running code on a device.
//!
//! [`Kernel::compile`] is the only way in. What to optimise, where points come from and what is
//! written to files is decided elsewhere: here a plan, points and parameters become losses, residuals
//! and gradients.

mod adjoints;
mod cholesky;
pub mod cpu;
pub mod cuda;
mod device;
mod equations;
mod error;
mod gram;
mod kernel;
mod least_squares;
mod losses;
mod normal;
mod packed;
mod points;
mod precision;
mod recipe;
mod reference;
mod subspace;
mod symmetric;
mod update;
mod vectors;

pub use cholesky::Cholesky;
pub use device::{ChosenDevice, Device, DeviceError};
pub use equations::{
    Attempt, CORRECTIONS, Course, Linearized, Patience, Products, REFINEMENTS, TriedStep, Unknowns,
    least_damping, sketched,
};
pub use error::{KernelError, Shape};
pub use gram::Gram;
pub use kernel::Kernel;
pub use losses::Losses;
pub use normal::NormalEquations;
pub use packed::{Packed, RankTwo};
pub use points::Points;
pub use precision::{Precision, PrecisionError};
pub use recipe::{Column, Part, Recipe, Sequence, Supply, Visits};
pub use subspace::Subspace;
pub use symmetric::Symmetric;
pub use update::{Moments, Series, Update};
pub use vectors::Change;
