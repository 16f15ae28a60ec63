//! Whether gradients are right, on demand: the interpreter's beside differences of its own loss, and those of a device, in all numbers that it may
//! compute in, beside the interpreter's.

use crate::sample::draw;
use crate::trainer::Equations;
use crate::windows::Stage;
use crate::{Experiment, Objective, Run, TrainError};
use equation::counter::Stream;
use kernel::{Device, Kernel, KernelError, Precision};
use method::GradientCheck;
use train::trainer::Task;
use train::{Deviation, Loss, Snapshot};

/// Directions along which losses are compared with slopes, besides that of the gradient.
const DIRECTIONS: u64 = 7;

/// The distance between two losses.
const STEP: f64 = 1e-3;

/// Names the random directions.
const NAME: u64 = 0x6772_6164;

/// How far losses may be from slopes that are right: differences have fewer digits.
const DIFFERENCES: f64 = 1e-6;

/// How far the loss and gradient of a device in f64 may be from the interpreter's.
const ROUNDING: f64 = 1e-8;

/// What was found about gradients.
#[derive(Debug)]
pub struct GradientReport {
    /// Points, of all terms.
    pub points: usize,
    /// Trainable numbers.
    pub parameters: usize,
    /// The loss there.
    pub loss: f64,
    /// The largest distance between a slope of the interpreter and a difference of its losses, relative to the length of the gradient.
    pub differences: f64,
    /// How far the device is from the interpreter.
    pub rows: Vec<CheckedPrecision>,
}

/// A device in some numbers beside the interpreter.
#[derive(Debug)]
pub struct CheckedPrecision {
    /// Which numbers.
    pub precision: Precision,
    /// How far it is off; why that is not known, where the device cannot compute in them.
    pub deviation: Result<Deviation, KernelError>,
    /// Whether training may follow such gradients.
    pub usable: bool,
}

impl GradientReport {
    /// Whether the program makes no mistake: fewer digits are none.
    pub fn is_right(&self) -> bool {
        let wrong = |row: &CheckedPrecision| row.precision == Precision::F64 && !row.usable;
        self.differences <= DIFFERENCES && !self.rows.iter().any(wrong)
    }
}

impl Experiment {
    /// Checks gradients at the start of training, at some points of every term.
    pub fn check_gradients(&self, points: usize) -> Result<GradientReport, TrainError> {
        self.check_gradients_at(&self.start(), points)
    }

    fn check_gradients_at(&self, now: &Snapshot, most: usize) -> Result<GradientReport, TrainError> {
        let Stage { problem, plan, phases } = &self.stage(now.finished.len())?;
        let mut sets = Vec::new();
        if let Some(phase) = phases.first() {
            sets = draw(problem, plan, &self.tables, phase.draw(problem, 0))?;
        }
        let sets = sets.iter().map(|points| points.spread(most)).collect();
        let mut exact = Kernel::compile(plan, Device::Reference, Precision::F64)?;
        let interpreter = Kernel::compile(plan, Device::Reference, Precision::F64)?;
        let mut objective = Objective::new(interpreter, sets);
        let points = objective.point_count();
        let (loss, differences) = match differences(&mut objective, &now.parameters) {
            Ok(found) => found,
            Err(refusal) => {
                let mut task = Equations::new((problem, plan), phases, &self.tables, &mut objective);
                return Err(task.explain(refusal, now));
            }
        };
        let mut precisions = self.rungs();
        precisions.extend((!precisions.contains(&Precision::F64)).then_some(Precision::F64));
        if self.device() == Device::Cpu && !precisions.contains(&Precision::F32) {
            precisions.insert(0, Precision::F32);
        }
        let mut rows = Vec::new();
        for precision in precisions {
            let deviation = match self.compile_in(plan, precision) {
                Ok(kernel) => {
                    objective.set_kernel(kernel);
                    let found = objective.deviation(&mut exact, &now.parameters, usize::MAX);
                    found.map(|found| found.unwrap_or(Deviation { loss: f64::NAN, gradient: f64::NAN }))
                }
                Err(TrainError::Kernel(error)) => Err(error),
                Err(error) => return Err(error),
            };
            let usual = GradientCheck::USUAL;
            let (most_loss, most_gradient) = match precision {
                Precision::F64 => (ROUNDING, ROUNDING),
                _ => (usual.loss, usual.gradient),
            };
            let usable =
                deviation.as_ref().is_ok_and(|off| off.loss <= most_loss && off.gradient <= most_gradient);
            rows.push(CheckedPrecision { precision, deviation, usable });
        }
        Ok(GradientReport { points, parameters: now.parameters.len(), loss, differences, rows })
    }
}

impl Run {
    /// Checks gradients where the run stands.
    pub fn check_gradients(&self, points: usize) -> Result<GradientReport, TrainError> {
        self.experiment().check_gradients_at(self.snapshot(), points)
    }
}

/// The loss, and how far its gradient is from differences of fourth order.
fn differences(objective: &mut Objective, at: &[f64]) -> Result<(f64, f64), train::Refusal> {
    let mut gradient = vec![0.0; at.len()];
    let loss = objective.eval(at, &mut gradient)?.total;
    let length = gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    if length == 0.0 {
        return Ok((loss, 0.0));
    }
    let mut worst = 0.0f64;
    for direction in 0..=DIRECTIONS {
        let stream = Stream::new(direction, NAME);
        let mut along: Vec<f64> = match direction {
            0 => gradient.clone(),
            _ => (0..at.len() as u64).map(|index| stream.normal(index)).collect(),
        };
        let scale = 1.0 / along.iter().map(|number| number * number).sum::<f64>().sqrt();
        along.iter_mut().for_each(|number| *number *= scale);
        let mut there = vec![0.0; at.len()];
        let mut loss_at = |distance: f64| {
            let moved: Vec<f64> =
                at.iter().zip(&along).map(|(from, along)| from + distance * along).collect();
            objective.eval(&moved, &mut there).map(|losses| losses.total)
        };
        let near = loss_at(STEP)? - loss_at(-STEP)?;
        let far = loss_at(2.0 * STEP)? - loss_at(-2.0 * STEP)?;
        let found = (8.0 * near - far) / (12.0 * STEP);
        let slope: f64 = gradient.iter().zip(&along).map(|(slope, along)| slope * along).sum();
        worst = worst.max((found - slope).abs() / length);
    }
    Ok((loss, worst))
}
