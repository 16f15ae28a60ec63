//! What shapes promise, checked from outside.

mod operations;
mod primitives;
mod support;
