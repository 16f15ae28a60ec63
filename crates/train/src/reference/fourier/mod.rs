//! `fourier-etdrk4`: solves a problem with one unknown on a periodic interval by itself, to compare a
//! network with.

mod complex;
mod evolution;
mod history;
mod march;
mod periodic;
mod samples;
mod transform;

pub use evolution::{Evolution, Unfit};
pub use history::{History, Line, Unsettled};
pub use periodic::Periodic;

#[cfg(test)]
mod tests;
