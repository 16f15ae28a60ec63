//! Compile mode `off`: a training step the ordinary way, for comparison. Every layer is a product by cuBLASLt and a
//! kernel of its own, and all channels of all points are stored in memory, layer by layer.
//!
//! `signals` says where they are stored, `emit` writes the kernels, `operations` says which products and launches a step is
//! made of; of the `products`, `library` talks to cuBLASLt and `plain` multiplies where the processor stands in for a GPU.

mod emit;
mod library;
mod operations;
mod plain;
mod products;
mod signals;

pub(super) use emit::{NAME, source};
pub(super) use operations::{Baseline, Operation, separate_numbers};

/// Bytes that the library may use for sums in parts. Gradients of the widest layers are summed in tens of parts in it.
pub(super) const WORKSPACE: usize = 4 << 20;
