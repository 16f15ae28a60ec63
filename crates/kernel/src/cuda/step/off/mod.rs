//! Compile mode `off`: a training step the ordinary way, for comparison. Every layer is a product by cuBLASLt and a
//! kernel of its own, and all channels of all points are stored in memory, layer by layer.
//!
//! `operations` says which products and launches a step is made of, `library` talks to
//! cuBLASLt, `plain` multiplies where the processor stands in for a GPU.

mod library;
mod operations;
mod plain;
mod products;

pub(super) use operations::{Operation, separate_numbers};
pub(super) use products::Products;

/// Bytes that the library may use for sums in parts. Gradients of the widest layers are summed in tens of parts in it.
pub(super) const WORKSPACE: usize = 4 << 20;
