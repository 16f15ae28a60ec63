//! `chebyshev-cavity`: steady flow in a box under a moving lid.

mod chebyshev;
mod corner;
mod dense;
mod driven;
mod flow;
mod wedge;

pub use driven::{Component, Driven, NoCavity};

#[cfg(test)]
mod tests;
