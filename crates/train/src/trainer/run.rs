//! The loop.

use super::series::{Length, rates};
use super::verdict::{ErrorCheck, Since, Upcoming, Verdict};
use super::{LoopFault, PhaseSettings, Task};
use crate::optimize::{Optimizer, Progress, StepOutcome, Trust, rate};
use crate::{Event, Fallback, Losses, Refusal, Sink, Snapshot, StepTaken, Stopped};
use std::sync::atomic::AtomicBool;

/// What training reads besides the task.
#[derive(Clone, Copy)]
pub struct Surroundings<'run> {
    /// Asks for an end after the current step.
    pub stop: &'run AtomicBool,
    /// Seconds since some moment before the run.
    pub clock: &'run dyn Fn() -> f64,
}

/// Time between two measurements for whoever watches, in times that one of them takes: two per cent.
const TIMES_PER_MEASUREMENT: f64 = 50.0;

/// Before the first two measurements for whoever watches: nobody waits for the first, and as it finds
/// the reference, it does not tell how long one takes.
const SECONDS_TO_FIRST_MEASUREMENTS: f64 = 1.0;

/// What training leaves behind, besides the parameters.
#[derive(Clone, Debug)]
pub struct TrainingOutcome {
    /// The losses at the final parameters.
    pub losses: Losses,
    /// Why it ended.
    pub stopped: Stopped,
}

