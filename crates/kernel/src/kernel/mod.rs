//! A compiled plan: checks its arguments, then hands them to the engine of its device.

mod equations;
mod rows;
mod vectors;
mod visit;

pub use equations::{LinearizedSums, TriedSums};

use crate::cuda;
use crate::cuda::{CompileMode, MemoryPlan, MemoryUse, Unfused};
use crate::engine::Engine;
use crate::error::fits;
use crate::recipe::{Recipe, Supply, Visits};
use crate::{Device, Dimension, KernelError, Points, Precision, Sums, Visited, Weighted};
use equation::taylor::{Plan, Term};
use linear::clip::Clipping;
use linear::{Carried, Level, Series};
use std::sync::Arc;

/// A plan, ready to run on a device. Owns all scratch memory: evaluating allocates nothing.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) plan: Arc<Plan>,
    device: Device,
    precision: Precision,
    pub(crate) engine: Engine,
    pub(crate) sums: Sums,
    /// Of one term, while their squares are summed.
    pub(crate) residuals: Vec<f64>,
}

impl Kernel {
    /// Prepares a plan for a device. Fails where the device cannot run it, and never falls back to
    /// another one.
    pub fn compile(plan: &Arc<Plan>, device: Device, precision: Precision) -> Result<Self, KernelError> {
        let engine = Engine::of(Arc::clone(plan), device, precision)?;
        Ok(Kernel::with(plan, device, precision, engine))
    }

    /// Prepares a plan for the CPU with a given instruction set, to compare one with another.
    /// Fails where this CPU does not have it.
    pub fn compile_for_level(
        plan: &Arc<Plan>,
        precision: Precision,
        level: Level,
    ) -> Result<Self, KernelError> {
        Ok(Kernel::with(plan, Device::Cpu, precision, Engine::at_level(Arc::clone(plan), precision, level)?))
    }

    /// Prepares the GPU's kernels for the CPU, which runs the threads of a block in turn: to check them
    /// where there is no GPU. Needs a C++ compiler, and is slow.
    pub fn compile_for_stand_in(plan: &Arc<Plan>, precision: Precision) -> Result<Self, KernelError> {
        Self::compile_for_small_stand_in(plan, precision, usize::MAX)
    }

    /// The same with a machine that has only so many bytes at one time, whatever its user allows.
    pub fn compile_for_small_stand_in(
        plan: &Arc<Plan>,
        precision: Precision,
        bytes: usize,
    ) -> Result<Self, KernelError> {
        let engine = Engine::on_machine(Arc::clone(plan), precision, cuda::stand_in(bytes))?;
        Ok(Kernel::with(plan, Device::Cuda, precision, engine))
    }

    fn with(plan: &Arc<Plan>, device: Device, precision: Precision, engine: Engine) -> Self {
        Kernel {
            plan: Arc::clone(plan),
            device,
            precision,
            engine,
            sums: Sums::zero(plan),
            residuals: Vec::new(),
        }
    }

    /// What it computes.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Where it runs.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Bytes that it holds on a device with memory of its own.
    pub fn device_bytes(&self) -> usize {
        self.engine.device_bytes()
    }

    /// Bytes that the device has left beside those, by its own count; `None` where it has no memory of its own.
    pub fn device_free_bytes(&self) -> Option<usize> {
        self.engine.device_free_bytes()
    }

    /// Bounds what it holds there, or takes the bound away. With less memory points come in chunks, which changes no
    /// bit; with very little, fewer blocks share the work, and sums are formed in another order. A call that
    /// cannot do with so little fails.
    pub fn limit_device_bytes(&mut self, limit: Option<usize>) {
        self.engine.limit_device_bytes(limit);
    }

    /// Changes how a GPU's kernels are chosen and launched; other devices have nothing to choose.
    pub fn set_compile_mode(&mut self, mode: CompileMode) {
        self.engine.set_mode(mode);
    }

    /// Says how many points a block of a GPU works on at a time at most, one of [`method::TILES`]; `None` leaves it to the
    /// compile mode. Sums are added up in an order that depends on it. Other devices have no tiles.
    pub fn set_tiles(&mut self, tiles: Option<usize>) {
        self.engine.set_tiles(tiles);
    }

    /// The numbers of points that make a difference to this plan; none where the device has no tiles.
    pub fn tile_choices(&self) -> Vec<usize> {
        self.engine.tile_choices()
    }

