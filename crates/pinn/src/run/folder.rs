//! The folder of a run that this process trains.

use super::Run;
use super::resume::{ChangedProblem, refusal};
use crate::trust::ErrorEstimate;
use crate::{Experiment, TrainError, Trained};
use serde_json::{Map, Value, json};
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use store::Scratch;
use train::folder::{Contents, Held, PROBLEM, RunError, RunPlace};
use train::{Fan, Sink, Snapshot};

/// What the line of an end calls an estimate of the error.
const ESTIMATE: &str = "estimate";

/// The estimate in the line of an end, where it has one that can be read.
pub(super) fn recorded(measured: Option<&Map<String, Value>>) -> Option<ErrorEstimate> {
    serde_json::from_value(measured?.get(ESTIMATE)?.clone()).ok()
}

/// The folder of a run that this process trains: [`train::folder::KeptFolder`], of an experiment.
#[derive(Debug)]
pub struct Folder(train::folder::KeptFolder);

impl Deref for Folder {
    type Target = train::folder::KeptFolder;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Folder {
    /// Makes a run that begins at `start`. It comes into being whole, with a first checkpoint: a process
    /// that is killed before leaves no run at all. `from` is where the first parameters come from, if
    /// they are another run's; `seconds` is the time between two checkpoints.
    pub fn create(
        place: &RunPlace,
        experiment: &Experiment,
        start: &Snapshot,
        from: Option<&Path>,
        seconds: f64,
    ) -> Result<Folder, TrainError> {
        experiment.check_memory()?;
        let contents = experiment.contents(from)?;
        Ok(Folder(train::folder::KeptFolder::create(place, &contents, start, seconds)?))
    }

    /// Takes the run in a folder for this process alone, to be trained on from [`Run::snapshot`].
    /// `overrides` are laid over its problem, for good: they may change how it is trained, but not what its
    /// weights mean. `seconds` is the time between two checkpoints. A change that is
    /// refused leaves the run as it was.
    pub fn resume(path: &Path, overrides: &[String], seconds: f64) -> Result<(Run, Folder), TrainError> {
        Self::resume_as(path, overrides, seconds, |experiment| experiment)
    }

    /// The same with an experiment that is prepared as the one was that began the run: with a method from outside.
    pub fn resume_as(
        path: &Path,
        overrides: &[String],
        seconds: f64,
        prepare: impl FnOnce(Experiment) -> Experiment,
    ) -> Result<(Run, Folder), TrainError> {
        if let Some((text, reason)) = overrides.iter().find_map(|text| Some((text, refusal(text)?))) {
            return Err(TrainError::Override { text: text.clone(), reason });
        }
        let held = Held::take(path)?;
        let mut run = Run::open(path)?;
        run.experiment = prepare(run.experiment);
        let change = if overrides.is_empty() { None } else { Some(ChangedProblem::of(&run, overrides)?) };
        let run = run.renewed(change.as_ref().map(|change| &change.experiment))?;
        run.experiment().check_memory()?;
        let files = change.map(|ChangedProblem { text, .. }| (PROBLEM.to_owned(), text.into_bytes()));
        let contents = Contents { files: files.into_iter().collect(), ..run.experiment().unchanged() };
        // All is checked: from here on it is written.
        let folder = held.go_on(&run.opened, &contents, overrides, seconds)?;
        Ok((run, Folder(folder)))
    }

    /// Removes the run from the disk.
    pub fn discard(self) -> Result<(), RunError> {
        self.0.discard()
    }

    /// Trains the run to its end, as [`Experiment::train_from`] does, and keeps it on the way. A disk that
    /// cannot be written to does not end training: see [`train::folder::KeptFolder::trouble`].
    pub fn train(
        &mut self,
        experiment: &Experiment,
        now: &mut Snapshot,
        stop: &AtomicBool,
        sink: &mut dyn Sink,
    ) -> Result<Trained, TrainError> {
        let place = self.0.path().to_owned();
        // Nobody else uses the folder, whose lock is ours.
        Scratch::sweep(&place);
        let before = now.steps;
        let mut trained =
            experiment.train_on_disk_of(&place, now, stop, &mut Fan::new(vec![&mut self.0, sink]))?;
        if trained.steps == before {
            // Nothing has changed: what was found then still holds.
            trained.estimate = recorded(self.0.measured(before));
        }
        let mut measured =
            Map::from_iter([("relative_residual".to_owned(), json!(trained.relative_residuals))]);
        if let Some(estimate) = &trained.estimate {
            let each = estimate.unknowns.iter().map(|own| (own.name.clone(), json!(own.relative_l2)));
            measured.insert("error_estimate".to_owned(), each.collect());
            measured.insert("trust".to_owned(), json!(estimate.trust));
            measured.insert(ESTIMATE.to_owned(), json!(estimate));
        }
        self.0.end(trained.stopped, (trained.steps, trained.losses.total), measured);
        Ok(trained)
    }
}
