//! Data files: tables of finite numbers, and grids of them for coefficients, checked once when they are read.

mod csv;
mod files;
mod grid;
mod layout;
mod load;
mod named;
mod npy;
mod npz;
mod points;
mod stored;
mod vtk;

pub use crate::error::{Counted, TableError, TableFault};
pub(crate) use load::is_stored;
pub use load::{DataSources, ReferenceTable, Tables};
#[doc(hidden)]
pub use load::{TableFormat, read_bytes};
pub use points::{count_outside, read_points};
pub(crate) use stored::StoredTable;
