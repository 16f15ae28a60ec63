//! How training went: `metrics.jsonl`, one line per logged step, and one each time that it ended.

use crate::Trained;
use crate::checkpoint::write_atomically;
use crate::trainer::Event;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One line: a step that was logged.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Steps taken in the run, this one included.
    pub step: u64,
    /// In which window of time, from 0.
    #[serde(default)]
    pub window: usize,
    /// In which phase, from 0.
    pub phase: usize,
    /// Steps taken in the phase, this one included.
    pub phase_step: u64,
    /// Since the run began.
    pub seconds: f64,
    /// Before the step.
    pub loss: f64,
    /// Of every residual before the step, in the plan's order (`residuals` in environment.json).
    pub mean_squares: Vec<f64>,
    /// What they are multiplied with in the loss, where it is not what the problem file states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// The step's length: the rate, or for methods that find it themselves in multiples of their direction.
    pub length: f64,
    /// Points that the step visited.
    #[serde(default)]
    pub points: usize,
    /// For methods with a model of the loss: what was added to its curvature, in multiples of its mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// For methods with a model of the loss: the fall of the loss in multiples of the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Evaluations of the loss in the run.
    pub evaluations: u64,
    /// The largest relative L2 error of an unknown after the step, where it was measured; over the times that
    /// were reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// The line of an end: the parameters after the last step, where lines of steps tell what was before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Ended {
    /// Why: the name of a [`Stopped`](crate::Stopped).
    ended: String,
    /// Steps taken in the run.
    step: u64,
    /// At the end, over the points of the last phase.
    loss: f64,
    /// Of every residual, in the order of `mean_squares`; null where there is nothing to compare with.
    relative_residual: Vec<Option<f64>>,
}

impl Ended {
    /// What a line says, if it is one of an end.
    fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// Whether a step is logged anyway: all of the first thousand of a phase, every tenth of the first ten
/// thousand, and so on. By count, and not by the clock: a run that was interrupted has the same history.
fn is_logged(phase_step: u64) -> bool {
    phase_step.is_multiple_of(10u64.pow(phase_step.max(1).ilog10().saturating_sub(2)))
}

/// The lines of a file. A last line that was cut short is left out.
pub(super) fn read(path: &Path) -> io::Result<Vec<Record>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(complete(&text).map(|(_, record)| record).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Lines of steps that are whole and say something, with what they say.
fn complete(text: &str) -> impl Iterator<Item = (&str, Record)> {
    whole(text).filter_map(|line| Some((line, serde_json::from_str(line).ok()?)))
}

fn whole(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter(|line| line.ends_with('\n'))
}

/// After which step a line was written.
fn step_of(line: &str) -> Option<u64> {
    let record = serde_json::from_str(line).ok().map(|record: Record| record.step);
    record.or_else(|| Ended::read(line).map(|ended| ended.step))
}

/// Writes the file.
#[derive(Debug)]
pub(super) struct Metrics {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines.
    length: u64,
    /// What the last line says, where it is of an end.
    ended: Option<Ended>,
    /// The last step, and whether it is to be written.
    last: Record,
    pending: Pending,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pending {
    /// It is written, or there is none.
    Nothing,
    /// It is written only if it turns out to be special.
    Perhaps,
    /// It is written when it is known whether the error is measured after it.
    Certainly,
}

impl Metrics {
    /// Continues the file after `step`: later lines are of steps that will be taken again.
    pub(super) fn open(path: &Path, step: u64) -> io::Result<Self> {
        let mut ended = None;
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let kept = whole(&text).filter(|line| step_of(line).is_some_and(|taken| taken <= step));
                let kept: String = kept.collect();
                ended = kept.lines().last().and_then(Ended::read);
                if kept != text {
                    write_atomically(path, kept.as_bytes())?;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        Ok(Metrics {
            path: path.to_owned(),
            file,
            length,
            ended,
            last: Record::default(),
            pending: Pending::Nothing,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes note of an event of training.
    pub(super) fn note(&mut self, event: &Event<'_>) -> io::Result<()> {
        match *event {
            Event::Step {
                window,
                phase,
                phase_step,
                step,
                losses,
                weights,
                length,
                trust,
                points,
                evaluations,
                seconds,
                ..
            } => {
                let written = self.write_certain();
                self.last.mean_squares.clone_from(&losses.mean_squares);
                self.last.weights = weights.to_vec();
                (self.last.step, self.last.window) = (step, window);
                (self.last.phase, self.last.phase_step) = (phase, phase_step);
                (self.last.seconds, self.last.loss, self.last.error) = (seconds, losses.total, None);
                (self.last.length, self.last.evaluations) = (length, evaluations);
                (self.last.points, self.last.damping) = (points, trust.map(|trust| trust.damping));
                self.last.gain = trust.map(|trust| trust.gain);
                self.pending = if is_logged(phase_step) { Pending::Certainly } else { Pending::Perhaps };
                written
            }
            Event::Measured { error, .. } => {
                self.last.error = Some(error);
                if self.pending == Pending::Perhaps {
                    self.pending = Pending::Certainly;
                }
                Ok(())
            }
            Event::PhaseEnded { .. } => match self.pending {
                Pending::Nothing => Ok(()),
                Pending::Perhaps | Pending::Certainly => self.write(),
            },
            Event::Started { .. }
            | Event::WindowStarted { .. }
            | Event::Balanced { .. }
            | Event::PhaseStarted { .. }
            | Event::Memory { .. }
            | Event::NotSaved { .. }
            | Event::Finished { .. } => Ok(()),
        }
    }

    /// Takes note of how training ended. A run that is continued and takes no step ends as it did before.
    pub(super) fn end(&mut self, trained: &Trained) -> io::Result<()> {
        let ended = Ended {
            ended: trained.stopped.name().to_owned(),
            step: trained.steps,
            loss: trained.losses.total,
            relative_residual: trained.relative_residuals.clone(),
        };
        if self.ended.as_ref() == Some(&ended) {
            return Ok(());
        }
        self.append(serde_json::to_vec(&ended)?)?;
        self.ended = Some(ended);
        self.file.sync_data()
    }

    /// Puts all lines so far onto the disk.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.write_certain()?;
        self.file.sync_data()
    }

    fn write_certain(&mut self) -> io::Result<()> {
        if self.pending == Pending::Certainly { self.write() } else { Ok(()) }
    }

    /// Writes the last step in one piece.
    fn write(&mut self) -> io::Result<()> {
        self.pending = Pending::Nothing;
        self.ended = None;
        self.append(serde_json::to_vec(&self.last)?)
    }

    fn append(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            // Half a line would spoil the next one.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_grow_with_the_logarithm_of_the_steps() {
        let count = |steps: std::ops::RangeInclusive<u64>| steps.filter(|step| is_logged(*step)).count();
        assert_eq!((count(1..=999), count(1000..=9_999), count(10_000..=99_999)), (999, 900, 900));
        assert!(is_logged(1_000_000) && !is_logged(1_000_100));
        assert!(is_logged(0));
    }

    #[test]
    fn lines_that_are_cut_short_or_foreign_are_left_out() {
        let record = Record { step: 3, loss: 0.1 + 0.2, mean_squares: vec![1e-300], ..Record::default() };
        let line = serde_json::to_string(&record).unwrap_or_default();
        let text = format!("{line}\nnonsense\n{{}}\n{line}\n{line}");
        let read: Vec<Record> = complete(&text).map(|(_, record)| record).collect();
        assert_eq!(read, [record.clone(), record]);
    }
}
