//! What a file leaves open and a device, a precision or the size of the network decides: settled once for a problem, into
//! [`Settings`] that training takes and a list that is told.
//!
//! What follows from equations alone is decided before, in [`equation::decide`].
//!
//! `settings` (a phase with nothing left open), `choice` (which method, and why), `way` (whether early times can come
//! first), `told` (what was decided, and why), `table` (phases as a file writes them), `precision`.

mod choice;
mod precision;
mod settings;
mod table;
mod told;
mod way;

pub use choice::{Choice, SolverCosts};
pub(crate) use precision::{rungs, suitable, why as why_precision};
pub(crate) use settings::extent_with;
pub use settings::{Settings, Settled, extent, settle, share};
pub(crate) use told::{endless_warmups, idle, lasts, other_balance, without_batches, without_effect};
pub(crate) use way::way;
