//! One training, and what is kept of it.

use super::{AccuracySettings, TrialTask};
use linear::Level;
use pinnace::{Event, Experiment, FieldError, Sink, Stopped, Trained};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How one training went: a line of the raw file. It says by itself how it was made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// As the user calls it.
    pub problem: String,
    /// As in the settings.
    pub optimizer: String,
    /// From which it started.
    pub seed: u64,
    /// The version.
    pub pinnace: String,
    /// Where it was computed.
    pub device: String,
    /// With which instructions, on the CPU.
    pub level: String,
    /// In which numbers.
    pub precision: String,
    /// Threads of this training.
    pub threads: usize,
    /// Trainings that ran beside it, itself included, at most.
    pub jobs: usize,
    /// In place of the problem's own; empty where there was none.
    pub budget: String,
    /// Laid over the problem.
    pub overrides: Vec<String>,
    /// The phases as they were settled, a line each.
    pub phases: Vec<String>,
    /// Trainable numbers.
    pub trainable: usize,
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the loss that they took.
    pub evaluations: u64,
    /// From before the problem file was read to the end of the last step; without the reference.
    pub seconds: f64,
    /// At the end.
    pub loss: f64,
    /// The largest of [`Trained::relative_residuals`] at the end.
    #[serde(default)]
    pub relative_residual: Option<f64>,
    /// The error of every unknown at the end; null where there is no reference.
    pub relative_l2: BTreeMap<String, Option<f64>>,
    /// The problem's own scalars as they were found.
    pub parameters: BTreeMap<String, f64>,
    /// Their true values, where they are known.
    pub truth: BTreeMap<String, f64>,
    /// Why training ended.
    pub stopped: String,
    /// Why there is no result, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The error on the way.
    pub history: TrialHistory,
    /// Where time comes in windows: how each of them but the last was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<Left>,
}

/// A time window at its last measurement.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Left {
    /// Which, from 0.
    pub window: usize,
    /// Counted as [`Trial::seconds`].
    pub seconds: f64,
    /// Steps taken by then.
    pub step: u64,
    /// The loss at the step's start.
    pub loss: f64,
    /// The largest relative L2 error of an unknown, over the times up to this window's end.
    pub error: f64,
}

/// Error against time: arrays of the same length.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TrialHistory {
    /// Counted as [`Trial::seconds`].
    pub seconds: Vec<f64>,
    /// Steps taken by then.
    pub step: Vec<u64>,
    /// The largest relative L2 error of an unknown.
    pub error: Vec<f64>,
}

impl TrialHistory {
    /// Adds a measurement, if it is a number.
    fn push(&mut self, seconds: f64, step: u64, error: f64) {
        if error.is_finite() && self.step.last() != Some(&step) {
            self.seconds.push((seconds * 1e3).round() / 1e3);
            self.step.push(step);
            self.error.push(error);
        }
    }

    /// Seconds and errors.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.seconds.iter().copied().zip(self.error.iter().copied())
    }
}

/// What training tells on the way: seconds, steps and the error.
pub(super) type Tell<'run> = dyn FnMut(f64, u64, Option<f64>) + 'run;

impl Trial {
    /// Trains. `None` when `stop` ended it.
    pub(super) fn run(
        settings: &AccuracySettings,
        task: &TrialTask,
        stop: &AtomicBool,
        tell: &mut Tell<'_>,
    ) -> Option<Trial> {
        let begin = Instant::now();
        let mut trial = Trial::of(settings, task);
        let enough = AtomicBool::new(false);
        let result = settings.open(task).and_then(|experiment| {
            trial.describe(&experiment);
            let opening = begin.elapsed().as_secs_f64();
            let limit = settings.budget.and_then(|budget| budget.seconds);
            let (history, windows) = (&mut trial.history, &mut trial.windows);
            let last = Left { seconds: opening, ..Left::default() };
            let reaches_the_end = true;
            let enough = &enough;
            let mut watch =
                Watch { opening, limit, stop, enough, reaches_the_end, last, history, windows, tell };
            let trained = experiment.train(enough, &mut watch)?;
            Ok((experiment, trained, opening))
        });
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        match result {
            Ok((experiment, trained, opening)) => trial.finish(&experiment, &trained, opening),
            Err(error) => trial.failed = Some(error.to_string().trim_end().to_owned()),
        }
        Some(trial)
    }

