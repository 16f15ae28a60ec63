//! What a training is to do, as a problem file states it and a trainer takes it: methods, schedules and budgets, as plain
//! data.

#![forbid(unsafe_code)]

mod budget;
mod optimizer;
mod schedule;

pub use budget::{Budget, NoBudget};
pub use optimizer::{Gaps, Optimizer, Order, Products, Solver, Traits};
pub use schedule::Schedule;