/// Trains from a snapshot through all phases, which `now` follows. On `Err`, it stands before the step
/// that failed. With budgets of steps, loss and error the result is a pure function of the arguments.
pub fn train<T: Task>(
    task: &mut T,
    now: &mut Snapshot,
    surroundings: Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<TrainingOutcome, T::Error> {
    begin(task, now, sink);
    let stopped = train_phases(task, now, surroundings, sink)?;
    finish(task, now, stopped, sink)
}

/// Tells that training begins.
pub fn begin<T: Task>(task: &T, now: &Snapshot, sink: &mut dyn Sink) {
    let phases = task.phases().len();
    sink.event(&Event::Started { parameters: now.parameters.len(), phases, steps: now.steps });
}

/// Trains through all phases; why the last of them ended.
pub fn train_phases<T: Task>(
    task: &mut T,
    now: &mut Snapshot,
    surroundings: Surroundings<'_>,
    sink: &mut dyn Sink,
) -> Result<Stopped, T::Error> {
    let phases = task.phases();
    let first = now.phase;
    if first >= phases.len() {
        return Err(LoopFault::NoSuchPhase { phase: first, phases: phases.len() }.into());
    }
    now.descent.end = None;
    let start = (surroundings.clock)() - now.seconds;
    let measured_next = now.seconds + SECONDS_TO_FIRST_MEASUREMENTS;
    let mut run = Session { surroundings, start, measured_next, measured: false, told: None, event: None };

    let mut stopped = Stopped::Steps;
    for (number, phase) in phases.iter().enumerate().skip(first) {
        // A phase without steps is not entered: given more steps, the run goes on where it stands.
        if number > first && phase.budget.steps == Some(0) {
            continue;
        }
        if number > first {
            now.enter(number);
            task.next_phase(now)?;
        }
        stopped = match run.phase(phase, task, now, sink) {
            Ok(stopped) => stopped,
            Err(error) => {
                if T::is_non_finite(&error) {
                    sink.refused(now);
                } else if number > first && now.phase_step == 0 {
                    sink.state(now);
                }
                // Further on in a phase there may be half of a step in it.
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
pub fn finish<T: Task>(
    task: &mut T,
    now: &mut Snapshot,
    stopped: Stopped,
    sink: &mut dyn Sink,
) -> Result<TrainingOutcome, T::Error> {
    now.stopped = Some(stopped);
    let losses = match task.final_losses(&now.parameters) {
        Ok(losses) => losses,
        Err(refusal) => {
            let error = task.explain(refusal, now);
            match T::is_non_finite(&error) {
                true => sink.refused(now),
                false => sink.state(now),
            }
            return Err(error);
        }
    };
    now.descent.end = Some(losses.total);
    sink.state(now);
    sink.event(&Event::Finished { steps: now.steps, losses: losses.clone(), seconds: now.seconds, stopped });
    Ok(TrainingOutcome { losses, stopped })
}

/// A step as [`StepOutcome::Taken`] tells it.
#[derive(Clone, Copy)]
struct StepSummary {
    length: f64,
    evaluations: u64,
    trust: Option<Trust>,
    points: usize,
}

struct Session<'run> {
    surroundings: Surroundings<'run>,
    /// When the run would have begun, had it never been interrupted.
    start: f64,
    /// Seconds of the run at which the error is measured next for whoever watches.
    measured_next: f64,
    /// Whether it was measured at all.
    measured: bool,
    /// What the optimizer does by a slower path, as it was told.
    told: Option<Fallback>,
    /// The last step that was told: its memory serves the next.
    event: Option<Event>,
}

impl Session<'_> {
    /// Trains a phase from where `now` stands in it. Afterwards `now` holds the states of optimizer and task.
    fn phase<T: Task>(
        &mut self,
        phase: &PhaseSettings,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Stopped, T::Error> {
        let number = now.phase;
        let mut optimizer = phase.stepping.make(now.parameters.len(), task.weight_count());
        if !now.optimizer.is_empty() {
            let misfit = |cause| LoopFault::Misfit { phase: number, cause };
            optimizer.restore(&now.optimizer).map_err(misfit)?;
        }
        task.enter(&mut *optimizer, now)?;
        sink.event(&Event::PhaseStarted { phase: number, points: task.points(), budget: phase.budget });
        task.announce(now, sink)?;
        let stopped = self.steps(phase, &mut *optimizer, task, now, sink);
        self.tell_of_optimizer(&*optimizer, task, sink);
        let stopped = match (stopped, optimizer.bring_back(task.loss())) {
            (Ok(_), Err(refusal)) => Err(task.explain(refusal, now)),
            (stopped, _) => stopped,
        };
        (now.optimizer, now.task) = (optimizer.save(), task.save());
        task.leave(now)?;
        stopped
    }

    /// Tells what the optimizer does by a slower path, when that changes.
    fn tell_of_optimizer<T: Task>(&mut self, optimizer: &dyn Optimizer, task: &T, sink: &mut dyn Sink) {
        let fallback = optimizer.fallback().map(|shortage| task.slower(shortage));
        if fallback != self.told {
            self.told = fallback;
            self.told.iter().for_each(|fallback| sink.event(&Event::Fallback(fallback.clone())));
        }
    }

    fn steps<T: Task>(
        &mut self,
        phase: &PhaseSettings,
        optimizer: &mut dyn Optimizer,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Stopped, T::Error> {
        let begin = (self.surroundings.clock)() - now.phase_seconds;
        if let Some(stopped) = ended_before(phase, task, now)? {
            return Ok(stopped);
        }
        let (mut since, mut length) = (Since::default(), Length::START);
        loop {
            self.tell_of_optimizer(optimizer, task, sink);
            let (measurement, steps) = (self.measured_next, length.steps);
            let ahead = Upcoming { measurement, steps, resample: task.resamples(now) };
            let verdict = Verdict::decide(phase, now, since, ahead, &self.surroundings, sink);
            if let Some(refusal) = verdict.refuse {
                return Err(task.explain(refusal, now));
            }
            if verdict.explained {
                return Ok(Stopped::Noise);
            }
            if let Some(measure) = verdict.measure
                && self.reached(measure, task, now, sink)?
            {
                return Ok(Stopped::TargetError);
            }
            if let Some(stopped) = verdict.stop {
                return Ok(stopped);
            }
            if verdict.save {
                let back = optimizer.bring_back(task.loss());
                back.map_err(|refusal| task.explain(refusal, now))?;
                (now.optimizer, now.task) = (optimizer.save(), task.save());
                sink.state(now);
            }
            if task.before_step(verdict.resample, now, sink)? {
                optimizer.forget_loss();
            }
            since = match task.most_in_series(now) {
                Some(most) => {
                    let rates = rates(phase, now, verdict.steps.min(most));
                    let (took, refused) = self.series(phase, (&rates, begin), optimizer, task, now, sink)?;
                    length.follow(took);
                    Since { stepped: true, refused, explained: false }
                }
                None => match self.step(phase, begin, optimizer, task, now, sink)? {
                    Ok(since) => since,
                    Err(stopped) => return Ok(stopped),
                },
            };
        }
    }

    /// Takes one step; why the method takes no more, if so.
    fn step<T: Task>(
        &mut self,
        phase: &PhaseSettings,
        begin: f64,
        optimizer: &mut dyn Optimizer,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Result<Since, Stopped>, T::Error> {
        let points = task.points();
        optimizer.expect_points(task.may_grow());
        let progress = Progress { step: now.phase_step, seconds: now.phase_seconds };
        let rate = rate(phase.learning_rate, phase.schedule, phase.budget, progress);
        let mut taken = self.take_event();
        let step = match task.step(optimizer, now, rate) {
            Ok(StepOutcome::Taken { losses, length, evaluations, trust }) => {
                taken.losses.clone_from(losses);
                StepSummary { length, evaluations, trust, points }
            }
            Ok(StepOutcome::GradientVanished { gradient, evaluations }) => {
                now.count(evaluations);
                return Ok(Err(Stopped::GradientVanished { step: now.steps, gradient }));
            }
            Ok(StepOutcome::NoDescent { gradient, evaluations }) => {
                now.count(evaluations);
                return Ok(Err(Stopped::NoDescent { step: now.steps, gradient }));
            }
            Err(refusal) => return Ok(Ok(Since { refused: Some(refusal), ..Since::default() })),
        };
        let explained = phase.ends_at_noise && task.fits_noise(&taken.losses);
        self.note(step, taken, ((self.surroundings.clock)(), begin), task, now, sink);
        Ok(Ok(Since { stepped: true, refused: None, explained }))
    }

    /// Takes steps of these lengths on the device, in a phase that began at some moment; how long that took, and
    /// why it ended early.
    fn series<T: Task>(
        &mut self,
        phase: &PhaseSettings,
        (rates, begin): (&[f64], f64),
        optimizer: &mut dyn Optimizer,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<(f64, Option<Refusal>), T::Error> {
        let points = task.points();
        let mut history = Vec::new();
        let from = (self.surroundings.clock)();
        let refused = task.series(optimizer, (rates, phase.budget.loss), now, &mut history);
        let refused = match refused {
            Ok(refused) => refused,
            Err(refusal) => return Ok((0.0, Some(refusal))),
        };
        let seconds = (self.surroundings.clock)() - from;
        let each = seconds / history.len().max(1) as f64;
        for (number, (losses, &length)) in history.iter().zip(rates).enumerate() {
            let clock = from + each * (number + 1) as f64;
            let mut taken = self.take_event();
            taken.losses.clone_from(losses);
            let step = StepSummary { length, evaluations: 1, trust: None, points };
            self.note(step, taken, (clock, begin), task, now, sink);
        }
        task.announce(now, sink)?;
        let cause = |losses: Losses| losses.first_non_finite().map_or(Refusal::Gradient, Refusal::Residual);
        Ok((seconds, refused.map(cause)))
    }

    /// The memory of the last step that was told.
    fn take_event(&mut self) -> StepTaken {
        match self.event.take() {
            Some(Event::Step(taken)) => taken,
            Some(_) | None => StepTaken::default(),
        }
    }

    /// Takes note of a step that was taken by some moment, in a phase that began at another. `taken` has its losses.
    fn note<T: Task>(
        &mut self,
        step: StepSummary,
        mut taken: StepTaken,
        (clock, begin): (f64, f64),
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) {
        let StepSummary { length, evaluations, trust, points } = step;
        now.count(evaluations);
        now.steps += 1;
        now.phase_step += 1;
        let took = clock - begin - now.phase_seconds;
        (now.seconds, now.phase_seconds) = (clock - self.start, clock - begin);
        now.loss = taken.losses.total;
        now.descent.note(now.loss);
        task.after_step(now, trust, took);
        taken.weights.clear();
        taken.weights.extend_from_slice(task.weights());
        let event = Event::Step(StepTaken {
            stage: now.finished.len(),
            phase: now.phase,
            phase_step: now.phase_step,
            step: now.steps,
            length,
            trust,
            points,
            sampling: task.points_moved().map(Box::new),
            waited: task.waited(),
            evaluations: now.evaluations,
            seconds: now.seconds,
            phase_seconds: now.phase_seconds,
            points_per_second: points as f64 * now.phase_evaluations as f64 / now.phase_seconds,
            ..taken
        });
        sink.event(&event);
        self.event = Some(event);
    }

    /// Measures the error; whether the budget's bound is reached. Whoever watches has no influence on that.
    fn reached<T: Task>(
        &mut self,
        measure: ErrorCheck,
        task: &mut T,
        now: &Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<bool, T::Error> {
        let before = (self.surroundings.clock)();
        let Some(error) = task.measure(&now.parameters)? else {
            self.measured_next = f64::INFINITY;
            return Ok(false);
        };
        let after = (self.surroundings.clock)();
        let pause = match self.measured {
            true => TIMES_PER_MEASUREMENT * (after - before),
            false => SECONDS_TO_FIRST_MEASUREMENTS,
        };
        (self.measured_next, self.measured) = (after - self.start + pause, true);
        sink.event(&Event::Measured { step: now.steps, error, whole: task.measures_all() });
        Ok(match measure {
            ErrorCheck::Bound(bound) => error < bound,
            ErrorCheck::Watched => false,
        })
    }
}

/// Whether the phase has reached its own end before, in a run that is continued.
fn ended_before<T: Task>(
    phase: &PhaseSettings,
    task: &mut T,
    now: &mut Snapshot,
) -> Result<Option<Stopped>, T::Error> {
    match now.stopped.take() {
        Some(stopped @ (Stopped::GradientVanished { .. } | Stopped::NoDescent { .. })) => Ok(Some(stopped)),
        Some(stopped @ Stopped::Noise) => Ok(phase.ends_at_noise.then_some(stopped)),
        Some(stopped @ Stopped::TargetError) => {
            let error = task.measure(&now.parameters)?;
            let reached = phase.budget.error.zip(error).is_some_and(|(bound, error)| error < bound);
            Ok(reached.then_some(stopped))
        }
        Some(Stopped::Steps | Stopped::Seconds | Stopped::Loss | Stopped::Plateau | Stopped::Interrupted)
        | None => Ok(None),
    }
}
