//! Makes the folder of a new run.

use super::calendar::Moment;
use super::lock::Lock;
use super::manifest::Manifest;
use super::{CHECKPOINTS, DATA, Folder, METRICS, Notice, PROBLEM, RunError, drafts, environment};
use crate::checkpoint::{Layout, Store, replace, sync_folder};
use crate::table::Sources;
use crate::trainer::Snapshot;
use crate::{Experiment, TrainError};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where a new run is to lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In this folder, under the problem's name and the time.
    Under(PathBuf),
    /// In this very folder, which is empty or does not exist.
    At(PathBuf),
}

impl Folder {
    /// Makes a run that begins at `start`. It comes into being whole, with a first checkpoint: a process
    /// that is killed before leaves no run at all. `from` is where the first parameters come from, if
    /// they are another run's; `seconds` is the time between two checkpoints.
    pub fn create(
        place: &Place,
        experiment: &Experiment,
        start: &Snapshot,
        from: Option<&Path>,
        seconds: f64,
    ) -> Result<Folder, TrainError> {
        experiment.check_memory()?;
        let name = format!("{}-{}", cleaned(experiment.name()), Moment::new(SystemTime::now()).compact());
        let (parent, name, at) = match place {
            Place::Under(parent) => (parent.clone(), name, None),
            Place::At(path) => {
                if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
                    return Err(RunError::Taken { path: path.clone() }.into());
                }
                let full = std::path::absolute(path).map_err(RunError::write(path))?;
                let parent = full.parent().unwrap_or(Path::new(".")).to_owned();
                (parent, name, Some(path.clone()))
            }
        };
        fs::create_dir_all(&parent).map_err(RunError::write(&parent))?;
        let abandoned = drafts::sweep(&parent).into_iter().map(|path| Notice::Abandoned { path });
        let draft = drafts::draft(&parent, &name);
        let made = begin(&draft).and_then(|lock| {
            fill(&draft, experiment, start, from)?;
            // Other systems do not rename folders with open files in them.
            let lock = Some(lock).filter(|_| cfg!(unix));
            let path = publish(&draft, &parent, &name, at.as_deref())?;
            Ok((lock.map_or_else(|| Lock::take(&path), Ok)?, path))
        });
        if made.is_err() {
            // What went wrong matters more than what is left of the draft.
            let _ = fs::remove_dir_all(&draft);
        }
        let (lock, path) = made?;
        Ok(Folder::with_lock(lock, path, experiment, start, seconds)?.noting(abandoned))
    }
}

/// Makes an empty draft. It is locked: drafts that are not are those of processes that were killed.
fn begin(draft: &Path) -> Result<Lock, TrainError> {
    fs::create_dir_all(draft).map_err(RunError::write(draft))?;
    Ok(Lock::take(draft)?)
}

/// Writes everything that a run begins with.
fn fill(
    draft: &Path,
    experiment: &Experiment,
    start: &Snapshot,
    from: Option<&Path>,
) -> Result<(), TrainError> {
    let checkpoints = draft.join(CHECKPOINTS);
    fs::create_dir_all(&checkpoints).map_err(RunError::write(&checkpoints))?;
    let mut files = Files::default();
    let text = experiment.resolved(&mut |file| files.name_for(file));
    let text = text.map_err(|diagnostics| TrainError::Problem { file: PROBLEM.to_owned(), diagnostics })?;
    files.copy(experiment.sources(), draft)?;
    let problem = draft.join(PROBLEM);
    replace(&problem, text.as_bytes()).map_err(RunError::write(&problem))?;
    environment::write(draft, experiment, from).map_err(RunError::write(draft))?;
    let metrics = draft.join(METRICS);
    fs::write(&metrics, []).map_err(RunError::write(&metrics))?;
    let layout = Layout::of(experiment.problem(), experiment.plan());
    let bytes = layout.encode(&environment::header(experiment), start).map_err(RunError::Unsavable)?;
    Store::new(checkpoints.clone()).save(start.steps, &bytes).map_err(RunError::write(&checkpoints))?;
    Manifest::write_first(draft, start.steps)?;
    sync_folder(draft).map_err(RunError::write(draft))?;
    Ok(())
}

/// Gives the draft its name; of a name that is taken, the next one.
fn publish(draft: &Path, parent: &Path, name: &str, at: Option<&Path>) -> Result<PathBuf, RunError> {
    let mut number = 1;
    loop {
        let path = match (at, number) {
            (Some(path), _) => path.to_owned(),
            (None, 1) => parent.join(name),
            (None, _) => parent.join(format!("{name}-{number}")),
        };
        let taken = at.is_none() && path.exists();
        let renamed = if taken { Err(ErrorKind::AlreadyExists.into()) } else { fs::rename(draft, &path) };
        match renamed.map_err(|cause| (cause.kind(), cause)) {
            Ok(()) => {
                sync_folder(parent).map_err(RunError::write(parent))?;
                return Ok(path);
            }
            Err((ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty, _)) if at.is_some() => {
                return Err(RunError::Taken { path });
            }
            Err((ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty, _)) => number += 1,
            Err((_, cause)) => return Err(RunError::Write { path, cause }),
        }
    }
}

/// Data files and what they are called in the run.
#[derive(Default)]
struct Files {
    names: Vec<(String, String)>,
}

impl Files {
    /// One name per file; of files with the same name the later ones are numbered.
    fn name_for(&mut self, file: &str) -> String {
        if let Some((_, name)) = self.names.iter().find(|(known, _)| known == file) {
            return name.clone();
        }
        let base = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut name = format!("{DATA}/{base}");
        let mut number = 1;
        while self.names.iter().any(|(_, known)| *known == name) {
            number += 1;
            name = format!("{DATA}/{number}-{base}");
        }
        self.names.push((file.to_owned(), name.clone()));
        name
    }

    fn copy(&self, sources: &Sources, draft: &Path) -> Result<(), RunError> {
        for (file, name) in &self.names {
            let (source, bytes) = sources.read(file);
            let (bytes, target) = (bytes.map_err(RunError::read(&source))?, draft.join(name));
            let data = draft.join(DATA);
            fs::create_dir_all(&data).map_err(RunError::write(&data))?;
            replace(&target, &bytes).map_err(RunError::write(&target))?;
        }
        Ok(())
    }
}

/// A name as folders may have it everywhere.
fn cleaned(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let name: String = name.chars().take(80).map(letter).collect();
    match name.trim_matches(['.', '-']) {
        "" => "run".to_owned(),
        name => name.to_owned(),
    }
}
