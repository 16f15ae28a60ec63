//! What a training is to do, as a problem file states it and a trainer takes it: methods, schedules, budgets and
//! numbers, as plain data.

#![forbid(unsafe_code)]

mod budget;
mod method;
mod precision;
mod schedule;

pub use budget::{Budget, NoBudget};
pub use method::{Gaps, Method, Order, Solver, Traits};
pub use precision::{Precision, PrecisionError};
pub use schedule::Schedule;