    /// In which numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The sums of squared residuals over one set of points per term, and the gradient of Σ factor · square, which replaces
    /// what `gradient` held. Numbers that are not finite are passed on: whether a step is acceptable is the caller's
    /// decision.
    ///
    /// The result has the same bits for every number of threads.
    pub fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
    ) -> Result<&Sums, KernelError> {
        self.check_all(over, parameters)?;
        fits(Dimension::Gradient, self.plan.parameter_count(), gradient.len())?;
        self.sums.begin(&self.plan, over.points.iter().map(Points::len));
        self.engine.evaluate(over, parameters, gradient, &mut self.sums.squares)?;
        Ok(&self.sums)
    }

    /// Whether its device takes whole series of steps, and draws points, without coming back in between.
    pub fn takes_steps(&self) -> bool {
        self.engine.takes_steps()
    }

    /// Makes a device that takes steps add up gradients and move parameters in launches of their own, between which sums of
    /// others can be added: not a bit changes. Devices that come back after every evaluation do so anyway.
    pub fn add_up_apart(&mut self, apart: bool) {
        self.engine.add_up_apart(apart);
    }

    /// What gradients in half precision are multiplied by on their way, a power of two; `None` leaves it to the number of points. In other
    /// precisions it has no effect.
    pub fn set_loss_scale(&mut self, scale: Option<f64>) {
        self.engine.set_loss_scale(scale);
    }

    /// Makes room for rules by which gradients of the steps to come are made shorter, so that a plan of memory holds for
    /// those; `None` where they are not.
    pub fn expect_clipping(&mut self, clipping: Option<&Clipping>) {
        self.engine.expect_clipping(clipping);
    }

    /// Takes one step per entry of `series.rates`, down the gradient of Σ factor · square; `history` becomes what was found
    /// before each step. A GPU does so without coming back in between; others take the steps one by one, and do not draw
    /// points.
    ///
    /// Ends before the first step whose loss or gradient is not finite: then what was refused is returned, and parameters
    /// and moments are those before that step.
    pub fn run_steps<'run>(
        &mut self,
        (visits, factors): (Visits<'_>, &[f64]),
        series: Series<'_>,
        carried: impl Into<Carried<'run>>,
        parameters: &mut [f64],
        history: &mut Vec<Visited>,
    ) -> Result<Option<Visited>, KernelError> {
        let Carried { moments, mut clipping } = carried.into();
        match visits {
            Visits::Points(points) => self.check(points, parameters)?,
            Visits::Drawn { recipe, .. } => self.check_recipe(recipe)?,
        }
        fits(Dimension::Weights, self.sums.squares.len(), factors.len())?;
        fits(Dimension::Parameters, self.plan.parameter_count(), parameters.len())?;
        let carried = Carried { moments: &mut *moments, clipping: clipping.as_deref_mut() };
        if let Some(refused) =
            self.engine.run_steps((visits, factors), series, carried, parameters, history)?
        {
            return Ok(refused);
        }
        let Visits::Points(points) = visits else {
            return Err(KernelError::DrawsNothing { device: self.device });
        };
        history.clear();
        let mut gradient = vec![0.0; parameters.len()];
        for &rate in series.rates {
            let sums = self.evaluate(Weighted { points, factors }, parameters, &mut gradient)?;
            let visited = Visited { loss: sums.weighted(factors), sums: sums.clone() };
            let norm: f64 = gradient.iter().map(|slope| slope * slope).sum();
            if !(visited.loss + norm).is_finite() {
                return Ok(Some(visited));
            }
            let loss = visited.loss;
            history.push(visited);
            if let Some(clipping) = &mut clipping {
                let shortened = clipping.apply(parameters, &mut gradient);
                clipping.note_step(shortened);
            }
            series.update.with_rate(rate).apply(moments, parameters, &gradient);
            if series.bound.is_some_and(|bound| loss < bound) {
                break;
            }
        }
        Ok(None)
    }

    /// The memory that it has taken so far on a device with memory of its own; `None` on others.
    pub fn memory_use(&self) -> Option<MemoryUse> {
        self.engine.memory_use()
    }

    /// Why a GPU takes training steps layer by layer, where it does and nobody asked for that; other devices have no other
    /// way.
    pub fn unfused(&self) -> Option<Unfused> {
        self.engine.unfused()
    }

    /// The points of a recipe's draw, drawn on the device; those that a step visits, where there is an order.
    pub fn draw(&mut self, recipe: &Recipe, number: u64, step: u64) -> Result<Vec<Points>, KernelError> {
        let device = self.device;
        self.check_recipe(recipe)?;
        self.engine.draw(recipe, [number, step])?.ok_or(KernelError::DrawsNothing { device })
    }

    /// Draws so many draws of a recipe on the device, from the first on, and leaves them there: for whoever wants to know how long that
    /// takes.
    pub fn draw_only(&mut self, recipe: &Recipe, draws: u64) -> Result<(), KernelError> {
        let device = self.device;
        self.check_recipe(recipe)?;
        self.engine.draw_only(recipe, draws)?.ok_or(KernelError::DrawsNothing { device })
    }

    /// Makes room for a second set of points on a device with memory of its own, into which those of the next step are copied while
    /// one is under way. A plan of memory has both; where memory does not, there is one.
    pub fn expect_batches(&mut self, wanted: bool) -> Result<(), KernelError> {
        self.engine.expect_batches(wanted)
    }

    /// What steps visit after the next series, by the position of their terms: copied while that series is under way, where there
    /// is room. Other devices do not keep it.
    pub fn bring_next(&mut self, next: Vec<(usize, Points)>) {
        self.engine.bring_next(next);
    }

    /// Gives that back.
    pub fn take_next(&mut self) -> Vec<(usize, Points)> {
        self.engine.take_next()
    }

    /// The memory that steps at these points take on a device with memory of its own; `None` on others.
    pub fn plan_memory(&mut self, visits: Visits<'_>) -> Result<Option<MemoryPlan>, KernelError> {
        match visits {
            Visits::Points(points) => fits(Dimension::PointSets, self.plan.terms.len(), points.len())?,
            Visits::Drawn { recipe, .. } => {
                fits(Dimension::PointSets, self.plan.terms.len(), recipe.terms.len())?;
            }
        }
        self.engine.plan_memory(visits)
    }

    /// The Jacobian of one term at `points`: one row per point and residual (residuals innermost), one
    /// column per parameter. Residuals are not weighted.
    pub fn jacobian(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        rows: &mut [f64],
    ) -> Result<(), KernelError> {
        let count = self.residual_count(term, points, parameters)?;
        fits(Dimension::Output, count * parameters.len(), rows.len())?;
        let mut residuals = vec![0.0; count];
        self.engine.jacobian((term, points, 0..points.len()), parameters, &mut residuals, rows)
    }

    /// The Jacobian times a direction in parameter space: one number per point and residual.
    pub fn jacobian_times(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        let count = self.residual_count(term, points, parameters)?;
        fits(Dimension::Parameters, parameters.len(), direction.len())?;
        fits(Dimension::Output, count, out.len())?;
        self.engine.along(term, points, parameters, direction, out)
    }

    /// The transposed Jacobian times one number per point and residual; replaces what `gradient` held.
    /// With `2·weight·residual/points` as the numbers it is the gradient of the term's loss.
    pub fn transposed_times(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), KernelError> {
        let count = self.residual_count(term, points, parameters)?;
        fits(Dimension::Output, count, seeds.len())?;
        fits(Dimension::Gradient, parameters.len(), gradient.len())?;
        self.engine.transposed(term, points, parameters, seeds, gradient)
    }

    /// Checks the arguments of whatever concerns all terms.
    pub(crate) fn check(&self, points: &[Points], parameters: &[f64]) -> Result<(), KernelError> {
        fits(Dimension::PointSets, self.plan.terms.len(), points.len())?;
        for (term, points) in self.plan.terms.iter().zip(points) {
            fits(Dimension::RowWidth, term.row.width(), points.width())?;
        }
        fits(Dimension::Parameters, self.plan.parameter_count(), parameters.len())
    }

    /// The same, and the factors.
    fn check_all(&self, over: Weighted<'_>, parameters: &[f64]) -> Result<(), KernelError> {
        fits(Dimension::Weights, self.sums.squares.len(), over.factors.len())?;
        self.check(over.points, parameters)
    }

    fn check_recipe(&self, recipe: &Recipe) -> Result<(), KernelError> {
        fits(Dimension::PointSets, self.plan.terms.len(), recipe.terms.len())?;
        for (term, supply) in self.plan.terms.iter().zip(&recipe.terms) {
            match supply {
                Supply::Given(points) => fits(Dimension::RowWidth, term.row.width(), points.width())?,
                Supply::Drawn(parts) => {
                    for part in parts {
                        fits(Dimension::RowWidth, term.row.width(), part.columns.len())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Points times residuals of a term, its arguments checked.
    fn residual_count(&self, term: usize, points: &Points, parameters: &[f64]) -> Result<usize, KernelError> {
        let found = self.term(term)?;
        fits(Dimension::RowWidth, found.row.width(), points.width())?;
        fits(Dimension::Parameters, self.plan.parameter_count(), parameters.len())?;
        Ok(points.len() * found.residuals.len())
    }

    fn term(&self, term: usize) -> Result<&Arc<Term>, KernelError> {
        let misfit =
            KernelError::Misfit { shape: Dimension::Term, expected: self.plan.terms.len(), found: term };
        self.plan.terms.get(term).ok_or(misfit)
    }

    /// The residuals of one term of the plan at `points`, point by point.
    pub fn residuals(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        let found = Arc::clone(self.term(term)?);
        self.fill(term, &found, points, parameters, out)
    }

    /// The values of all unknowns at `points`, point by point. Known functions that come with points are found here.
    pub fn predict(
        &mut self,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        let found = Arc::clone(&self.plan.prediction);
        match &found.given {
            Some(given) if points.width() + found.row.given == found.row.width() => {
                let points = points.with_given(found.row, given);
                self.fill(self.plan.terms.len(), &found, &points, parameters, out)
            }
            Some(_) | None => self.fill(self.plan.terms.len(), &found, points, parameters, out),
        }
    }

    fn fill(
        &mut self,
        position: usize,
        term: &Term,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        fits(Dimension::RowWidth, term.row.width(), points.width())?;
        fits(Dimension::Parameters, self.plan.parameter_count(), parameters.len())?;
        fits(Dimension::Output, points.len() * term.residuals.len(), out.len())?;
        self.engine.fill(position, points, parameters, out)
    }
}
