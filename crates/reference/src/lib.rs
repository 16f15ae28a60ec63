//! True solutions to measure errors against: closed forms, tables, and solutions known by name.

#![forbid(unsafe_code)]

mod burgers;
mod cavity;
mod facts;
mod fourier;
mod named;
mod truth;

pub use burgers::cole_hopf;
pub use cavity::{Component, Driven, NoCavity};
pub use facts::Facts;
pub use fourier::{Accuracy, Effort, Evolution, History, Periodic, Unfit, Unsettled};
pub use named::{Named, ReferenceError};
pub use store::Cache;
pub use truth::Truth;

/// What this user has had solved before.
pub fn solved_before() -> Cache {
    Cache::of_user("references")
}
