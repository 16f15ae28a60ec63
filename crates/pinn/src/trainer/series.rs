//! Steps that a device takes by itself, many at a time: nothing but the clock depends on how many.

use super::run::{Run, explain};
use super::{Event, Settings, Sink, Snapshot};
use crate::sample::{Draw, recipe};
use crate::{Objective, TrainError};
use kernel::cuda::MemoryPlan;
use kernel::{Recipe, Visits};
use std::time::Duration;
use train::Losses;
use train::optimize::{Optimizer, Progress, rate};

/// Steps of the first series; later ones follow the clock.
const FIRST: u64 = 16;

/// No series is longer: whoever watches sees all its steps at once.
const MOST: u64 = 1 << 14;

/// A series should take about so long: long enough that its beginning and end do not count, short enough for
/// whoever waits for an answer to Ctrl-C.
const TIME: Duration = Duration::from_millis(200);

/// How a phase's steps are taken in series.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Where points come from, where the device draws them.
    recipe: Option<Recipe>,
    /// Steps of the next series.
    steps: u64,
    /// What was said about memory.
    memory: Option<MemoryPlan>,
}

/// What a series did.
pub(super) struct Taken {
    /// The losses before every step.
    pub(super) losses: Vec<Losses>,
    /// The length of every step.
    pub(super) rates: Vec<f64>,
    /// The losses that no step could be taken from.
    pub(super) refused: Option<Losses>,
}

impl Run<'_> {
    /// How to take the steps of a phase in series; `None` where device or method cannot.
    pub(super) fn ahead(
        &self,
        phase: &Settings,
        optimizer: &mut dyn Optimizer,
        objective: &mut Objective<'_>,
        now: &Snapshot,
    ) -> Option<Ahead> {
        optimizer.update()?;
        if !objective.kernel().takes_steps() {
            return None;
        }
        let drawn = !phase.adaptive && !phase.causal && phase.attention.is_none();
        let draw = Draw { interior: now.interior, ..phase.draw(self.problem, 0) };
        let recipe = if drawn { recipe(self.problem, self.plan, self.tables, draw) } else { None };
        Some(Ahead { recipe, steps: FIRST, memory: None })
    }

    /// Tells which memory a phase takes, on a device that has memory of its own; and again if that changes.
    pub(super) fn announce_memory(
        &self,
        ahead: &mut Ahead,
        phase: &Settings,
        objective: &mut Objective<'_>,
        now: &Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<(), TrainError> {
        let plan = objective.plan_memory(ahead.visits(phase, now))?;
        let share = |plan: &Option<MemoryPlan>| plan.as_ref().map(|plan| (plan.chunks, plan.blocks));
        if share(&plan) != share(&ahead.memory) {
            plan.iter().for_each(|plan| sink.event(&Event::Memory { plan }));
            ahead.memory = plan;
        }
        Ok(())
    }

    /// Takes a series of steps from where `now` stands, whose parameters and draw follow.
    pub(super) fn series(
        &mut self,
        ahead: &mut Ahead,
        phase: &Settings,
        optimizer: &mut dyn Optimizer,
        objective: &mut Objective<'_>,
        now: &mut Snapshot,
    ) -> Result<Taken, TrainError> {
        let precision = objective.kernel().precision();
        let rates = self.rates(ahead, phase, now);
        let drawn = ahead.visits(phase, now);
        let visits = |points| drawn.unwrap_or(Visits::Points(points));
        let mut losses = Vec::new();
        let begin = (self.surroundings.clock)();
        let refused = objective
            .run_steps(visits, optimizer, (&rates, phase.budget.loss), &mut now.parameters, &mut losses)
            .map_err(|refusal| explain(refusal, self.plan, precision, now.steps))?;
        let seconds = (self.surroundings.clock)() - begin;
        ahead.steps = match seconds / TIME.as_secs_f64() {
            share if share < 0.5 => (2 * ahead.steps).min(MOST),
            share if share > 2.0 => (ahead.steps / 2).max(1),
            _ => ahead.steps,
        };
        if ahead.recipe.is_some() {
            let visited = now.phase_step + losses.len() as u64 + u64::from(refused.is_some());
            now.draw += drawn_before(phase, visited) - drawn_before(phase, now.phase_step);
        }
        Ok(Taken { losses, rates, refused })
    }

    /// The lengths of the next steps, as many as nothing comes in between of.
    fn rates(&self, ahead: &Ahead, phase: &Settings, now: &Snapshot) -> Vec<f64> {
        let left = |interval: u64| interval - now.phase_step % interval;
        let budget = phase.budget;
        let mut count = ahead.steps.min(budget.steps.unwrap_or(u64::MAX) - now.phase_step);
        if budget.error.is_some() {
            count = count.min(left(phase.method.traits().steps_per_measurement));
        }
        if let (Some(interval), None) = (phase.resample, &ahead.recipe) {
            count = count.min(left(interval));
        }
        if phase.attention.is_some() {
            count = count.min(left(phase.method.traits().steps_per_look));
        }
        let progress = |step| Progress { step: now.phase_step + step, seconds: now.phase_seconds };
        (0..count).map(|step| rate(phase.learning_rate, phase.schedule, budget, progress(step))).collect()
    }
}

impl Ahead {
    /// The points of the next steps, where the device draws them.
    fn visits(&self, phase: &Settings, now: &Snapshot) -> Option<Visits<'_>> {
        self.recipe.as_ref().map(|recipe| Visits::Drawn {
            recipe,
            first: now.draw - drawn_before(phase, now.phase_step),
            interval: phase.resample,
            step: now.phase_step,
        })
    }

    /// Whether the device draws the points.
    pub(super) fn draws(&self) -> bool {
        self.recipe.is_some()
    }
}

/// Draws of fresh points in the first `steps` steps of a phase.
fn drawn_before(phase: &Settings, steps: u64) -> u64 {
    phase.resample.map_or(0, |interval| steps.saturating_sub(1) / interval)
}
