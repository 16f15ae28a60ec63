//! A compiled plan: checks its arguments, then hands them to the engine of its device.

use crate::cpu::Level;
use crate::cuda;
use crate::device::Engine;
use crate::error::fits;
use crate::{Device, KernelError, Losses, Moments, Points, Precision, Shape, Update};
use equation::taylor::{Plan, Term};

/// A plan, ready to run on a device. Owns all scratch memory: evaluating allocates nothing.
#[derive(Debug)]
pub struct Kernel<'plan> {
    pub(crate) plan: &'plan Plan,
    device: Device,
    precision: Precision,
    pub(crate) engine: Engine<'plan>,
    pub(crate) losses: Losses,
    /// Factors of the residuals in the least-squares problem.
    pub(crate) weights: Vec<f64>,
    /// Of one term, while their squares are added up.
    pub(crate) residuals: Vec<f64>,
}

impl<'plan> Kernel<'plan> {
    /// Prepares a plan for a device. Fails where the device cannot run it, and never falls back to
    /// another one.
    pub fn compile(plan: &'plan Plan, device: Device, precision: Precision) -> Result<Self, KernelError> {
        let engine = device.engine(plan, precision)?;
        Ok(Kernel::with(plan, device, precision, engine))
    }

    /// Prepares a plan for the processor with a given instruction set, to compare one with another.
    /// Fails where this processor does not have it.
    pub fn compile_for_level(
        plan: &'plan Plan,
        precision: Precision,
        level: Level,
    ) -> Result<Self, KernelError> {
        Ok(Kernel::with(plan, Device::Cpu, precision, Engine::at_level(plan, precision, level)?))
    }

    /// Prepares the GPU's kernels for the processor, which runs the threads of a block in turn: to check them
    /// where there is no GPU. Needs a C++ compiler, and is slow.
    pub fn compile_for_stand_in(plan: &'plan Plan, precision: Precision) -> Result<Self, KernelError> {
        let engine = Engine::on_machine(plan, precision, cuda::stand_in())?;
        Ok(Kernel::with(plan, Device::Cuda, precision, engine))
    }

    fn with(plan: &'plan Plan, device: Device, precision: Precision, engine: Engine<'plan>) -> Self {
        let (losses, weights) = (Losses::zero(plan), plan_weights(plan));
        Kernel { plan, device, precision, engine, losses, weights, residuals: Vec::new() }
    }

    /// What it computes.
    pub fn plan(&self) -> &'plan Plan {
        self.plan
    }

    /// Where it runs.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Bytes that it holds on a device with memory of its own.
    pub fn device_bytes(&self) -> usize {
        self.engine.device_bytes()
    }

    /// Bounds what it holds there, or takes the bound away. With less memory fewer blocks share the work: sums are
    /// then added up in another order. A call that cannot do with so little fails.
    pub fn limit_device_bytes(&mut self, limit: Option<usize>) {
        self.engine.limit_device_bytes(limit);
    }

    /// In which numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The loss Σ weight · mean(residual²) over one set of points per term, and its gradient, which
    /// replaces what `gradient` held. Numbers that are not finite are passed on: whether a step is
    /// acceptable is the caller's decision.
    ///
    /// The result has the same bits for every number of threads.
    pub fn evaluate(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gradient: &mut [f64],
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Gradient, self.plan.parameter_count(), gradient.len())?;
        self.engine.evaluate(points, parameters, gradient, &mut self.losses)?;
        Ok(&self.losses)
    }

    /// Takes one step of `update` per entry of `rates`, its length, all from the same points; `history` becomes
    /// the losses before each step. A GPU does so without coming back in between.
    ///
    /// Ends before the first step whose loss or gradient is not finite: then `history` is shorter than `rates`,
    /// parameters and moments are those before that step, and the losses returned are the ones that were refused.
    pub fn run_steps(
        &mut self,
        points: &[Points],
        (update, rates): (Update, &[f64]),
        moments: &mut Moments,
        parameters: &mut [f64],
        history: &mut Vec<f64>,
    ) -> Result<&Losses, KernelError> {
        self.check(points, parameters)?;
        let found = (&mut self.losses, &mut *history);
        if self.engine.run_steps(points, (update, rates), moments, parameters, found)? {
            return Ok(&self.losses);
        }
        history.clear();
        let mut gradient = vec![0.0; parameters.len()];
        for &rate in rates {
            self.engine.evaluate(points, parameters, &mut gradient, &mut self.losses)?;
            let norm: f64 = gradient.iter().map(|slope| slope * slope).sum();
            if !(self.losses.total + norm).is_finite() {
                break;
            }
            history.push(self.losses.total);
            update.with_rate(rate).apply(moments, parameters, &gradient);
        }
        Ok(&self.losses)
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
        fits(Shape::Output, count * parameters.len(), rows.len())?;
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
        fits(Shape::Parameters, parameters.len(), direction.len())?;
        fits(Shape::Output, count, out.len())?;
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
        fits(Shape::Output, count, seeds.len())?;
        fits(Shape::Gradient, parameters.len(), gradient.len())?;
        self.engine.transposed(term, points, parameters, seeds, gradient)
    }

    /// Checks the arguments of whatever concerns all terms.
    pub(crate) fn check(&self, points: &[Points], parameters: &[f64]) -> Result<(), KernelError> {
        fits(Shape::PointSets, self.plan.terms.len(), points.len())?;
        for (term, points) in self.plan.terms.iter().zip(points) {
            fits(Shape::RowWidth, term.row.width(), points.width())?;
        }
        fits(Shape::Parameters, self.plan.parameter_count(), parameters.len())
    }

    /// Points times residuals of a term, its arguments checked.
    fn residual_count(&self, term: usize, points: &Points, parameters: &[f64]) -> Result<usize, KernelError> {
        let found = self.term(term)?;
        fits(Shape::RowWidth, found.row.width(), points.width())?;
        fits(Shape::Parameters, self.plan.parameter_count(), parameters.len())?;
        Ok(points.len() * found.residuals.len())
    }

    fn term(&self, term: usize) -> Result<&'plan Term, KernelError> {
        let misfit = KernelError::Misfit { shape: Shape::Term, expected: self.plan.terms.len(), found: term };
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
        let found = self.term(term)?;
        self.fill(term, found, points, parameters, out)
    }

    /// The values of all unknowns at `points`, point by point.
    pub fn predict(
        &mut self,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        self.fill(self.plan.terms.len(), &self.plan.prediction, points, parameters, out)
    }

    fn fill(
        &mut self,
        position: usize,
        term: &Term,
        points: &Points,
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        fits(Shape::RowWidth, term.row.width(), points.width())?;
        fits(Shape::Parameters, self.plan.parameter_count(), parameters.len())?;
        fits(Shape::Output, points.len() * term.residuals.len(), out.len())?;
        self.engine.fill(position, points, parameters, out)
    }
}

/// The weights of all residuals as the plan has them.
pub(crate) fn plan_weights(plan: &Plan) -> Vec<f64> {
    plan.terms.iter().flat_map(|term| &term.residuals).map(|residual| residual.weight).collect()
}
