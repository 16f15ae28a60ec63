//! How far a trained solution is from the truth.

mod field;
mod grid;
mod level;
mod misfit;

pub use field::FieldError;
pub(crate) use field::Gauge;
pub(crate) use grid::check as check_grid;
pub use misfit::Misfit;
pub(crate) use misfit::misfits;
