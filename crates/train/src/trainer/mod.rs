//! The loop that every task and every method share: [`Task`] and [`Snapshot`](crate::Snapshot) in, events and snapshots out.

mod fault;
mod look;
mod phase;
mod recover;
mod run;
mod series;
mod task;
mod verdict;

pub use fault::LoopFault;
pub use phase::{Make, OwnOptimizer, PhaseSettings, Stepping};
pub use run::{Surroundings, TrainingOutcome, begin, finish, train, train_phases};
pub use task::Task;
