//! How the step length changes over a phase.

use method::{Budget, Schedule};

/// How far a phase has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress {
    /// Steps taken in this phase.
    pub step: u64,
    /// Seconds since it began.
    pub seconds: f64,
}

/// The step length of the next step. Where the budget counts steps it depends on nothing else, so
/// that runs repeat; where it counts seconds only, a cosine follows the clock; where it counts neither
/// the phase has no end to fall towards, and the length stays full.
pub fn rate(full: f64, schedule: Schedule, budget: Budget, progress: Progress) -> f64 {
    match schedule {
        Schedule::Constant => full,
        Schedule::Exponential { factor, steps } => {
            full * factor.powf(progress.step as f64 / steps.max(1) as f64)
        }
        Schedule::Cosine { warmup } if progress.step < warmup => {
            full * (progress.step + 1) as f64 / warmup as f64
        }
        Schedule::Cosine { warmup } => {
            let share = match (budget.steps, budget.seconds) {
                (Some(steps), _) => {
                    (progress.step - warmup) as f64 / steps.saturating_sub(warmup).max(1) as f64
                }
                (None, Some(seconds)) => progress.seconds / seconds,
                (None, None) => 0.0,
            };
            full * 0.5 * (1.0 + (std::f64::consts::PI * share.clamp(0.0, 1.0)).cos())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(schedule: Schedule, budget: Budget, step: u64, seconds: f64) -> f64 {
        rate(2.0, schedule, budget, Progress { step, seconds })
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
}
