//! The loop that every optimizer shares.

use super::attention::ignore_attention;
use super::discrepancy::is_explained;
use super::series::{Ahead, Taken};
use super::{Event, Settings, Sink, Snapshot, Stopped};
use crate::sample::Draw;
use crate::table::Tables;
use crate::{Fallback, Objective, TrainError};
use equation::problem::{Optimizer as Method, Problem, Products, Solver};
use equation::taylor::Plan;
use kernel::cuda::CudaError;
use kernel::{Kernel, KernelError, Points, Precision};
use method::Order;
use std::sync::atomic::{AtomicBool, Ordering};
use train::optimize::{Optimizer, Progress, StepOutcome, Trust, optimizer, rate};
use train::{LeastSquares, Losses, Refusal};

/// Finds the largest relative L2 error of an unknown at some parameters; `None` where none is defined.
pub type Measure<'run> = dyn Fn(&mut Kernel<'_>, &[f64]) -> Result<Option<f64>, TrainError> + 'run;

/// Adds to the points of a term, by its position, what they take over from the window before.
pub type TakeOver<'run> = dyn Fn(usize, &mut Points) -> Result<(), TrainError> + 'run;

/// What training reads besides the problem.
#[derive(Clone, Copy)]
pub struct Surroundings<'run> {
    /// What it goes through, with nothing left open.
    pub phases: &'run [Settings],
    /// Asks for an end after the current step.
    pub stop: &'run AtomicBool,
    /// Seconds since some moment before the run.
    pub clock: &'run dyn Fn() -> f64,
    /// Measures the error, for budgets that wait for one and for whoever watches.
    pub error: &'run Measure<'run>,
    /// Adds to the points of a term what they take over from the window before; `None` in the first.
    pub before: Option<&'run TakeOver<'run>>,
    /// Whether no window follows.
    pub last: bool,
}

/// Time between two measurements for whoever watches, in times that one of them takes: two per cent.
const TIMES_PER_MEASUREMENT: f64 = 50.0;

/// Before the first two measurements for whoever watches: nobody waits for the first, and as it finds
/// the reference, it does not tell how long one takes.
const SECONDS_TO_FIRST_MEASUREMENTS: f64 = 1.0;

/// Whether a method asks for gradients, and not for rows.
fn follows_gradients(method: Method) -> bool {
    method.traits().order != Order::Second
}

/// What training leaves behind, besides the parameters.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The losses at the final parameters.
    pub losses: Losses,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Trains from a snapshot through all phases, which `now` follows. On `Err`, it stands before the step
