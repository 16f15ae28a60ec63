//! What shapes promise, checked from outside.

mod files;
mod meshes;
mod operations;
mod primitives;
mod quadrature;
mod random;
mod support;
