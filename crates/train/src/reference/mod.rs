//! True solutions to measure errors against: closed forms, tables, and solutions known by name.

mod burgers;
mod truth;

pub use burgers::cole_hopf;
pub use truth::{Named, ReferenceError, Truth};
