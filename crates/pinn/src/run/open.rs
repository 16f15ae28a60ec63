//! Reads a run.

use super::lock;
use super::manifest::{self, Found, Standing};
use super::metrics::{self, Record};
use super::newest::{load, newest, sound};
use super::{CHECKPOINTS, Live, METRICS, Notice, PROBLEM, RunError, Used};
use crate::checkpoint::{Fault, Header, Layout};
use crate::trainer::Snapshot;
use crate::{Device, Experiment, Precision, TrainError};
use linear::Level;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A run as it lies on the disk: what was trained, and how far.
#[derive(Debug)]
pub struct Run {
    pub(super) folder: PathBuf,
    pub(super) experiment: Experiment,
    pub(super) snapshot: Snapshot,
    pub(super) used: Used,
    parameters: Vec<f64>,
    pub(super) notices: Vec<Notice>,
    live: Option<Live>,
}

/// How often files are compared anew while another process changes them.
const ATTEMPTS: usize = 5;

impl Run {
    /// Opens the run in a folder at its newest good checkpoint, or at one of its checkpoints by the
    /// file's path. Problem, data and checkpoint are read and checked. Where training has diverged, it is the
    /// best state that was kept; [`Self::notices`] say so.
    pub fn open(path: &Path) -> Result<Run, TrainError> {
        let exists = std::fs::metadata(path).map_err(RunError::read(path))?;
        let folder = if exists.is_dir() { path.to_owned() } else { folder_of(path)? };
        let problem = problem_in(&folder, path)?;
        let mut notices = Vec::new();
        check_files(&folder, &mut notices)?;
        let experiment = Experiment::open_file(&problem, &[])?;
        let layout = Layout::of(experiment.problem(), experiment.plan());
        let mut live = None;
        let (header, snapshot, used) = if exists.is_dir() {
            let loaded = newest(path, &layout, &mut notices)?;
            live = lock::held_by_another(path).map(|process| Live {
                process,
                saved: loaded.1.steps,
                logged: metrics::newest(&path.join(METRICS)),
            });
            notices.extend(live.clone().map(Notice::Live));
            sound(path, &layout, loaded, &mut notices)?
        } else {
            let faulty = |fault| RunError::Checkpoint { path: path.to_owned(), fault };
            let (bytes, (header, snapshot)) = load(path, &layout).map_err(faulty)?;
            if manifest::find(&folder)?.standing(path, &bytes) == Standing::Replaced {
                return Err(faulty(Fault::Replaced).into());
            }
            (header, snapshot, Used::Named)
        };
        let (window, windows) = (snapshot.windows.len(), experiment.window_count());
        if window >= windows {
            return Err(TrainError::NoSuchWindow { window, windows });
        }
        let experiment = as_trained(experiment, &header, &mut notices);
        Ok(Run { folder, experiment, parameters: snapshot.solution(), snapshot, used, notices, live })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The problem with all overrides, on the device and in the precision that it was trained with.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// The trained parameters: weights, then the problem's scalars in their unbounded form; those of windows
    /// one after the other, as far as they were begun.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// Where training stands.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Which of its states that is.
    pub fn used(&self) -> Used {
        self.used
    }

    /// How training went, one record per logged step. Damaged lines are left out: see [`Self::damaged_lines`].
    pub fn history(&self) -> Result<Vec<Record>, RunError> {
        let path = self.folder.join(METRICS);
        Ok(metrics::read(&path).map_err(RunError::read(&path))?.0)
    }

    /// The lines that are missing in [`Self::history`] because nobody can read them, if there are any.
    pub fn damaged_lines(&self) -> Result<Option<Notice>, RunError> {
        let path = self.folder.join(METRICS);
        let (_, damaged) = metrics::read(&path).map_err(RunError::read(&path))?;
        let notice = |&first: &usize| Notice::DamagedLines { path, first, count: damaged.len(), aside: None };
        Ok(damaged.first().map(notice))
    }

    /// Who else trains it at this moment, and how far; `None` where nobody does.
    pub fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// What its user should know about it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
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
        Found::Whole(_) => {}
        Found::Absent => notices.push(Notice::Unchecked { path: folder.to_owned() }),
        Found::Damaged => notices.push(Notice::DamagedManifest { path: manifest::path_in(folder) }),
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

/// The experiment on the device that a checkpoint names.
fn as_trained(experiment: Experiment, header: &Header, notices: &mut Vec<Notice>) -> Experiment {
    let Header { problem, device, precision, level } = header;
    let experiment = experiment.called(problem);
    let (Ok(device), Ok(precision)) = (device.parse::<Device>(), precision.parse::<Precision>()) else {
        notices.push(Notice::OtherDevice {
            trained: format!("{device} in {precision}"),
            used: format!("{} in {}", experiment.device(), experiment.precision()),
        });
        return experiment;
    };
    let used = Level::best().to_string();
    if used != *level && device == Device::Cpu {
        notices.push(Notice::OtherLevel { trained: level.clone(), used });
    }
    experiment.on(device, precision)
}
