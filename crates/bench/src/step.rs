//! One training step, many times: loss, gradient, update.

use super::case::{self, CaseManifest};
use super::{machine, peak_bytes};
use crate::BenchError;
use equation::problem::Method;
use equation::taylor::Plan;
use kernel::cuda::{CompileMode, MemoryUse};
use kernel::{Kernel, Visits};
use linear::peak_flops;
use pinnace::Loss;
use pinnace::optimize::{Adam, Optimizer};
use pinnace::sample::draw;
use pinnace::{Device, Experiment, KernelError, Objective, Points, Precision, Refusal};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Step length of the measured updates; the peers' value.
const RATE: f64 = 1e-3;

/// Steps and seconds before the clock counts.
const WARM_UP: (usize, f64) = (3, 0.3);

/// The measurement ends after this many steps, or after the seconds but at least ten steps.
const MEASURED: (usize, f64) = (200, 3.0);

/// Steps of the first series, where the device takes them so, and about how many seconds a series takes, as in training:
/// what comes before and behind its steps hardly counts.
const SERIES: (usize, f64) = (16, 0.2);

/// What to measure.
#[derive(Clone, Debug)]
pub struct StepSettings {
    /// A problem of the peers (burgers, ns2d, wave3d), a built-in or a file.
    pub problem: String,
    /// Points inside the domain; `None` leaves it to the problem.
    pub points: Option<usize>,
    /// Neurons per layer; `None` leaves it to the problem.
    pub width: Option<usize>,
    /// Hidden layers; `None` leaves it to the problem.
    pub depth: Option<usize>,
    /// Where.
    pub device: Device,
    /// In which numbers.
    pub precision: Precision,
    /// Bytes that may be taken on a GPU; `None` takes what it has.
    pub memory_limit: Option<usize>,
    /// How much a GPU does before the first step.
    pub compile: CompileMode,
    /// Threads; `None` takes all.
    pub threads: Option<usize>,
    /// A folder written by `benches/peers/common.py --dump`, which then decides problem and sizes.
    pub case: Option<PathBuf>,
}

/// What was measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct StepReport {
    /// As in the settings.
    pub problem: String,
    /// Points inside the domain.
    pub points: usize,
    /// Neurons per layer.
    pub width: usize,
    /// Hidden layers.
    pub depth: usize,
    /// In which numbers.
    pub precision: &'static str,
    /// Where.
    pub device: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// On which machine.
    pub machine: String,
    /// How much a GPU did before the first step.
    pub compile: &'static str,
    /// Milliseconds per step.
    pub median_ms: f64,
    /// A tenth of the steps was faster.
    pub p10_ms: f64,
    /// A tenth of the steps was slower.
    pub p90_ms: f64,
    /// Steps that were timed.
    pub steps: usize,
    /// The loss before the first step.
    pub loss0: f64,
    /// The norm of its gradient.
    pub gradnorm0: f64,
    /// The loss after five steps.
    pub loss5: f64,
    /// Operations of one step by the plan's count, products and elementwise.
    pub flops: u64,
    /// The most memory that the process held, in bytes; `None` where the system does not tell.
    pub peak_bytes: Option<u64>,
    /// Bytes of the points among them.
    pub point_bytes: u64,
    /// Products per second as a share of what the device could do at most in this precision; `None` where that is
    /// not known.
    pub share_of_peak: Option<f64>,
    /// What was taken on a device with memory of its own; `None` on others.
    pub device_memory: Option<DeviceMemory>,
}

/// Memory of a device that has its own.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct DeviceMemory {
    /// Bytes that were planned, compiled kernels included.
    pub planned_bytes: usize,
    /// Bytes that the driver has given, by its own count.
    pub peak_bytes: Option<usize>,
    /// Bytes that were taken before: the driver's context, and other programs.
    pub context_bytes: Option<usize>,
    /// Planned bytes as a share of those that were given.
    pub planned_share: Option<f64>,
}

impl DeviceMemory {
    pub(super) fn of(memory: MemoryUse) -> Self {
        let MemoryUse { planned, measured, context } = memory;
        DeviceMemory {
            planned_bytes: planned,
            peak_bytes: measured,
            context_bytes: context,
            planned_share: measured.map(|measured| planned as f64 / measured.max(1) as f64),
        }
    }
}

/// The numbers that every engine must agree on when it starts from the same points and weights.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FirstSteps {
    /// The loss before the first step.
    pub loss0: f64,
    /// The norm of its gradient.
    pub gradnorm0: f64,
    /// The loss after five steps of Adam.
    pub loss5: f64,
}

