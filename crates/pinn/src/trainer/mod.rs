//! Equations as a task for the training loop: their points, weights and devices, and what is left open about phases.

mod adapt;
mod balance;
mod batches;
mod check;
mod curriculum;
mod discrepancy;
mod loss_scale;
mod memory_watch;
mod parts;
mod renewal;
mod residual_weights;
mod roles;
mod series;
mod spot;
mod state;
mod story;
mod supply;
mod task;
mod veto;

pub use crate::decide::{Choice, Settings, SolverCosts, share};
pub use crate::error::Spot;
pub(crate) use batches::{PIECE, ahead, some_of, usual_workers};
pub use check::Ladder;
pub use curriculum::Curriculum;
pub use memory_watch::LookAtMemory;
pub(crate) use parts::{AT_A_TIME, PART, in_parts};
pub(crate) use renewal::renew;
pub(crate) use residual_weights::reset_residual_weights;
pub(crate) use roles::roles;
pub use state::{GeneralisationGap, TaskState};
pub use task::{Equations, Measure, TakeOver};
pub use train::trainer::{Surroundings, TrainingOutcome, train};
pub use train::{Event, Fan, Quiet, Sink, Snapshot, Stopped};
pub use veto::MoveTrial;
