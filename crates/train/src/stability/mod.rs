//! What keeps training from breaking: faults are found where losses and gradients are, and mended or told; the loop goes back
//! to good states.
//!
//! `fault` (what is wrong with an evaluation), `filter` (a loss whose faults are seen, and mended where that is wanted), `guarded` (a method that is
//! looked after), `memory` (what is remembered for that: good states, recent losses, counts), `partition` (which numbers belong together), `spikes` (losses far above those before),
//! `incident` (what is told), `carry` (what is taken along to another loss).

mod carry;
mod fault;
mod filter;
mod guarded;
mod incident;
mod memory;
mod partition;
mod spikes;

pub use carry::carry;
pub use fault::Fault;
pub use guarded::Guarded;
pub use incident::{Action, Found, Incident, Incidents, Story};
pub(crate) use memory::Recovery;
pub use memory::Steadiness;
pub(crate) use memory::{is_kept, next_kept};
