//! How time and memory grow with the points: one problem, full-batch Adam, on a device and on the CPU beside it.

use super::step::{count, open};
use super::{DeviceMemory, peak_bytes};
use crate::BenchError;
use equation::problem::Method;
use equation::taylor::Plan;
use kernel::cuda::{Busy, CompileMode};
use kernel::{Kernel, Points, Visits};
use pinnace::optimize::{Adam, Optimizer};
use pinnace::sample::draw;
use pinnace::trainer::{Equations, Surroundings, train};
use pinnace::{Device, Experiment, Objective, Precision, Quiet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Where the problem is.
const PROBLEM: &str = "wave2d";

/// One point of every condition per so many inside.
const INSIDE_PER_CONDITION: usize = 10;

/// The GPU is watched for so many seconds of steps after those that were timed: its own statistics are no finer.
const WATCHED_SECONDS: f64 = 3.0;

/// Steps of a series while it is watched.
const SERIES: usize = 64;

/// What to measure.
#[derive(Clone, Debug)]
pub struct ScalingSettings {
    /// Points inside the domain; each condition has a tenth of them.
    pub points: usize,
    /// Steps of Adam.
    pub steps: u64,
    /// Where.
    pub device: Device,
    /// In which numbers; the CPU beside it computes in f32, or in f64 where that is asked for.
    pub precision: Precision,
    /// Bytes that may be taken on a GPU; `None` takes what it has.
    pub memory_limit: Option<usize>,
    /// How much a GPU does before the first step.
    pub compile: CompileMode,
    /// Seconds of steps on the CPU for the comparison; its time for all steps follows from them. Zero leaves
    /// it out.
    pub processor_seconds: f64,
}

/// What was measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ScalingReport {
    /// Points inside the domain.
    pub points: usize,
    /// Points of all terms.
    pub all_points: usize,
    /// Steps of Adam.
    pub steps: u64,
    /// Where.
    pub device: &'static str,
    /// In which numbers.
    pub precision: &'static str,
    /// How a GPU's kernels were chosen and launched.
    pub compile: &'static str,
    /// Until the first step could be taken: compiled, points there.
    pub first_seconds: f64,
    /// Of all steps.
    pub seconds: f64,
    /// Operations per second by the plan's count, products and elementwise.
    pub flops: f64,
    /// The loss before the last step.
    pub loss: f64,
    /// The most memory that the process held, in bytes; `None` where the system does not tell.
    pub host_bytes: Option<u64>,
    /// What was taken on a device with memory of its own.
    pub device_memory: Option<DeviceMemory>,
    /// What mode `off` would take there in f32, or in f64 where that is asked for, by its plan.
    pub off_bytes: Option<usize>,
    /// The share of time in which the GPU was busy, by its own count; `None` where that cannot be asked.
    pub busy: Option<f64>,
    /// The same steps on this machine's CPU.
    pub processor: Option<ProcessorReport>,
}

/// The same steps on the CPU.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct ProcessorReport {
    /// In which numbers.
    pub precision: &'static str,
    /// On how many threads.
    pub threads: usize,
    /// Steps that were taken.
    pub measured_steps: u64,
    /// Of these.
    pub measured_seconds: f64,
    /// Of all steps, at the same speed.
    pub seconds: f64,
    /// Whether `seconds` follows from fewer steps than there are.
    pub extrapolated: bool,
    /// How many times the device is faster.
    pub ratio: f64,
}

/// Measures one number of points.
pub fn bench_scaling(settings: &ScalingSettings) -> Result<ScalingReport, BenchError> {
    let ScalingSettings { points, steps, device, precision, .. } = *settings;
    let overrides = [
        format!("training.points={points}"),
        format!("training.condition_points={}", (points / INSIDE_PER_CONDITION).max(1)),
        format!("training.steps={steps}"),
    ];
    let experiment = open(PROBLEM, &overrides)?.on(device, precision);
    experiment.check_memory_of_steps(Method::Adam)?;
    let plan = experiment.plan();
    let begin = Instant::now();
    let mut kernel = Kernel::compile(plan, device, precision)?;
    kernel.limit_device_bytes(settings.memory_limit);
    kernel.set_compile_mode(settings.compile);
    let mut objective = Objective::new(kernel, Vec::new());
    let (seconds, loss) = timed(&experiment, &mut objective)?;
    let first_seconds = begin.elapsed().as_secs_f64() - seconds;
    let (flops, _) = count(plan, objective.points());
    let busy = busy_while_stepping(&mut objective)?;
    let device_memory = objective.kernel().memory_use().map(DeviceMemory::of);
    let all_points = objective.point_count();
    let off_bytes = match device_memory {
        Some(_) => planned_off(settings, plan, objective.points())?,
        None => None,
    };
    drop(objective);
    Ok(ScalingReport {
        points,
        all_points,
        steps,
        device: device.name(),
        precision: precision.name(),
        compile: settings.compile.name(),
        first_seconds,
        seconds,
        flops: flops as f64 * steps as f64 / seconds,
        loss,
        host_bytes: peak_bytes(),
        device_memory,
        off_bytes,
        busy,
        processor: on_processor(&experiment, settings, seconds)?,
    })
}

