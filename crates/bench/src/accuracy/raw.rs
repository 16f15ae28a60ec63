//! The raw file: one line of JSON per training.

use super::{AccuracySettings, Trial, TrialTask};
use crate::AccuracyError;
use pinnace::write_atomically;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The raw file of a comparison, and what it holds.
#[derive(Debug)]
pub struct RawFile {
    path: PathBuf,
    file: File,
    trials: Vec<Trial>,
}

impl RawFile {
    /// Reads the trainings of a file. Lines that are cut short are left out.
    pub fn read(path: &Path) -> Result<Vec<Trial>, AccuracyError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(cause) => Err(AccuracyError::Read { path: path.to_owned(), cause }),
        }
    }

    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, AccuracyError> {
        if path.exists() {
            return Err(AccuracyError::Taken { path: path.to_owned() });
        }
        Self::with(path, Vec::new())
    }

    /// Continues a file, which may be missing: trainings with a result stay, whatever else there is of it
    /// goes. They must have been made as the settings say.
    pub fn resume(path: &Path, settings: &AccuracySettings) -> Result<Self, AccuracyError> {
        let mut trials = Self::read(path)?;
        trials.retain(|trial| trial.failed.is_none());
        for trial in &trials {
            if let Some((key, before, now)) = difference(trial, &Trial::of(settings, &trial.task())) {
                let (path, problem) = (path.to_owned(), trial.problem.clone());
                return Err(AccuracyError::Different { path, problem, key, before, now });
            }
        }
        Self::with(path, trials)
    }

    fn with(path: &Path, trials: Vec<Trial>) -> Result<Self, AccuracyError> {
        let write = |cause| AccuracyError::Write { path: path.to_owned(), cause };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(write)?;
        }
        let lines = trials.iter().map(line).collect::<Result<Vec<_>, _>>().map_err(write)?;
        write_atomically(path, &lines.concat()).map_err(write)?;
        let file = OpenOptions::new().append(true).open(path).map_err(write)?;
        Ok(RawFile { path: path.to_owned(), file, trials })
    }

    /// Whether the file has a result of this training.
    pub fn holds(&self, task: &TrialTask) -> bool {
        self.trials.iter().any(|trial| trial.task() == *task)
    }

    /// Adds a line and puts it onto the disk.
    pub fn push(&mut self, trial: Trial) -> Result<(), AccuracyError> {
        let written = line(&trial).and_then(|line| self.file.write_all(&line));
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|cause| AccuracyError::Write { path: self.path.clone(), cause })?;
        self.trials.push(trial);
        Ok(())
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }
}

fn line(trial: &Trial) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(trial)?;
    line.push(b'\n');
    Ok(line)
}

/// What was different about an earlier training: its results would not compare.
fn difference(before: &Trial, now: &Trial) -> Option<(&'static str, String, String)> {
    let texts = |trial: &Trial| {
        [
            ("device", trial.device.clone()),
            ("precision", trial.precision.clone()),
            ("threads", trial.threads.to_string()),
            ("jobs", trial.jobs.to_string()),
            ("budget", if trial.budget.is_empty() { "its own".to_owned() } else { trial.budget.clone() }),
            ("overrides", format!("{:?}", trial.overrides)),
            ("instructions", trial.level.clone()),
            ("version", trial.pinnace.clone()),
        ]
    };
    let pairs = texts(before).into_iter().zip(texts(now));
    pairs.map(|((key, before), (_, now))| (key, before, now)).find(|(_, before, now)| before != now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pinnace::{Device, Precision};

    fn settings() -> AccuracySettings {
        AccuracySettings {
            problems: vec!["heat".to_owned()],
            optimizers: Vec::new(),
            seeds: 3,
            budget: "5 s".parse().ok(),
            overrides: Vec::new(),
            device: Device::Cpu,
            precision: Precision::F64,
            jobs: 1,
            threads: 1,
        }
    }

    #[test]
    fn results_survive_an_interruption_and_failures_are_tried_again() {
        let folder = std::env::temp_dir().join(format!("pinnace-raw-{}", std::process::id()));
        let path = folder.join("accuracy.jsonl");
        let [good, bad, open] = [0, 1, 2].map(|place| settings().tasks()[place].clone());
        let mut raw = RawFile::create(&path).expect("it can be written");
        raw.push(Trial { steps: 7, ..Trial::of(&settings(), &good) }).expect("it can be written");
        let failed = Some("it diverged".to_owned());
        raw.push(Trial { failed, ..Trial::of(&settings(), &bad) }).expect("it can be written");
        assert!(matches!(RawFile::create(&path), Err(AccuracyError::Taken { .. })));
        let text = std::fs::read_to_string(&path).expect("it can be read");
        std::fs::write(&path, format!("{text}{{\"problem\": \"heat\", \"see")).expect("it can be written");

        let again = RawFile::resume(&path, &settings()).expect("it goes on");
        assert_eq!([&good, &bad, &open].map(|task| again.holds(task)), [true, false, false]);
        assert_eq!(again.trials()[0].steps, 7);
        let slower = AccuracySettings { threads: 2, ..settings() };
        let refused = RawFile::resume(&path, &slower);
        assert!(matches!(refused, Err(AccuracyError::Different { key: "threads", .. })), "{refused:?}");
        std::fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
