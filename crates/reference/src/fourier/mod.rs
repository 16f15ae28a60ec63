//! `fourier-etdrk4`: solves a problem on a periodic interval or rectangle by itself, to compare a network
//! with.

mod evolution;
mod exponential;
mod history;
mod level;
mod periodic;
mod read;
mod samples;
mod stepper;
mod stored;
mod transform;

pub use evolution::{Evolution, Unfit};
pub use history::{Accuracy, Effort, History, Unsettled};
pub use periodic::Periodic;

#[cfg(test)]
mod tests;
