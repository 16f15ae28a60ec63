//! States of training as files: safetensors with a version and a checksum, replaced atomically.
//!
//! [`Snapshot`](crate::Snapshot) ⇄ `layout` ⇄ `bundle` of named tensors ⇄ bytes ⇄ `store` of files.

mod bundle;
mod core;
mod fault;
mod layout;
mod store;

pub use bundle::{Bundle, StoredTensor, VERSION};
pub use fault::CheckpointFault;
pub use layout::{Block, Header, ParameterLayout};
pub use store::{Store, step_of};
