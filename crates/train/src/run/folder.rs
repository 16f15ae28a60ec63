//! A run that is being trained: listens to training and writes what must not be lost.

use super::lock::Lock;
use super::metrics::Metrics;
use super::{CHECKPOINTS, METRICS, RunError, environment};
use crate::checkpoint::{Header, Layout, Store};
use crate::trainer::{Event, Sink, Snapshot};
use crate::{Experiment, TrainError, Trained};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The folder of a run that this process trains.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    _lock: Lock,
    header: Header,
    layout: Layout,
    store: Store,
    metrics: Metrics,
    /// Between two checkpoints.
    seconds: f64,
    /// Seconds of the run when the last checkpoint was tried.
    tried: f64,
    /// Why the last checkpoint could not be written, if so.
    unsaved: Option<RunError>,
    /// Why a line of metrics could not be written, if that happened.
    unlogged: Option<RunError>,
}

impl Folder {
    /// Takes a run that stands at `now`, for this process alone.
    pub(super) fn take(
        path: PathBuf,
        experiment: &Experiment,
        now: &Snapshot,
        seconds: f64,
    ) -> Result<Self, RunError> {
        let lock = Lock::take(&path)?;
        Self::with_lock(lock, path, experiment, now, seconds)
    }

    pub(super) fn with_lock(
        lock: Lock,
        path: PathBuf,
        experiment: &Experiment,
        now: &Snapshot,
        seconds: f64,
    ) -> Result<Self, RunError> {
        let metrics = path.join(METRICS);
        let metrics = Metrics::open(&metrics, now.steps).map_err(RunError::write(&metrics))?;
        Ok(Folder {
            store: Store::new(path.join(CHECKPOINTS)),
            path,
            _lock: lock,
            header: environment::header(experiment),
            layout: Layout::of(experiment.problem(), experiment.plan()),
            metrics,
            seconds,
            tried: now.seconds,
            unsaved: None,
            unlogged: None,
        })
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

    fn save(&mut self, state: &Snapshot) -> Result<(), RunError> {
        // The history first: a checkpoint must not know of steps that the history has lost.
        if let Err(cause) = self.metrics.flush() {
            self.unlogged = Some(RunError::Write { path: self.metrics.path().to_owned(), cause });
        }
        let bytes = self.layout.encode(&self.header, state).map_err(RunError::Unsavable)?;
        self.store.save(state.steps, &bytes).map_err(RunError::write(self.store.folder()))
    }
}

/// Training as the folder and someone else listen to it.
struct Kept<'run> {
    folder: &'run mut Folder,
    sink: &'run mut dyn Sink,
}

impl Sink for Kept<'_> {
    fn event(&mut self, event: &Event<'_>) {
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
        seconds >= self.folder.tried + self.folder.seconds || self.sink.wants_state(seconds)
    }

    fn state(&mut self, state: &Snapshot) {
        self.folder.tried = state.seconds;
        match self.folder.save(state) {
            Ok(()) => self.folder.unsaved = None,
            Err(error) => {
                let error = self.folder.unsaved.insert(error);
                self.sink.event(&Event::NotSaved { error });
            }
        }
        self.sink.state(state);
    }

    fn wants_error(&self) -> bool {
        true
    }
}
