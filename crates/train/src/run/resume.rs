//! Continues a run.

use super::lock::Lock;
use super::{CHECKPOINTS, Folder, Notice, PROBLEM, Run, RunError, environment};
use crate::checkpoint::{Store, write_atomically};
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
        let problem = path.join(PROBLEM);
        if path.is_dir() && !problem.is_file() {
            return Err(RunError::NotARun { path: path.to_owned(), missing: PROBLEM }.into());
        }
        if let Some(text) = overrides.iter().find(|text| !may_change(text)) {
            return Err(RunError::Override { text: text.clone() }.into());
        }
        std::fs::metadata(path).map_err(RunError::read(path))?;
        let lock = Lock::take(path)?;
        let run = Run::open(path)?;
        let run = if overrides.is_empty() { run } else { change(run, overrides)? };
        run.experiment().check_memory()?;
        let store = Store::new(path.join(CHECKPOINTS));
        for notice in run.notices() {
            if let Notice::Damaged { path, .. } = notice {
                store.put_aside(path).map_err(RunError::write(path))?;
            }
        }
        store.tidy().map_err(RunError::write(store.folder()))?;
        environment::note_resumed(path, run.snapshot().steps, overrides).map_err(RunError::write(path))?;
        let folder = Folder::with_lock(lock, path.to_owned(), run.experiment(), run.snapshot(), seconds)?;
        Ok((run, folder))
    }
}

/// Lays overrides over the problem of a run, there too.
fn change(run: Run, overrides: &[String]) -> Result<Run, TrainError> {
    let problem = run.folder().join(PROBLEM);
    let before = run.experiment();
    let experiment = Experiment::open_file(&problem, overrides)?
        .called(before.name())
        .on(before.device(), before.precision());
    // Before anything is written.
    experiment.check_memory()?;
    let text = experiment
        .resolved(&mut str::to_owned)
        .map_err(|diagnostics| TrainError::Problem { file: PROBLEM.to_owned(), diagnostics })?;
    write_atomically(&problem, text.as_bytes()).map_err(RunError::write(&problem))?;
    Ok(run.with_experiment(experiment))
}

/// Whether a run stays the same run under an override: its networks still mean the same.
fn may_change(text: &str) -> bool {
    let key = text.split('=').next().unwrap_or_default();
    let mut parts = key.split('.').map(str::trim);
    parts.next() == Some("training") && parts.next().is_some_and(|key| !["seed", "windows"].contains(&key))
}
