//! Steps that a device takes by itself: where their points come from, and which memory they take.

use super::Settings;
use super::task::Equations;
use crate::memory::device_note;
use crate::sample::{Draw, HostPoints, recipe, recipe_in_order, recipe_inside};
use crate::{SlowWay, TrainError};
use kernel::cuda::MemoryPlan;
use kernel::{EpochOrder, Recipe, Visits};
use method::LossScale;
use train::optimize::Optimizer;
use train::{Event, Losses, Refusal, Sink, Snapshot};

/// How a phase's steps are taken in series.
#[derive(Debug)]
pub(super) struct Ahead {
    /// What the device draws by itself, where it draws anything.
    drawn: Option<DrawnThere>,
    /// Why points that are drawn anew come from the host, all of them or those of conditions.
    pub(super) obstacle: Option<SlowWay>,
    /// What was said about memory.
    memory: Option<MemoryPlan>,
}

/// Points that a device draws by itself.
#[derive(Debug)]
struct DrawnThere {
    recipe: Recipe,
    /// Of a step that visits fewer, the last one of an epoch.
    last: Option<Recipe>,
    order: Option<EpochOrder>,
    /// The draw whose points of other terms the recipe has, where only those inside are drawn there.
    others_of: Option<u64>,
}

/// Which points a device is to draw.
#[derive(Clone, Copy)]
enum Extent {
    All,
    Inside,
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
        let rows_wait = self.problem.data.iter().any(|data| data.batch.is_some());
        let in_order = self.draws_batches() && !rows_wait && settings.balance.every().is_none();
        let drawn = still && settings.residual_weights.is_none() && (in_order || !self.visits_batches());
        let mut ahead = Ahead { drawn: None, obstacle: None, memory: None };
        if !drawn {
            return Some(ahead);
        }
        let obstacle = match self.drawn_there(Extent::All) {
            Ok(drawn) => {
                ahead.drawn = Some(drawn);
                return Some(ahead);
            }
            Err(obstacle) => obstacle,
        };
        // Points that stay are there already.
        let fresh = settings.resample.is_some();
        if !(fresh || in_order) {
            return Some(ahead);
        }
        let inside = match settings.balance.every() {
            None => self.drawn_there(Extent::Inside),
            // Weights are looked at with all points in the hands of the host.
            Some(_) => Err(obstacle),
        };
        ahead.obstacle = match inside {
            Ok(drawn) => {
                ahead.drawn = Some(drawn);
                fresh.then_some(SlowWay::ConditionPoints { obstacle })
            }
            Err(obstacle) if in_order => Some(SlowWay::Batches { obstacle }),
            Err(obstacle) => Some(SlowWay::Points { obstacle }),
        };
        Some(ahead)
    }

    /// What a device draws of the draw at hand, or why it cannot.
    fn drawn_there(&self, extent: Extent) -> Result<DrawnThere, HostPoints> {
        let (problem, plan, tables) = (self.problem, self.plan, self.tables);
        let draw = Draw { interior: self.state.interior, ..self.settings().draw(problem, 0) };
        let own = self.order_of_batches();
        let made = |order: Option<(usize, EpochOrder)>| match (extent, order) {
            (Extent::All, None) => recipe(problem, plan, tables, draw),
            (Extent::All, Some(order)) => recipe_in_order(problem, plan, tables, draw, order),
            (Extent::Inside, order) => {
                let order = order.map(|(_, order)| order);
                recipe_inside(problem, plan, tables, (draw, order), self.objective.points())
            }
        };
        let others_of = match extent {
            Extent::All => None,
            Extent::Inside => Some(self.state.draw),
        };
        let last = match own {
            Some((number, order)) if !order.count.is_multiple_of(order.size) => {
                Some(made(Some((number, order)))?.of_the_last_step())
            }
            Some(_) | None => None,
        };
        Ok(DrawnThere { recipe: made(own)?, last, order: own.map(|(_, order)| order), others_of })
    }

    /// Whether the device draws the batches of points inside.
    pub(super) fn draws_in_order(&self) -> bool {
        let drawn = self.ahead.as_ref().and_then(|ahead| ahead.drawn.as_ref());
        drawn.is_some_and(|drawn| drawn.order.is_some())
    }

    /// Whether the device draws points inside while all others come from the host.
    pub(super) fn draws_inside_only(&self) -> bool {
        let drawn = self.ahead.as_ref().and_then(|ahead| ahead.drawn.as_ref());
        drawn.is_some_and(|drawn| drawn.others_of.is_some())
    }

    /// Points that a step visits, where the device draws any of them.
    pub(super) fn drawn_count(&self) -> Option<usize> {
        let drawn = self.ahead.as_ref()?.drawn.as_ref()?;
        Some(drawn.recipe.point_count())
    }

    /// Gives the recipe the points of other terms, where these have changed.
    fn renew_recipe(&mut self) {
        let (now, others) = (self.state.draw, self.objective.points());
        let drawn = self.ahead.as_mut().and_then(|ahead| ahead.drawn.as_mut());
        if let Some(drawn) = drawn
            && drawn.others_of.is_some_and(|draw| draw != now)
        {
            drawn.others_of = Some(now);
            drawn.recipe = drawn.recipe.with_given(others);
            drawn.last = drawn.last.as_ref().map(|last| last.with_given(others));
        }
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
        let step = self.batch_number(now);
        let Some(ahead) = &self.ahead else { return Ok(None) };
        let visits = ahead.visits(&self.phases[self.phase], self.state.draw, step);
        Ok(self.objective.plan_memory(visits)?)
    }

    /// Steps before something comes in between.
    pub(super) fn uninterrupted(&self, now: &Snapshot) -> Option<u64> {
        let (ahead, settings) = (self.ahead.as_ref()?, self.settings());
        let left = |interval: u64| interval - now.phase_step % interval;
        let fresh = settings.resample.filter(|_| !ahead.draws()).map(left);
        let weighed = settings.balance.every().map(left);
        let look = settings.residual_weights.map(|_| left(settings.method.traits().steps_per_look));
        // Each step has a batch of its own; where the device finds them, only the last one of an epoch is different.
        let batch = match &ahead.drawn {
            Some(drawn) if drawn.order.is_some() => drawn.steps_alike(self.batch_number(now)),
            Some(_) | None => self.visits_batches().then_some(1),
        };
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
        self.renew_recipe();
        let step = self.batch_number(now);
        // Where points are renewed before that, it is another one.
        if self.looks_ahead() && !self.is_due(now.phase_step + 1) {
            // What cannot be found is asked for again when it is wanted.
            let next = self.feed.take(step + 1).unwrap_or_default();
            self.objective.kernel().bring_next(next);
        }
        let Some(ahead) = &self.ahead else { return Err(Refusal::NoRule) };
        let settings = &self.phases[self.phase];
        let drawn = ahead.visits(settings, self.state.draw, step);
        let visits = |points| drawn.unwrap_or(Visits::Points(points));
        let refused = self.objective.run_steps(visits, optimizer, rates, &mut now.parameters, losses)?;
        let next = self.objective.kernel().take_next();
        self.feed.next = (!next.is_empty()).then_some((step + 1, next));
        if ahead.draws() {
            let visited = now.phase_step + losses.len() as u64 + u64::from(refused.is_some());
            self.state.draw += drawn_before(settings, visited) - drawn_before(settings, now.phase_step);
        }
        self.feed.last_taken = step + (losses.len() as u64).saturating_sub(1);
        Ok(refused)
    }
}

