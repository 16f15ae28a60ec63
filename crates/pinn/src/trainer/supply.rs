//! Points for training: fresh ones, where they are needed, and more of them when they are too few.

use super::adapt::Occasion;
use super::task::Equations;
use super::{Curriculum, GeneralisationGap, Settings};
use crate::TrainError;
use crate::sample::{Draw, candidates, draw, draw_part};
use crate::table::Tables;
use equation::problem::{Adaptive, Problem};
use equation::taylor::Plan;
use kernel::Points;
use train::optimize::{Optimizer, StepOutcome, Trust};
use train::{Refusal, Snapshot};

/// Losses at fresh points may be this much larger than at those that a step was made for.
const MOST_STRAIN: f64 = 2.5;

/// The same where losses at fresh points hardly fall any more.
const MOST_STRAIN_WHEN_SLOW: f64 = 1.2;

/// How much of the strain each step renews.
const RENEWAL: f64 = 0.2;

/// By which factor points grow.
const GROWTH: f64 = 1.5;

/// Steps that a stated time must have room for after points have grown: fewer do not gain by it what they cost.
const LEAST_STEPS: f64 = 30.0;

/// A draw, and what of it is wanted inside.
pub(super) type WantedDraw = (Draw, Inside);

/// What is drawn inside.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Inside {
    /// The points.
    Points,
    /// So many candidates for each.
    Candidates(usize),
    /// Nothing: batches are drawn on their own.
    Nothing,
}

fn drawn(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    (wanted, inside): WantedDraw,
) -> Result<Vec<Points>, TrainError> {
    match inside {
        Inside::Candidates(per_point) => candidates(problem, plan, tables, wanted, per_point),
        Inside::Points => draw(problem, plan, tables, wanted),
        Inside::Nothing => draw_part(problem, plan, tables, wanted, 0..0),
    }
}

