//! A run that is being trained: listens to training and writes what must not be lost.

use super::best::Saved;
use super::lock::Lock;
use super::manifest::Manifest;
use super::metrics::Metrics;
use super::{CHECKPOINTS, METRICS, Notice, RunError, environment};
use crate::checkpoint::{Header, Layout, Store};
use crate::trainer::{Event, Sink, Snapshot};
use crate::{Experiment, TrainError, Trained};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Seconds from the start of a run to its first checkpoint, at most.
const FIRST: f64 = 0.5;

/// The folder of a run that this process trains.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: Lock,
    header: Header,
    layout: Layout,
    store: Store,
    manifest: Manifest,
    metrics: Metrics,
    notices: Vec<Notice>,
    /// Between two checkpoints.
    seconds: f64,
    /// Seconds of the run when the last checkpoint was tried.
    tried: f64,
    /// Whether a checkpoint is wanted before that: another loss begins, and its first state may be its best.
    early: bool,
    /// The last checkpoint, until it is known what its loss is.
    newest: Option<Saved>,
    /// The best checkpoint.
    best: Option<Saved>,
    /// Steps of a state that others have trained, where this process trains it in another way.
    foreign: Option<u64>,
    /// Why the last checkpoint could not be written, if so.
    unsaved: Option<RunError>,
    /// Why a line of metrics could not be written, if that happened.
    unlogged: Option<RunError>,
}

impl Folder {
    /// Takes a run that stands at `now`, whose lock this process has.
    pub(super) fn with_lock(
        lock: Lock,
        path: PathBuf,
        experiment: &Experiment,
        now: &Snapshot,
        seconds: f64,
    ) -> Result<Self, RunError> {
        let manifest = Manifest::taken(&path, now.steps)?;
        let (metrics, damaged) = Metrics::open(&path.join(METRICS), now.steps)?;
        let (store, layout) =
            (Store::new(path.join(CHECKPOINTS)), Layout::of(experiment.problem(), experiment.plan()));
        // One that cannot be read is none.
        let best = std::fs::read(store.best()).ok().and_then(|bytes| layout.decode(&bytes).ok());
        Ok(Folder {
            manifest,
            notices: damaged.into_iter().collect(),
            store,
            path,
            _lock: lock,
            header: environment::header(experiment),
            layout,
            metrics,
            seconds,
            tried: now.seconds,
            early: false,
            newest: Some(Saved::new(now)),
            best: best.map(|(_, state)| Saved::new(&state)).filter(|best| best.step <= now.steps),
            foreign: None,
            unsaved: None,
            unlogged: None,
        })
    }

    /// Adds to what its user should know.
    pub(super) fn noting(mut self, notices: impl IntoIterator<Item = Notice>) -> Self {
        self.notices.extend(notices);
        self
    }

    /// What was found and mended when this process took the run.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Trains the run to its end, as [`Experiment::train_from`] does, and keeps it on the way. A disk that
    /// cannot be written to does not end training: see [`Self::trouble`].
    pub fn train(
        &mut self,
        experiment: &Experiment,
        now: &mut Snapshot,
        stop: &AtomicBool,
        sink: &mut dyn Sink,
    ) -> Result<Trained, TrainError> {
        let trained = experiment.train_from(now, stop, &mut Kept { folder: self, sink })?;
        if let Err(cause) = self.metrics.end(&trained) {
            let path = self.metrics.path().to_owned();
            self.unlogged.get_or_insert(RunError::Write { path, cause });
        }
        Ok(trained)
    }

    /// What is missing in the folder: the last checkpoint, or lines of the metrics.
    pub fn trouble(&self) -> Option<&RunError> {
        self.unsaved.as_ref().or(self.unlogged.as_ref())
    }

    /// The steps taken in the newest state that was kept.
    pub fn newest(&self) -> Option<u64> {
        self.store.list().ok()?.first().map(|(step, _)| *step)
    }

    /// The steps taken in the best state that was kept, as long as it is not the newest.
    pub fn best(&self) -> Option<u64> {
        let newest = self.newest.map(|newest| newest.step);
        self.best.map(|best| best.step).filter(|step| Some(*step) != newest)
    }

    /// The run is trained in another way from here on: were no step possible, the state would not be to blame.
    pub(super) fn distrusts_change(&mut self, step: u64) {
        self.foreign = Some(step);
    }

