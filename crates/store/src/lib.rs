//! Files that are whole or not there, and a cache made of them.

#![forbid(unsafe_code)]

mod atomic;
mod bytes;
mod cache;
mod entry;
mod holdings;
mod positioned;
mod scratch;

pub use atomic::{
    is_partial, partial, replace, replace_among_others, replace_with, sync_folder, write_atomically,
};
pub use bytes::read_bytes;
pub use cache::{Cache, Key};
pub use holdings::{Holdings, Removed, RoomHoldings, cache_limit};
pub use positioned::Positioned;
pub use scratch::Scratch;