/// The first steps from the points and weights that `benches/peers/common.py --dump` wrote.
pub fn first_steps_of_case(
    folder: &Path,
    device: Device,
    precision: Precision,
) -> Result<FirstSteps, BenchError> {
    let manifest = CaseManifest::read(folder)?;
    let experiment = open(&manifest.problem, &manifest.overrides())?;
    let plan = experiment.plan();
    let kernel = Kernel::compile(plan, device, precision)?;
    let mut objective = Objective::new(kernel, case::points(folder, plan)?);
    first_steps(&mut objective, &case::weights(folder, plan)?)
}

/// Measures one training step.
pub fn bench_step(settings: &StepSettings) -> Result<StepReport, BenchError> {
    on_threads(settings, |threads| measure(settings, threads))
}

/// Does something on as many threads as the settings say, and tells it how many.
pub(super) fn on_threads<R: Send>(
    settings: &StepSettings,
    work: impl FnOnce(usize) -> Result<R, BenchError> + Send,
) -> Result<R, BenchError> {
    let threads = settings.threads.unwrap_or_else(rayon::current_num_threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|_| BenchError::Threads { threads })?;
    pool.install(|| work(threads))
}

fn measure(settings: &StepSettings, threads: usize) -> Result<StepReport, BenchError> {
    let StartingPoint { name, experiment, points, parameters: start } =
        StartingPoint::of(settings, Method::Adam)?;
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let interior = points[0].len();
    let (flops, products) = count(plan, &points);
    let point_bytes = points.iter().map(|set| (set.len() * set.width() * 8) as u64).sum();
    let mut kernel = Kernel::compile(plan, settings.device, settings.precision)?;
    kernel.limit_device_bytes(settings.memory_limit);
    kernel.set_compile_mode(settings.compile);
    let mut objective = Objective::new(kernel, points);

    let FirstSteps { loss0, gradnorm0, loss5 } = first_steps(&mut objective, &start)?;
    let (mut times, steps) = timed_steps(&mut objective, &start)?;
    times.sort_by(f64::total_cmp);
    let quantile = |share: f64| 1e3 * times[((times.len() - 1) as f64 * share).round() as usize];
    let peak = peak(settings.device, settings.precision)?;
    Ok(StepReport {
        problem: name,
        points: interior,
        width: problem.network.width,
        depth: problem.network.depth,
        precision: settings.precision.name(),
        device: settings.device.name(),
        threads,
        machine: machine::name(settings.device),
        compile: settings.compile.name(),
        median_ms: quantile(0.5),
        p10_ms: quantile(0.1),
        p90_ms: quantile(0.9),
        steps,
        loss0,
        gradnorm0,
        loss5,
        flops,
        peak_bytes: peak_bytes(),
        point_bytes,
        share_of_peak: peak.map(|peak| products as f64 / (1e-3 * quantile(0.5)) / peak),
        device_memory: objective.kernel().memory_use().map(DeviceMemory::of),
    })
}

/// Where a measurement begins.
pub(super) struct StartingPoint {
    pub(super) name: String,
    pub(super) experiment: Experiment,
    pub(super) points: Vec<Points>,
    pub(super) parameters: Vec<f64>,
}

impl StartingPoint {
    /// For steps of a method.
    pub(super) fn of(settings: &StepSettings, method: Method) -> Result<Self, BenchError> {
        let manifest = settings.case.as_deref().map(CaseManifest::read).transpose()?;
        let name = manifest.as_ref().map_or(&settings.problem, |manifest| &manifest.problem).clone();
        let overrides = manifest.as_ref().map_or_else(|| settings.overrides(), CaseManifest::overrides);
        let experiment = open(&name, &overrides)?.on(settings.device, settings.precision);
        experiment.check_memory_of_steps(method)?;
        let (problem, plan) = (experiment.problem(), experiment.plan());
        let (points, parameters) = match settings.case.as_deref() {
            Some(folder) => (case::points(folder, plan)?, case::weights(folder, plan)?),
            None => {
                // The same points on every device.
                let host = experiment.clone().on(Device::Cpu, Precision::F64);
                let points = draw(problem, plan, experiment.tables(), host.settled()[0].draw(problem, 0))?;
                (points, plan.initialize(problem.training.seed))
            }
        };
        Ok(StartingPoint { name, experiment, points, parameters })
    }
}

/// The peers' problems come first: their definitions are what makes times comparable.
pub(super) fn open(name: &str, overrides: &[String]) -> Result<Experiment, BenchError> {
    let text = match name {
        "burgers" => include_str!("../../../benches/problems/burgers.toml"),
        "ns2d" => include_str!("../../../benches/problems/ns2d.toml"),
        "wave2d" => include_str!("../../../benches/problems/wave2d.toml"),
        "wave3d" => include_str!("../../../benches/problems/wave3d.toml"),
        _ => return Ok(Experiment::open(name, overrides)?),
    };
    Ok(Experiment::from_text(name, text, Path::new("."), overrides)?)
}

