//! How long steps take on this machine.

use crate::sample::PointRoom;
use crate::trainer::Equations;
use crate::{Experiment, Objective, TrainError};
use equation::problem::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use train::trainer::{Surroundings, train_phases};
use train::{Event, Sink};

/// Steps before the first that is timed: kernels are compiled in them, and memory is found.
const WARM: u64 = 2;

/// More steps than any budget of time leaves.
const MANY: u64 = 1 << 40;

impl Experiment {
    /// Seconds that a step of the first phase takes here, from steps that take `wanted` seconds together, one at least.
    pub(crate) fn seconds_of_a_step(&self, wanted: f64) -> Result<f64, TrainError> {
        let mut stage = self.stage(0)?;
        let phases = stage.phases.to_mut();
        phases.truncate(1);
        for phase in phases {
            phase.budget = Budget { steps: Some(MANY), ..Budget::default() };
            (phase.ends_by_itself, phase.ends_at_noise) = (false, false);
        }
        let mut objective = Objective::new(self.compile(&stage.plan)?, Vec::new());
        let stop = AtomicBool::new(false);
        let begin = Instant::now();
        let clock = || begin.elapsed().as_secs_f64();
        let mut watch = Watch { wanted, warm: (0, 0.0), last: (0, 0.0), stop: &stop };
        let (problem, plan) = (&*stage.problem, &*stage.plan);
        let mut task = Equations::new((problem, plan), &stage.phases, self.tables(), &mut objective)
            .with_workers(self.workers())
            .prefetching(Some(self.prefetch()))
            .keeping_points(PointRoom { bytes: self.point_memory(), ..PointRoom::default() });
        let surroundings = Surroundings { stop: &stop, clock: &clock };
        train_phases(&mut task, &mut self.start(), surroundings, &mut watch)?;
        let ((first, from), (last, until)) = (watch.warm, watch.last);
        Ok((until - from) / (last.saturating_sub(first)).max(1) as f64)
    }
}

/// Knows when steps ended, and ends training when they have taken long enough.
struct Watch<'a> {
    wanted: f64,
    /// The last step that does not count.
    warm: (u64, f64),
    last: (u64, f64),
    stop: &'a AtomicBool,
}

impl Sink for Watch<'_> {
    fn event(&mut self, event: &Event) {
        let Event::Step(taken) = event else { return };
        let now = (taken.step, taken.seconds);
        if now.0 <= WARM {
            self.warm = now;
            return;
        }
        self.last = now;
        if now.1 - self.warm.1 >= self.wanted {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
