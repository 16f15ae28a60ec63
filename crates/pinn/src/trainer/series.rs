//! Steps that a device takes by itself: where their points come from, and which memory they take.

use super::Settings;
use super::task::Equations;
use crate::TrainError;
use crate::memory::device_note;
use crate::sample::{Draw, HostPoints, recipe};
use kernel::cuda::MemoryPlan;
use kernel::{Recipe, Visits};
use method::LossScale;
use train::optimize::Optimizer;
use train::{Event, Losses, Refusal, Sink, Snapshot};

/// How a phase's steps are taken in series.
#[derive(Debug)]
pub(super) struct Ahead {
    /// Where points come from, where the device draws them.
    recipe: Option<Recipe>,
    /// Why points that are drawn anew come from the host.
    pub(super) obstacle: Option<HostPoints>,
    /// What was said about memory.
    memory: Option<MemoryPlan>,
}

impl Equations<'_> {
    /// How to take the steps of a phase in series; `None` where device or method cannot.
    pub(super) fn ahead(&mut self, optimizer: &mut dyn Optimizer) -> Option<Ahead> {
        let (_, carried) = optimizer.update()?;
        if !self.objective.kernel().takes_steps() {
            return None;
        }
        self.objective.expect_clipping(carried.clipping.as_deref());
        let settings = self.settings();
        let still = !settings.sampling.adaptive.moves() && !settings.sampling.causal;
        let drawn = still && settings.residual_weights.is_none() && !self.visits_batches();
        let draw = Draw { interior: self.state.interior, ..settings.draw(self.problem, 0) };
        let recipe = drawn.then(|| recipe(self.problem, self.plan, self.tables, draw));
        let (recipe, obstacle) = match recipe {
            Some(Ok(recipe)) => (Some(recipe), None),
            Some(Err(obstacle)) => (None, settings.resample.map(|_| obstacle)),
            None => (None, None),
        };
        Some(Ahead { recipe, obstacle, memory: None })
    }

    /// Tells which memory a phase takes, on a device that has memory of its own; and again if that changes.
    pub(super) fn announce_memory(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<(), TrainError> {
        let plan = self.planned(now)?;
        let Some(ahead) = &mut self.ahead else { return Ok(()) };
        let share = |plan: &Option<MemoryPlan>| plan.as_ref().map(|plan| (plan.chunks, plan.blocks));
        if share(&plan) != share(&ahead.memory) {
            plan.iter().for_each(|plan| sink.event(&Event::Note(device_note(plan))));
            ahead.memory = plan;
        }
        Ok(())
    }

    /// What steps in series take there; `None` where none are taken.
    pub(super) fn planned(&mut self, now: &Snapshot) -> Result<Option<MemoryPlan>, TrainError> {
        let Some(ahead) = &self.ahead else { return Ok(None) };
        let visits = ahead.visits(&self.phases[self.phase], self.state.draw, now.phase_step);
        Ok(self.objective.plan_memory(visits)?)
    }

    /// Steps before something comes in between.
    pub(super) fn uninterrupted(&self, now: &Snapshot) -> Option<u64> {
        let (ahead, settings) = (self.ahead.as_ref()?, self.settings());
        let left = |interval: u64| interval - now.phase_step % interval;
        let fresh = settings.resample.filter(|_| !ahead.draws()).map(left);
        let weighed = settings.balance.every().map(left);
        let look = settings.residual_weights.map(|_| left(settings.method.traits().steps_per_look));
        // Each step has a batch of its own.
        let batch = self.visits_batches().then_some(1);
        let check = self.steps_to_check(now);
        let scale = self.objective.loss_scale().map(LossScale::steps_left);
        Some(
            fresh
                .into_iter()
                .chain(check)
                .chain(scale)
                .chain(weighed)
                .chain(look)
                .chain(batch)
                .min()
                .unwrap_or(u64::MAX),
        )
    }

    /// Takes a series of steps from where `now` stands, whose parameters follow.
    pub(super) fn run_series(
        &mut self,
        optimizer: &mut dyn Optimizer,
        rates: (&[f64], Option<f64>),
        now: &mut Snapshot,
        losses: &mut Vec<Losses>,
    ) -> Result<Option<Losses>, Refusal> {
        let Some(ahead) = &self.ahead else { return Err(Refusal::NoRule) };
        let settings = &self.phases[self.phase];
        let drawn = ahead.visits(settings, self.state.draw, now.phase_step);
        let visits = |points| drawn.unwrap_or(Visits::Points(points));
        let refused = self.objective.run_steps(visits, optimizer, rates, &mut now.parameters, losses)?;
        if ahead.draws() {
            let visited = now.phase_step + losses.len() as u64 + u64::from(refused.is_some());
            self.state.draw += drawn_before(settings, visited) - drawn_before(settings, now.phase_step);
        }
        Ok(refused)
    }
}

impl Ahead {
    /// The points of the next steps, after so many of the phase and at some draw, where the device draws them.
    fn visits(&self, settings: &Settings, draw: u64, step: u64) -> Option<Visits<'_>> {
        self.recipe.as_ref().map(|recipe| Visits::Drawn {
            recipe,
            first: draw - drawn_before(settings, step),
            interval: settings.resample,
            step,
        })
    }

    /// Whether the device draws the points.
    pub(super) fn draws(&self) -> bool {
        self.recipe.is_some()
    }
}

/// Draws of fresh points in the first `steps` steps of a phase.
pub(super) fn drawn_before(settings: &Settings, steps: u64) -> u64 {
    settings.resample.map_or(0, |interval| steps.saturating_sub(1) / interval)
}