impl StepSettings {
    fn overrides(&self) -> Vec<String> {
        sizes(self.points, self.width, self.depth)
    }
}

impl CaseManifest {
    pub(super) fn overrides(&self) -> Vec<String> {
        sizes(Some(self.n), Some(self.width), Some(self.depth))
    }
}

/// Settings laid over the problem, where they are given.
fn sizes(points: Option<usize>, width: Option<usize>, depth: Option<usize>) -> Vec<String> {
    let keys = [("training.points", points), ("network.width", width), ("network.depth", depth)];
    keys.into_iter().filter_map(|(key, value)| value.map(|value| format!("{key}={value}"))).collect()
}

/// All operations of a step, and those of the products among them.
pub(super) fn count(plan: &Plan, points: &[Points]) -> (u64, u64) {
    let mut sums = (0, 0);
    for (term, points) in plan.terms.iter().zip(points) {
        let count = points.len() as u64;
        sums.0 += term.cost.flops() * count;
        sums.1 += (term.cost.forward_products + term.cost.reverse_products) * count;
    }
    sums
}

fn first_steps(objective: &mut Objective, start: &[f64]) -> Result<FirstSteps, BenchError> {
    let mut parameters = start.to_vec();
    let mut gradient = vec![0.0; parameters.len()];
    let loss0 = objective.eval(&parameters, &mut gradient)?.total;
    let gradnorm0 = gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    let mut adam = Adam::new(parameters.len());
    for _ in 0..5 {
        adam.step(objective, &mut parameters, RATE)?;
    }
    let loss5 = objective.eval(&parameters, &mut gradient)?.total;
    Ok(FirstSteps { loss0, gradnorm0, loss5 })
}

/// Seconds per step, and how many steps were timed. Devices that take series of steps are timed by series.
fn timed_steps(objective: &mut Objective, start: &[f64]) -> Result<(Vec<f64>, usize), BenchError> {
    let mut parameters = start.to_vec();
    let mut adam = Adam::new(parameters.len());
    let series = objective.kernel().takes_steps();
    let mut each = if series { SERIES.0 } else { 1 };
    let mut step = |objective: &mut Objective, each: usize| -> Result<f64, BenchError> {
        let begin = Instant::now();
        if series {
            let (bound, mut history) = (None, Vec::new());
            let refused = objective.run_steps(
                Visits::Points,
                &mut adam,
                (&vec![RATE; each], bound),
                &mut parameters,
                &mut history,
            )?;
            if let Some(losses) = refused {
                let cause = losses.first_non_finite().map_or(Refusal::Gradient, Refusal::Residual);
                return Err(BenchError::Refused(cause));
            }
        } else {
            adam.step(objective, &mut parameters, RATE)?;
        }
        Ok(begin.elapsed().as_secs_f64() / each as f64)
    };
    let begin = Instant::now();
    let mut warm = 0;
    while warm < WARM_UP.0 || begin.elapsed().as_secs_f64() < WARM_UP.1 {
        let seconds = step(objective, each)?;
        if series {
            each = series_of(seconds);
        }
        warm += 1;
    }
    let begin = Instant::now();
    let mut times = Vec::with_capacity(MEASURED.0);
    while times.len() < 10 || (times.len() < MEASURED.0 && begin.elapsed().as_secs_f64() < MEASURED.1) {
        times.push(step(objective, each)?);
    }
    let steps = each * times.len();
    Ok((times, steps))
}

/// Steps of a series, where one takes so many seconds.
fn series_of(seconds: f64) -> usize {
    ((SERIES.1 / seconds) as usize).clamp(1, 1 << 12)
}

/// Operations per second that the device could do at most: a GPU's by its data sheet, the CPU's as measured on
/// all threads at once.
fn peak(device: Device, precision: Precision) -> Result<Option<f64>, BenchError> {
    const SECONDS: f64 = 0.2;
    if device == Device::Cuda {
        return Ok(kernel::cuda::peak_flops(precision).map_err(KernelError::from)?);
    }
    let each = rayon::broadcast(|_| match precision {
        Precision::F64 => peak_flops::<f64>(SECONDS),
        Precision::F32
        | Precision::Bf16x6
        | Precision::Fp16x3
        | Precision::Bf16x3
        | Precision::Tf32
        | Precision::Bf16
        | Precision::Fp16 => peak_flops::<f32>(SECONDS),
    });
    Ok(Some(each.into_iter().sum()))
}
