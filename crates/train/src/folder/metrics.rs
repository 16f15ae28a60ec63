//! How training went: `metrics.jsonl`, one line per logged step, and one each time that it ended.

use super::manifest::free_name;
use super::{METRICS, Notice, RunError};
use crate::stability::{Incident, Steadiness};
use crate::{Deviation, Event, Fallback, MemoryTaken, PointsMoved, StepTaken, Stopped};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use store::write_atomically;

/// One line: a step that was logged.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Steps taken in the run, this one included.
    pub step: u64,
    /// In which stage, such as a time window, from 0.
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
    /// Of every residual before the step, in the order of `residuals` in environment.json.
    pub mean_squares: Vec<f64>,
    /// What they are multiplied with in the loss, where it is not as stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// The step's length: the rate, or for methods that find it themselves in multiples of their direction.
    pub length: f64,
    /// Points that the step visited.
    #[serde(default)]
    pub points: usize,
    /// How points moved before the step, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Box<PointsMoved>>,
    /// Seconds that the step waited for its points, where they came in batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<f64>,
    /// Seconds in which its points were drawn or chosen anew, where that was due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed: Option<f64>,
    /// How far loss and gradient before the step were from those in f64, where that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
    /// Memory of this process, as it was found last: at most about a second before the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryTaken>,
    /// For methods with a model of the loss: what was added to its curvature, in multiples of its mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// For methods with a model of the loss: the fall of the loss in multiples of the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// How steady training is, where something has happened lately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steadiness: Option<Steadiness>,
    /// Evaluations of the loss in the run.
    pub evaluations: u64,
    /// The error after the step, where it was measured; of the stages so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// What was found by then to be done by a slower path, each cause once in a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<Told>,
}

/// A slower way, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Told {
    /// What is done instead.
    pub what: String,
    /// Why, and what helps.
    pub why: String,
}

/// The line of an end: the parameters after the last step, where lines of steps tell what was before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Ended {
    /// Why: the name of a [`Stopped`].
    ended: String,
    /// Steps taken in the run.
    step: u64,
    /// At the end, over the points of the last phase.
    loss: f64,
    /// What else the task has measured.
    #[serde(flatten)]
    measured: Map<String, Value>,
}

/// Whether a step is logged anyway: all of the first thousand of a phase, every tenth of the first ten
/// thousand, and so on. By count, and not by the clock: a run that was interrupted has the same history.
fn is_logged(phase_step: u64) -> bool {
    phase_step.is_multiple_of(10u64.pow(phase_step.max(1).ilog10().saturating_sub(2)))
}

/// Whether a step is logged for the move of points before it: by the same rule, by the number of its draw.
fn is_logged_move(moved: Option<&PointsMoved>) -> bool {
    moved.is_some_and(|moved| is_logged(moved.draw))
}

/// How a run went.
#[derive(Debug)]
pub struct History {
    /// One record per logged step. A last line that was cut short is left out.
    pub records: Vec<Record>,
    /// After which step training ended, each time, and what else was measured there.
    pub ends: Vec<(u64, Map<String, Value>)>,
    /// Tells of lines that are missing because nobody can read them, if there are any.
    pub damaged: Option<Notice>,
}

impl History {
    /// Of the run in a folder.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(METRICS);
        let bytes = all_of(&path).map_err(RunError::read(&path))?;
        let (lines, damaged) = complete(&bytes);
        let (mut records, mut ends) = (Vec::new(), Vec::new());
        for (_, line) in lines {
            match line {
                MetricsLine::Step(record) => records.push(*record),
                MetricsLine::End(ended) => ends.push((ended.step, ended.measured)),
                MetricsLine::Trouble(_) => {}
            }
        }
        let notice = |&first: &usize| Notice::DamagedLines { path, first, count: damaged.len(), aside: None };
        Ok(History { records, ends, damaged: damaged.first().map(notice) })
    }
}

