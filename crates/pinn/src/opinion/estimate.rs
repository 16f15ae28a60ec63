//! How an estimate is made: solutions that training passed through and a second opinion, beside the one that is judged.

use super::Trail;
use super::field::Differences;
use super::probe::{Probe, distance, norm};
use super::second::{Effort, SHARE, SecondOpinion};
use crate::evaluate::largest_relative;
use crate::trust::{Confidence, Doubt, ErrorEstimate, Evidence, OtherSolution, PARTS, UnknownEstimate};
use crate::{Experiment, TrainError, Trained};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use train::{Note, Snapshot};

/// A relative error from which on a solution is called bad, and doubtful.
const BAD: f64 = 0.05;
const DOUBTFUL: f64 = 0.01;

/// Another network that is so far away, and has residuals so small, solves the same equations.
const FAR: f64 = 0.3;
const SOLVED: f64 = 0.01;

/// Residuals between points in multiples of those at them that are worth a word.
const FEW_POINTS: f64 = 10.0;

/// A residual beside the largest term of its equation that is worth a word.
const LARGE_RESIDUAL: f64 = 0.1;

/// A move in the second half of training that is worth a word.
const STILL_MOVING: f64 = 0.05;

/// Oscillation periods in a time window that are worth a word.
const MANY_PERIODS: f64 = 3.5;

/// Numbers with fewer digits than these limit errors that matter.
const COARSE: f64 = 1e-10;

/// Tells that an estimate is made, which takes a while.
pub(crate) fn beginning() -> Note {
    let line = format!("estimating the error: a second network takes {:.0} % of the steps", 100.0 * SHARE);
    Note { kind: "trust".to_owned(), lines: vec![line], data: json!({ "share": SHARE }) }
}

/// Tells that there is none.
pub(crate) fn failure(cause: &TrainError) -> Note {
    let lines = vec![format!("no error can be estimated: {cause}")];
    Note { kind: "trust".to_owned(), lines, data: json!({ "cause": cause.to_string() }) }
}

/// A solution that is judged.
struct Judged<'run> {
    solution: &'run [f64],
    /// Of residuals in its loss.
    weights: &'run [f64],
    trained_residual: Option<f64>,
    relative_residual: Option<f64>,
    diverged: bool,
    /// What it took.
    steps: u64,
    seconds: f64,
}

impl Experiment {
    /// How wrong the end of a training is, that left a trail; `None` where someone does not want to wait for it.
    pub(crate) fn estimate(
        &self,
        trained: &Trained,
        now: &Snapshot,
        trail: &Trail<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<ErrorEstimate>, TrainError> {
        let stages: Vec<Vec<f64>> = now.finished.iter().chain([&now.parameters]).cloned().collect();
        let mut passed: Vec<(f64, Vec<f64>)> =
            PARTS.into_iter().filter_map(|part| trail.at(part, &stages)).collect();
        passed.dedup();
        let judged = Judged {
            solution: &trained.parameters,
            weights: &trained.losses.weights,
            trained_residual: Some(trained.losses.total.sqrt()).filter(|_| self.window_count() == 1),
            relative_residual: trained.relative_residual(),
            diverged: trained.descent.has_diverged(),
            steps: trained.steps,
            seconds: trained.seconds,
        };
        self.judge(&judged, &passed, Effort::Part(SHARE), stop)
    }

    /// How wrong a solution is that took so many steps and seconds, by a second opinion that gets `budget` seconds; `None` where
    /// someone did not want to wait for it.
    pub fn verify(
        &self,
        solution: &[f64],
        (steps, seconds): (u64, f64),
        budget: f64,
        stop: &AtomicBool,
    ) -> Result<Option<ErrorEstimate>, TrainError> {
        let judged = Judged {
            solution,
            weights: &self.plan().weights(),
            trained_residual: None,
            relative_residual: largest_relative(&self.relative_residuals(solution)?),
            diverged: false,
            steps,
            seconds,
        };
        self.judge(&judged, &[], Effort::Seconds(budget), stop)
    }

    fn judge(
        &self,
        judged: &Judged<'_>,
        passed: &[(f64, Vec<f64>)],
        effort: Effort,
        stop: &AtomicBool,
    ) -> Result<Option<ErrorEstimate>, TrainError> {
        let begin = Instant::now();
        let probe = Probe::new(self, judged.solution, judged.weights)?;
        let values = probe.values(self, judged.solution)?;
        let residuals = probe.residuals(self, judged.solution)?;
        let mut field = Differences { experiment: self, values: &values, last: Vec::new() };
        let mut compared =
            |part: f64, other: &Experiment, solution: &[f64], relative_residual: Option<f64>| {
                let others = probe.values(other, solution)?;
                let left = probe.residuals(other, solution)?;
                let moved = field.compare(&others);
                let (difference, residual) = (distance(&left, &residuals), norm(left.iter().copied()));
                Ok::<_, TrainError>(OtherSolution { part, moved, difference, residual, relative_residual })
            };
        let mut trail = Vec::new();
        for (part, solution) in passed {
            trail.push(compared(*part, self, solution, None)?);
        }
        let mut doubts = Vec::new();
        let second = match (judged.diverged, self.worth_a_second(judged.steps, effort)) {
            (true, _) => None,
            (false, false) => {
                doubts.push(Doubt::Short { steps: judged.steps });
                None
            }
            (false, true) => match self.second_opinion((judged.steps, judged.seconds), effort, stop) {
                Ok(SecondOpinion { experiment, trained }) => {
                    let part = trained.steps as f64 / judged.steps.max(1) as f64;
                    Some(compared(part, &experiment, &trained.parameters, trained.relative_residual())?)
                }
                Err(cause) => {
                    doubts.push(Doubt::Alone { why: cause.to_string() });
                    None
                }
            },
        };
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let problem = self.problem();
        let evidence = Evidence {
            residual: norm(residuals.iter().copied()),
            trained_residual: judged.trained_residual,
            relative_residual: judged.relative_residual,
            trail,
            second,
            epsilon: self.precision().epsilon(),
            steps: judged.steps,
            missing: problem.bare_faces.len() + problem.bare_pieces().len(),
            periods: self.periods,
            windows: self.window_count(),
        };
        let unknowns: Vec<UnknownEstimate> =
            (0..problem.unknowns.len()).map(|unknown| field.told(unknown, &evidence, &probe)).collect();
        let largest = unknowns.iter().filter_map(|unknown| unknown.relative_l2).reduce(f64::max);
        doubts.extend(found(&evidence, largest, judged.diverged));
        let trust = confidence(&doubts, largest);
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Some(ErrorEstimate { trust, doubts, unknowns, evidence, seconds }))
    }
}

