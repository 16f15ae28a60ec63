//! How the step length changes over a phase: by steps and the clock here, by what training finds in `follow`.

mod follow;

pub(crate) use follow::{Follower, LOOK};

use method::{Budget, Peaks, Schedule};
use std::f64::consts::PI;

/// How far a phase has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Steps taken in this phase.
    pub step: u64,
    /// Seconds since it began.
    pub seconds: f64,
}

/// The step length of the next step, before what a schedule finds while training goes on. Where the budget counts steps it depends on
/// nothing else, so that runs repeat; where it counts seconds only, lengths that end with the phase follow the clock; where it counts
/// neither, the phase has no end to fall towards, and the length stays full.
pub fn rate(full: f64, schedule: Schedule, budget: Budget, progress: Progress) -> f64 {
    let step = progress.step as f64;
    match schedule {
        Schedule::Constant | Schedule::Plateau(_) | Schedule::Residual(_) | Schedule::GradientNorm { .. } => {
            full
        }
        Schedule::Step { factor, steps } => full * factor.powf((progress.step / steps.max(1)) as f64),
        Schedule::Exponential { factor, steps } => full * factor.powf(step / steps.max(1) as f64),
        Schedule::Cosine { warmup } if progress.step < warmup => {
            full * (progress.step + 1) as f64 / warmup as f64
        }
        Schedule::Cosine { warmup } => {
            full * falling(share(budget, progress, warmup).unwrap_or(0.0).clamp(0.0, 1.0))
        }
        Schedule::Restarts { steps, growth, least } => {
            let (position, length) = in_cycle(progress.step, steps.max(1), growth.max(1.0));
            full * between(least, falling(position as f64 / length as f64))
        }
        Schedule::Cyclical { peaks, steps, least } => {
            let half = steps.max(1);
            let (cycle, position) = (progress.step / (2 * half), progress.step % (2 * half));
            let height = 1.0 - (position as f64 / half as f64 - 1.0).abs();
            let peak = match peaks {
                Peaks::Equal => 1.0,
                Peaks::Halved => 0.5f64.powf(cycle as f64),
                Peaks::Falling(factor) => factor.powf(step),
            };
            full * between(least, peak * height)
        }
        Schedule::OneCycle { rise, start, end } => match share(budget, progress, 0) {
            None => full,
            Some(share) if share < rise => full * between(start, 1.0 - falling(share / rise)),
            Some(share) => full * between(end, falling(((share - rise) / (1.0 - rise)).min(1.0))),
        },
    }
}

/// Half a cosine, from 1 to 0.
fn falling(share: f64) -> f64 {
    0.5 * (1.0 + (PI * share).cos())
}

/// A share of the way from the least length to the full one.
fn between(least: f64, share: f64) -> f64 {
    least + (1.0 - least) * share
}

/// How much of the phase has passed, after so many steps that do not count.
fn share(budget: Budget, progress: Progress, before: u64) -> Option<f64> {
    match (budget.steps, budget.seconds) {
        (Some(steps), _) => {
            Some(progress.step.saturating_sub(before) as f64 / steps.saturating_sub(before).max(1) as f64)
        }
        (None, Some(seconds)) => Some(progress.seconds / seconds),
        (None, None) => None,
    }
}

/// Steps since the last restart, and until the next one, of cycles that grow.
fn in_cycle(step: u64, first: u64, growth: f64) -> (u64, u64) {
    if growth == 1.0 {
        return (step % first, first);
    }
    let (mut position, mut length) = (step, first);
    while position >= length {
        position -= length;
        // A cycle grows by a step at least, so that this ends soon.
        length = ((length as f64 * growth) as u64).max(length + 1);
    }
    (position, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(schedule: Schedule, budget: Budget, step: u64, seconds: f64) -> f64 {
        rate(2.0, schedule, budget, Progress { step, seconds })
    }

    fn shares<const N: usize>(schedule: Schedule, steps: [u64; N]) -> [f64; N] {
        let budget = Budget { steps: Some(100), ..Budget::default() };
        steps.map(|step| at(schedule, budget, step, 0.0) / 2.0)
    }

    fn near<const N: usize>(found: [f64; N], wanted: [f64; N]) {
        let close = found.iter().zip(&wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12);
        assert!(close, "{found:?} {wanted:?}");
    }

    #[test]
    fn an_exponential_falls_by_its_factor_every_so_many_steps() {
        let schedule = Schedule::Exponential { factor: 0.5, steps: 100 };
        assert_eq!(at(schedule, Budget::default(), 0, 0.0), 2.0);
        assert_eq!(at(schedule, Budget::default(), 200, 0.0), 0.5);
    }

    #[test]
    fn a_cosine_rises_then_falls_to_zero_at_the_end_of_its_budget() {
        let schedule = Schedule::Cosine { warmup: 10 };
        let steps = Budget { steps: Some(110), seconds: Some(1.0), ..Budget::default() };
        assert_eq!(at(schedule, steps, 4, 0.0), 1.0);
        assert_eq!(at(schedule, steps, 10, 0.0), 2.0);
        assert!((at(schedule, steps, 60, 0.9) - 1.0).abs() < 1e-15);
        assert!(at(schedule, steps, 110, 0.0).abs() < 1e-15);
        let seconds = Budget { seconds: Some(4.0), ..Budget::default() };
        assert!((at(schedule, seconds, 99, 2.0) - 1.0).abs() < 1e-15);
        let loss = Budget { loss: Some(1e-6), ..Budget::default() };
        assert_eq!(at(schedule, loss, 99, 2.0), 2.0);
    }

    #[test]
    fn steps_fall_at_once_and_cosines_start_again() {
        near(shares(Schedule::Step { factor: 0.1, steps: 10 }, [0, 9, 10, 25]), [1.0, 1.0, 0.1, 0.01]);
        let restarts = Schedule::Restarts { steps: 10, growth: 2.0, least: 0.2 };
        // Cycles of 10, 20 and 40 steps.
        near(shares(restarts, [0, 5, 10, 20, 30, 50]), [1.0, 0.6, 1.0, 0.6, 1.0, 0.6]);
        let equal = Schedule::Restarts { steps: 10, growth: 1.0, least: 0.0 };
        near(shares(equal, [0, 10, 95]), [1.0, 1.0, 0.5]);
    }

    #[test]
    fn cycles_rise_and_fall_along_lines() {
        let cyclical = |peaks| Schedule::Cyclical { peaks, steps: 10, least: 0.1 };
        near(shares(cyclical(Peaks::Equal), [0, 5, 10, 15, 20, 30]), [0.1, 0.55, 1.0, 0.55, 0.1, 1.0]);
        near(shares(cyclical(Peaks::Halved), [10, 30, 50]), [1.0, 0.55, 0.325]);
        near(shares(cyclical(Peaks::Falling(0.9)), [10]), [0.1 + 0.9 * 0.9f64.powi(10)]);
    }

    #[test]
    fn one_cycle_has_its_peak_where_it_is_stated() {
        let schedule = Schedule::OneCycle { rise: 0.25, start: 0.2, end: 0.0 };
        near(shares(schedule, [0, 25, 100, 200]), [0.2, 1.0, 0.0, 0.0]);
        assert!(shares(schedule, [12])[0] < 0.6 && shares(schedule, [13])[0] > 0.6);
        assert_eq!(at(schedule, Budget { loss: Some(1.0), ..Budget::default() }, 9, 9.0), 2.0);
    }
}
