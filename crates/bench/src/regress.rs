//! Measurements of a committed file, taken again: what got slower beyond noise.

use super::{BenchError, IterationReport, StepReport, StepSettings, bench_iteration, bench_step};
use crate::machine;
use kernel::cuda::CompileMode;
use pinnace::{Device, Precision};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Why a file is no baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// It cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A line is not what `bench step --json` or `bench iteration --json` prints.
    #[error(
        "{path}:{line}: not what `pinnace bench step --json` or `bench iteration --json` prints: {cause}"
    )]
    Line {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        cause: serde_json::Error,
    },
    /// Nothing is measured in it.
    #[error("{path} has no measurement")]
    Empty {
        /// Which.
        path: PathBuf,
    },
}

/// One measurement of a baseline.
#[derive(Clone, Debug, Deserialize)]
pub struct BaselineLine {
    problem: String,
    points: usize,
    width: usize,
    depth: usize,
    #[serde(deserialize_with = "named")]
    device: Device,
    threads: usize,
    #[serde(default, deserialize_with = "named_or_none")]
    precision: Option<Precision>,
    #[serde(default, deserialize_with = "named_or_none")]
    compile: Option<CompileMode>,
    #[serde(default)]
    machine: Option<String>,
    loss0: f64,
    #[serde(flatten)]
    time: BaselineTime,
}

/// How long it took.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum BaselineTime {
    Step { median_ms: f64, p10_ms: f64, p90_ms: f64 },
    Iteration { training_ms: f64 },
}

fn named<'de, D: serde::Deserializer<'de>, T: std::str::FromStr>(reader: D) -> Result<T, D::Error>
where
    T::Err: std::fmt::Display,
{
    String::deserialize(reader)?.parse().map_err(serde::de::Error::custom)
}

fn named_or_none<'de, D: serde::Deserializer<'de>, T: std::str::FromStr>(
    reader: D,
) -> Result<Option<T>, D::Error>
where
    T::Err: std::fmt::Display,
{
    named(reader).map(Some)
}

/// Reads a file of one measurement per line; empty lines and those that begin with `#` are left out.
pub fn read_baseline(path: &Path) -> Result<Vec<BaselineLine>, BaselineError> {
    let text = std::fs::read_to_string(path)
        .map_err(|cause| BaselineError::Unreadable { path: path.to_owned(), cause })?;
    let written = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let read = |(number, line)| {
        serde_json::from_str(line).map_err(|cause| BaselineError::Line {
            path: path.to_owned(),
            line: number + 1,
            cause,
        })
    };
    let lines: Vec<BaselineLine> = written.map(read).collect::<Result<_, _>>()?;
    if lines.is_empty() {
        return Err(BaselineError::Empty { path: path.to_owned() });
    }
    Ok(lines)
}

/// What came of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speed {
    /// Slower than noise explains.
    Slower,
    /// As fast, within noise.
    Same,
    /// Faster than noise explains: a new baseline is worth recording.
    Faster,
}

/// One measurement beside the one that was recorded.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What was measured, in words.
    pub what: String,
    /// Milliseconds as recorded.
    pub baseline_ms: f64,
    /// Milliseconds now, the best of all rounds.
    pub now_ms: f64,
    /// Now over recorded.
    pub ratio: f64,
    /// The largest ratio that noise explains.
    pub limit: f64,
    /// What that means.
    pub speed: Speed,
    /// Rounds that were measured.
    pub rounds: usize,
    /// Whether the first loss has the recorded bits.
    pub same_loss: bool,
    /// The machine of the baseline, where it is named and another one than this.
    pub other_machine: Option<String>,
}

/// What was measured in one round.
struct Round {
    ms: f64,
    spread: f64,
    loss0: f64,
}