/// that failed. With budgets of steps, loss and error the result is a pure function of the arguments.
///
/// The objective's points are replaced; its kernel is the plan's.
pub fn train(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    objective: &mut Objective<'_>,
    now: &mut Snapshot,
    surroundings: Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<Outcome, TrainError> {
    begin(surroundings.phases.len(), now, sink);
    let stopped = train_phases(problem, plan, tables, objective, now, surroundings, sink)?;
    finish(plan, objective, now, stopped, sink)
}

/// Tells that training begins.
pub(crate) fn begin(phases: usize, now: &Snapshot, sink: &mut dyn Sink) {
    sink.event(&Event::Started { parameters: now.parameters.len(), phases, steps: now.steps });
}

/// Trains through all phases; why the last of them ended.
pub(crate) fn train_phases(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    objective: &mut Objective<'_>,
    now: &mut Snapshot,
    surroundings: Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<Stopped, TrainError> {
    let phases = surroundings.phases;
    let first = now.phase;
    if first >= phases.len() {
        return Err(TrainError::NoSuchPhase { phase: first, phases: phases.len() });
    }
    now.descent.end = None;
    let start = (surroundings.clock)() - now.seconds;
    let measured_next = now.seconds + SECONDS_TO_FIRST_MEASUREMENTS;
    let mut run = Run {
        problem,
        plan,
        tables,
        surroundings,
        start,
        measured_next,
        measured: false,
        announced: None,
        told: None,
        drawn: None,
    };

    let mut stopped = Stopped::Steps;
    for (number, phase) in phases.iter().enumerate().skip(first) {
        // A phase without steps is not entered: given more steps, the run goes on where it stands.
        if number > first && phase.budget.steps == Some(0) {
            continue;
        }
        if number > first {
            now.enter(number);
        }
        stopped = match run.phase(phase, objective, now, sink) {
            Ok(stopped) => stopped,
            Err(error) => {
                if error.is_non_finite() {
                    sink.refused(now);
                } else if number > first && now.phase_step == 0 {
                    sink.state(now);
                }
                // Elsewhere in a phase there may be half of a step in it.
                return Err(error);
            }
        };
        sink.event(&Event::PhaseEnded { phase: number, stopped });
        if stopped == Stopped::Interrupted {
            break;
        }
    }
    Ok(stopped)
}

/// Tells that training is over, and finds the losses there.
pub(crate) fn finish(
    plan: &Plan,
    objective: &mut Objective<'_>,
    now: &mut Snapshot,
    stopped: Stopped,
    sink: &mut dyn Sink,
) -> Result<Outcome, TrainError> {
    now.stopped = Some(stopped);
    ignore_attention(plan, objective);
    let precision = objective.kernel().precision();
    let losses = match LeastSquares::losses(objective, &now.parameters) {
        Ok(losses) => losses.clone(),
        Err(refusal) => {
            let error = explain(refusal, plan, precision, now.steps);
            match error.is_non_finite() {
                true => sink.refused(now),
                false => sink.state(now),
            }
            return Err(error);
        }
    };
    now.descent.end = Some(losses.total);
    sink.state(now);
    sink.event(&Event::Finished { steps: now.steps, losses: &losses, seconds: now.seconds, stopped });
    Ok(Outcome { losses, stopped })
}

/// A step that was taken, as [`StepOutcome::Taken`] tells it.
struct Step<'step> {
    losses: &'step Losses,
    length: f64,
    evaluations: u64,
    trust: Option<Trust>,
    points: usize,
}

pub(super) struct Run<'run> {
    pub(super) problem: &'run Problem,
    pub(super) plan: &'run Plan,
    pub(super) tables: &'run Tables,
    pub(super) surroundings: Surroundings<'run>,
    /// When the run would have begun, had it never been interrupted.
    start: f64,
    /// Seconds of the run at which the error is measured next for whoever watches.
    measured_next: f64,
    /// Whether it was measured at all.
    measured: bool,
    /// Points, and the pieces that they come in, for which it was told which memory equations take.
    announced: Option<(usize, usize)>,
    /// What the optimizer does in a slower way than it could, as it was told.
    told: Option<Fallback>,
    /// Points that were drawn before they are wanted.
    pub(super) drawn: Option<(Draw, Vec<Points>)>,
}

