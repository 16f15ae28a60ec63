//! Makes the folder of a new run.

use super::calendar::Moment;
use super::lock::Lock;
use super::manifest::Manifest;
use super::{CHECKPOINTS, KeptFolder, METRICS, Notice, RunError, drafts, environment};
use crate::Snapshot;
use crate::checkpoint::{Header, ParameterLayout, Store};
use serde_json::{Map, Value};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use store::{replace, sync_folder};

/// Where a new run is to lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunPlace {
    /// In this folder, under the problem's name and the time.
    Under(PathBuf),
    /// In this very folder, which is empty or does not exist.
    At(PathBuf),
}

/// What a run is about, as its folder says it.
#[derive(Clone, Debug)]
pub struct Contents {
    /// What checkpoints say about where they were computed. The problem's name becomes the folder's.
    pub header: Header,
    /// The parameters by name.
    pub layout: ParameterLayout,
    /// The problem and its data, by their names in the folder: `problem.toml`, `data/...`.
    pub files: Vec<(String, Vec<u8>)>,
    /// What `environment.json` says besides.
    pub environment: Map<String, Value>,
}

impl KeptFolder {
    /// Makes a run that begins at `start`. It comes into being whole, with a first checkpoint: a process
    /// that is killed before leaves no run at all. `seconds` is the time between two checkpoints.
    pub fn create(
        place: &RunPlace,
        contents: &Contents,
        start: &Snapshot,
        seconds: f64,
    ) -> Result<KeptFolder, RunError> {
        let name =
            format!("{}-{}", cleaned(&contents.header.problem), Moment::new(SystemTime::now()).compact());
        let (parent, name, at) = match place {
            RunPlace::Under(parent) => (parent.clone(), name, None),
            RunPlace::At(path) => {
                if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
                    return Err(RunError::Taken { path: path.clone() });
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
            fill(&draft, contents, start)?;
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
        let (header, layout) = (contents.header.clone(), contents.layout.clone());
        Ok(KeptFolder::with_lock(lock, path, (header, layout), start, seconds)?.made().noting(abandoned))
    }
}

/// Makes an empty draft. It is locked: drafts that are not are those of processes that were killed.
fn begin(draft: &Path) -> Result<Lock, RunError> {
    fs::create_dir_all(draft).map_err(RunError::write(draft))?;
    Lock::take(draft)
}

/// Writes everything that a run begins with.
fn fill(draft: &Path, contents: &Contents, start: &Snapshot) -> Result<(), RunError> {
    let Contents { header, layout, files, environment } = contents;
    let checkpoints = draft.join(CHECKPOINTS);
    fs::create_dir_all(&checkpoints).map_err(RunError::write(&checkpoints))?;
    for (name, bytes) in files {
        let path = draft.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(RunError::write(parent))?;
        }
        replace(&path, bytes).map_err(RunError::write(&path))?;
    }
    environment::write(draft, header, environment).map_err(RunError::write(draft))?;
    let metrics = draft.join(METRICS);
    fs::write(&metrics, []).map_err(RunError::write(&metrics))?;
    let bytes = layout.encode(header, start).map_err(RunError::Unsavable)?;
    Store::new(checkpoints.clone()).save(start.steps, &bytes).map_err(RunError::write(&checkpoints))?;
    Manifest::write_first(draft, start.steps)?;
    sync_folder(draft).map_err(RunError::write(draft))
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

/// A name as folders may have it everywhere.
fn cleaned(name: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    let name: String = name.chars().take(80).map(letter).collect();
    match name.trim_matches(['.', '-']) {
        "" => "run".to_owned(),
        name => name.to_owned(),
    }
}
