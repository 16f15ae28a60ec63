//! A run that is being trained: listens to training and writes what must not be lost.

use super::best::Saved;
use super::lock::Lock;
use super::manifest::Manifest;
use super::metrics::Metrics;
use super::{CHECKPOINTS, METRICS, Notice, RunError, TROUBLE};
use crate::checkpoint::{Header, ParameterLayout, Store};
use crate::{Event, Sink, Snapshot, Stopped};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Seconds from the start of a run to its first checkpoint, at most.
const FIRST: f64 = 0.5;

/// The folder of a run that this process trains.
#[derive(Debug)]
pub struct KeptFolder {
    path: PathBuf,
    lock: Lock,
    /// Whether this process made it.
    is_new: bool,
    header: Header,
    layout: ParameterLayout,
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
    /// What others are to hear of that.
    untold: Option<Event>,
}

impl KeptFolder {
    /// Takes a run that stands at `now`, whose lock this process has.
    pub(super) fn with_lock(
        lock: Lock,
        path: PathBuf,
        (header, layout): (Header, ParameterLayout),
        now: &Snapshot,
        seconds: f64,
    ) -> Result<Self, RunError> {
        let manifest = Manifest::taken(&path, now.steps)?;
        let (metrics, damaged) = Metrics::open(&path.join(METRICS), now.steps)?;
        let store = Store::new(path.join(CHECKPOINTS));
        // One that cannot be read is none.
        let best = std::fs::read(store.best()).ok().and_then(|bytes| layout.decode(&bytes).ok());
        Ok(KeptFolder {
            manifest,
            notices: damaged.into_iter().collect(),
            store,
            path,
            lock,
            is_new: false,
            header,
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
            untold: None,
        })
    }

    /// As one that this process has made.
    pub(super) fn made(mut self) -> Self {
        self.is_new = true;
        self
    }

    /// Whether this process made it, and did not find it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Removes the run from the disk.
    pub fn discard(self) -> Result<(), RunError> {
        let KeptFolder { path, lock, metrics, .. } = self;
        drop(metrics);
        // Other systems do not remove open files; here nobody is to take the run while it goes.
        let lock = Some(lock).filter(|_| cfg!(unix));
        let removed = std::fs::remove_dir_all(&path).map_err(RunError::write(&path));
        drop(lock);
        removed
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

    /// Takes note of how training ended, and of what else was measured there.
    pub fn end(&mut self, stopped: Stopped, (step, loss): (u64, f64), measured: Map<String, Value>) {
        if let Err(cause) = self.metrics.end(stopped, (step, loss), measured) {
            let path = self.metrics.path().to_owned();
            self.unlogged.get_or_insert(RunError::Write { path, cause });
        }
    }

    /// What else was measured where training ended last, if that was after so many steps.
    pub fn measured(&self, step: u64) -> Option<&Map<String, Value>> {
        self.metrics.measured(step)
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

impl Sink for KeptFolder {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Step(taken) => {
                let begins = |saved: &Saved| saved.step + 1 == taken.step;
                if let Some(saved) = self.newest.filter(begins) {
                    self.judge(saved.with_loss(taken.losses.total));
                }
            }
            Event::StageStarted { stage, .. } => {
                self.early |= self.newest.is_none_or(|saved| saved.stage != *stage);
            }
            Event::PhaseStarted { phase, .. } => {
                self.early |= self.newest.is_none_or(|saved| saved.phase != *phase);
            }
            Event::Balanced { .. } => self.early = true,
            Event::Started { .. }
            | Event::Incident(_)
            | Event::Note(_)
            | Event::Fallback(_)
            | Event::Measured { .. }
            | Event::NotSaved { .. }
            | Event::PhaseEnded { .. }
            | Event::Finished { .. } => {}
        }
        if let Err(cause) = self.metrics.note(event) {
            let error = RunError::Write { path: self.metrics.path().to_owned(), cause };
            // Said once: it would be said in every step.
            if self.unlogged.is_none() {
                self.untold = Some(Event::NotSaved { error: error.to_string() });
            }
            self.unlogged = Some(error);
        }
    }

    fn wants_state(&mut self, seconds: f64) -> bool {
        let early = std::mem::take(&mut self.early);
        early || seconds >= self.due()
    }

    fn state(&mut self, state: &Snapshot) {
        self.tried = state.seconds;
        // Where it is not finite, the next step will say so.
        if state.is_finite() {
            let saved = self.save(state);
            self.unsaved = None;
            self.trouble_with(saved);
        }
    }

    fn refused(&mut self, state: &Snapshot) {
        if self.foreign != Some(state.steps) {
            let refused = self.refuse(state.steps);
            self.trouble_with(refused);
        }
    }

    fn troubled(&mut self, state: &Snapshot) {
        let kept = self.keep_trouble(state);
        self.trouble_with(kept);
    }

    fn wants_error(&self) -> bool {
        true
    }

    fn answer(&mut self) -> Option<Event> {
        self.untold.take()
    }
}

impl KeptFolder {
    /// Keeps a state where something went wrong: of the first of them alone, since they take as much space as checkpoints.
    fn keep_trouble(&self, state: &Snapshot) -> Result<(), RunError> {
        const MOST: usize = 3;
        let folder = self.path.join(TROUBLE);
        let path = folder.join(format!("step-{:010}.safetensors", state.steps));
        let kept = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        if kept >= MOST || path.exists() {
            return Ok(());
        }
        let bytes = self.layout.encode(&self.header, state).map_err(RunError::Unsavable)?;
        std::fs::create_dir_all(&folder).map_err(RunError::write(&folder))?;
        store::write_atomically(&path, &bytes).map_err(RunError::write(&path))
    }

    /// Remembers what could not be written, and tells of it.
    fn trouble_with(&mut self, written: Result<(), RunError>) {
        if let Err(error) = written {
            self.untold = Some(Event::NotSaved { error: error.to_string() });
            self.unsaved = Some(error);
        }
    }
}
