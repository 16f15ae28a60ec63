//! States of training as files: safetensors with a version and a checksum, replaced atomically.
//!
//! `bundle` of named tensors ⇄ bytes ⇄ `store` of files.

mod bundle;
mod fault;
mod store;

pub use bundle::{Bundle, Tensor, VERSION};
pub use fault::Fault;
pub use store::{Store, step_of};
