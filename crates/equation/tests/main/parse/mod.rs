//! The parser from outside: what it accepts, what it says about mistakes, what it survives.

mod bare_faces;
pub(crate) mod files;
mod good_files;
mod mistakes;
mod mistakes_from_other_notations;
mod mistakes_in_expressions;
mod mistakes_in_networks;
mod mistakes_in_optimizers;
mod mistakes_in_sections;
mod quantities;
mod rendering;
mod resolving;
mod robustness;
mod round_trip;
mod sampling;
mod shape_families;
pub(crate) mod shape_files;
mod shapes;
mod systems;
mod windows;
