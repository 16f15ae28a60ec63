//! Data files: CSV and NPY tables of finite numbers, checked once when they are read.

mod csv;
mod error;
mod layout;
mod load;
mod npy;

pub use error::{TableError, TableFault};
pub use layout::Counted;
pub use load::{ReferenceTable, Sources, Tables};
