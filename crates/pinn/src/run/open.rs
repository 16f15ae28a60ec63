//! Reads a run.

use super::folder::recorded;
use crate::trust::ErrorEstimate;
use crate::{Device, Experiment, Precision, TrainError};
use linear::{ARITHMETIC, Level};
use std::path::Path;
use train::Snapshot;
use train::checkpoint::Header;
use train::folder::{History, Live, Notice, Opened, Record, RunError, Used};

/// A run as it lies on the disk: what was trained, and how far.
#[derive(Debug)]
pub struct Run {
    pub(super) experiment: Experiment,
    pub(super) opened: Opened,
    parameters: Vec<f64>,
}

impl Run {
    /// Opens the run in a folder at its newest good checkpoint, or at one of its checkpoints by the
    /// file's path. Problem, data and checkpoint are read and checked. Where training has diverged, it is the
    /// best state that was kept; [`Self::notices`] say so.
    pub fn open(path: &Path) -> Result<Run, TrainError> {
        let read = |problem: &Path| {
            let experiment = Experiment::open_file(problem, &[])?;
            let layout = experiment.layout();
            Ok::<_, TrainError>((experiment, layout))
        };
        let (experiment, mut opened) = Opened::open(path, read)?;
        let (window, windows) = (opened.snapshot.finished.len(), experiment.window_count());
        if window >= windows {
            return Err(TrainError::NoSuchWindow { window, windows });
        }
        let experiment = as_trained(experiment, &opened.header, &mut opened.notices);
        Ok(Run { experiment, parameters: opened.snapshot.solution(), opened })
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.opened.folder
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
        &self.opened.snapshot
    }

    /// Which of its states that is.
    pub fn used(&self) -> Used {
        self.opened.used
    }

    /// How training went, one record per logged step. Damaged lines are left out: see [`Self::damaged_lines`].
    pub fn history(&self) -> Result<Vec<Record>, RunError> {
        Ok(History::read(self.folder())?.records)
    }

    /// The lines that are missing in [`Self::history`] because nobody can read them, if there are any.
    pub fn damaged_lines(&self) -> Result<Option<Notice>, RunError> {
        Ok(History::read(self.folder())?.damaged)
    }

    /// How wrong it is as far as could be told when training ended where it stands now; `None` where nobody has looked.
    pub fn error_estimate(&self) -> Result<Option<ErrorEstimate>, RunError> {
        let steps = self.snapshot().steps;
        let ends = History::read(self.folder())?.ends;
        let end = ends.iter().rev().find(|(step, _)| *step == steps);
        Ok(recorded(end.map(|(_, measured)| measured)))
    }

    /// Who else trains it at this moment, and how far; `None` where nobody does.
    pub fn live(&self) -> Option<&Live> {
        self.opened.live.as_ref()
    }

    /// What its user should know about it.
    pub fn notices(&self) -> &[Notice] {
        &self.opened.notices
    }
}

/// The experiment on the device that a checkpoint names.
fn as_trained(experiment: Experiment, header: &Header, notices: &mut Vec<Notice>) -> Experiment {
    let Header { problem, device, precision, level, arithmetic } = header;
    if *arithmetic != ARITHMETIC {
        notices.push(Notice::OtherArithmetic { trained: *arithmetic, used: ARITHMETIC });
    }
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
