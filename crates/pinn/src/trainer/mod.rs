//! Equations as a task for the training loop: their points, weights and devices, and what is left open about phases.

mod attention;
mod balance;
mod discrepancy;
mod march;
mod renewal;
mod series;
mod spot;
mod state;
mod supply;
mod task;

pub use crate::decide::{Choice, Reason, Settings, share};
pub use crate::error::Spot;
pub(crate) use attention::ignore_attention;
pub use march::March;
pub(crate) use renewal::renew;
pub use state::{Strain, TaskState};
pub use task::{Equations, Measure, TakeOver};
pub use train::trainer::{Outcome, Surroundings, train};
pub use train::{Event, Fan, Quiet, Sink, Snapshot, Stopped};
