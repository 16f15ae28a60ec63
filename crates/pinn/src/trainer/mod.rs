//! The training loop: phases, budgets, and what the world is told about them.

mod attention;
mod balance;
mod discrepancy;
mod event;
mod march;
mod once;
mod renewal;
mod run;
mod series;
mod snapshot;
mod spot;
mod supply;

pub use crate::decide::{Choice, Reason, Settings, share};
pub use crate::error::Spot;
pub(crate) use attention::ignore_attention;
pub use balance::Balance;
pub use event::{Event, Quiet, Sink, Stopped};
pub use march::March;
pub(crate) use once::Once;
pub use renewal::Renewal;
pub use run::{Measure, Outcome, Surroundings, TakeOver, train};
pub(crate) use run::{begin, finish, train_phases};
pub use snapshot::{Snapshot, Strain};
