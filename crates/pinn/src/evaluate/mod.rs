//! How far a trained solution is from the truth, and its values anywhere.

mod field;
mod fields;
mod grid;
mod level;
mod misfit;
mod quality;
mod relative;

pub use field::FieldError;
pub(crate) use field::Gauge;
pub use fields::{Fields, Places, Summary};
pub use grid::Extent as GridExtent;
pub(crate) use grid::check as check_grid;
pub use grid::{Axis, Grid, GridError};
pub use level::is_free as level_is_free;
pub use misfit::Misfit;
pub(crate) use misfit::misfits;
pub use relative::largest as largest_relative;
