//! The training loop: phases, budgets, and what the world is told about them.

mod event;
mod march;
mod run;
mod series;
mod settings;
mod snapshot;
mod supply;

pub use event::{Event, Quiet, Sink, Stopped};
pub use march::March;
pub use run::{Measure, Outcome, Surroundings, steps_per_measurement, train};
pub(crate) use settings::share;
pub use settings::{Choice, Settings, settle};
pub use snapshot::{Snapshot, Strain};
