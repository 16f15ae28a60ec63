//! True solutions to measure errors against: closed forms, tables, and solutions known by name.

mod burgers;
mod fourier;
mod named;
mod truth;

pub use burgers::cole_hopf;
pub use fourier::{Evolution, History, Line, Periodic, Unfit, Unsettled};
pub use named::{Named, ReferenceError};
pub use truth::Truth;
