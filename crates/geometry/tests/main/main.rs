//! What shapes promise, checked from outside.

mod files;
mod lanes;
mod meshes;
mod operations;
mod outlines;
mod primitives;
mod quadrature;
mod random;
mod support;
