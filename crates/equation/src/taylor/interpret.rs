//! The oracle: one point at a time, f64, no tricks.

use super::{Architecture, Term};

/// Evaluates one term; owns its scratch memory.
#[derive(Debug)]
pub struct Interpreter<'plan> {
    _architecture: &'plan Architecture,
    _term: &'plan Term,
}

impl<'plan> Interpreter<'plan> {
    /// Allocates the scratch for one term.
    pub fn new(architecture: &'plan Architecture, term: &'plan Term) -> Self {
        Interpreter { _architecture: architecture, _term: term }
    }

    /// Writes the residuals (one per [`Term::residuals`]) at one point into `residuals`.
    pub fn residuals(&mut self, _parameters: &[f64], _row: &[f64], _residuals: &mut [f64]) {
        todo!()
    }

    /// Adds `Σ_k seeds[k]·∂residual_k/∂parameters` to `gradient`, for the point of the last call of
    /// [`Self::residuals`] with the same arguments.
    pub fn accumulate(&mut self, _parameters: &[f64], _row: &[f64], _seeds: &[f64], _gradient: &mut [f64]) {
        todo!()
    }
}
