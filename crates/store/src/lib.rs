//! Files that are whole or not there, and a cache made of them.

#![forbid(unsafe_code)]

mod atomic;
mod cache;

pub use atomic::{
    is_partial, partial, replace, replace_among_others, replace_with, sync_folder, write_atomically,
};
pub use cache::{Cache, Key};
