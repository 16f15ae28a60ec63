//! How much is done to be fast, and how much of the machine that takes: levels, threads and their places, and improvements
//! that are measured before the first step.

mod choose;
mod improve;
mod improvements;
mod listed;
mod machine;
mod measure;

pub use improve::{Alternative, Improvement};
pub use machine::{MachineClaim, MachineUse};
