//! The engine: what a plan's kernels, their memory, and the owners of steps, equations and vectors are together.

use super::CudaError;
use super::context::DeviceContext;
use super::machine::Machine;
use super::memory::{MemoryLedger, MemoryPlan, MemoryUse};
use super::newton::{Newton, Surveyed, Tried};
use super::program::{CompileMode, LoadedProgram, Unfused, tables};
use super::step::Step;
use super::vectors::DeviceVectors;
use crate::{Points, Precision, Recipe, Visited, Visits, Weighted};
use equation::taylor::Plan;
use linear::clip::Clipping;
use linear::{Attempt, Carried, Change, Course, Series, Unknowns};
use std::ops::Range;
use std::sync::Arc;

/// A plan on a GPU.
#[derive(Debug)]
pub(crate) struct Cuda {
    context: DeviceContext,
    step: Step,
    newton: Newton,
    vectors: DeviceVectors,
}

impl Cuda {
    /// Kernels are compiled when they are first needed.
    pub(crate) fn new(plan: Arc<Plan>, precision: Precision, machine: Machine) -> Result<Self, CudaError> {
        let memory = MemoryLedger::new(&machine, plan.parameter_count() + tables(&plan))?;
        let context = DeviceContext { program: LoadedProgram::new(plan, precision, machine), memory };
        let (step, newton, vectors) = (Step::default(), Newton::default(), DeviceVectors::default());
        Ok(Cuda { context, step, newton, vectors })
    }

    /// Changes how kernels are chosen and launched, from the next call on.
    pub(crate) fn set_mode(&mut self, mode: CompileMode) {
        self.context.program.set_mode(mode);
        self.step.forget_recording();
    }

    /// See [`crate::Kernel::set_tiles`].
    pub(crate) fn set_tiles(&mut self, tiles: Option<usize>) {
        self.context.program.set_tiles(tiles);
        self.step.forget_recording();
    }

    /// See [`crate::Kernel::tile_choices`].
    pub(crate) fn tile_choices(&self) -> Vec<usize> {
        self.context.program.candidates()
    }

    /// See [`crate::Kernel::add_up_apart`].
    pub(crate) fn add_up_apart(&mut self, apart: bool) {
        self.step.set_apart(apart);
    }

    /// See [`crate::Kernel::set_loss_scale`].
    pub(crate) fn set_loss_scale(&mut self, scale: Option<f64>) {
        self.step.loss_scale = scale;
    }

    /// See [`crate::Kernel::expect_clipping`].
    pub(crate) fn expect_clipping(&mut self, clipping: Option<&Clipping>) {
        self.step.expect_clipping(clipping);
    }

    /// Bytes of its memory.
    pub(crate) fn bytes(&self) -> usize {
        self.context.memory.bytes()
    }

    /// Bytes that the machine has left.
    pub(crate) fn free_bytes(&self) -> usize {
        self.context.memory.free_bytes()
    }

    /// Bounds its memory from the next call on; `None` takes what the machine has.
    pub(crate) fn limit_bytes(&mut self, limit: Option<usize>) {
        self.context.memory.set_limit(limit);
        self.step.forget();
    }

    /// See [`crate::Kernel::memory_use`].
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.context.memory.used(self.context.program.image_bytes())
    }

    /// Why training steps are not fused, where they are not and nobody asked for that.
    pub(crate) fn unfused(&self) -> Option<Unfused> {
        self.context.program.unfused()
    }
}

/// Calls on points.
impl Cuda {
    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        self.step.evaluate(&mut self.context, over, parameters, gradient, squares)
    }

    /// See [`crate::Kernel::run_steps`].
    pub(crate) fn run_steps(
        &mut self,
        over: (Visits<'_>, &[f64]),
        steps: Series<'_>,
        carried: Carried<'_>,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Visited>, CudaError> {
        self.step.run_steps(&mut self.context, over, steps, carried, parameters, history)
    }

    /// See [`crate::Kernel::draw`].
    pub(crate) fn draw(&mut self, recipe: &Recipe, at: [u64; 2]) -> Result<Vec<Points>, CudaError> {
        self.step.draw(&mut self.context, recipe, at)
    }

    /// See [`crate::Kernel::draw_only`].
    pub(crate) fn draw_only(&mut self, recipe: &Recipe, draws: u64) -> Result<(), CudaError> {
        self.step.draw_only(&mut self.context, recipe, draws)
    }

    /// See [`crate::Kernel::expect_batches`].
    pub(crate) fn expect_batches(&mut self, wanted: bool) -> Result<(), CudaError> {
        self.step.expect_batches(&mut self.context, wanted)
    }

    /// Which of two places points have that are read.
    #[cfg(test)]
    pub(crate) fn place_of_points(&self) -> usize {
        self.step.place_of_points()
    }

    /// See [`crate::Kernel::bring_next`].
    pub(crate) fn bring_next(&mut self, next: Vec<(usize, Points)>) {
        self.step.bring_next(next);
    }

    /// See [`crate::Kernel::take_next`].
    pub(crate) fn take_next(&mut self) -> Vec<(usize, Points)> {
        self.step.take_next()
    }

    /// See [`crate::Kernel::plan_memory`].
    pub(crate) fn plan_memory(&mut self, visits: Visits<'_>) -> Result<MemoryPlan, CudaError> {
        self.step.plan_memory(&mut self.context, visits)
    }

    /// Residuals of a term, or the prediction's values after the last term, point by point.
    pub(crate) fn fill(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        self.step.fill(&mut self.context, (term, points), parameters, out)
    }

    /// See [`crate::Kernel::jacobian`].
    pub(crate) fn jacobian(
        &mut self,
        place: (usize, &Points, Range<usize>),
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) -> Result<(), CudaError> {
        self.step.jacobian(&mut self.context, place, parameters, residuals, rows)
    }

    /// See [`crate::Kernel::jacobian_times`].
    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        self.step.along(&mut self.context, (term, points), parameters, direction, out)
    }

    /// See [`crate::Kernel::transposed_times`].
    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), CudaError> {
        self.step.transposed(&mut self.context, (term, points), parameters, seeds, gradient)
    }
}

