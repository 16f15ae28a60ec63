//! Time in windows: each is a problem with a network of its own, which begins where the one before ended.
//! Where time is one, there is one stage, the problem itself.
//!
//! `stage` (the problem of a window), `seam` (what a window takes over from the one before), `start`
//! (the weights that it starts from), `course` (training through all of them), `solution` (all networks as one
//! function of the coordinates).

mod seam;
mod solution;
mod stage;
mod start;

pub(crate) use seam::Seam;
pub(crate) use solution::{Reached, Remembered};
pub(crate) use stage::Stage;
