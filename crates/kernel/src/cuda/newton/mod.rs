//! Equations that stay on the device: rows of the Jacobian, chunk by chunk, and the products of their columns, or of whole
//! rows, with each other; and steps that solve them.
//!
//! `solver` is what others see. `room` finds room for a problem and `problem` says where everything of it lies; `queue` launches
//! what equations are made of, `candidates` what steps are made of; `refine`, `iterate` and `subspace` are other ways to steps.
//! `dense` is the text of the kernels and what they are given, `cut` how they cut matrices.

mod candidates;
mod cut;
mod dense;
mod iterate;
mod problem;
mod queue;
mod refine;
mod room;
mod solver;
mod subspace;

pub(crate) use candidates::Tried;
pub(super) use dense::text;
pub(crate) use dense::{CANDIDATES, distinct_factors};
pub(super) use solver::{Newton, Surveyed};
