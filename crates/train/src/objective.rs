//! The seam between optimizers and everything that makes a loss: kernel, points, and later
//! micro-batches and other ranks.

use crate::optimize::Loss;
use kernel::{Kernel, KernelError, Losses, Points};

/// A loss as a function of the parameters.
#[derive(Debug)]
pub struct Objective<'plan> {
    kernel: Kernel<'plan>,
    points: Vec<Points>,
}

/// Why an evaluation is no basis for a step.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Refusal {
    /// This residual (by position in [`Losses::mean_squares`]) is infinite or no number.
    #[error("residual {0} is not finite")]
    Residual(usize),
    /// The loss is finite, its gradient or the gradient's square is not.
    #[error("the gradient is not finite")]
    Gradient,
    /// The kernel did not run.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

impl<'plan> Objective<'plan> {
    /// The loss over these points: one set per term of the kernel's plan.
    pub fn new(kernel: Kernel<'plan>, points: Vec<Points>) -> Self {
        Objective { kernel, points }
    }

    /// Continues with other points.
    pub fn set_points(&mut self, points: Vec<Points>) {
        self.points = points;
    }

    /// Points that one evaluation visits.
    pub fn point_count(&self) -> usize {
        self.points.iter().map(Points::len).sum()
    }

    /// The kernel, for predictions.
    pub fn kernel(&mut self) -> &mut Kernel<'plan> {
        &mut self.kernel
    }
}

impl Loss for Objective<'_> {
    /// On `Ok`, every mean square is finite too.
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        let losses = self.kernel.evaluate(&self.points, parameters, gradient)?;
        if let Some(residual) = losses.first_non_finite() {
            return Err(Refusal::Residual(residual));
        }
        let norm: f64 = gradient.iter().map(|slope| slope * slope).sum();
        if losses.total.is_finite() && norm.is_finite() { Ok(losses) } else { Err(Refusal::Gradient) }
    }

    /// Residuals are small differences of terms of order one or more: where a term is rounded by
    /// epsilon, the square of a residual r moves by 2·epsilon·max(r, r²).
    fn noise(&self, loss: f64) -> f64 {
        /// Of the terms of a residual, one after the other through the layers.
        const ROUNDINGS: f64 = 16.0;
        let epsilon = self.kernel.precision().epsilon();
        2.0 * ROUNDINGS * epsilon * loss.max(loss.sqrt())
    }
}
