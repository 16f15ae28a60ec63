//! The linear algebra of a training step: on the CPU, and as data that a device carries out.
//!
//! Whoever optimises and whoever computes on a device both stand on this crate, and neither on the other. Results do not
//! depend on the number of threads.

mod change;
mod cholesky;
pub mod clip;
mod course;
mod damped;
mod float;
mod gemm;
mod gram;
mod hardware;
mod level;
mod normal;
mod packed;
mod peak;
mod small;
mod subspace;
mod symmetric;
pub mod tree;
mod update;

pub use change::Change;
pub use cholesky::Cholesky;
pub use course::{Attempt, Bend, Correction, Course};
pub use damped::{Patience, Unknowns, least_damping, sketched};
pub use float::Float;
pub use gemm::{Accumulation, Scalars, Size, multiply};
pub use gram::Gram;
pub use hardware::Hardware;
pub use level::{Level, VectorWork};
pub use normal::NormalEquations;
pub use packed::{Packed, RankTwo};
pub use peak::peak_flops;
pub use small::{Eigen, SmallMatrix, eigen, orthogonal};
pub use subspace::Subspace;
pub use symmetric::Symmetric;
pub use update::{Carried, Moments, Series, Update};

/// Changes whenever the order of sums does, or the choice of points: trainings of different versions have other bits.
pub const ARITHMETIC: u64 = 4;
