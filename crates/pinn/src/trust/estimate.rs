//! How an estimate is made: solutions that training passed through and a second opinion, beside the one that is judged.

use super::calibration::{PARTS, error};
use super::doubt::Doubt;
use super::probe::{Probe, distance, norm};
use super::report::{Confidence, ErrorEstimate, Near, UnknownEstimate};
use super::second::{Effort, SHARE, SecondOpinion};
use super::signals::{Comparison, Signals};
use super::trail::Trail;
use crate::evaluate::{largest_relative, level_is_free};
use crate::{Experiment, TrainError, Trained};
use equation::oscillation::periods_in_time;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use train::{Snapshot, Stopped};

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
    /// How wrong the end of a training is, that left a trail; `None` where someone does not want to wait for it, or no step was taken.
    pub(crate) fn estimate(
        &self,
        trained: &Trained,
        now: &Snapshot,
        trail: &Trail<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<ErrorEstimate>, TrainError> {
        if trail.steps() == 0 || trained.stopped == Stopped::Interrupted {
            return Ok(None);
        }
        let stages: Vec<Vec<f64>> = now.finished.iter().chain([&now.parameters]).cloned().collect();
        let passed: Vec<(f64, Vec<f64>)> =
            PARTS.into_iter().filter_map(|part| trail.at(part, &stages)).collect();
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
        let probe = Probe::new(self, judged.weights)?;
        let values = probe.values(self, judged.solution)?;
        let residuals = probe.residuals(self, judged.solution)?;
        let mut field = Differences { experiment: self, values: &values, last: Vec::new() };
        let mut compared =
            |part: f64, other: &Experiment, solution: &[f64], relative_residual: Option<f64>| {
                let others = probe.values(other, solution)?;
                let left = probe.residuals(other, solution)?;
                let moved = field.compare(&others);
                let (difference, residual) = (distance(&left, &residuals), norm(left.iter().copied()));
                Ok::<_, TrainError>(Comparison { part, moved, difference, residual, relative_residual })
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
        let signals = Signals {
            residual: norm(residuals.iter().copied()),
            trained_residual: judged.trained_residual,
            relative_residual: judged.relative_residual,
            trail,
            second,
            epsilon: self.precision().epsilon(),
            steps: judged.steps,
            missing: problem.bare_faces.len() + problem.bare_pieces().len(),
            periods: periods_in_time(problem),
            windows: self.window_count(),
        };
        let unknowns: Vec<UnknownEstimate> =
            (0..problem.unknowns.len()).map(|unknown| field.told(unknown, &signals, &probe)).collect();
        let largest = unknowns.iter().filter_map(|unknown| unknown.relative_l2).reduce(f64::max);
        doubts.extend(found(&signals, largest, judged.diverged));
        let trust = confidence(&doubts, largest);
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Some(ErrorEstimate { trust, doubts, unknowns, signals, seconds }))
    }
}

/// How other solutions differ from the one at hand.
struct Differences<'run> {
    experiment: &'run Experiment,
    /// Of the solution at hand, by unknown.
    values: &'run [Vec<f64>],
    /// By comparison, the latest last: by unknown, at every place.
    last: Vec<Vec<Vec<f64>>>,
}

