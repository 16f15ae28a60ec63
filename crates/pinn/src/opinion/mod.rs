//! How an estimate of an error is made: by solutions that training passed through, and by a second opinion.
//!
//! `trail` (what training passed through), `second` (another network: another seed, a part of the work), `probe` (places and fresh
//! points at which solutions are compared), `field` (how values differ, and where), `estimate` (all of it, in order).

mod estimate;
mod field;
mod probe;
mod second;
mod trail;

pub(crate) use estimate::{beginning, failure};
pub(crate) use trail::Trail;