/// What speaks against a solution, the likeliest cause first.
fn found(evidence: &Evidence, largest: Option<f64>, diverged: bool) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if diverged {
        doubts.push(Doubt::Diverged);
    }
    if evidence.missing > 0 {
        doubts.push(Doubt::Missing { places: evidence.missing });
    }
    if largest.is_none() {
        doubts.push(Doubt::Unseen);
    }
    if let Some(periods) =
        evidence.periods.filter(|periods| *periods > MANY_PERIODS * evidence.windows as f64)
    {
        doubts.push(Doubt::ManyPeriods { periods, windows: evidence.windows });
    }
    if let Some(trained) = evidence.trained_residual {
        let ratio = evidence.residual / trained;
        if ratio > FEW_POINTS {
            doubts.push(Doubt::FewPoints { ratio });
        }
    }
    if let Some(second) = &evidence.second {
        let difference = second.moved.iter().copied().flatten().fold(0.0, f64::max);
        if difference > FAR && second.relative_residual.is_some_and(|residual| residual < SOLVED) {
            doubts.push(Doubt::Ambiguous { difference });
        }
    }
    if let Some(relative) =
        evidence.relative_residual.filter(|relative| relative.is_nan() || *relative > LARGE_RESIDUAL)
    {
        doubts.push(Doubt::Residual { relative });
    }
    let half = evidence.trail.iter().find(|comparison| comparison.part >= 0.4);
    let moved = half.map_or(0.0, |half| half.moved.iter().copied().flatten().fold(0.0, f64::max));
    if moved > STILL_MOVING {
        doubts.push(Doubt::Moving { moved });
    }
    if evidence.epsilon > COARSE && largest.is_some_and(|error| error < 100.0 * evidence.epsilon) {
        doubts.push(Doubt::Rounding);
    }
    doubts
}

/// Whether a solution can be trusted.
fn confidence(doubts: &[Doubt], largest: Option<f64>) -> Confidence {
    let by_error = match largest {
        None => Confidence::Bad,
        Some(error) if error >= BAD => Confidence::Bad,
        Some(error) if error >= DOUBTFUL => Confidence::Doubtful,
        Some(_) => Confidence::Good,
    };
    let by_doubt = |doubt: &Doubt| match doubt {
        Doubt::Diverged | Doubt::Unseen | Doubt::Missing { .. } | Doubt::Ambiguous { .. } => Confidence::Bad,
        Doubt::Alone { .. } | Doubt::Short { .. } | Doubt::FewPoints { .. } => Confidence::Doubtful,
        Doubt::Residual { .. } | Doubt::ManyPeriods { .. } | Doubt::Moving { .. } | Doubt::Rounding => {
            Confidence::Good
        }
    };
    doubts.iter().map(by_doubt).fold(by_error, Ord::max)
}
