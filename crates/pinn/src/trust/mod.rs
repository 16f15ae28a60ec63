//! How wrong a solution is, where nobody knows the truth: what is told of it, and how numbers become an error. What makes them is
//! [`crate::opinion`].
//!
//! `evidence` (what was seen, as numbers), `calibration` (from these to an error), `doubt` (reasons not to believe a solution),
//! `report` (all of it, as it is told).

mod calibration;
mod doubt;
mod evidence;
mod report;

pub use doubt::Doubt;
pub use evidence::{Evidence, OtherSolution};
pub use report::{Confidence, ErrorEstimate, Near, UnknownEstimate};

pub(crate) use calibration::{PARTS, error};
