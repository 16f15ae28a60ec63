//! Snapshots of training as files: safetensors with a version and a checksum, replaced atomically.
//!
//! [`Snapshot`](crate::trainer::Snapshot) + [`Header`] ⇄ `bundle` of named tensors ⇄ bytes ⇄ `store` of files.

mod bundle;
mod fault;
mod layout;
mod store;

pub use bundle::VERSION;
pub use fault::Fault;
pub use layout::{Header, Layout};
pub use store::write_atomically;
pub(crate) use store::{Store, replace, step_of, sync_folder};
