//! One iteration of Gauss-Newton, many times.

use super::case::{self, CaseManifest};
use super::step::{DeviceMemory, StartingPoint, StepSettings, on_threads, open};
use super::{machine, peak_bytes};
use crate::BenchError;
use equation::problem::{Method, Solver};
use kernel::Kernel;
use linear::{Attempt, Cholesky, Course, NormalEquations, Unknowns};
use pinnace::optimize::{GaussNewton, Optimizer};
use pinnace::{LeastSquares, OnDevice, TriedStep};
use pinnace::{Objective, Precision, Refusal};
use std::path::Path;
use std::time::Instant;

/// Iterations before the clock counts, and those whose losses all engines must agree on.
const WARM_UP: usize = 5;

/// The measurement ends after this many iterations, or after the seconds but at least three of them.
const MEASURED: (usize, f64) = (50, 6.0);

/// The method whose iterations are timed.
const MEASURED_METHOD: Method = Method::GaussNewton { solver: Solver::NormalEquations };

/// What was measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct IterationReport {
    /// As in the settings.
    pub problem: String,
    /// Points inside the domain.
    pub points: usize,
    /// Neurons per layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// Trainable numbers.
    pub parameters: usize,
    /// Where it ran.
    pub device: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// On which machine.
    pub machine: String,
    /// Milliseconds of a plain iteration: normal equations, one factor, one loss.
    pub plain_ms: f64,
    /// Milliseconds of an iteration of training: two dampings, each with geodesic acceleration.
    pub training_ms: f64,
    /// Iterations that were timed, of each kind.
    pub iterations: [usize; 2],
    /// The loss at the start.
    pub loss0: f64,
    /// The loss after five plain iterations.
    pub loss5: f64,
    /// The loss after five iterations of training.
    pub training_loss5: f64,
    /// The most memory that the process held, in bytes; `None` where the system does not tell.
    pub peak_bytes: Option<u64>,
    /// What was taken on a device with memory of its own; `None` on others.
    pub device_memory: Option<DeviceMemory>,
}

/// Measures one iteration of Gauss-Newton on dense normal equations, in f64.
pub fn bench_iteration(settings: &StepSettings) -> Result<IterationReport, BenchError> {
    on_threads(settings, |threads| measure(settings, threads))
}

/// The losses before and after five plain iterations from the points and weights of a dump.
pub fn first_iterations_of_case(folder: &Path) -> Result<[f64; 2], BenchError> {
    let manifest = CaseManifest::read(folder)?;
    let experiment = open(&manifest.problem, &manifest.overrides())?;
    let plan = experiment.plan();
    let kernel = Kernel::compile(plan, pinnace::Device::Cpu, Precision::F64)?;
    let mut objective = Objective::new(kernel, case::points(folder, plan)?);
    let mut parameters = case::weights(folder, plan)?;
    let mut plain = Plain::new(parameters.len());
    first_losses(&mut objective, &mut parameters, |objective, parameters| plain.step(objective, parameters))
}

fn measure(settings: &StepSettings, threads: usize) -> Result<IterationReport, BenchError> {
    let StartingPoint { name, experiment, points, parameters: start } =
        StartingPoint::of(settings, MEASURED_METHOD)?;
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let interior = points[0].len();
    let mut kernel = Kernel::compile(plan, settings.device, Precision::F64)?;
    kernel.limit_device_bytes(settings.memory_limit);
    let mut objective = Objective::new(kernel, points);

    let mut parameters = start.clone();
    let mut plain = Plain::new(start.len());
    let mut step = |objective: &mut Objective, parameters: &mut [f64]| plain.step(objective, parameters);
    let [loss0, loss5] = first_losses(&mut objective, &mut parameters, &mut step)?;
    let (plain_ms, plain_count) = timed(&mut objective, &mut parameters, &mut step)?;

    let mut parameters = start.clone();
    let mut training = GaussNewton::new(parameters.len(), Solver::NormalEquations);
    let mut step = |objective: &mut Objective, parameters: &mut [f64]| {
        training.step(objective, parameters, 1.0).map(|_| ())
    };
    let [_, training_loss5] = first_losses(&mut objective, &mut parameters, &mut step)?;
    let (training_ms, training_count) = timed(&mut objective, &mut parameters, &mut step)?;
    Ok(IterationReport {
        problem: name,
        points: interior,
        width: problem.network.width,
        depth: problem.network.depth,
        parameters: plan.parameter_count(),
        device: settings.device.name(),
        threads,
        machine: machine::name(settings.device),
        plain_ms,
        training_ms,
        iterations: [plain_count, training_count],
        loss0,
        loss5,
        training_loss5,
        peak_bytes: peak_bytes(),
        device_memory: objective.kernel().memory_use().map(DeviceMemory::of),
    })
}