impl Ahead {
    /// The points of the next steps, after so many of the phase and at some draw, where the device draws them.
    fn visits(&self, settings: &Settings, draw: u64, step: u64) -> Option<Visits<'_>> {
        let drawn = self.drawn.as_ref()?;
        let (first, interval) = match drawn.others_of {
            None => (draw.saturating_sub(drawn_before(settings, step)), settings.resample),
            // The host says when it is time for another draw.
            Some(_) => (draw, None),
        };
        Some(Visits::Drawn { recipe: drawn.recipe_of(step), first, interval, step })
    }

    /// Whether the device draws all points, and counts the draws.
    pub(super) fn draws(&self) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| drawn.others_of.is_none())
    }
}

impl DrawnThere {
    /// Steps from one on that visit as many points, where not all do.
    fn steps_alike(&self, step: u64) -> Option<u64> {
        let order = self.order.filter(|_| self.last.is_some())?;
        let steps = order.count.div_ceil(order.size) as u64;
        Some((steps - 1 - step % steps).max(1))
    }

    fn recipe_of(&self, step: u64) -> &Recipe {
        match (&self.last, self.order) {
            (Some(last), Some(order)) => {
                let steps = order.count.div_ceil(order.size) as u64;
                if step % steps == steps - 1 { last } else { &self.recipe }
            }
            _ => &self.recipe,
        }
    }
}

/// Draws of fresh points in the first `steps` steps of a phase.
pub(super) fn drawn_before(settings: &Settings, steps: u64) -> u64 {
    settings.resample.map_or(0, |interval| steps.saturating_sub(1) / interval)
}
