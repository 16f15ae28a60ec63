//! How far a trained solution is from the truth, and its values anywhere.

mod cloud;
mod field;
mod fields;
mod level;
mod misfit;
mod quality;
mod quantity;
mod relative;
mod validation;

pub use field::FieldError;
pub(crate) use field::Gauge;
pub use fields::{FieldSummary, Fields, Places};
pub use level::is_free as level_is_free;
pub use misfit::Misfit;
pub use quantity::QuantityValue;
pub use relative::largest as largest_relative;
pub use validation::Validation;
