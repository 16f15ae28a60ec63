//! Training from the first window to the last.

use crate::evaluate::Gauge;
use crate::memory::MemoryReading;
use crate::opinion::{Trail, beginning, failure};
use crate::sample::PointRoom;
use crate::trainer::{Equations, Ladder, TakeOver};
use crate::windows::{Remembered, Seam, Stage};
use crate::{Experiment, FieldError, Objective, TrainError, Trained};
use kernel::{Kernel, Points};
use std::cell::{Cell, OnceCell};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use train::trainer::{Surroundings, TrainingOutcome, begin, finish, train_phases};
use train::{Event, Once, Sink, Snapshot, Stopped};

/// What all windows of a training share.
struct WindowedTraining<'run> {
    experiment: &'run Experiment,
    /// On whose disk is what memory is not to hold.
    folder: &'run Path,
    stop: &'run AtomicBool,
    start: Instant,
    /// Seconds in which the reference was computed: they are no part of training.
    aside: Cell<f64>,
    /// Seconds in which steps of windows before waited for their points, where those came in batches.
    waited: Cell<Option<f64>>,
    /// Seconds in which these drew or chose points anew, where any did.
    renewing: Cell<Option<f64>>,
}

/// The true values at the test points that a window reaches, and the values of finished windows there.
struct Ruler {
    gauge: Gauge,
    /// One for each of its places.
    places: Vec<Remembered>,
}

impl Experiment {
    /// Trains from the start through all windows and phases and measures the errors. `stop` may be set from
    /// another thread or a signal handler to end training after the current step.
    pub fn train(&self, stop: &AtomicBool, sink: &mut dyn Sink) -> Result<Trained, TrainError> {
        self.train_from(&mut self.start(), stop, sink)
    }

    /// Trains from where `now` stands to the end, which `now` follows: continued from a state that was
    /// kept, training ends with the same bits as if it had never been interrupted. On `Err`, it stands
    /// before the step that failed. Where an error is to be estimated, that follows, and changes no bit of it.
    pub fn train_from(
        &self,
        now: &mut Snapshot,
        stop: &AtomicBool,
        sink: &mut dyn Sink,
    ) -> Result<Trained, TrainError> {
        self.train_on_disk_of(&std::env::temp_dir(), now, stop, sink)
    }

    /// The same where what memory is not to hold is on the disk of a folder.
    pub(crate) fn train_on_disk_of(
        &self,
        folder: &Path,
        now: &mut Snapshot,
        stop: &AtomicBool,
        sink: &mut dyn Sink,
    ) -> Result<Trained, TrainError> {
        if self.batch_is_open() {
            return self.clone().with_batches_by_memory()?.train_on_disk_of(folder, now, stop, sink);
        }
        if self.estimates {
            let mut trail = Trail::new(sink);
            let mut trained = self.leaving_time().train_on_disk_of(folder, now, stop, &mut trail)?;
            if trail.steps() > 0 && trained.stopped != Stopped::Interrupted {
                trail.event(&Event::Note(beginning()));
                // What was trained is worth more than what is known about it.
                match self.estimate(&trained, now, &trail, stop) {
                    Ok(estimate) => trained.estimate = estimate,
                    Err(cause) => trail.event(&Event::Note(failure(&cause))),
                }
            }
            return Ok(trained);
        }
        self.check_methods()?;
        self.check_memory()?;
        self.settle_references()?;
        let windows = self.window_count();
        let first = now.finished.len();
        if first >= windows {
            return Err(TrainError::NoSuchWindow { window: first, windows });
        }
        let sink = &mut Once::new(sink);
        let course = WindowedTraining {
            experiment: self,
            folder,
            stop,
            start: Instant::now(),
            aside: Cell::new(0.0),
            waited: Cell::new(None),
            renewing: Cell::new(None),
        };
        loop {
            let is_first = now.finished.len() == first;
            if let Some(trained) = course.window(is_first, now, sink)? {
                return Ok(trained);
            }
            self.enter_window(now)?;
        }
    }
}

