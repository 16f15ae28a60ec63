//! Normal equations that are summed, factorised and solved on the device: the host sees a few numbers.

use super::visit::scales;
use crate::cuda::{CANDIDATES, MemoryPlan, Tried, distinct_factors};
use crate::error::fits;
use crate::{Dimension, Kernel, KernelError, Points, Sums, Weighted};
use linear::{Attempt, Course, NormalEquations, Unknowns};

/// What is known about normal equations that stay on a device.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearizedSums {
    /// At the parameters.
    pub sums: Sums,
    /// The mean of the diagonal of JᵀJ.
    pub mean: f64,
    /// The norm of Jᵀr: half of the loss's slope.
    pub slope: f64,
}

/// A step that a device has tried.
#[derive(Clone, PartialEq, Debug)]
pub struct TriedSums {
    /// By how much the model says that the loss will fall; no number where the equations have no solution.
    pub predicted: f64,
    /// At the step's end.
    pub sums: Sums,
}

impl Kernel {
    /// Steps that [`Self::try_steps`] tries at once.
    pub const MOST_STEPS: usize = CANDIDATES;

    /// Whether its device solves normal equations by itself.
    pub fn solves_equations(&mut self) -> bool {
        self.engine.solver().is_some()
    }

    /// Gets ready for them, where that takes time: all kernels are compiled side by side.
    pub fn prepare_equations(&mut self) -> Result<(), KernelError> {
        Ok(self.engine.solver().map_or(Ok(()), |engine| engine.load_equations())?)
    }

    /// The memory that equations at these points take on a device with memory of its own; `None` on others.
    pub fn plan_equations(
        &mut self,
        points: &[Points],
        unknowns: Unknowns,
    ) -> Result<Option<MemoryPlan>, KernelError> {
        fits(Dimension::PointSets, self.plan.terms.len(), points.len())?;
        Ok(self.engine.solver().map(|engine| engine.plan_equations(points, unknowns)).transpose()?)
    }

    /// Adds up the equations of the least-squares problem on the device, where they stay. Steps may be damped
    /// towards what is `momentum`, a number per parameter.
    pub fn linearize(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        momentum: Option<&[f64]>,
        unknowns: Unknowns,
    ) -> Result<LinearizedSums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Parameters, parameters.len(), momentum.map_or(parameters.len(), <[f64]>::len))?;
        let (scales, device) = (scales(over.factors), self.device());
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let found = engine.linearize(over.points, parameters, (&scales, momentum), unknowns)?;
        let mean = found.trace / parameters.len().max(1) as f64;
        let sums = Sums::of(&self.plan, found.squares, over.points.iter().map(Points::len));
        Ok(LinearizedSums { sums, mean, slope: found.slope_square.sqrt() })
    }

    /// Solves the last equations of [`Self::linearize`] for every attempt, and evaluates the sums at the ends of the
    /// steps; behind them come the corrected ones, where there are such. `points` are still those of the equations.
    pub fn try_steps(
        &mut self,
        points: &[Points],
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<TriedSums>, KernelError> {
        let most = attempts.len().max(distinct_factors(attempts, course).len());
        fits(Dimension::Steps, CANDIDATES, most.max(CANDIDATES))?;
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let tried = engine.try_steps(attempts, course)?;
        let sums = |squares| Sums::of(&self.plan, squares, points.iter().map(Points::len));
        let step = |Tried { predicted, squares }| TriedSums { predicted, sums: sums(squares) };
        Ok(tried.into_iter().map(step).collect())
    }

    /// Moves to the end of a step that was tried last.
    pub fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), KernelError> {
        fits(Dimension::Parameters, self.plan.parameter_count(), parameters.len())?;
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        Ok(engine.fetch_end(number, parameters)?)
    }

    /// The normal equations of the last [`Self::linearize`] for the parameters.
    pub fn fetch_equations(&mut self, normal: &mut NormalEquations) -> Result<(), KernelError> {
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let size = normal.size();
        for (row, numbers) in engine.fetch_matrix()?.iter().enumerate() {
            normal.set_row(row, &numbers[..size.min(row + 1)]);
        }
        Ok(())
    }
}
