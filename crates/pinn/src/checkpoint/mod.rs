//! Snapshots of training as files: [`Snapshot`](crate::trainer::Snapshot) + [`Header`] ⇄ a bundle of named tensors.

mod layout;

pub use layout::{Header, Layout};
pub(crate) use store::{replace, sync_folder, write_atomically};
pub use train::checkpoint::{Fault, VERSION};
pub(crate) use train::checkpoint::{Store, step_of};
