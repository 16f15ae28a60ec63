//! The loop that every optimizer shares.

use super::{Event, Sink, Stopped};
use crate::optimize::{Loss, Progress, StepOutcome, optimizer, rate};
use crate::sample::{Draw, draw};
use crate::table::Tables;
use crate::{Objective, Refusal, TrainError};
use equation::problem::{Budget, Phase, Problem};
use equation::taylor::Plan;
use kernel::{Device, Kernel, Losses, Precision};
use std::sync::atomic::{AtomicBool, Ordering};

/// Finds the largest relative L2 error of an unknown at some parameters; `None` where none is defined.
pub type Measure<'run> = dyn Fn(&[f64]) -> Result<Option<f64>, TrainError> + 'run;

/// What training reads besides the problem.
#[derive(Clone, Copy)]
pub struct Surroundings<'run> {
    /// Where to compute.
    pub device: Device,
    /// In which numbers.
    pub precision: Precision,
    /// Asks for an end after the current step.
    pub stop: &'run AtomicBool,
    /// Seconds since some moment before the run.
    pub clock: &'run dyn Fn() -> f64,
    /// Measures the error, for budgets that wait for one.
    pub error: &'run Measure<'run>,
}

/// Time between two measurements of the error, in times that one of them takes.
const TIMES_PER_MEASUREMENT: f64 = 20.0;

/// What training leaves behind.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the loss that they took.
    pub evaluations: u64,
    /// Time taken.
    pub seconds: f64,
    /// The losses at the final parameters.
    pub losses: Losses,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Trains through all phases, improving `parameters` in place. On `Err`, `parameters` are those
/// before the step that failed. With budgets of steps the result is a pure function of the arguments.
pub fn train(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    parameters: &mut [f64],
    surroundings: Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<Outcome, TrainError> {
    let start = (surroundings.clock)();
    let phases = &problem.training.phases;
    let kernel = Kernel::compile(plan, surroundings.device, surroundings.precision)?;
    let mut objective = Objective::new(kernel, Vec::new());
    sink.event(&Event::Started { parameters: parameters.len(), phases: phases.len() });

    let mut run = Run { problem, plan, tables, surroundings, start, steps: 0, evaluations: 0 };
    let mut stopped = Stopped::Steps;
    for (number, phase) in phases.iter().enumerate() {
        stopped = run.phase(number, phase, &mut objective, parameters, sink)?;
        sink.event(&Event::PhaseEnded { phase: number, stopped });
        if stopped == Stopped::Interrupted {
            break;
        }
    }

    let mut gradient = vec![0.0; parameters.len()];
    let losses = objective.eval(parameters, &mut gradient).map_err(|refusal| run.explain(refusal))?.clone();
    let seconds = (surroundings.clock)() - start;
    sink.event(&Event::Finished { steps: run.steps, losses: &losses, seconds, stopped });
    let Run { steps, evaluations, .. } = run;
    Ok(Outcome { steps, evaluations, seconds, losses, stopped })
}

struct Run<'run> {
    problem: &'run Problem,
    tables: &'run Tables,
    plan: &'run Plan,
    surroundings: Surroundings<'run>,
    start: f64,
    steps: u64,
    evaluations: u64,
}

impl Run<'_> {
    fn phase(
        &mut self,
        number: usize,
        phase: &Phase,
        objective: &mut Objective<'_>,
        parameters: &mut [f64],
        sink: &mut dyn Sink,
    ) -> Result<Stopped, TrainError> {
        let draw = |number| draw(self.problem, self.plan, self.tables, Draw::of(self.problem, phase, number));
        objective.set_points(draw(0)?);
        let points = objective.point_count();
        let mut optimizer = optimizer(phase.optimizer, self.plan);
        let (begin, before) = ((self.surroundings.clock)(), self.evaluations);
        let mut progress = Progress { step: 0, seconds: 0.0 };
        sink.event(&Event::PhaseStarted { phase: number, points, budget: phase.budget });
        let (mut loss, mut measured_next) = (f64::INFINITY, begin);
        loop {
            if let Some(stopped) = self.over(phase.budget, progress, loss) {
                return Ok(stopped);
            }
            if let Some(interval) = phase.resample
                && progress.step > 0
                && progress.step.is_multiple_of(interval)
            {
                objective.set_points(draw(progress.step / interval)?);
                optimizer.forget_loss();
            }
            let rate = rate(phase.learning_rate, phase.schedule, phase.budget, progress);
            let outcome =
                optimizer.step(objective, parameters, rate).map_err(|refusal| self.explain(refusal))?;
            let step = self.steps;
            let (losses, length) = match outcome {
                StepOutcome::Taken { losses, length, evaluations } => {
                    self.evaluations += evaluations;
                    (losses, length)
                }
                StepOutcome::GradientVanished { gradient, evaluations } => {
                    self.evaluations += evaluations;
                    return Ok(Stopped::GradientVanished { step, gradient });
                }
                StepOutcome::NoDescent { gradient, evaluations } => {
                    self.evaluations += evaluations;
                    return Ok(Stopped::NoDescent { step, gradient });
                }
            };
            loss = losses.total;
            let now = (self.surroundings.clock)();
            self.steps += 1;
            progress = Progress { step: progress.step + 1, seconds: now - begin };
            let visited = points as f64 * (self.evaluations - before) as f64;
            sink.event(&Event::Step {
                phase: number,
                phase_step: progress.step,
                step: self.steps,
                losses,
                length,
                evaluations: self.evaluations,
                seconds: now - self.start,
                phase_seconds: progress.seconds,
                points_per_second: visited / progress.seconds,
            });
            if let Some(bound) = phase.budget.error
                && now >= measured_next
            {
                let error = (self.surroundings.error)(parameters)?;
                let after = (self.surroundings.clock)();
                measured_next = after + TIMES_PER_MEASUREMENT * (after - now);
                if error.is_some_and(|error| error < bound) {
                    return Ok(Stopped::TargetError);
                }
            }
        }
    }

    /// Whether a phase ends here. The loss is the one before the last step.
    fn over(&self, budget: Budget, progress: Progress, loss: f64) -> Option<Stopped> {
        if self.surroundings.stop.load(Ordering::Relaxed) {
            Some(Stopped::Interrupted)
        } else if budget.loss.is_some_and(|bound| loss < bound) {
            Some(Stopped::Loss)
        } else if budget.steps.is_some_and(|bound| progress.step >= bound) {
            Some(Stopped::Steps)
        } else if budget.seconds.is_some_and(|bound| progress.seconds >= bound) {
            Some(Stopped::Seconds)
        } else {
            None
        }
    }

    fn explain(&self, refusal: Refusal) -> TrainError {
        let (step, precision) = (self.steps, self.surroundings.precision);
        match refusal {
            Refusal::Residual(position) => {
                let mut names = self
                    .plan
                    .terms
                    .iter()
                    .flat_map(|term| term.residuals.iter().map(|residual| (&term.name, &residual.name)));
                let (term, residual) = names
                    .nth(position)
                    .map(|(term, residual)| (term.clone(), residual.clone()))
                    .unwrap_or_default();
                TrainError::NonFiniteResidual { step, precision, term, residual }
            }
            Refusal::Gradient => TrainError::NonFiniteGradient { step, precision },
            Refusal::Kernel(error) => TrainError::Kernel(error),
        }
    }
}