    /// Before training.
    pub(super) fn of(settings: &AccuracySettings, task: &TrialTask) -> Trial {
        Trial {
            problem: task.problem.clone(),
            optimizer: task.optimizer.clone(),
            seed: task.seed,
            pinnace: env!("CARGO_PKG_VERSION").to_owned(),
            device: settings.device.name().to_owned(),
            level: Level::best().to_string(),
            precision: settings.precision.name().to_owned(),
            threads: settings.threads,
            jobs: settings.jobs,
            budget: settings.budget.map(|budget| budget.to_string()).unwrap_or_default(),
            overrides: settings.overrides.clone(),
            ..Trial::default()
        }
    }

    /// Which training this is.
    pub fn task(&self) -> TrialTask {
        TrialTask { problem: self.problem.clone(), optimizer: self.optimizer.clone(), seed: self.seed }
    }

    fn describe(&mut self, experiment: &Experiment) {
        let points = |least: usize, most: usize| match least == most {
            true => format!("{least} points"),
            false => format!("{least} to {most} points"),
        };
        self.phases = experiment
            .settled()
            .iter()
            .map(|phase| {
                let (title, points) = (phase.method.title(), points(phase.points, phase.most_points));
                format!("{title}, {points}, {}", phase.budget)
            })
            .collect();
        self.trainable = experiment.plan().parameter_count();
    }

    fn finish(&mut self, experiment: &Experiment, trained: &Trained, opening: f64) {
        let problem = experiment.problem();
        let names = problem.unknowns.iter().map(|unknown| unknown.name.clone());
        let relative = |error: &Option<FieldError>| error.as_ref().and_then(|error| error.relative_l2);
        self.relative_l2 = names.zip(trained.errors.iter().map(relative)).collect();
        let scalars = problem.parameters.iter().zip(&trained.scalars);
        self.parameters = scalars.map(|(parameter, value)| (parameter.name.clone(), *value)).collect();
        let truth = problem.parameters.iter();
        self.truth = truth.filter_map(|parameter| Some((parameter.name.clone(), parameter.truth?))).collect();
        (self.steps, self.evaluations) = (trained.steps, trained.evaluations);
        self.seconds = opening + trained.seconds;
        self.loss = trained.losses.total;
        self.relative_residual = trained.relative_residual();
        // Interrupted by its own watch: the time of all phases together was over.
        self.stopped = match trained.stopped {
            Stopped::Interrupted => Stopped::Seconds.name().to_owned(),
            stopped => stopped.name().to_owned(),
        };
        if let Some(error) = self.relative_l2.values().copied().flatten().reduce(f64::max) {
            self.history.push(self.seconds, self.steps, error);
        }
    }
}

/// Listens to a training.
struct Watch<'run> {
    /// Seconds before training began.
    opening: f64,
    /// Seconds after which it is enough, phases together.
    limit: Option<f64>,
    /// Asks for an end of everything.
    stop: &'run AtomicBool,
    /// Asks for an end of this training.
    enough: &'run AtomicBool,
    /// Whether no time window follows: a part of time is not what others are compared by.
    reaches_the_end: bool,
    /// At the last step.
    last: Left,
    history: &'run mut TrialHistory,
    windows: &'run mut Vec<Left>,
    tell: &'run mut Tell<'run>,
}

impl Sink for Watch<'_> {
    fn event(&mut self, event: &Event) {
        match *event {
            Event::Step(ref taken) => {
                let (window, step) = (taken.stage, taken.step);
                let (seconds, loss) = (self.opening + taken.seconds, taken.losses.total);
                self.last = Left { window, seconds, step, loss, error: f64::NAN };
                let over = self.reaches_the_end && self.limit.is_some_and(|limit| seconds >= limit);
                if over || self.stop.load(Ordering::Relaxed) {
                    self.enough.store(true, Ordering::Relaxed);
                }
                (self.tell)(seconds, step, None);
            }
            Event::Measured { step, error, whole } => {
                let Left { window, seconds, .. } = self.last;
                // Before all of time is reached, errors are not those of the solution.
                if whole {
                    self.history.push(seconds, step, error);
                } else if error.is_finite() {
                    self.windows.retain(|left| left.window != window);
                    self.windows.push(Left { error, ..self.last });
                }
                (self.tell)(seconds, step, Some(error));
            }
            Event::StageStarted { stage, stages, .. } => self.reaches_the_end = stage + 1 == stages,
            Event::Started { .. }
            | Event::Balanced { .. }
            | Event::Fallback(_)
            | Event::Incident(_)
            | Event::Note(_)
            | Event::PhaseStarted { .. }
            | Event::NotSaved { .. }
            | Event::PhaseEnded { .. }
            | Event::Finished { .. } => {}
        }
    }

    fn wants_error(&self) -> bool {
        true
    }
}
