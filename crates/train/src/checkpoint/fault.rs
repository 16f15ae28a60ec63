//! What can be wrong with a checkpoint.

use super::VERSION;
use crate::StateError;

/// What is wrong with a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointFault {
    /// The system does not give it to us.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// It ends too early, or was never a safetensors file.
    #[error("it is damaged, or not a safetensors file ({0})")]
    NotSafetensors(#[from] safetensors::SafeTensorError),
    /// A safetensors file of someone else.
    #[error("it is not a checkpoint of Pinnace")]
    Foreign,
    /// Written by a later version of Pinnace.
    #[error(
        "it has format {found}, and this version of Pinnace reads formats up to {VERSION}: use a newer one"
    )]
    Newer {
        /// The format's number.
        found: u64,
    },
    /// It is not what was written.
    #[error("it is damaged: its checksum is wrong")]
    Checksum,
    /// It is whole, but another one than the run wrote under this name.
    #[error(
        "it is not what this run wrote: its checksum is not the one in manifest.json (to accept the run's files as they are, delete its manifest.json)"
    )]
    Replaced,
    /// The network has other weights.
    #[error("`{name}` has the shape {found:?}, the problem needs {expected:?}")]
    Shape {
        /// Which tensor.
        name: String,
        /// By the problem.
        expected: Vec<usize>,
        /// In the file.
        found: Vec<usize>,
    },
    /// Something is missing or cannot be.
    #[error("{0}")]
    State(#[from] StateError),
}
