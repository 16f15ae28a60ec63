//! How far a trained solution is from the truth.

mod field;
mod grid;
mod level;
mod misfit;

pub use field::FieldError;
pub(crate) use field::Gauge;
pub(crate) use grid::check as check_grid;
pub(crate) use level::is_free as level_is_free;
pub use misfit::Misfit;
pub(crate) use misfit::misfits;
