//! Reads what a run's folder holds.

use super::manifest::{self, FoundManifest, Standing};
use super::newest::{load, newest, sound};
use super::{CHECKPOINTS, Live, METRICS, Notice, PROBLEM, RunError, Used, lock, metrics};
use crate::Snapshot;
use crate::checkpoint::{CheckpointFault, Header, ParameterLayout};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How often files are compared anew while another process changes them.
const ATTEMPTS: usize = 5;

/// A state of a run as it lies on the disk.
#[derive(Debug)]
pub struct Opened {
    /// Where the run lies.
    pub folder: PathBuf,
    /// Where and for what the state was computed.
    pub header: Header,
    /// The state.
    pub snapshot: Snapshot,
    /// Which of its states that is.
    pub used: Used,
    /// Who else trains the run at this moment.
    pub live: Option<Live>,
    /// What its user should know about it.
    pub notices: Vec<Notice>,
}

impl Opened {
    /// Opens the run in a folder at its newest good checkpoint, or at one of its checkpoints by the file's path. `read`
    /// makes of the problem file whatever is trained, and names its parameters. Where training has diverged, the state is the
    /// best one that was kept; the notices say so.
    pub fn open<W, E: From<RunError>>(
        path: &Path,
        read: impl FnOnce(&Path) -> Result<(W, ParameterLayout), E>,
    ) -> Result<(W, Opened), E> {
        let exists = std::fs::metadata(path).map_err(RunError::read(path))?;
        let folder = if exists.is_dir() { path.to_owned() } else { folder_of(path)? };
        let problem = problem_in(&folder, path)?;
        let mut notices = Vec::new();
        check_files(&folder, &mut notices)?;
        let (what, layout) = read(&problem)?;
        if !exists.is_dir() {
            let faulty = |fault| RunError::Checkpoint { path: path.to_owned(), fault };
            let (bytes, (header, snapshot)) = load(path, &layout).map_err(faulty)?;
            if manifest::find(&folder)?.standing(path, &bytes) == Standing::Replaced {
                return Err(faulty(CheckpointFault::Replaced).into());
            }
            return Ok((what, Opened { folder, header, snapshot, used: Used::Named, live: None, notices }));
        }
        let loaded = newest(path, &layout, &mut notices)?;
        let live = lock::held_by_another(path).map(|process| Live {
            process,
            saved: loaded.1.steps,
            logged: metrics::newest(&path.join(METRICS)).map(Box::new),
        });
        notices.extend(live.clone().map(Notice::Live));
        let (header, snapshot, used) = sound(path, &layout, loaded, &mut notices)?;
        Ok((what, Opened { folder, header, snapshot, used, live, notices }))
    }
}

/// The problem file of a run that the user called `named`. Only what is not there makes it no run: what cannot be looked
/// at is said to be so.
pub(super) fn problem_in(folder: &Path, named: &Path) -> Result<PathBuf, RunError> {
    let problem = folder.join(PROBLEM);
    let missing = || RunError::NotARun { path: named.to_owned(), missing: PROBLEM };
    match std::fs::metadata(&problem) {
        Ok(found) if found.is_file() => Ok(problem),
        Ok(_) => Err(missing()),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Err(missing()),
        Err(cause) => Err(RunError::Read { path: problem, cause }),
    }
}

/// Compares problem and data with the manifest, and refuses what is not what the run was trained with.
fn check_files(folder: &Path, notices: &mut Vec<Notice>) -> Result<(), RunError> {
    let mut found = manifest::find(folder)?;
    let mut changed = found.changed(folder)?;
    for _ in 0..ATTEMPTS {
        // Another process may have changed both in between.
        let again = manifest::find(folder)?;
        if changed.is_empty() || again == found {
            break;
        }
        found = again;
        changed = found.changed(folder)?;
    }
    match &found {
        FoundManifest::Whole(_) => {}
        FoundManifest::Absent => notices.push(Notice::Unchecked { path: folder.to_owned() }),
        FoundManifest::Damaged => notices.push(Notice::DamagedManifest { path: manifest::path_in(folder) }),
    }
    if changed.is_empty() {
        Ok(())
    } else {
        Err(RunError::Changed { folder: folder.to_owned(), files: changed })
    }
}

/// The run that a checkpoint's file lies in.
fn folder_of(path: &Path) -> Result<PathBuf, RunError> {
    let full = std::path::absolute(path).map_err(RunError::read(path))?;
    let checkpoints =
        full.parent().filter(|folder| folder.file_name().is_some_and(|name| name == CHECKPOINTS));
    let folder = checkpoints.and_then(Path::parent).map(Path::to_owned);
    folder.ok_or(RunError::NotARun { path: path.to_owned(), missing: "folder of checkpoints around it" })
}
