//! Continues a run.

use super::lock::Lock;
use super::open::problem_in;
use super::{CHECKPOINTS, Folder, Notice, PROBLEM, Run, RunError, environment, manifest};
use crate::checkpoint::Store;
use crate::{Experiment, TrainError};
use std::path::Path;

impl Folder {
    /// Takes the run in a folder for this process alone, to be trained on from [`Run::snapshot`].
    /// `overrides` are laid over its problem, for good: they may change `training`, such as its budget,
    /// but not its seed. `seconds` is the time between two checkpoints.
    pub fn resume(path: &Path, overrides: &[String], seconds: f64) -> Result<(Run, Folder), TrainError> {
        if path.is_file() {
            return Err(RunError::OnlyACheckpoint { path: path.to_owned() }.into());
        }
        if path.is_dir() {
            problem_in(path, path)?;
        }
        if let Some(text) = overrides.iter().find(|text| !may_change(text)) {
            return Err(RunError::Override { text: text.clone() }.into());
        }
        std::fs::metadata(path).map_err(RunError::read(path))?;
        let lock = Lock::take(path)?;
        let run = Run::open(path)?;
        let run = if overrides.is_empty() { run } else { change(run, overrides)? };
        let store = Store::new(path.join(CHECKPOINTS));
        for notice in run.notices() {
            if let Notice::Damaged { path, .. } = notice {
                store.put_aside(path).map_err(RunError::write(path))?;
            }
        }
        store.tidy().map_err(RunError::write(store.folder()))?;
        let damaged = environment::note_resumed(path, run.snapshot().steps, overrides)?;
        let folder = Folder::with_lock(lock, path.to_owned(), run.experiment(), run.snapshot(), seconds)?;
        Ok((run, folder.noting(damaged)))
    }
}

/// Lays overrides over the problem of a run, there too.
fn change(run: Run, overrides: &[String]) -> Result<Run, TrainError> {
    let problem = run.folder().join(PROBLEM);
    let before = run.experiment();
    let experiment = Experiment::open_file(&problem, overrides)?
        .called(before.name())
        .on(before.device(), before.precision());
    let text = experiment
        .resolved(&mut str::to_owned)
        .map_err(|diagnostics| TrainError::Problem { file: PROBLEM.to_owned(), diagnostics })?;
    manifest::rewrite(run.folder(), PROBLEM, text.as_bytes())?;
    Ok(run.with_experiment(experiment))
}

/// Whether a run stays the same run under an override: its networks still mean the same.
fn may_change(text: &str) -> bool {
    let key = text.split('=').next().unwrap_or_default();
    let mut parts = key.split('.').map(str::trim);
    parts.next() == Some("training") && parts.next().is_some_and(|key| !["seed", "windows"].contains(&key))
}
