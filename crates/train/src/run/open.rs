//! Reads a run.

use super::metrics::{self, Record};
use super::{CHECKPOINTS, METRICS, Notice, PROBLEM, RunError, Used};
use crate::checkpoint::{Fault, Header, Layout, Store};
use crate::trainer::Snapshot;
use crate::{Device, Experiment, Precision, TrainError};
use kernel::cpu::Level;
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
}

/// How often the checkpoints are looked for anew while another process replaces them.
const ATTEMPTS: usize = 20;

impl Run {
    /// Opens the run in a folder at its newest good checkpoint, or at one of its checkpoints by the
    /// file's path. Problem, data and checkpoint are read and checked. Where training has diverged, it is the
    /// best state that was kept; [`Self::notices`] say so.
    pub fn open(path: &Path) -> Result<Run, TrainError> {
        let exists = std::fs::metadata(path).map_err(RunError::read(path))?;
        let folder = if exists.is_dir() { path.to_owned() } else { folder_of(path)? };
        let problem = folder.join(PROBLEM);
        if !problem.is_file() {
            return Err(RunError::NotARun { path: path.to_owned(), missing: PROBLEM }.into());
        }
        let experiment = Experiment::open_file(&problem, &[])?;
        let mut notices = Vec::new();
        let layout = Layout::of(experiment.problem(), experiment.plan());
        let (header, snapshot, used) = if exists.is_dir() {
            let (header, newest) = newest(path, &layout, &mut notices)?;
            sound(path, &layout, (header, newest), &mut notices)
        } else {
            let named = load(path, &layout);
            let (header, snapshot) =
                named.map_err(|fault| RunError::Checkpoint { path: path.to_owned(), fault })?;
            (header, snapshot, Used::Named)
        };
        let (window, windows) = (snapshot.windows.len(), experiment.window_count());
        if window >= windows {
            return Err(TrainError::NoSuchWindow { window, windows });
        }
        let experiment = as_trained(experiment, &header, &mut notices);
        Ok(Run { folder, experiment, parameters: snapshot.solution(), snapshot, used, notices })
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

    /// How training went, one record per logged step.
    pub fn history(&self) -> Result<Vec<Record>, RunError> {
        let path = self.folder.join(METRICS);
        metrics::read(&path).map_err(RunError::read(&path))
    }

    /// What its user should know about it.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
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

/// The newest checkpoint that is good. One of a newer version ends the search: what it holds must not be
/// taken back by accident.
fn newest(folder: &Path, layout: &Layout, notices: &mut Vec<Notice>) -> Result<(Header, Snapshot), RunError> {
    let store = Store::new(folder.join(CHECKPOINTS));
    let mut bad = Vec::new();
    for _ in 0..ATTEMPTS {
        bad.clear();
        let files = match store.list() {
            Ok(files) => files,
            Err(cause) if cause.kind() == ErrorKind::NotFound => {
                return Err(RunError::NotARun { path: folder.to_owned(), missing: CHECKPOINTS });
            }
            Err(cause) => return Err(RunError::Read { path: store.folder().to_owned(), cause }),
        };
        let mut vanished = false;
        for (step, path) in files {
            match load(&path, layout) {
                Ok(loaded) => {
                    let damaged = |(path, fault)| Notice::Damaged { path, fault, step };
                    notices.extend(bad.into_iter().map(damaged));
                    return Ok(loaded);
                }
                Err(Fault::Unreadable(cause)) if cause.kind() == ErrorKind::NotFound => vanished = true,
                Err(fault @ Fault::Newer { .. }) => return Err(RunError::Checkpoint { path, fault }),
                Err(fault) => bad.push((path, fault)),
            }
        }
        if !vanished {
            break;
        }
    }
    match bad.into_iter().next() {
        Some((path, fault)) => Err(RunError::Checkpoint { path, fault }),
        None => Err(RunError::NotARun { path: folder.to_owned(), missing: "checkpoint" }),
    }
}

/// The newest state, or the best one that was kept where training has diverged since.
fn sound(
    folder: &Path,
    layout: &Layout,
    (header, newest): (Header, Snapshot),
    notices: &mut Vec<Notice>,
) -> (Header, Snapshot, Used) {
    let Some(concern) = newest.descent.concern() else { return (header, newest, Used::Newest) };
    let suspect = |step, used| Notice::Suspect { concern, newest: newest.steps, step, used };
    if newest.descent.has_diverged()
        && let Ok((best_header, best)) = load(&Store::new(folder.join(CHECKPOINTS)).best(), layout)
        && !best.descent.has_diverged()
    {
        notices.push(suspect(best.steps, Used::Best));
        return (best_header, best, Used::Best);
    }
    notices.push(suspect(newest.steps, Used::Newest));
    (header, newest, Used::Newest)
}

fn load(path: &Path, layout: &Layout) -> Result<(Header, Snapshot), Fault> {
    layout.decode(&std::fs::read(path)?)
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
