//! Steps that a device takes by itself, many at a time: nothing but the clock depends on how many.

use super::PhaseSettings;
use crate::Snapshot;
use crate::optimize::{LOOK, Progress, rate};
use crate::stability::next_kept;
use std::time::Duration;

/// Steps of the first series; later ones follow the clock.
const FIRST: u64 = 16;

/// No series is longer: whoever watches sees all its steps at once.
const MOST: u64 = 1 << 14;

/// A series should take about so long: long enough that its beginning and end do not count, short enough for
/// whoever waits for an answer to Ctrl-C.
const TIME: Duration = Duration::from_millis(200);

/// How long a series should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    pub(super) steps: u64,
}

impl Length {
    /// Of the first.
    pub(super) const START: Length = Length { steps: FIRST };

    /// Follows the seconds that the last one took.
    pub(super) fn follow(&mut self, seconds: f64) {
        self.steps = match seconds / TIME.as_secs_f64() {
            share if share < 0.5 => (2 * self.steps).min(MOST),
            share if share > 2.0 => (self.steps / 2).max(1),
            _ => self.steps,
        };
    }
}

/// The lengths of the next steps, in multiples of the stated ones: at most so many, and no more than nothing comes in between of.
pub(super) fn rates(phase: &PhaseSettings, now: &Snapshot, factor: f64, most: u64) -> Vec<f64> {
    let budget = phase.budget;
    let mut count = most.min(budget.steps.unwrap_or(u64::MAX) - now.phase_step);
    if budget.error.is_some() {
        let interval = phase.stepping.traits().steps_per_measurement;
        count = count.min(interval - now.phase_step % interval);
    }
    if phase.schedule.signal().is_some() {
        count = count.min(LOOK - now.phase_step % LOOK);
    }
    if phase.guard.restores() {
        count = count.min(next_kept(now.phase_step) - now.phase_step);
    }
    let progress = |step| Progress { step: now.phase_step + step, seconds: now.phase_seconds };
    let length = |step| factor * rate(phase.learning_rate, phase.schedule, budget, progress(step));
    (0..count).map(length).collect()
}
