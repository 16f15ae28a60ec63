//! The loop.

use super::look::look;
use super::series::{Length, rates};
use super::verdict::{ErrorCheck, Since, Upcoming, Verdict};
use super::{LoopFault, PhaseSettings, Task};
use crate::optimize::{Optimizer, Progress, Roles, StepOutcome, Trust, rate};
use crate::stability::{Action, Fault, Found, Guarded, Steadiness};
use crate::{Event, Fallback, Losses, Refusal, Sink, Snapshot, StepTaken, Stopped};
use method::Policy;
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
    let mut run =
        Session { surroundings, start, measured_next, measured: false, told: None, event: None, stories: 0 };

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
    let losses = match final_losses(task, now)? {
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

/// The losses at the end; where the last points are no basis for a loss, and faults are not to end training, at other ones.
fn final_losses<T: Task>(task: &mut T, now: &mut Snapshot) -> Result<Result<Losses, Refusal>, T::Error> {
    let guard = task.phases().get(now.phase).map(|phase| phase.guard);
    let tries = guard.filter(|guard| guard.policy != Policy::Stop).map_or(0, |guard| guard.tries);
    let mut losses = task.final_losses(&now.parameters);
    for _ in 0..tries {
        let faulty = losses.as_ref().is_err_and(|refusal| Fault::refused(refusal).is_some());
        // What is saved does not know of these points: a run that goes on draws its own.
        if !faulty || !task.other_points(now)? {
            break;
        }
        losses = task.final_losses(&now.parameters);
    }
    Ok(losses)
}

/// A step as [`StepOutcome::Taken`] tells it.
#[derive(Clone, Copy)]
struct StepSummary {
    length: f64,
    evaluations: u64,
    trust: Option<Trust>,
    points: usize,
}

pub(super) struct Session<'run> {
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
    /// Incidents whose story was looked for.
    pub(super) stories: usize,
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
        let (count, weights) = (now.parameters.len(), task.weight_count());
        let roles = Roles { count, weights, maps: task.maps() };
        let own = phase.stepping.make(&roles);
        let order = phase.stepping.traits().order;
        let mut optimizer =
            Guarded::new(own, (phase.guard, &phase.clip), order, &roles).following(phase.schedule);
        if !now.optimizer.is_empty() {
            let misfit = |cause| LoopFault::Misfit { phase: number, cause };
            optimizer.restore(&now.optimizer).map_err(misfit)?;
        }
        task.enter(&mut optimizer, now)?;
        sink.event(&Event::PhaseStarted { phase: number, points: task.points(), budget: phase.budget });
        task.announce(now, sink)?;
        if phase.stepping.traits().on_host && task.takes_series() {
            sink.event(&Event::Fallback(steps_by_hand(phase.stepping.title())));
        }
        let stopped = self.steps(phase, &mut optimizer, task, now, sink);
        self.tell_of_optimizer(&optimizer, task, sink);
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
        optimizer: &mut Guarded,
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
            let (resample, series) = (task.resamples(now), task.most_in_series(now).is_some());
            let ahead = Upcoming { measurement, steps, resample, series };
            let by_hand = since.by_hand;
            let verdict = Verdict::decide(phase, now, since, ahead, optimizer, &self.surroundings, sink);
            if verdict.has_fault() && task.computes_otherwise(now, sink)? {
                optimizer.forget_loss();
                since = Since::default();
                continue;
            }
            if let Some(recovery) = verdict.recover
                && self.recover(recovery, optimizer, task, now, sink)?
            {
                since = Since::default();
                continue;
            }
            if let Some(refusal) = verdict.refuse {
                if Fault::refused(&refusal).is_some() {
                    (now.optimizer, now.task) = (optimizer.save(), task.save());
                    sink.troubled(now);
                }
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
            if optimizer.wants_state(now) {
                let back = optimizer.bring_back(task.loss());
                back.map_err(|refusal| task.explain(refusal, now))?;
                optimizer.keep_state(now);
            }
            if verdict.save {
                let back = optimizer.bring_back(task.loss());
                back.map_err(|refusal| task.explain(refusal, now))?;
                (now.optimizer, now.task) = (optimizer.save(), task.save());
                sink.state(now);
            }
            look(optimizer, task, now)?;
            if task.checks(now) {
                let back = optimizer.bring_back(task.loss());
                back.map_err(|refusal| task.explain(refusal, now))?;
                if task.check(now, sink)? {
                    optimizer.forget_loss();
                }
            }
            if task.before_step(verdict.resample, now, sink)? {
                optimizer.forget_loss();
            }
            since = match task.most_in_series(now) {
                Some(most) if !by_hand => {
                    let rates = rates(phase, now, optimizer.rate_factor(), verdict.steps.min(most));
                    let (took, since) = self.series(phase, (&rates, begin), optimizer, task, now, sink)?;
                    length.follow(took);
                    since
                }
                Some(_) | None => match self.step(phase, begin, optimizer, task, now, sink)? {
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
        optimizer: &mut Guarded,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<Result<Since, Stopped>, T::Error> {
        let points = task.points();
        optimizer.expect_points(task.may_grow());
        let progress = Progress { step: now.phase_step, seconds: now.phase_seconds };
        let full = rate(phase.learning_rate, phase.schedule, phase.budget, progress);
        let rate = optimizer.rate_factor() * full;
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
        self.tell_of_mending(optimizer, task, now, sink);
        let spike =
            self.note(step, taken, ((self.surroundings.clock)(), begin), (optimizer, task), now, sink);
        Ok(Ok(Since { stepped: true, explained, spike, ..Since::default() }))
    }

    /// Takes steps of these lengths on the device, in a phase that began at some moment; how long that took, and
    /// what they leave to be decided. A step that was refused is taken again by hand, where its fault can be seen.
    fn series<T: Task>(
        &mut self,
        phase: &PhaseSettings,
        (rates, begin): (&[f64], f64),
        optimizer: &mut Guarded,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<(f64, Since), T::Error> {
        let points = task.points();
        let mut history = Vec::new();
        let from = (self.surroundings.clock)();
        let refused = task.series(optimizer, (rates, phase.budget.loss), now, &mut history);
        let refused = match refused {
            Ok(refused) => refused,
            Err(refusal) => return Ok((0.0, Since { refused: Some(refusal), ..Since::default() })),
        };
        let mut since = Since { stepped: true, by_hand: refused.is_some(), ..Since::default() };
        let seconds = (self.surroundings.clock)() - from;
        let each = seconds / history.len().max(1) as f64;
        for (number, (losses, &length)) in history.iter().zip(rates).enumerate() {
            let clock = from + each * (number + 1) as f64;
            let mut taken = self.take_event();
            taken.losses.clone_from(losses);
            let step = StepSummary { length, evaluations: 1, trust: None, points };
            since.spike = self.note(step, taken, (clock, begin), (optimizer, task), now, sink);
        }
        task.announce(now, sink)?;
        if since.by_hand {
            task.by_hand(now)?;
        }
        Ok((seconds, since))
    }

    /// The memory of the last step that was told.
    fn take_event(&mut self) -> StepTaken {
        match self.event.take() {
            Some(Event::Step(taken)) => taken,
            Some(_) | None => StepTaken::default(),
        }
    }

    /// Takes note of a step that was taken by some moment, in a phase that began at another. `taken` has its losses; a spike, if
    /// they are one.
    fn note<T: Task>(
        &mut self,
        step: StepSummary,
        mut taken: StepTaken,
        (clock, begin): (f64, f64),
        (optimizer, task): (&mut Guarded, &mut T),
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Option<Found> {
        let StepSummary { length, evaluations, trust, points } = step;
        now.count(evaluations);
        now.steps += 1;
        now.phase_step += 1;
        let took = clock - begin - now.phase_seconds;
        (now.seconds, now.phase_seconds) = (clock - self.start, clock - begin);
        if !taken.losses.total.is_finite() {
            // A step by a mended gradient: there is no loss to tell.
            optimizer.note_fault();
            task.after_step(now, trust, took);
            self.event = Some(Event::Step(taken));
            return None;
        }
        now.loss = taken.losses.total;
        now.descent.note(now.loss);
        let spike = optimizer.note_loss(now.loss);
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
            renewed: task.renewed(),
            deviation: task.deviation(),
            memory: task.memory(),
            steadiness: Some(optimizer.steadiness()).filter(Steadiness::is_shaken),
            evaluations: now.evaluations,
            seconds: now.seconds,
            phase_seconds: now.phase_seconds,
            points_per_second: points as f64 * now.phase_evaluations as f64 / now.phase_seconds,
            ..taken
        });
        sink.event(&event);
        self.event = Some(event);
        if let Some(found) = spike {
            self.tell(found, Action::Told, (optimizer.rate_factor(), None), now, sink);
        }
        spike
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

/// A method takes its steps on the host.
fn steps_by_hand(title: &str) -> Fallback {
    Fallback {
        cause: "optimizer".to_owned(),
        what: "each step fetches its gradient from the device".to_owned(),
        why: format!(
            "{title} takes its steps on the host; `adam`, `adamw`, `sgd` and `rmsprop` take many steps on the device by themselves"
        ),
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
