//! Improvements that are measured: each proposes other experiments that train the same, and the fastest one is kept.

use super::improvements::{Cores, Numbers, Threads, TileSizes};
use crate::{Experiment, TrainError};
use equation::decide::Decision;
use equation::problem::PerformanceLevel;
use std::fmt;

/// Seconds of steps that are timed of every experiment, in each round.
const SECONDS: f64 = 0.25;

/// Rounds: what else a machine does is noise in one of them, seldom in all.
const ROUNDS: usize = 3;

/// How much faster an alternative has to be. Scatter is below it.
const ENOUGH: f64 = 0.03;

/// The same training by other means.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The value of the improvement's key, as a problem file writes it.
    pub value: String,
    /// What trains so.
    pub experiment: Experiment,
}

/// Something that may make training faster, on this machine and for this problem. `level = "ultra"` measures those that
/// are built in; `ultra` and `custom` measure a user's own.
pub trait Improvement {
    /// The key of a problem file that it decides about, such as `training.precision`.
    fn key(&self) -> &str;

    /// The value of that key as the experiment is, as a problem file writes it.
    fn present(&self, experiment: &Experiment) -> String;

    /// What else to measure; none where there is nothing to choose. An improvement that changes results beyond rounding has
    /// to say so itself.
    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError>;
}

impl Experiment {
    /// The fastest of what its level has measured, with the decisions that it comes from; itself where there is nothing to choose. A
    /// decision is stated in the problem file of a run, so that nothing is measured again. Keys that the file states are left alone.
    /// Each measurement is told before it begins.
    pub fn improved(
        self,
        own: &[&dyn Improvement],
        tell: &mut dyn FnMut(&str),
    ) -> Result<Experiment, TrainError> {
        let by_time = self.problem().training.precision_by_time;
        let built_in: &[&dyn Improvement] = match self.level() {
            PerformanceLevel::Ultra => &[&Numbers, &Threads, &Cores, &TileSizes],
            PerformanceLevel::Basic | PerformanceLevel::Advanced | PerformanceLevel::Custom if by_time => {
                &[&Numbers]
            }
            PerformanceLevel::Basic | PerformanceLevel::Advanced | PerformanceLevel::Custom => &[],
        };
        let own = match self.level() {
            PerformanceLevel::Ultra | PerformanceLevel::Custom => own,
            PerformanceLevel::Basic | PerformanceLevel::Advanced => &[],
        };
        let mut best = self;
        for improvement in built_in.iter().chain(own) {
            if best.states(improvement.key()) {
                continue;
            }
            let alternatives = improvement.alternatives(&best)?;
            if alternatives.is_empty() {
                continue;
            }
            tell(&format!("measuring {}", improvement.key()));
            best = fastest(*improvement, best, alternatives);
        }
        Ok(best)
    }
}

/// How long a step of an experiment takes.
enum Timing {
    Seconds(f64),
    Failed(String),
}

/// The experiment as it is, or the alternative that is clearly faster than it and than all others.
fn fastest(improvement: &dyn Improvement, present: Experiment, alternatives: Vec<Alternative>) -> Experiment {
    let value = improvement.present(&present);
    let mut all = vec![(Alternative { value, experiment: present }, Timing::Seconds(f64::INFINITY))];
    all.extend(alternatives.into_iter().map(|one| (one, Timing::Seconds(f64::INFINITY))));
    for _ in 0..ROUNDS {
        for (alternative, timing) in &mut all {
            *timing = match (&timing, step_of(&alternative.experiment)) {
                (Timing::Seconds(before), Ok(seconds)) => Timing::Seconds(before.min(seconds)),
                (Timing::Seconds(_), Err(error)) => Timing::Failed(error),
                (Timing::Failed(error), _) => Timing::Failed(error.clone()),
            };
        }
    }
    let seconds = |timing: &Timing| match timing {
        Timing::Seconds(seconds) => *seconds,
        Timing::Failed(_) => f64::INFINITY,
    };
    let own = seconds(&all[0].1);
    let others = all.iter().enumerate().skip(1);
    let quickest = others.min_by(|one, other| seconds(&one.1.1).total_cmp(&seconds(&other.1.1)));
    let chosen = quickest.filter(|(_, (_, timing))| seconds(timing) < (1.0 - ENOUGH) * own);
    let chosen = chosen.map_or(0, |(place, _)| place);
    let told: Vec<String> = all.iter().map(|(one, timing)| format!("{} {timing}", one.value)).collect();
    let (Alternative { value, experiment }, _) = all.swap_remove(chosen);
    let why = format!("measured per step here: {}", told.join(", "));
    experiment.with_measured(Decision::new(improvement.key(), value, why))
}

/// On a thread of its own: the one that claims a machine belongs to its pool from then on.
fn step_of(experiment: &Experiment) -> Result<f64, String> {
    let measured = std::thread::scope(|scope| {
        let work = || {
            let claim = experiment.machine_use().claim();
            let seconds = experiment.seconds_of_a_step(SECONDS);
            drop(claim);
            seconds.map_err(|error| error.to_string())
        };
        scope.spawn(work).join()
    });
    measured.unwrap_or_else(|_| Err("it ended by a panic".to_owned()))
}

impl fmt::Display for Timing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timing::Seconds(seconds) => write!(formatter, "{:.4} ms", 1e3 * seconds),
            Timing::Failed(error) => write!(formatter, "failed ({error})"),
        }
    }
}
