//! A trained solution for other programs: fields as CSV, NPY and VTK, the network as safetensors.
//!
//! Fields come from [`Experiment::fields`](crate::Experiment::fields). Files are written beside their
//! place and then moved there, so that nobody reads half of one.

mod csv;
mod file;
mod network;
mod npy;
mod vtk;

pub use crate::error::ExportError;
pub use csv::{csv, write_csv};
pub use network::network;
pub use npy::{npy_folder, npy_table};
pub use vtk::{Time, Written, vtk};