    /// Seconds of the run at which the next checkpoint is due. At first they come sooner: of a training that goes wrong
    /// in its first seconds something good is to be left.
    fn due(&self) -> f64 {
        self.tried + self.seconds.min(self.tried.max(FIRST))
    }

    /// Keeps a state whose loss is known, if it is the best.
    fn judge(&mut self, saved: Saved) {
        // Where it cannot be kept, the one from before stays.
        if saved.is_better_than(self.best.as_ref())
            && self.manifest.announce_best(&self.path, &self.store, saved.step).is_ok()
            && self.store.keep_as_best(saved.step).is_ok()
        {
            self.best = Some(saved);
        }
    }

    /// Puts a state aside that no step can be taken from, as long as there is another one.
    fn refuse(&mut self, step: u64) -> Result<(), RunError> {
        self.store.refuse(step).map_err(RunError::write(self.store.folder()))?;
        match self.newest() {
            Some(newest) => self.manifest.take_back(&self.path, newest),
            None => Ok(()),
        }
    }

    fn save(&mut self, state: &Snapshot) -> Result<(), RunError> {
        // The history first: a checkpoint must not know of steps that the history has lost.
        if let Err(cause) = self.metrics.flush() {
            self.unlogged = Some(RunError::Write { path: self.metrics.path().to_owned(), cause });
        }
        let bytes = self.layout.encode(&self.header, state).map_err(RunError::Unsavable)?;
        self.manifest.announce(&self.path, &self.store.path(state.steps), &bytes)?;
        self.store.save(state.steps, &bytes).map_err(RunError::write(self.store.folder()))?;
        self.manifest.confirm(&self.path)?;
        let saved = Saved::new(state);
        self.newest = Some(saved);
        if saved.is_measured() {
            self.judge(saved);
        }
        Ok(())
    }
}

/// Training as the folder and someone else listen to it.
struct Kept<'run> {
    folder: &'run mut Folder,
    sink: &'run mut dyn Sink,
}

impl Sink for Kept<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Step { step, losses, .. } => {
                let begins = |saved: &Saved| saved.step + 1 == *step;
                if let Some(saved) = self.folder.newest.filter(begins) {
                    self.folder.judge(saved.with_loss(losses.total));
                }
            }
            Event::WindowStarted { window, .. } => {
                self.folder.early |= self.folder.newest.is_none_or(|saved| saved.window != *window);
            }
            Event::PhaseStarted { phase, .. } => {
                self.folder.early |= self.folder.newest.is_none_or(|saved| saved.phase != *phase);
            }
            Event::Balanced { .. } => self.folder.early = true,
            Event::Started { .. }
            | Event::Memory { .. }
            | Event::Fallback { .. }
            | Event::Measured { .. }
            | Event::NotSaved { .. }
            | Event::PhaseEnded { .. }
            | Event::Finished { .. } => {}
        }
        if let Err(cause) = self.folder.metrics.note(event) {
            let path = self.folder.metrics.path().to_owned();
            // Said once: it would be said in every step.
            let known = self.folder.unlogged.is_some();
            let error = self.folder.unlogged.insert(RunError::Write { path, cause });
            if !known {
                self.sink.event(&Event::NotSaved { error });
            }
        }
        self.sink.event(event);
    }

    fn wants_state(&mut self, seconds: f64) -> bool {
        let early = std::mem::take(&mut self.folder.early);
        early || seconds >= self.folder.due() || self.sink.wants_state(seconds)
    }

    fn state(&mut self, state: &Snapshot) {
        self.folder.tried = state.seconds;
        if !state.is_finite() {
            // The next step will say so.
            return self.sink.state(state);
        }
        match self.folder.save(state) {
            Ok(()) => self.folder.unsaved = None,
            Err(error) => {
                let error = self.folder.unsaved.insert(error);
                self.sink.event(&Event::NotSaved { error });
            }
        }
        self.sink.state(state);
    }

    fn refused(&mut self, state: &Snapshot) {
        if self.folder.foreign != Some(state.steps)
            && let Err(error) = self.folder.refuse(state.steps)
        {
            let error = self.folder.unsaved.insert(error);
            self.sink.event(&Event::NotSaved { error });
        }
        self.sink.refused(state);
    }

    fn wants_error(&self) -> bool {
        true
    }
}
