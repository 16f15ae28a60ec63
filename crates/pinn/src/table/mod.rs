//! Data files: CSV and NPY tables of finite numbers, checked once when they are read.

mod csv;
mod layout;
mod load;
mod npy;
mod points;

pub use crate::error::{Counted, TableError, TableFault};
#[doc(hidden)]
pub use load::{Kind, read_bytes};
pub use load::{ReferenceTable, Sources, Tables};
pub use points::{count_outside, read_points};
