//! Methods that lower the loss.

mod adam;
mod schedule;

pub use adam::Adam;
pub use schedule::{Progress, rate};

use crate::{Objective, Refusal};
use kernel::Losses;

/// A method that lowers the loss.
pub trait Optimizer {
    /// Takes one step of length `rate` and returns the losses before it. On `Err`, parameters and
    /// state are unchanged.
    fn step<'objective>(
        &mut self,
        objective: &'objective mut Objective<'_>,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<&'objective Losses, Refusal>;
}

/// The method that a problem file names, for `parameters` trainable numbers.
pub fn optimizer(method: equation::problem::Optimizer, parameters: usize) -> Box<dyn Optimizer> {
    match method {
        equation::problem::Optimizer::Adam => Box::new(Adam::new(parameters)),
    }
}
