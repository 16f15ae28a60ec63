//! How wrong a solution is, where nobody knows the truth.
//!
//! `trail` (what training passed through), `probe` (places and fresh points at which solutions are compared), `second` (a
//! second opinion: another seed, a part of the work), `signals` (what was seen, as numbers), `calibration` (from numbers to an
//! error), `doubt` (reasons not to believe it), `report` (all of it, as it is told), `estimate` (how it is made).

mod calibration;
mod doubt;
mod estimate;
mod probe;
mod report;
mod second;
mod signals;
mod trail;

pub use doubt::Doubt;
pub use report::{Confidence, ErrorEstimate, Near, UnknownEstimate};
pub use second::SHARE;
pub use signals::{Comparison, Signals};

pub(crate) use trail::Trail;