impl WindowedTraining<'_> {
    /// Trains the window at hand; the result, if none follows.
    fn window(
        &self,
        is_first: bool,
        now: &mut Snapshot,
        sink: &mut Once<'_>,
    ) -> Result<Option<Trained>, TrainError> {
        let WindowedTraining { experiment, folder, stop, start, ref aside, ref waited, ref renewing } = *self;
        let number = now.finished.len();
        let windows = experiment.problem().windows();
        let last = windows.as_ref().is_none_or(|windows| number + 1 == windows.count());
        let mut stage = experiment.stage(number)?;
        if let Some(windows) = windows.as_ref().filter(|_| number > 0) {
            stage.hurry(experiment, now.seconds, windows.count() - number);
        }
        let Stage { problem, plan, phases } = &stage;
        let finished = now.finished.clone();
        let before = number.checked_sub(1).map(|before| experiment.stage(before)).transpose()?;
        let before = before.as_ref().zip(finished.last());
        let seam = before.map(|(stage, parameters)| Seam::new(stage, parameters)).transpose()?;
        let mut objective = Objective::new(experiment.compile(plan)?, Vec::new());

        // Made when first needed: the reference may take a while, and nobody waits for the first step.
        let ruler = OnceCell::new();
        let errors = |kernel: &mut Kernel, parameters: &[f64]| {
            if ruler.get().is_none() {
                let before = Instant::now();
                let made = self.ruler(&finished);
                aside.set(aside.get() + before.elapsed().as_secs_f64());
                let _ = ruler.set(made?);
            }
            ruler.get().map_or_else(|| Ok(Vec::new()), |ruler: &Ruler| ruler.errors(kernel, parameters))
        };
        let error = |kernel: &mut Kernel, parameters: &[f64]| {
            let errors = errors(kernel, parameters)?;
            Ok(errors.iter().flatten().filter_map(|error| error.relative_l2).reduce(f64::max))
        };
        let clock = || start.elapsed().as_secs_f64() - aside.get();
        let take_over = seam.as_ref().map(|seam| |term: usize, points: &mut Points| seam.fill(term, points));
        let before = take_over.as_ref().map(|take_over| take_over as &TakeOver<'_>);
        let in_precision = |precision| experiment.compile_in(plan, precision);
        let mut look = MemoryReading::now;
        let mut task = Equations::new((problem, plan), phases, &experiment.tables, &mut objective)
            .measured(&error)
            .in_window(before, last)
            .stepping(experiment.own_optimizer())
            .with_workers(experiment.workers())
            .prefetching(Some(experiment.prefetch()))
            .keeping_points(PointRoom { bytes: experiment.point_memory(), folder: folder.to_owned() })
            .watching_memory(experiment.memory_threshold(), &mut look)
            .climbing(Ladder { rungs: experiment.rungs(), kernel: &in_precision });
        if is_first {
            begin(&task, now, sink);
            experiment.fallback().iter().for_each(|fallback| sink.event(&Event::Fallback(fallback.told())));
        }
        if let Some(windows) = &windows {
            let (time, (from, to)) =
                (&problem.domain.coordinates[windows.axis].name, windows.interval(number));
            sink.event(&Event::StageStarted {
                stage: number,
                stages: windows.count(),
                kind: "window".to_owned(),
                title: format!("{time} from {from} to {to}"),
            });
        }
        let stopped = train_phases(&mut task, now, Surroundings { stop, clock: &clock }, sink)?;
        add(waited, task.seconds_waited());
        add(renewing, task.seconds_renewing());
        let share = |seconds: &Cell<Option<f64>>| {
            seconds.get().map(|seconds| seconds / clock().max(f64::MIN_POSITIVE))
        };
        let (waiting, renewing) = (share(waited), share(renewing));
        if !last && stopped != Stopped::Interrupted {
            return Ok(None);
        }
        let (precisions, host_bytes) = (task.precisions(), task.host_bytes());
        let TrainingOutcome { losses, stopped } = finish(&mut task, now, stopped, sink)?;
        Ok(Some(Trained {
            errors: errors(objective.kernel(), &now.parameters)?,
            relative_residuals: experiment.relative_residuals(&now.solution())?,
            validations: experiment.validations(&now.solution())?,
            parameters: now.solution(),
            losses,
            scalars: plan.scalar_values(&now.parameters),
            steps: now.steps,
            evaluations: now.evaluations,
            seconds: now.seconds,
            stopped,
            descent: now.descent,
            waiting,
            renewing,
            precisions,
            memory: objective.kernel().memory_use(),
            host_bytes,
            incidents: sink.incidents(),
            steadiness: sink.steadiness(),
            fallbacks: sink.told(),
            estimate: None,
        }))
    }

    /// The ruler for the window after those with these parameters.
    fn ruler(&self, finished: &[Vec<f64>]) -> Result<Ruler, TrainError> {
        let experiment = self.experiment;
        let reached = experiment.reached(finished.len() + 1);
        let gauge = experiment.gauge(None, reached.as_ref());
        let places = gauge.places().iter();
        let places = places.map(|points| Remembered::new(experiment, finished, points));
        Ok(Ruler { places: places.collect::<Result<_, _>>()?, gauge })
    }
}

/// Adds seconds to a sum, where there are any.
fn add(sum: &Cell<Option<f64>>, more: Option<f64>) {
    sum.set(sum.get().map_or(more, |seconds| Some(seconds + more.unwrap_or(0.0))));
}

impl Ruler {
    /// The error of every unknown that has a reference.
    fn errors(&self, kernel: &mut Kernel, parameters: &[f64]) -> Result<Vec<Option<FieldError>>, TrainError> {
        let found = self.places.iter().map(|place| place.predict(kernel, parameters));
        Ok(self.gauge.errors(&found.collect::<Result<Vec<_>, _>>()?))
    }
}
