//! What shapes promise, checked from outside.

mod files;
mod meshes;
mod operations;
mod primitives;
mod random;
mod support;
