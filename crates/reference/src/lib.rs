//! True solutions to measure errors against: closed forms, tables, and solutions known by name.

#![forbid(unsafe_code)]

mod burgers;
mod cache;
mod cavity;
mod facts;
mod fourier;
mod named;
mod truth;

pub use burgers::cole_hopf;
pub use cache::Cache;
pub use cavity::{Component, Driven, NoCavity};
pub use facts::Facts;
pub use fourier::{Accuracy, Effort, Evolution, History, Periodic, Unfit, Unsettled};
pub use named::{Named, ReferenceError};
pub use truth::Truth;
