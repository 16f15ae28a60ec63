//! The seam between optimizers and everything that makes a loss: kernel, points, and later
//! micro-batches and other ranks.

use crate::optimize::{Elsewhere, Extent, LeastSquares, Loss, Optimizer, Room, Vectors, first_products};
use equation::problem::{Products as Wanted, Solver};
use kernel::cuda::{CudaError, MemoryPlan};
use kernel::{
    Attempt, Change, Course, Gram, Kernel, KernelError, Linearized, Losses, NormalEquations, Points,
    Products, Series, Subspace, TriedStep, Unknowns, Visits,
};

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
    /// A method's vectors are not where it left them: this is another loss.
    #[error("the method's vectors are with another loss")]
    NoVectors,
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

    /// Changes the points of a term one after the other; their number stays.
    pub(crate) fn change_points(&mut self, term: usize, each: impl FnMut(&mut [f64])) {
        if let Some(points) = self.points.get_mut(term) {
            points.for_each_mut(each);
        }
    }

    /// The residuals of a term at its points, point by point.
    pub(crate) fn residuals(&mut self, term: usize, parameters: &[f64]) -> Result<Vec<f64>, KernelError> {
        let points = &self.points[term];
        let mut residuals = vec![0.0; points.len() * self.kernel.plan().terms[term].residuals.len()];
        self.kernel.residuals(term, points, parameters, &mut residuals)?;
        Ok(residuals)
    }

    /// Points that one evaluation visits.
    pub fn point_count(&self) -> usize {
        self.points.iter().map(Points::len).sum()
    }

    /// How strongly every residual depends on the parameters.
    pub(crate) fn scales(&mut self, parameters: &[f64]) -> Result<Vec<f64>, KernelError> {
        self.kernel.scales(&self.points, parameters)
    }

    /// Weighs the least-squares problem otherwise than the plan; as the plan, where there are no weights.
    pub(crate) fn set_weights(&mut self, weights: &[f64]) -> Result<(), KernelError> {
        self.kernel.set_weights(weights)
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

    /// The memory that Gauss-Newton's equations take there at the objective's own points; `None` where the device has no room
    /// for them, or no memory of its own.
    pub fn plan_equations(
        &mut self,
        solver: Solver,
        products: Wanted,
    ) -> Result<Option<MemoryPlan>, KernelError> {
        let unknowns = self.extent().unknowns_for_devices(solver, 0);
        let form = (unknowns, first_products(products, unknowns));
        match self.kernel.plan_equations(&self.points, form) {
            Err(KernelError::Cuda(CudaError::Memory { .. })) => Ok(None),
            planned => planned,
        }
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

    fn vectors(&mut self) -> Option<&mut dyn Vectors> {
        if self.kernel.keeps_vectors() { Some(self) } else { None }
    }
}

impl Vectors for Objective<'_> {
    fn reserve(&mut self, count: usize, matrix: bool) -> Result<Room, Refusal> {
        match self.kernel.reserve_vectors(count, matrix) {
            Ok(()) => Ok(Room::Enough),
            Err(KernelError::Cuda(CudaError::Memory { bytes })) => Ok(Room::TooLittle { bytes }),
            Err(error) => Err(error.into()),
        }
    }

    fn put(&mut self, vector: usize, numbers: &[f64]) -> Result<(), Refusal> {
        Ok(self.kernel.put_vector(vector, numbers)?)
    }

    fn fetch(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.fetch_vector(vector, numbers)?)
    }

    fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, Refusal> {
        Ok(self.kernel.dots(pairs)?)
    }

    fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), Refusal> {
        Ok(self.kernel.combine(to, summands)?)
    }

    fn eval(&mut self, at: usize, gradient: usize) -> Result<&Losses, Refusal> {
        finite(self.kernel.evaluate_at(&self.points, at, gradient)?)
    }

    fn multiply(&mut self, change: Option<Change>, vector: usize, product: usize) -> Result<(), Refusal> {
        Ok(self.kernel.change_and_multiply(change, vector, product)?)
    }

    fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), Refusal> {
        Ok(self.kernel.put_matrix(numbers)?)
    }

    fn fetch_matrix(&mut self, numbers: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.fetch_matrix(numbers)?)
    }
}

impl LeastSquares for Objective<'_> {
    fn extent(&self) -> Extent {
        let terms = self.kernel.plan().terms.iter().zip(&self.points);
        Extent {
            parameters: self.kernel.plan().parameter_count(),
            rows: self.kernel.row_count(&self.points),
            evaluation: terms.map(|(term, points)| term.cost.flops() as f64 * points.len() as f64).sum(),
        }
    }

    fn normal_equations(
        &mut self,
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Losses, Refusal> {
        finite(self.kernel.normal_equations(&self.points, parameters, normal)?)
    }

    fn gram(&mut self, parameters: &[f64], gram: &mut Gram) -> Result<&Losses, Refusal> {
        finite(self.kernel.gram(&self.points, parameters, gram)?)
    }

    fn diagonal(
        &mut self,
        parameters: &[f64],
        diagonal: &mut [f64],
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal> {
        finite(self.kernel.diagonal(&self.points, parameters, diagonal, rows)?)
    }

    fn sketch(&mut self, parameters: &[f64], gram: &mut Gram, rows: &mut [f64]) -> Result<&Losses, Refusal> {
        finite(self.kernel.sketch(&self.points, parameters, gram, rows)?)
    }

    fn subspace_equations(
        &mut self,
        parameters: &[f64],
        equations: (&Subspace, &mut NormalEquations),
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal> {
        finite(self.kernel.subspace_equations(&self.points, parameters, equations, rows)?)
    }

    fn along(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.rows_along(&self.points, parameters, direction, rows)?)
    }

    fn back(&mut self, parameters: &[f64], rows: &[f64], slope: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.rows_back(&self.points, parameters, rows, slope)?)
    }

    fn rows(&mut self, parameters: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.rows(&self.points, parameters, rows)?)
    }

    fn curvature(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        /// Far enough ahead for differences to have digits, near enough to see the same curvature
        /// (Transtrum, Sethna 2012).
        const REACH: f64 = 0.1;
        let [mut ahead, mut behind] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
        for (length, part) in [(REACH, &mut ahead), (-REACH, &mut behind)] {
            let at: Vec<f64> =
                parameters.iter().zip(direction).map(|(from, along)| from + length * along).collect();
            self.kernel.rows(&self.points, &at, part)?;
        }
        let factor = 1.0 / (REACH * REACH);
        for ((row, ahead), behind) in rows.iter_mut().zip(&ahead).zip(&behind) {
            *row = factor * ahead - 2.0 * factor * *row + factor * behind;
        }
        Ok(())
    }

    fn losses(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal> {
        finite(self.kernel.losses(&self.points, parameters)?)
    }

    fn elsewhere(&mut self) -> Option<&mut dyn Elsewhere> {
        if self.kernel.solves_equations() { Some(self) } else { None }
    }
}

impl Elsewhere for Objective<'_> {
    fn linearize(
        &mut self,
        parameters: &[f64],
        carried: Option<&[f64]>,
        form: (Unknowns, Products),
    ) -> Result<Linearized, Refusal> {
        let found = self.kernel.linearize(&self.points, parameters, carried, form)?;
        finite(&found.losses)?;
        Ok(found)
    }

    fn try_steps(&mut self, attempts: &[Attempt], course: Course) -> Result<Vec<TriedStep>, Refusal> {
        Ok(self.kernel.try_steps(&self.points, attempts, course)?)
    }

    fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), Refusal> {
        Ok(self.kernel.take_step(number, parameters)?)
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