impl Equations<'_> {
    /// Gives the objective the points of the draw at hand. A function of that draw, the number
    /// of points and, where points follow what training leaves, of parameters and of the points before.
    pub(super) fn supply(&mut self, now: &Snapshot, occasion: Occasion) -> Result<(), TrainError> {
        let wanted = self.wanted(self.state.draw, occasion);
        self.supply_of(now, occasion, wanted)
    }

    /// The same but for those inside, where the device draws them.
    pub(super) fn supply_device(&mut self, now: &Snapshot) -> Result<(), TrainError> {
        let (draw, inside) = self.wanted(self.state.draw, Occasion::Later);
        let inside = if self.draws_inside_only() { Inside::Nothing } else { inside };
        self.supply_of(now, Occasion::Later, (draw, inside))
    }

    fn supply_of(
        &mut self,
        now: &Snapshot,
        occasion: Occasion,
        wanted: WantedDraw,
    ) -> Result<(), TrainError> {
        let causal = self.settings().sampling.causal;
        let mut sets = match self.drawn.take() {
            Some((before, sets)) if before == wanted => sets,
            Some(_) | None => drawn(self.problem, self.plan, self.tables, wanted)?,
        };
        if let Some(take_over) = self.before {
            sets.iter_mut().enumerate().try_for_each(|(term, points)| take_over(term, points))?;
        }
        if causal {
            // Who goes on has the points of a draw that is over, from when less of time had its turn.
            let before = self.state.drawn_part.filter(|_| occasion == Occasion::First);
            self.state.drawn_part = Some(before.unwrap_or(self.state.curriculum.part));
            sets.iter_mut().enumerate().for_each(|(number, points)| self.confine(number, points));
        }
        if self.chooses_in_parts() {
            self.choose_in_parts(occasion, now)?;
        } else {
            self.kept = None;
            self.state.chosen_at.clear();
            self.adapt(&mut sets, occasion, now)?;
        }
        self.objective.set_points(sets);
        self.keep_all();
        self.supplied = self.state.draw;
        self.inside_elsewhere = wanted.1 == Inside::Nothing && !self.draws_batches() && self.kept.is_none();
        Ok(())
    }

    /// Moves points of a term to the part of time that the draw at hand is from.
    pub(super) fn confine(&self, number: usize, points: &mut Points) {
        if let Some(curriculum) = self.curriculum_drawn() {
            curriculum.confine(self.problem, &self.plan.terms[number], points);
        }
    }

    /// The part of time that the draw at hand is from, where it is not known to be all.
    pub(super) fn curriculum_drawn(&self) -> Option<Curriculum> {
        self.state.drawn_part.map(|part| Curriculum { part, ..self.state.curriculum })
    }

    /// The points, or candidates for them, of a draw.
    fn wanted(&self, number: u64, occasion: Occasion) -> WantedDraw {
        let settings = self.settings();
        let wanted = Draw { interior: self.state.interior, ..settings.draw(self.problem, number) };
        let inside = match (&settings.sampling.adaptive, occasion) {
            _ if self.draws_batches() || self.chooses_in_parts() => Inside::Nothing,
            // There is nothing to add to.
            (Adaptive::Added { .. }, Occasion::First) => Inside::Points,
            (adaptive, Occasion::First | Occasion::Later) => {
                adaptive.candidates().map_or(Inside::Points, Inside::Candidates)
            }
        };
        (wanted, inside)
    }

    /// Whether fresh points are due after so many steps of the phase.
    pub(super) fn is_due(&self, step: u64) -> bool {
        step > 0 && self.settings().resample.is_some_and(|interval| step.is_multiple_of(interval))
    }

    /// Takes a step. While a device is busy with it, the CPU draws the points of the next.
    pub(super) fn step_and_draw<'step>(
        &'step mut self,
        optimizer: &'step mut dyn Optimizer,
        now: &mut Snapshot,
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let is_due = self.is_due(now.phase_step + 1) && !self.is_tight();
        if !(is_due && self.objective.kernel().solves_equations()) {
            return optimizer.step(self.objective, &mut now.parameters, rate);
        }
        let wanted = self.wanted(self.state.draw + 1, Occasion::Later);
        let (problem, plan, tables) = (self.problem, self.plan, self.tables);
        let (objective, ahead) = (&mut *self.objective, &mut self.drawn);
        rayon::in_place_scope(|scope| {
            // An error comes back when the points are wanted.
            scope.spawn(|_| *ahead = drawn(problem, plan, tables, wanted).ok().map(|sets| (wanted, sets)));
            optimizer.step(objective, &mut now.parameters, rate)
        })
    }

    /// Takes note of how well the last step's points stood for all others, and asks for more where they
    /// did not: of the next draw. The step took so many seconds.
    pub(super) fn watch_points(&mut self, now: &mut Snapshot, trust: Option<Trust>, took: f64) {
        let Some(Trust { after, .. }) = trust else { return self.march(now) };
        let settings: &Settings = &self.phases[self.phase];
        let causal = settings.sampling.causal;
        let state = &mut self.state;
        let GeneralisationGap { after: before, mut mean } = state.gap;
        // While time still grows, losses rise for that reason.
        let all_of_time = !causal || state.curriculum.part >= 1.0;
        let slow = all_of_time && now.pace.note(now.loss);
        if settings.resample == Some(1) && all_of_time && before > 0.0 && now.loss > 0.0 {
            mean += RENEWAL * ((now.loss / before).ln() - mean);
            let most: f64 = if slow { MOST_STRAIN_WHEN_SLOW } else { MOST_STRAIN };
            let left = settings.budget.seconds.map_or(f64::INFINITY, |seconds| seconds - now.phase_seconds);
            let affordable = left >= LEAST_STEPS * GROWTH * took;
            let grows = state.interior < settings.most_points && !settings.sampling.adaptive.grows();
            if mean > most.ln() && grows && affordable {
                let more = (GROWTH * state.interior as f64) as usize + 1;
                state.interior = more.min(settings.most_points);
                (mean, now.pace.flat) = (0.0, 0);
            }
        }
        state.gap = GeneralisationGap { after, mean };
        if causal {
            if state.curriculum.part < 1.0 {
                now.descent.widen();
            }
            let over = settings.budget.seconds.map_or(0.0, |seconds| now.phase_seconds / seconds);
            state.curriculum.advance(now.loss, settings.budget.steps, over);
            now.scope = state.curriculum.part;
        }
    }

    /// Goes on in time by the budget alone, with methods that do not tell how far their steps are to be trusted: a loss that is low
    /// for a moment says little about theirs.
    fn march(&mut self, now: &mut Snapshot) {
        let settings: &Settings = &self.phases[self.phase];
        if !settings.sampling.causal {
            return;
        }
        let curriculum = &mut self.state.curriculum;
        if curriculum.part < 1.0 {
            now.descent.widen();
        }
        let over = settings.budget.seconds.map_or(0.0, |seconds| now.phase_seconds / seconds);
        curriculum.advance_by_budget(settings.budget.steps, over);
        now.scope = curriculum.part;
    }
}
