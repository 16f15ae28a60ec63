//! Snapshots of training as files: [`Snapshot`](crate::trainer::Snapshot) + [`Header`] ⇄ a bundle of named tensors.

mod layout;

pub use layout::{Header, Layout};
pub use train::checkpoint::{Fault, VERSION};
pub(crate) use train::checkpoint::{Store, replace, step_of, sync_folder, write_atomically};