impl Differences<'_> {
    /// Takes note of another solution; its distance for every unknown.
    fn compare(&mut self, others: &[Vec<f64>]) -> Vec<Option<f64>> {
        let problem = self.experiment.problem();
        let mut differences = Vec::new();
        let mut moved = Vec::new();
        for (unknown, (own, other)) in self.values.iter().zip(others).enumerate() {
            let free = level_is_free(problem, unknown);
            let level = |values: &[f64]| match free {
                true => values.iter().sum::<f64>() / values.len() as f64,
                false => 0.0,
            };
            let [own_level, other_level] = [level(own), level(other)];
            let pairs = own.iter().zip(other);
            let difference: Vec<f64> =
                pairs.map(|(own, other)| (other - other_level) - (own - own_level)).collect();
            let size = |values: &[f64], level: f64| norm(values.iter().map(|value| value - level));
            let whole = size(own, own_level).max(size(other, other_level));
            moved.push((whole > 0.0).then(|| norm(difference.iter().copied()) / whole));
            differences.push(difference);
        }
        self.last.push(differences);
        moved
    }

    /// What is told of an unknown.
    fn told(&self, unknown: usize, signals: &Signals, probe: &Probe) -> UnknownEstimate {
        let problem = self.experiment.problem();
        let own = &self.values[unknown];
        let level = match level_is_free(problem, unknown) {
            true => own.iter().sum::<f64>() / own.len() as f64,
            false => 0.0,
        };
        let size = norm(own.iter().map(|value| value - level)) / (own.len().max(1) as f64).sqrt();
        let relative_l2 = error(signals, unknown);
        let root_mean_square = relative_l2.map(|relative| relative * size);
        let ends = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
        let range = ends.1 - ends.0;
        let peak = self.peak(unknown);
        UnknownEstimate {
            name: problem.unknowns[unknown].name.clone(),
            relative_l2,
            root_mean_square,
            of_range: root_mean_square.filter(|_| range > 0.0).map(|error| error / range),
            largest: root_mean_square.zip(peak).map(|(error, (height, _))| error * height),
            near: peak.map_or_else(Vec::new, |(_, place)| {
                let place = probe.places.row(place).iter();
                let names = problem.domain.coordinates.iter().map(|coordinate| coordinate.name.clone());
                names.zip(place).map(|(coordinate, &value)| Near { coordinate, value }).collect()
            }),
        }
    }

    /// Where the last of the trail and the second opinion differ most, in multiples of how far they do in the mean.
    fn peak(&self, unknown: usize) -> Option<(f64, usize)> {
        let chosen: Vec<(&Vec<f64>, f64)> = self
            .last
            .iter()
            .rev()
            .take(2)
            .map(|by_unknown| &by_unknown[unknown])
            .map(|own| (own, own.iter().map(|value| value * value).sum::<f64>() / own.len().max(1) as f64))
            .filter(|(_, square)| *square > 0.0 && square.is_finite())
            .collect();
        let height = |place: usize| -> f64 {
            let each = chosen.iter().map(|(values, square)| values[place] * values[place] / square);
            each.sum::<f64>() / chosen.len() as f64
        };
        let places = 0..chosen.first()?.0.len();
        places.map(|place| (height(place).sqrt(), place)).max_by(|one, other| one.0.total_cmp(&other.0))
    }
}

/// What speaks against a solution, the likeliest cause first.
fn found(signals: &Signals, largest: Option<f64>, diverged: bool) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if diverged {
        doubts.push(Doubt::Diverged);
    }
    if signals.missing > 0 {
        doubts.push(Doubt::Missing { places: signals.missing });
    }
    if largest.is_none() {
        doubts.push(Doubt::Unseen);
    }
    if let Some(periods) = signals.periods.filter(|periods| *periods > MANY_PERIODS * signals.windows as f64)
    {
        doubts.push(Doubt::ManyPeriods { periods, windows: signals.windows });
    }
    if let Some(trained) = signals.trained_residual {
        let ratio = signals.residual / trained;
        if ratio > FEW_POINTS {
            doubts.push(Doubt::FewPoints { ratio });
        }
    }
    if let Some(second) = &signals.second {
        let difference = second.moved.iter().copied().flatten().fold(0.0, f64::max);
        if difference > FAR && second.relative_residual.is_some_and(|residual| residual < SOLVED) {
            doubts.push(Doubt::Ambiguous { difference });
        }
    }
    if let Some(relative) =
        signals.relative_residual.filter(|relative| relative.is_nan() || *relative > LARGE_RESIDUAL)
    {
        doubts.push(Doubt::Residual { relative });
    }
    let half = signals.trail.iter().find(|comparison| comparison.part >= 0.4);
    let moved = half.map_or(0.0, |half| half.moved.iter().copied().flatten().fold(0.0, f64::max));
    if moved > STILL_MOVING {
        doubts.push(Doubt::Moving { moved });
    }
    if signals.epsilon > COARSE && largest.is_some_and(|error| error < 100.0 * signals.epsilon) {
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
