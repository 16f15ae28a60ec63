//! What a training is to do, as a problem file states it and a trainer takes it: methods, schedules, budgets and
//! numbers, as plain data.

#![forbid(unsafe_code)]

mod balance;
mod budget;
mod check;
mod compile;
mod loss_scale;
mod method;
mod performance;
mod precision;
mod schedule;
mod stability;

pub use balance::{Balance, GradientSize, Pacing};
pub use budget::{Budget, NoBudget};
pub use check::GradientCheck;
pub use compile::{CompileMode, CompileModeError};
pub use loss_scale::LossScale;
pub use method::{Gaps, Method, Order, Solver, Traits};
pub use performance::{Affinity, Performance, PerformanceLevel, PerformanceLevelError, TILES, Tiles};
pub use precision::{Precision, PrecisionError};
pub use schedule::{Decay, Followed, Peaks, Schedule, ScheduleNumber};
pub use stability::{Clip, Guard, Policy, Spikes};
