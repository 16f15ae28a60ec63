//! The seam between optimizers and everything that makes a loss: kernel, points, and later
//! micro-batches and other ranks.

use crate::optimize::{LeastSquares, Loss, Optimizer};
use kernel::cuda::MemoryPlan;
use kernel::{Kernel, KernelError, Losses, NormalEquations, Points, Series, Visits};

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
    /// A method for sums of squares was given another loss.
    #[error("the loss is not a sum of squares")]
    NotSquares,
    /// A device was to take the steps of a method that has no rule for them.
    #[error("the method takes its steps itself")]
    NoRule,
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

    /// The points of every term.
    pub fn points(&self) -> &[Points] {
        &self.points
    }

    /// Points that one evaluation visits.
    pub fn point_count(&self) -> usize {
        self.points.iter().map(Points::len).sum()
    }

    /// Takes steps of a method's own rule, of these lengths, where the device does; ends early after a loss below
    /// a bound, or before one that is no basis for a step, which is then returned. `visits` says where points
    /// come from, given the objective's own.
    pub fn run_steps<'run>(
        &'run mut self,
        visits: impl FnOnce(&'run [Points]) -> Visits<'run>,
        optimizer: &mut dyn Optimizer,
        (rates, bound): (&[f64], Option<f64>),
        parameters: &mut [f64],
        history: &mut Vec<Losses>,
    ) -> Result<Option<Losses>, Refusal> {
        let (update, moments) = optimizer.update().ok_or(Refusal::NoRule)?;
        let series = Series { update, rates, bound };
        Ok(self.kernel.run_steps(visits(&self.points), series, moments, parameters, history)?)
    }

    /// The memory that such steps take on a device with memory of its own, at points that it draws or at the
    /// objective's own.
    pub fn plan_memory(&mut self, drawn: Option<Visits<'_>>) -> Result<Option<MemoryPlan>, KernelError> {
        self.kernel.plan_memory(drawn.unwrap_or(Visits::Points(&self.points)))
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

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }
}

impl LeastSquares for Objective<'_> {
    fn normal_equations(
        &mut self,
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Losses, Refusal> {
        finite(self.kernel.normal_equations(&self.points, parameters, normal)?)
    }

    fn bend(&mut self, parameters: &[f64], direction: &[f64], slope: &mut [f64]) -> Result<(), Refusal> {
        /// Far enough ahead for differences to have digits, near enough to see the same curvature
        /// (Transtrum, Sethna 2012).
        const REACH: f64 = 0.1;
        let at = |length: f64| -> Vec<f64> {
            parameters.iter().zip(direction).map(|(from, along)| from + length * along).collect()
        };
        let (ahead, behind) = (at(REACH), at(-REACH));
        slope.fill(0.0);
        let mut part = vec![0.0; slope.len()];
        for (number, (term, points)) in self.kernel.plan().terms.iter().zip(&self.points).enumerate() {
            let each = term.residuals.len();
            let mut residuals = |parameters: &[f64]| -> Result<Vec<f64>, Refusal> {
                let mut values = vec![0.0; points.len() * each];
                self.kernel.residuals(number, points, parameters, &mut values)?;
                Ok(values)
            };
            let (ahead, here, behind) = (residuals(&ahead)?, residuals(parameters)?, residuals(&behind)?);
            let mut seeds = here;
            for (place, (seed, (ahead, behind))) in
                seeds.iter_mut().zip(ahead.iter().zip(&behind)).enumerate()
            {
                let weight = term.residuals[place % each].weight / points.len() as f64;
                *seed = weight * (ahead - 2.0 * *seed + behind) / (REACH * REACH);
            }
            self.kernel.transposed_times(number, points, parameters, &seeds, &mut part)?;
            slope.iter_mut().zip(&part).for_each(|(to, from)| *to += from);
        }
        Ok(())
    }

    fn losses(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal> {
        finite(self.kernel.losses(&self.points, parameters)?)
    }
}

/// Refuses losses that are no numbers.
fn finite(losses: &Losses) -> Result<&Losses, Refusal> {
    match losses.first_non_finite() {
        Some(residual) => Err(Refusal::Residual(residual)),
        None if losses.total.is_finite() => Ok(losses),
        None => Err(Refusal::Gradient),
    }
}