impl BaselineLine {
    /// Measures it again, in at most so many rounds: noise makes a round slower, never faster, so the first round within the limit
    /// ends it. `tolerance` is the share that counts as noise in any case.
    pub fn compare(&self, tolerance: f64, rounds: usize) -> Result<Comparison, BenchError> {
        let (baseline_ms, recorded_spread) = match self.time {
            BaselineTime::Step { median_ms, p10_ms, p90_ms } => {
                (median_ms, spread(p10_ms, median_ms, p90_ms))
            }
            BaselineTime::Iteration { training_ms } => (training_ms, 0.0),
        };
        let mut best = self.round()?;
        let mut taken = 1;
        let usual = 1.0 + tolerance.max(recorded_spread);
        let limit = |round: &Round| usual.max(1.0 + round.spread);
        // What a round scatters by itself excuses it only where no other was faster: a busy machine is given time.
        while best.ms > usual * baseline_ms && taken < rounds {
            let next = self.round()?;
            taken += 1;
            if next.ms < best.ms {
                best = next;
            }
        }
        let (ratio, limit) = (best.ms / baseline_ms, limit(&best));
        let speed = match ratio {
            ratio if ratio > limit => Speed::Slower,
            ratio if ratio * limit < 1.0 => Speed::Faster,
            _ => Speed::Same,
        };
        Ok(Comparison {
            what: self.to_string(),
            baseline_ms,
            now_ms: best.ms,
            ratio,
            limit,
            speed,
            rounds: taken,
            same_loss: best.loss0.to_bits() == self.loss0.to_bits(),
            other_machine: self.machine.clone().filter(|name| *name != machine::name(self.device)),
        })
    }

    fn round(&self) -> Result<Round, BenchError> {
        let settings = StepSettings {
            problem: self.problem.clone(),
            points: Some(self.points),
            width: Some(self.width),
            depth: Some(self.depth),
            device: self.device,
            precision: self.precision.unwrap_or(Precision::F64),
            memory_limit: None,
            compile: self.compile.unwrap_or_default(),
            threads: Some(self.threads),
            case: None,
        };
        Ok(match self.time {
            BaselineTime::Step { .. } => {
                let StepReport { median_ms, p10_ms, p90_ms, loss0, .. } = bench_step(&settings)?;
                Round { ms: median_ms, spread: spread(p10_ms, median_ms, p90_ms), loss0 }
            }
            BaselineTime::Iteration { .. } => {
                let IterationReport { training_ms, loss0, .. } = bench_iteration(&settings)?;
                Round { ms: training_ms, spread: 0.0, loss0 }
            }
        })
    }
}

/// Half of the width of the middle four fifths, relative to the median.
fn spread(p10: f64, median: f64, p90: f64) -> f64 {
    (p90 - p10) / median / 2.0
}

impl std::fmt::Display for BaselineLine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let BaselineLine { problem, points, width, depth, device, threads, .. } = self;
        let kind = match self.time {
            BaselineTime::Step { .. } => "step",
            BaselineTime::Iteration { .. } => "iteration",
        };
        let precision = self.precision.unwrap_or(Precision::F64);
        write!(
            formatter,
            "{kind} {problem} {width}x{depth}, {points} points, {device} {precision}, {threads} threads"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<BaselineLine, serde_json::Error> {
        serde_json::from_str(text)
    }

    const STEP: &str = r#"{"problem": "burgers", "points": 200, "width": 8, "depth": 2, "precision": "f32", "device": "cpu",
        "threads": 1, "median_ms": MEDIAN, "p10_ms": LOW, "p90_ms": HIGH, "steps": 10, "loss0": 0.5}"#;

    fn step([low, median, high]: [f64; 3]) -> BaselineLine {
        let text = STEP.replace("MEDIAN", &median.to_string()).replace("LOW", &low.to_string());
        line(&text.replace("HIGH", &high.to_string())).expect("a line")
    }

    #[test]
    fn what_takes_longer_than_recorded_is_slower_and_what_takes_less_is_faster() {
        // No machine takes a nanosecond, and none a minute.
        let slower = step([1e-6, 1e-6, 1e-6]).compare(0.05, 2).expect("a measurement");
        assert_eq!((slower.speed, slower.rounds), (Speed::Slower, 2));
        let faster = step([6e4, 6e4, 6e4]).compare(0.05, 2).expect("a measurement");
        assert_eq!((faster.speed, faster.rounds), (Speed::Faster, 1));
        assert!(!faster.same_loss && faster.other_machine.is_none());
    }

    #[test]
    fn what_a_baseline_scatters_by_is_noise() {
        let quiet = step([0.99, 1.0, 1.01]);
        let BaselineTime::Step { p10_ms, median_ms, p90_ms } = quiet.time else { panic!("a step") };
        assert!((spread(p10_ms, median_ms, p90_ms) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn lines_that_are_no_measurement_are_refused() {
        assert!(line("{}").is_err());
        assert!(line(&STEP.replace("MEDIAN", "1").replace("\"median_ms\"", "\"mean\"")).is_err());
        let text = STEP.replace("MEDIAN", "1").replace("LOW", "1").replace("HIGH", "1");
        assert!(line(&text.replace("cpu", "abacus")).is_err());
        assert!(line(&text).is_ok());
    }
}
