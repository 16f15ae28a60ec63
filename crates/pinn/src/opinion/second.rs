//! A second opinion: the same problem from another seed, with a part of the work. Two networks hardly ever make the same mistake.

use crate::{Experiment, TrainError, Trained};
use equation::counter::Stream;
use equation::problem::{Budget, Phase};
use std::sync::atomic::AtomicBool;
use train::Quiet;

/// The part of the steps, or of the seconds, of a training that a second opinion gets by default.
pub(super) const SHARE: f64 = 0.1;

/// The part of a time that trains, where the estimate is to be made within it: a second opinion, and as much as comparing takes.
const TRAINING: f64 = 0.87;

/// Where the seeds of second opinions come from.
const SEED: u64 = 0x7365_636f_6e64;

/// How much work a second opinion is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Effort {
    /// A part of what was spent on the solution, counted in steps where these were what was stated.
    Part(f64),
    /// So many seconds.
    Seconds(f64),
}

/// What another network found.
pub(super) struct SecondOpinion {
    pub(super) experiment: Experiment,
    pub(super) trained: Trained,
}

impl Experiment {
    /// Whether a part of the steps is enough for one in every window.
    pub(super) fn worth_a_second(&self, steps: u64, effort: Effort) -> bool {
        /// A second opinion gets at least one step in every window: of so many steps of training that is too much.
        const MOST: f64 = 1.5;
        match effort {
            Effort::Part(part) => self.window_count() as f64 <= MOST * part * steps as f64,
            Effort::Seconds(_) => true,
        }
    }

    /// Trains a network from another seed with so much effort; `trained` is what the solution at hand has taken.
    pub(super) fn second_opinion(
        &self,
        (steps, seconds): (u64, f64),
        effort: Effort,
        stop: &AtomicBool,
    ) -> Result<SecondOpinion, TrainError> {
        let problem = self.problem();
        let in_time = |phase: &Phase| {
            phase.budget.is_some_and(|budget| budget.seconds.is_some() && budget.steps.is_none())
        };
        let by_time = problem.training.steps.is_none() && problem.training.phases.iter().all(in_time);
        let phases = scaled(&problem.training.phases, |share| match effort {
            Effort::Seconds(seconds) => Budget { seconds: Some(seconds * share), ..Budget::default() },
            Effort::Part(part) if by_time => {
                Budget { seconds: Some((part * seconds * share).max(f64::MIN_POSITIVE)), ..Budget::default() }
            }
            Effort::Part(part) => {
                let steps = (part * steps as f64 * share).ceil().max(1.0);
                Budget { steps: Some(steps as u64), ..Budget::default() }
            }
        });
        let seed = Stream::new(problem.training.seed, SEED).bits(0) >> 1;
        let experiment = self.clone().reseeded(seed, phases)?;
        let trained = experiment.train(stop, &mut Quiet)?;
        Ok(SecondOpinion { experiment, trained })
    }

    /// With budgets of time that leave some for the estimate.
    pub(crate) fn leaving_time(&self) -> Experiment {
        let mut phases = self.problem().training.phases.clone();
        for phase in &mut phases {
            let shorter = |budget: Budget| Budget {
                seconds: budget.seconds.map(|seconds| TRAINING * seconds),
                ..budget
            };
            phase.budget = phase.budget.map(shorter);
        }
        let timed = phases.iter().any(|phase| phase.budget.is_some_and(|budget| budget.seconds.is_some()));
        // What is settled stays as it is where nothing has changed.
        let there = self.clone().estimating(false);
        if timed { there.in_phases(phases) } else { there }
    }
}

/// Phases with other budgets, each by its share of the whole: what their own budgets say, or else all the same.
fn scaled(phases: &[Phase], budget: impl Fn(f64) -> Budget) -> Vec<Phase> {
    let sizes: Option<Vec<f64>> = phases
        .iter()
        .map(|phase| {
            let own = phase.budget?;
            own.seconds.or(own.steps.map(|steps| steps as f64))
        })
        .collect();
    let sizes = sizes.unwrap_or_else(|| vec![1.0; phases.len()]);
    let whole: f64 = sizes.iter().sum();
    let each = phases.iter().zip(&sizes);
    each.map(|(phase, size)| Phase {
        budget: Some(budget(size / whole.max(f64::MIN_POSITIVE))),
        ..phase.clone()
    })
    .collect()
}