/// Levenberg-Marquardt without any of what training adds: what the peers do, number by number.
struct Plain {
    damping: f64,
    normal: NormalEquations,
    factor: Cholesky,
    step: Vec<f64>,
}

impl Plain {
    fn new(size: usize) -> Self {
        let (normal, factor) = (NormalEquations::new(size), Cholesky::new(size));
        Plain { damping: 1e-2, normal, factor, step: vec![0.0; size] }
    }

    fn step(&mut self, objective: &mut Objective, parameters: &mut [f64]) -> Result<(), Refusal> {
        if let Some(device) = objective.on_device() {
            return self.step_on_device(device, parameters);
        }
        let Plain { damping, normal, factor, step } = self;
        let before = objective.normal_equations(parameters, normal)?.total;
        let mean = normal.matrix().trace() / step.len() as f64;
        step.iter_mut().enumerate().for_each(|(row, step)| *step = normal.slope(row));
        let solved = factor.factorize(normal.matrix(), *damping * mean);
        if solved {
            factor.solve(step);
            parameters.iter_mut().zip(&*step).for_each(|(to, step)| *to -= step);
            if objective.losses(parameters)?.total < before {
                *damping /= 3.0;
                return Ok(());
            }
            parameters.iter_mut().zip(&*step).for_each(|(to, step)| *to += step);
        }
        *damping *= 4.0;
        Ok(())
    }
}

impl Plain {
    /// The same where a device solves the equations by itself.
    fn step_on_device(&mut self, device: &mut dyn OnDevice, parameters: &mut [f64]) -> Result<(), Refusal> {
        let unknowns = Unknowns::Parameters;
        let found = device.linearize(parameters, None, unknowns)?;
        let added = self.damping * found.mean;
        let tried = device
            .try_steps(&[Attempt { added, factored: added, momentum: false }], Course::straight(unknowns))?;
        let lower = |step: &TriedStep| step.predicted.is_finite() && step.losses.total < found.losses.total;
        if tried.first().is_some_and(lower) {
            device.take_step(0, parameters)?;
            self.damping /= 3.0;
        } else {
            self.damping *= 4.0;
        }
        Ok(())
    }
}

/// The losses before the first step and after five.
fn first_losses(
    objective: &mut Objective,
    parameters: &mut [f64],
    mut step: impl FnMut(&mut Objective, &mut [f64]) -> Result<(), Refusal>,
) -> Result<[f64; 2], BenchError> {
    let before = objective.losses(parameters)?.total;
    for _ in 0..WARM_UP {
        step(objective, parameters)?;
    }
    Ok([before, objective.losses(parameters)?.total])
}

/// The median time of a step in milliseconds, and of how many.
fn timed(
    objective: &mut Objective,
    parameters: &mut [f64],
    mut step: impl FnMut(&mut Objective, &mut [f64]) -> Result<(), Refusal>,
) -> Result<(f64, usize), BenchError> {
    let begin = Instant::now();
    let mut times = Vec::with_capacity(MEASURED.0);
    while times.len() < 3 || (times.len() < MEASURED.0 && begin.elapsed().as_secs_f64() < MEASURED.1) {
        let begin = Instant::now();
        step(objective, parameters)?;
        times.push(1e3 * begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], times.len()))
}
