//! Normal equations that are added up, factorised and solved on the device: the host sees a few numbers.

use super::rows::scales;
use crate::cuda::{CANDIDATES, MemoryPlan, Tried, distinct_factors};
use crate::error::fits;
use crate::{Kernel, KernelError, Losses, Points, Shape};
use linear::{Attempt, Course, NormalEquations, Products, Unknowns};

/// What is known about normal equations that stay on a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearized {
    /// At the parameters.
    pub losses: Losses,
    /// The mean of the diagonal of JᵀJ.
    pub mean: f64,
    /// The norm of Jᵀr: half of the loss's slope.
    pub slope: f64,
}

/// A step that a device has tried.
#[derive(Clone, PartialEq, Debug)]
pub struct TriedStep {
    /// By how much the model says that the loss will fall; no number where the equations have no solution.
    pub promise: f64,
    /// At the step's end.
    pub losses: Losses,
}

impl Kernel<'_> {
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
        (unknowns, products): (Unknowns, Products),
    ) -> Result<Option<MemoryPlan>, KernelError> {
        fits(Shape::PointSets, self.plan.terms.len(), points.len())?;
        Ok(self
            .engine
            .solver()
            .map(|engine| engine.plan_equations(points, unknowns, products))
            .transpose()?)
    }

    /// Adds up the equations of the least-squares problem on the device, where they stay. Steps may be damped
    /// towards what is `carried`, a number per parameter.
    pub fn linearize(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        carried: Option<&[f64]>,
        (unknowns, products): (Unknowns, Products),
    ) -> Result<Linearized, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Parameters, parameters.len(), carried.map_or(parameters.len(), <[f64]>::len))?;
        let (scales, device) = (self.all_scales(points), self.device());
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let found = engine.linearize(points, parameters, (&scales, carried), (unknowns, products))?;
        let mean = found.trace / parameters.len().max(1) as f64;
        let losses = self.losses_of(found.squares, points);
        Ok(Linearized { losses, mean, slope: found.slope_square.sqrt() })
    }

    /// Solves the last equations of [`Self::linearize`] for every attempt, and evaluates the losses at the ends of the
    /// steps; behind them come the corrected ones, where there are such. `points` are still those of the equations.
    pub fn try_steps(
        &mut self,
        points: &[Points],
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<TriedStep>, KernelError> {
        let most = attempts.len().max(distinct_factors(attempts, course).len());
        fits(Shape::Steps, CANDIDATES, most.max(CANDIDATES))?;
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let tried = engine.try_steps(attempts, course)?;
        let step =
            |Tried { promise, squares }| TriedStep { promise, losses: self.losses_of(squares, points) };
        Ok(tried.into_iter().map(step).collect())
    }

    /// Moves to the end of a step that was tried last.
    pub fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), KernelError> {
        fits(Shape::Parameters, self.plan.parameter_count(), parameters.len())?;
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

    fn all_scales(&self, points: &[Points]) -> Vec<f64> {
        let mut weights = &self.weights[..];
        let mut all = Vec::with_capacity(weights.len());
        for (term, points) in self.plan.terms.iter().zip(points) {
            let (own, rest) = weights.split_at(term.residuals.len());
            weights = rest;
            // A term without points has no rows to scale.
            all.extend(if points.is_empty() { vec![0.0; own.len()] } else { scales(own, points) });
        }
        all
    }

    fn losses_of(&self, squares: Vec<f64>, points: &[Points]) -> Losses {
        let mut losses = Losses { mean_squares: squares, ..Losses::zero(self.plan) };
        losses.finish(self.plan, points);
        losses.weigh(&self.weights);
        losses
    }
}