impl Run<'_> {
    /// Trains a phase from where `now` stands in it. Afterwards `now` holds what its method remembers.
    fn phase(
        &mut self,
        phase: &Settings,
        objective: &mut Objective<'_>,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Stopped, TrainError> {
        if now.interior == 0 {
            now.interior = phase.points;
        }
        if let Method::GaussNewton { .. } = phase.method {
            objective.kernel().prepare_equations()?;
        }
        let mut optimizer =
            optimizer(phase.method, self.plan.parameter_count(), self.plan.architecture.weight_count());
        if !now.optimizer.is_empty() {
            let misfit = |cause| TrainError::Misfit { phase: now.phase, cause };
            optimizer.restore(&now.optimizer).map_err(misfit)?;
        }
        if now.points.is_empty() {
            self.supply(phase, objective, now)?;
        } else {
            // A copy: whatever fails before the first step leaves the snapshot as it was.
            objective.set_points(now.points.clone());
        }
        self.pay_attention(objective, now);
        objective.set_weights(&now.weights)?;
        let (number, points) = (now.phase, objective.point_count());
        sink.event(&Event::PhaseStarted { phase: number, points, budget: phase.budget });
        if let Method::GaussNewton { solver, products } = phase.method {
            self.announce_equations((solver, products), objective, sink)?;
        }
        if let Some(obstacle) = objective.kernel().unfused().filter(|_| follows_gradients(phase.method)) {
            sink.event(&Event::Fallback { fallback: &Fallback::Layers { obstacle } });
        }
        let mut ahead = self.ahead(phase, &mut *optimizer, objective, now);
        if let Some(ahead) = &mut ahead {
            self.announce_memory(ahead, phase, objective, now, sink)?;
        }
        let draw = now.draw;
        let stopped = self.steps(phase, ahead.as_mut(), &mut *optimizer, objective, now, sink);
        self.tell_of_optimizer(&*optimizer, sink);
        let stopped = match (stopped, optimizer.bring_back(objective)) {
            (Ok(_), Err(refusal)) => Err(self.explain(refusal, objective, (&now.parameters, now.steps))),
            (stopped, _) => stopped,
        };
        now.optimizer = optimizer.save();
        self.keep_points(phase, objective, now);
        if now.draw != draw && ahead.as_ref().is_some_and(Ahead::draws) {
            // The device has drawn them; whoever asks the objective gets the same.
            self.supply(phase, objective, now)?;
        }
        stopped
    }

    /// Tells what the optimizer does in a slower way than it could, when that changes.
    fn tell_of_optimizer(&mut self, optimizer: &dyn Optimizer, sink: &mut dyn Sink) {
        let fallback = optimizer.fallback().map(Fallback::Shortage);
        if fallback != self.told {
            fallback.iter().for_each(|fallback| sink.event(&Event::Fallback { fallback }));
            self.told = fallback;
        }
    }

    /// Tells which memory Gauss-Newton's equations take on a device that has memory of its own; and again when points come in
    /// other pieces.
    fn announce_equations(
        &mut self,
        (solver, products): (Solver, Products),
        objective: &mut Objective<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), TrainError> {
        let points = objective.point_count();
        if self.announced.is_some_and(|(known, _)| known == points) {
            return Ok(());
        }
        let plan = objective.plan_equations(solver, products)?;
        let chunks = plan.as_ref().map(|plan| plan.chunks);
        if chunks != self.announced.map(|(_, chunks)| chunks) {
            plan.iter().for_each(|plan| sink.event(&Event::Memory { plan }));
        }
        self.announced = chunks.map(|chunks| (points, chunks));
        Ok(())
    }

    fn steps(
        &mut self,
        phase: &Settings,
        mut ahead: Option<&mut Ahead>,
        optimizer: &mut dyn Optimizer,
        objective: &mut Objective<'_>,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Stopped, TrainError> {
        let precision = objective.kernel().precision();
        let begin = (self.surroundings.clock)() - now.phase_seconds;
        let counts: Vec<usize> = objective.points().iter().map(Points::len).collect();
        if let Some(stopped) = self.ended_before(phase, objective, now)? {
            return Ok(stopped);
        }
        loop {
            self.tell_of_optimizer(optimizer, sink);
            if let Some(stopped) = self.over(phase, now) {
                return Ok(stopped);
            }
            if sink.wants_state(now.seconds) {
                let back = optimizer.bring_back(objective);
                back.map_err(|refusal| explain(refusal, self.plan, precision, now.steps))?;
                now.optimizer = optimizer.save();
                self.keep_points(phase, objective, now);
                sink.state(now);
            }
            let drawn_there = ahead.as_deref().is_some_and(Ahead::draws);
            if let Some(interval) = phase.resample.filter(|_| !drawn_there)
                && now.phase_step > 0
                && now.phase_step.is_multiple_of(interval)
            {
                now.draw += 1;
                self.supply(phase, objective, now)?;
                now.attention.clear();
                optimizer.forget_loss();
                if let Method::GaussNewton { solver, products } = phase.method
                    && self.announced.is_some()
                {
                    self.announce_equations((solver, products), objective, sink)?;
                }
            }
            if self.attend(phase, objective, now)? {
                optimizer.forget_loss();
            }
            if let Some(balance) = self.balance(phase, objective, now)? {
                optimizer.forget_loss();
                sink.event(&Event::Balanced { plan: self.plan, balance: &balance });
            }
            let points = objective.point_count();
            if let Some(ahead) = ahead.as_deref_mut() {
                let from = (self.surroundings.clock)();
                let Taken { losses, rates, refused } =
                    self.series(ahead, phase, optimizer, objective, now)?;
                let each = ((self.surroundings.clock)() - from) / losses.len().max(1) as f64;
                for (number, (losses, length)) in losses.iter().zip(rates).enumerate() {
                    let clock = from + each * (number + 1) as f64;
                    let step = Step { losses, length, evaluations: 1, trust: None, points };
                    self.note(phase, &step, (clock, begin), now, sink);
                }
                self.announce_memory(ahead, phase, objective, now, sink)?;
                if let Some(refused) = refused {
                    let cause = refused.first_non_finite().map_or(Refusal::Gradient, Refusal::Residual);
                    return Err(self.explain(cause, objective, (&now.parameters, now.steps)));
                }
                if self.reached(phase, objective, now, sink)? {
                    return Ok(Stopped::TargetError);
                }
                continue;
            }
            optimizer.expect_points(now.interior < phase.most_points);
            let progress = Progress { step: now.phase_step, seconds: now.phase_seconds };
            let rate = rate(phase.learning_rate, phase.schedule, phase.budget, progress);
            let outcome = match self.step(phase, optimizer, objective, now, rate) {
                Ok(outcome) => outcome,
                Err(refusal) => {
                    return Err(self.explain(refusal, objective, (&now.parameters, now.steps)));
                }
            };
            let step = match outcome {
                StepOutcome::Taken { losses, length, evaluations, trust } => {
                    Step { losses, length, evaluations, trust, points }
                }
                StepOutcome::GradientVanished { gradient, evaluations } => {
                    now.count(evaluations);
                    return Ok(Stopped::GradientVanished { step: now.steps, gradient });
                }
                StepOutcome::NoDescent { gradient, evaluations } => {
                    now.count(evaluations);
                    return Ok(Stopped::NoDescent { step: now.steps, gradient });
                }
            };
            self.note(phase, &step, ((self.surroundings.clock)(), begin), now, sink);
            if phase.ends_at_noise && is_explained(self.problem, self.plan, &counts, step.losses) {
                return Ok(Stopped::Noise);
            }
            if self.reached(phase, objective, now, sink)? {
                return Ok(Stopped::TargetError);
            }
        }
    }

    /// Takes note of a step that was taken by some moment, in a phase that began at another.
    fn note(
        &self,
        phase: &Settings,
        step: &Step<'_>,
        (clock, begin): (f64, f64),
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) {
        let Step { losses, length, evaluations, trust, points } = *step;
        now.count(evaluations);
        now.steps += 1;
        now.phase_step += 1;
        let took = clock - begin - now.phase_seconds;
        (now.seconds, now.phase_seconds) = (clock - self.start, clock - begin);
        now.loss = losses.total;
        now.descent.note(losses.total);
        now.watch_points(phase, trust, took);
        sink.event(&Event::Step {
            window: now.windows.len(),
            phase: now.phase,
            phase_step: now.phase_step,
            step: now.steps,
            losses,
            weights: &now.weights,
            length,
            trust,
            points,
            evaluations: now.evaluations,
            seconds: now.seconds,
            phase_seconds: now.phase_seconds,
            points_per_second: points as f64 * now.phase_evaluations as f64 / now.phase_seconds,
        });
    }

    /// Measures the error where a budget or whoever watches wants it now; whether the budget's bound is
    /// reached. Whoever watches has no influence on that.
    fn reached(
        &mut self,
        phase: &Settings,
        objective: &mut Objective<'_>,
        now: &Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<bool, TrainError> {
        let interval = phase.method.traits().steps_per_measurement;
        let bound = phase.budget.error.filter(|_| now.phase_step.is_multiple_of(interval));
        let watched = sink.wants_error() && now.seconds >= self.measured_next;
        if bound.is_none() && !watched {
            return Ok(false);
        }
        let before = (self.surroundings.clock)();
        let Some(error) = (self.surroundings.error)(objective.kernel(), &now.parameters)? else {
            self.measured_next = f64::INFINITY;
            return Ok(false);
        };
        let after = (self.surroundings.clock)();
        let pause = match self.measured {
            true => TIMES_PER_MEASUREMENT * (after - before),
            false => SECONDS_TO_FIRST_MEASUREMENTS,
        };
        (self.measured_next, self.measured) = (after - self.start + pause, true);
        sink.event(&Event::Measured { step: now.steps, error, whole: self.surroundings.last });
        Ok(bound.is_some_and(|bound| error < bound))
    }

    /// Whether the phase has come to its own end before, in a run that is continued.
    fn ended_before(
        &self,
        phase: &Settings,
        objective: &mut Objective<'_>,
        now: &mut Snapshot,
    ) -> Result<Option<Stopped>, TrainError> {
        match now.stopped.take() {
            Some(stopped @ (Stopped::GradientVanished { .. } | Stopped::NoDescent { .. })) => {
                Ok(Some(stopped))
            }
            Some(stopped @ Stopped::Noise) => Ok(phase.ends_at_noise.then_some(stopped)),
            Some(stopped @ Stopped::TargetError) => {
                let error = (self.surroundings.error)(objective.kernel(), &now.parameters)?;
                let reached = phase.budget.error.zip(error).is_some_and(|(bound, error)| error < bound);
                Ok(reached.then_some(stopped))
            }
            Some(
                Stopped::Steps | Stopped::Seconds | Stopped::Loss | Stopped::Plateau | Stopped::Interrupted,
            )
            | None => Ok(None),
        }
    }

    /// Whether a phase ends here. The loss is the one before the last step.
    fn over(&self, phase: &Settings, now: &Snapshot) -> Option<Stopped> {
        let budget = phase.budget;
        // Nobody has said how many steps: they are those of the method.
        let before = if phase.ends_by_itself { now.before_method } else { 0 };
        if self.surroundings.stop.load(Ordering::Relaxed) {
            Some(Stopped::Interrupted)
        } else if budget.loss.is_some_and(|bound| now.loss < bound) {
            Some(Stopped::Loss)
        } else if phase.ends_by_itself && now.pace.is_over() {
            Some(Stopped::Plateau)
        } else if budget.steps.is_some_and(|bound| now.phase_step - before >= bound) {
            Some(Stopped::Steps)
        } else if budget.seconds.is_some_and(|bound| now.phase_seconds >= bound) {
            Some(Stopped::Seconds)
        } else {
            None
        }
    }
}

pub(super) fn explain(refusal: Refusal, plan: &Plan, precision: Precision, step: u64) -> TrainError {
    match refusal {
        Refusal::Residual(position) => {
            let mut names = plan
                .terms
                .iter()
                .flat_map(|term| term.residuals.iter().map(|residual| (&term.name, &residual.name)));
            let (term, residual) = names
                .nth(position)
                .map(|(term, residual)| (term.clone(), residual.clone()))
                .unwrap_or_default();
            TrainError::NonFiniteResidual { step, precision, term, residual, spot: None }
        }
        Refusal::Gradient => TrainError::NonFiniteGradient { step, precision },
        Refusal::NotSquares => TrainError::NotSquares,
        Refusal::NoRule | Refusal::NoVectors => TrainError::Unmeasurable(refusal),
        Refusal::NoRoom { bytes } => TrainError::Kernel(CudaError::Memory { bytes }.into()),
        Refusal::Device(ref error) => match error.downcast_ref::<KernelError>() {
            Some(error) => TrainError::Kernel(error.clone()),
            None => TrainError::Unmeasurable(refusal),
        },
    }
}