/// Equations that stay.
impl Cuda {
    /// Loads what steps of least squares need, side by side.
    pub(crate) fn load_equations(&mut self) -> Result<(), CudaError> {
        self.newton.load(&mut self.context).map(|_| ())
    }

    /// See [`crate::Kernel::plan_equations`].
    pub(crate) fn plan_equations(
        &mut self,
        points: &[Points],
        unknowns: Unknowns,
    ) -> Result<MemoryPlan, CudaError> {
        self.newton.plan(&mut self.context, points, unknowns)
    }

    /// See [`crate::Kernel::linearize`]; rows of residual k are multiplied by `scales[k]`.
    pub(crate) fn linearize(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        scaling: (&[f64], Option<&[f64]>),
        unknowns: Unknowns,
    ) -> Result<Surveyed, CudaError> {
        self.newton.linearize(&mut self.context, points, parameters, scaling, unknowns)
    }

    /// See [`crate::Kernel::try_steps`].
    pub(crate) fn try_steps(
        &mut self,
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<Tried>, CudaError> {
        self.newton.try_steps(&mut self.context, attempts, course)
    }

    /// The parameters at an end that was tried last.
    pub(crate) fn fetch_end(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), CudaError> {
        self.newton.fetch_end(&mut self.context.memory, number, parameters)
    }

    /// The rows of JᵀJ up to their diagonals, and Jᵀr behind the last one.
    pub(crate) fn fetch_matrix(&mut self) -> Result<Vec<Vec<f64>>, CudaError> {
        self.newton.fetch_matrix(&mut self.context.memory)
    }
}

/// Vectors that stay.
impl Cuda {
    /// See [`crate::Kernel::reserve_vectors`].
    pub(crate) fn reserve_vectors(&mut self, count: usize, matrix: bool) -> Result<(), CudaError> {
        self.vectors.reserve(&mut self.context, count, matrix)
    }

    pub(crate) fn put_vector(&mut self, vector: usize, numbers: &[f64]) -> Result<(), CudaError> {
        self.vectors.put(&mut self.context, vector, numbers)
    }

    pub(crate) fn fetch_vector(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        self.vectors.fetch(&mut self.context, vector, numbers)
    }

    /// Products of pairs of vectors.
    pub(crate) fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, CudaError> {
        self.vectors.dots(&mut self.context, pairs)
    }

    /// `to` becomes the sum of vectors times coefficients.
    pub(crate) fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), CudaError> {
        self.vectors.combine(&self.context, to, summands)
    }

    /// See [`crate::Kernel::change_and_multiply`].
    pub(crate) fn multiply_matrix(
        &mut self,
        change: Option<Change>,
        vector: usize,
        product: usize,
    ) -> Result<(), CudaError> {
        self.vectors.multiply_matrix(&self.context, change, vector, product)
    }

    /// See [`crate::Kernel::put_matrix`].
    pub(crate) fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), CudaError> {
        self.vectors.put_matrix(&mut self.context, numbers)
    }

    /// The lower triangle of the matrix, row by row.
    pub(crate) fn fetch_matrix_numbers(&mut self, numbers: &mut [f64]) -> Result<(), CudaError> {
        self.vectors.fetch_matrix(&mut self.context, numbers)
    }

    /// See [`crate::Kernel::evaluate_at`].
    pub(crate) fn evaluate_at(
        &mut self,
        over: Weighted<'_>,
        at: usize,
        gradient: usize,
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        let Cuda { context, step, vectors, .. } = self;
        vectors.evaluate_at(context, step, over, [at, gradient], squares)
    }
}