/// Trains as `pinnace train` does; the seconds of all steps and the last loss.
fn timed(experiment: &Experiment, objective: &mut Objective) -> Result<(f64, f64), BenchError> {
    let (stop, begin) = (AtomicBool::new(false), Instant::now());
    let clock = || begin.elapsed().as_secs_f64();
    let surroundings = Surroundings { stop: &stop, clock: &clock };
    let mut now = experiment.start();
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let mut task = Equations::new((problem, plan), experiment.settled(), tables, objective);
    train(&mut task, &mut now, surroundings, &mut Quiet)?;
    Ok((now.phase_seconds, now.loss))
}

/// Goes on for some seconds while the GPU counts how busy it is.
fn busy_while_stepping(objective: &mut Objective) -> Result<Option<f64>, BenchError> {
    if !objective.kernel().takes_steps() {
        return Ok(None);
    }
    let Ok(watch) = Busy::watch() else { return Ok(None) };
    let mut parameters = objective.kernel().plan().initialize(0);
    let (mut adam, mut history) = (Adam::new(parameters.len()), Vec::new());
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < WATCHED_SECONDS {
        // Steps of length zero: no loss can become infinite.
        let rates = ([0.0; SERIES].as_slice(), None);
        objective.run_steps(Visits::Points, &mut adam, rates, &mut parameters, &mut history)?;
    }
    Ok(watch.share())
}

/// The precision that the CPU and libraries have which is at least as accurate.
fn without_splits(precision: Precision) -> Precision {
    if precision == Precision::F64 { Precision::F64 } else { Precision::F32 }
}

/// Bytes that mode `off` plans for these points.
fn planned_off(
    settings: &ScalingSettings,
    plan: &Arc<Plan>,
    points: &[Points],
) -> Result<Option<usize>, BenchError> {
    let mut kernel = Kernel::compile(plan, settings.device, without_splits(settings.precision))?;
    kernel.set_compile_mode(CompileMode::Off);
    let planned = kernel.plan_memory(Visits::Points(points))?;
    Ok(planned.map(|planned| planned.bytes()))
}

/// Some of the steps on the CPU.
fn on_processor(
    experiment: &Experiment,
    settings: &ScalingSettings,
    seconds: f64,
) -> Result<Option<ProcessorReport>, BenchError> {
    if settings.processor_seconds <= 0.0 || settings.device == Device::Cpu {
        return Ok(None);
    }
    let precision = without_splits(settings.precision);
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let host = experiment.clone().on(Device::Cpu, precision);
    let settled = host.settled();
    let points: Vec<Points> = draw(problem, plan, experiment.tables(), settled[0].draw(problem, 0))?;
    let kernel = Kernel::compile(plan, Device::Cpu, precision)?;
    let mut objective = Objective::new(kernel, points);
    let mut parameters = plan.initialize(problem.training.seed);
    let mut adam = Adam::new(parameters.len());
    adam.step(&mut objective, &mut parameters, settled[0].learning_rate)?;
    let (begin, mut taken) = (Instant::now(), 0);
    while taken < settings.steps && (taken == 0 || begin.elapsed().as_secs_f64() < settings.processor_seconds)
    {
        adam.step(&mut objective, &mut parameters, settled[0].learning_rate)?;
        taken += 1;
    }
    let measured_seconds = begin.elapsed().as_secs_f64();
    let whole = measured_seconds * settings.steps as f64 / taken.max(1) as f64;
    Ok(Some(ProcessorReport {
        precision: precision.name(),
        threads: rayon::current_num_threads(),
        measured_steps: taken,
        measured_seconds,
        seconds: whole,
        extrapolated: taken < settings.steps,
        ratio: whole / seconds,
    }))
}