/// The newest line of a file that someone may be writing.
pub(super) fn newest(path: &Path) -> Option<Record> {
    let mut file = File::open(path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    complete(&bytes).0.into_iter().rev().find_map(|(_, line)| line.of_step())
}

/// Bytes from the end in which the newest line lies: a line has one number per residual.
const TAIL: u64 = 1 << 16;

fn all_of(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// The line of something that went wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Trouble {
    /// Steps taken in the run before.
    step: u64,
    /// What, and what was done about it.
    incident: Value,
}

/// What a line says.
enum MetricsLine {
    Step(Box<Record>),
    Trouble(Trouble),
    End(Ended),
}

impl MetricsLine {
    fn read(line: &[u8]) -> Option<Self> {
        let step = || serde_json::from_slice(line).ok().map(Box::new).map(MetricsLine::Step);
        let trouble = || serde_json::from_slice(line).ok().map(MetricsLine::Trouble);
        step().or_else(trouble).or_else(|| serde_json::from_slice(line).ok().map(MetricsLine::End))
    }

    /// After which step it was written.
    fn step(&self) -> u64 {
        match self {
            MetricsLine::Step(record) => record.step,
            MetricsLine::Trouble(trouble) => trouble.step,
            MetricsLine::End(ended) => ended.step,
        }
    }

    fn of_step(self) -> Option<Record> {
        match self {
            MetricsLine::Step(record) => Some(*record),
            MetricsLine::Trouble(_) | MetricsLine::End(_) => None,
        }
    }
}

/// Lines that are whole with what they say, and the numbers of lines that say nothing.
fn complete(bytes: &[u8]) -> (Vec<(&[u8], MetricsLine)>, Vec<usize>) {
    let (mut lines, mut damaged) = (Vec::new(), Vec::new());
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    for (index, line) in whole.filter(|(_, line)| line.ends_with(b"\n")) {
        match MetricsLine::read(line) {
            Some(read) => lines.push((line, read)),
            None if line.trim_ascii().is_empty() => {}
            None => damaged.push(index + 1),
        }
    }
    (lines, damaged)
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
    pending: PendingLine,
    /// Slower ways that wait for a step to be written with.
    waiting: Vec<Told>,
    /// What the lines so far, and those that wait, tell of.
    told: Vec<String>,
    /// Lines about what went wrong after the step that the run was continued from: it may go wrong again.
    troubles: Vec<Trouble>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PendingLine {
    /// It is written, or there is none.
    Nothing,
    /// It is written only if it turns out to be special.
    Perhaps,
    /// It is written when it is known whether the error is measured after it.
    Certainly,
}

impl Metrics {
    /// Continues the file after `step`: later lines are of steps that will be taken again. Damaged lines are left out;
    /// the file with them is kept, and that is told.
    pub(super) fn open(path: &Path, step: u64) -> Result<(Self, Option<Notice>), RunError> {
        let bytes = all_of(path).map_err(RunError::read(path))?;
        let (mut lines, damaged) = complete(&bytes);
        lines.retain(|(_, line)| line.step() <= step);
        let kept: Vec<u8> = lines.iter().flat_map(|(line, _)| *line).copied().collect();
        let mut notice = None;
        if let Some(&first) = damaged.first() {
            let aside = free_name(path);
            std::fs::copy(path, &aside).map_err(RunError::write(&aside))?;
            let (path, count) = (path.to_owned(), damaged.len());
            notice = Some(Notice::DamagedLines { path, first, count, aside: Some(aside) });
        }
        if kept != bytes {
            write_atomically(path, &kept).map_err(RunError::write(path))?;
        }
        let (mut told, mut ended, mut troubles) = (Vec::new(), None, Vec::new());
        for (_, line) in lines {
            match line {
                MetricsLine::Step(record) => {
                    told.extend(record.fallbacks.into_iter().map(|told| told.what));
                    ended = None;
                }
                MetricsLine::Trouble(trouble) => {
                    troubles.push(trouble);
                    ended = None;
                }
                MetricsLine::End(end) => ended = Some(end),
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(RunError::write(path))?;
        let length = kept.len() as u64;
        let (path, last, pending, waiting) =
            (path.to_owned(), Record::default(), PendingLine::Nothing, Vec::new());
        troubles.retain(|trouble: &Trouble| trouble.step == step);
        Ok((Metrics { path, file, length, ended, last, pending, waiting, told, troubles }, notice))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes note of an event of training.
    pub(super) fn note(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Step(taken) => {
                let written = self.write_certain();
                self.take(taken);
                let special = !self.last.fallbacks.is_empty()
                    || taken.deviation.is_some()
                    || is_logged_move(taken.sampling.as_deref());
                let certain = is_logged(taken.phase_step) || special;
                self.pending = if certain { PendingLine::Certainly } else { PendingLine::Perhaps };
                written
            }
            Event::Fallback(Fallback { what, why, .. }) => {
                self.tell(Told { what: what.clone(), why: why.clone() });
                Ok(())
            }
            Event::Incident(incident) => self.trouble(incident),
            Event::Measured { error, .. } => {
                self.last.error = Some(*error);
                if self.pending == PendingLine::Perhaps {
                    self.pending = PendingLine::Certainly;
                }
                Ok(())
            }
            Event::PhaseEnded { .. } => match self.pending {
                PendingLine::Nothing => Ok(()),
                PendingLine::Perhaps | PendingLine::Certainly => self.write(),
            },
            Event::Started { .. }
            | Event::StageStarted { .. }
            | Event::Balanced { .. }
            | Event::PhaseStarted { .. }
            | Event::Note(_)
            | Event::NotSaved { .. }
            | Event::Finished { .. } => Ok(()),
        }
    }

    /// Writes what went wrong, after the line of the step before.
    fn trouble(&mut self, incident: &Incident) -> io::Result<()> {
        let trouble = Trouble { step: incident.step, incident: serde_json::to_value(incident)? };
        // Where it went wrong is looked for in the first incidents of a process alone.
        let same = |known: &Trouble| {
            ["found", "action"].iter().all(|key| known.incident.get(key) == trouble.incident.get(key))
        };
        if self.troubles.iter().any(|known| known.step == trouble.step && same(known)) {
            return Ok(());
        }
        if self.pending != PendingLine::Nothing {
            self.write()?;
        }
        self.ended = None;
        self.append(serde_json::to_vec(&trouble)?)
    }

    /// Makes a step the last one.
    fn take(&mut self, taken: &StepTaken) {
        let StepTaken { stage, phase, phase_step, step, losses, weights, trust, .. } = taken;
        self.last.mean_squares.clone_from(&losses.mean_squares);
        self.last.weights.clone_from(weights);
        (self.last.step, self.last.window) = (*step, *stage);
        (self.last.phase, self.last.phase_step) = (*phase, *phase_step);
        (self.last.seconds, self.last.loss, self.last.error) = (taken.seconds, losses.total, None);
        (self.last.length, self.last.evaluations) = (taken.length, taken.evaluations);
        (self.last.points, self.last.damping) = (taken.points, trust.map(|trust| trust.damping));
        (self.last.waited, self.last.renewed) = (taken.waited, taken.renewed);
        self.last.gain = trust.map(|trust| trust.gain);
        self.last.steadiness = taken.steadiness;
        self.last.deviation = taken.deviation;
        self.last.memory = taken.memory.or(self.last.memory);
        self.last.sampling.clone_from(&taken.sampling);
        self.last.fallbacks = std::mem::take(&mut self.waiting);
    }

    /// Takes a slower way into the line of the last step, or of the next where that one is written. Runs that go on tell of it
    /// again: the history has it once.
    fn tell(&mut self, told: Told) {
        if self.told.contains(&told.what) {
            return;
        }
        self.told.push(told.what.clone());
        if self.pending == PendingLine::Nothing {
            self.waiting.push(told);
        } else {
            self.last.fallbacks.push(told);
            self.pending = PendingLine::Certainly;
        }
    }

    /// Takes note of how training ended. A run that is continued and takes no step ends as it did before.
    pub(super) fn end(
        &mut self,
        stopped: Stopped,
        (step, loss): (u64, f64),
        measured: Map<String, Value>,
    ) -> io::Result<()> {
        let ended = Ended { ended: stopped.name().to_owned(), step, loss, measured };
        if self.ended.as_ref() == Some(&ended) {
            return Ok(());
        }
        self.append(serde_json::to_vec(&ended)?)?;
        self.ended = Some(ended);
        self.file.sync_data()
    }

    /// What else was measured where training ended last, if that was after so many steps.
    pub(super) fn measured(&self, step: u64) -> Option<&Map<String, Value>> {
        self.ended.as_ref().filter(|ended| ended.step == step).map(|ended| &ended.measured)
    }

    /// Puts all lines so far onto the disk.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.write_certain()?;
        self.file.sync_data()
    }

    fn write_certain(&mut self) -> io::Result<()> {
        if self.pending == PendingLine::Certainly { self.write() } else { Ok(()) }
    }

    /// Writes the last step in one piece.
    fn write(&mut self) -> io::Result<()> {
        self.pending = PendingLine::Nothing;
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
        let text = format!("{line}\nnonsense\n{{}}\n{line}\n\n{line}");
        let (lines, damaged) = complete(text.as_bytes());
        let read: Vec<Record> = lines.into_iter().filter_map(|(_, line)| line.of_step()).collect();
        assert_eq!((read, damaged), (vec![record.clone(), record], vec![2, 3]));
    }

    #[test]
    fn a_slower_way_stands_in_one_line_of_a_run_however_often_it_goes_on() {
        let folder = std::env::temp_dir().join(format!("pinnace-metrics-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join(METRICS);
        let losses = crate::Losses { total: 1.0, mean_squares: vec![1.0], weights: vec![1.0] };
        let step = |step: u64| {
            Event::Step(StepTaken { phase_step: step, step, losses: losses.clone(), ..StepTaken::default() })
        };
        let slower = |what: &str| {
            let [cause, what, why] = [what; 3].map(str::to_owned);
            Fallback { cause, what, why }
        };
        let (early, late) = (slower("layers"), slower("equations"));
        for first in [1, 3] {
            let (mut metrics, _) = Metrics::open(&path, first - 1).expect("it can be written");
            metrics.note(&Event::Fallback(early.clone())).expect("written");
            metrics.note(&step(first)).expect("written");
            metrics.note(&step(first + 1)).expect("written");
            metrics.note(&Event::Fallback(late.clone())).expect("written");
            metrics.flush().expect("written");
        }
        let told: Vec<Vec<String>> = History::read(&folder)
            .expect("it is there")
            .records
            .into_iter()
            .map(|record| record.fallbacks.into_iter().map(|told| told.what).collect())
            .collect();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(told, [vec![early.what], vec![late.what], Vec::new(), Vec::new()]);
    }
}
