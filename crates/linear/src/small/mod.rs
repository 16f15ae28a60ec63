//! Matrices of the size of a layer: products, orthogonal bases, eigenvectors. Everything runs on one thread, in an order that does not
//! change.

mod eigen;
mod matrix;
mod orthogonal;

pub use eigen::{Eigen, eigen};
pub use matrix::SmallMatrix;
pub use orthogonal::orthogonal;
