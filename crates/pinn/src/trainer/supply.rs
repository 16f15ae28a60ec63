//! Points for training: fresh ones, where they are needed, and more of them when they are too few.

use super::run::Run;
use super::{Settings, Snapshot, Strain};
use crate::sample::{Draw, candidates, choose, draw};
use crate::table::Tables;
use crate::{Objective, TrainError};
use equation::counter::Stream;
use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use kernel::Points;
use train::Refusal;
use train::optimize::{Optimizer, StepOutcome, Trust};

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

/// The family that the choices among candidates come from.
const CHANCES: u64 = 0x5c << 56;

type Way = fn(&Problem, &Plan, &Tables, Draw) -> Result<Vec<Points>, TrainError>;

impl Run<'_> {
    /// Gives the objective the points of the snapshot's draw. A function of the snapshot's draw, number
    /// of points and, where points gather at large residuals, parameters.
    pub(super) fn supply(
        &mut self,
        settings: &Settings,
        objective: &mut Objective<'_>,
        now: &Snapshot,
    ) -> Result<(), TrainError> {
        let wanted = self.wanted(settings, now, now.draw);
        let mut sets = match self.drawn.take() {
            Some((drawn, sets)) if drawn == wanted => sets,
            Some(_) | None => self.way(settings)(self.problem, self.plan, self.tables, wanted)?,
        };
        if let Some(take_over) = self.surroundings.before {
            sets.iter_mut().enumerate().try_for_each(|(term, points)| take_over(term, points))?;
        }
        if settings.causal {
            let terms = self.plan.terms.iter().zip(&mut sets);
            terms.for_each(|(term, points)| now.march.confine(self.problem, term, points));
        }
        if settings.adaptive {
            let seed = Stream::new(self.problem.training.seed, CHANCES).bits(now.draw);
            for (number, (term, points)) in self.plan.terms.iter().zip(&mut sets).enumerate() {
                if term.source == Source::Interior {
                    let mut residuals = vec![0.0; points.len() * term.residuals.len()];
                    objective.kernel().residuals(number, points, &now.parameters, &mut residuals)?;
                    let moment = (objective.kernel().precision(), now.steps);
                    self.refuse_bad(number, points, &residuals, moment)?;
                    *points = choose(points, &residuals, now.interior, Stream::new(seed, number as u64));
                }
            }
        }
        objective.set_points(sets);
        Ok(())
    }

    /// The points, or candidates for them, of a draw.
    fn wanted(&self, settings: &Settings, now: &Snapshot, number: u64) -> Draw {
        Draw { interior: now.interior, ..settings.draw(self.problem, number) }
    }

    /// How they are drawn.
    fn way(&self, settings: &Settings) -> Way {
        if settings.adaptive { candidates } else { draw }
    }

    /// Takes a step. While a device is busy with it, the processor draws the points of the next.
    pub(super) fn step<'step>(
        &mut self,
        settings: &Settings,
        optimizer: &'step mut dyn Optimizer,
        objective: &'step mut Objective<'_>,
        now: &mut Snapshot,
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let due = settings.resample.is_some_and(|interval| (now.phase_step + 1).is_multiple_of(interval));
        if !(due && objective.kernel().solves_equations()) {
            return optimizer.step(objective, &mut now.parameters, rate);
        }
        let wanted = self.wanted(settings, now, now.draw + 1);
        let way = self.way(settings);
        let (problem, plan, tables, drawn) = (self.problem, self.plan, self.tables, &mut self.drawn);
        rayon::in_place_scope(|scope| {
            // An error comes back when the points are wanted.
            scope.spawn(|_| *drawn = way(problem, plan, tables, wanted).ok().map(|sets| (wanted, sets)));
            optimizer.step(objective, &mut now.parameters, rate)
        })
    }

    /// Puts points that follow from parameters of the past into the snapshot.
    pub(super) fn keep_points(&self, settings: &Settings, objective: &Objective<'_>, now: &mut Snapshot) {
        now.points = if settings.adaptive { objective.points().to_vec() } else { Vec::new() };
    }
}

impl Snapshot {
    /// Takes note of how well the last step's points stood for all others, and asks for more where they
    /// did not: of the next draw. The step took so many seconds.
    pub(super) fn watch_points(&mut self, settings: &Settings, trust: Option<Trust>, took: f64) {
        let Some(Trust { after, .. }) = trust else { return };
        let Strain { after: before, mut mean } = self.strain;
        // While time still grows, losses rise for that reason.
        let all_of_time = !settings.causal || self.march.part >= 1.0;
        let slow = all_of_time && self.pace.note(self.loss);
        if settings.resample == Some(1) && all_of_time && before > 0.0 && self.loss > 0.0 {
            mean += RENEWAL * ((self.loss / before).ln() - mean);
            let most: f64 = if slow { MOST_STRAIN_WHEN_SLOW } else { MOST_STRAIN };
            let left = settings.budget.seconds.map_or(f64::INFINITY, |seconds| seconds - self.phase_seconds);
            let affordable = left >= LEAST_STEPS * GROWTH * took;
            if mean > most.ln() && self.interior < settings.most_points && affordable {
                let more = (GROWTH * self.interior as f64) as usize + 1;
                self.interior = more.min(settings.most_points);
                (mean, self.pace.flat) = (0.0, 0);
            }
        }
        self.strain = Strain { after, mean };
        if settings.causal {
            if self.march.part < 1.0 {
                self.descent.march();
            }
            let over = settings.budget.seconds.map_or(0.0, |seconds| self.phase_seconds / seconds);
            self.march.advance(self.loss, settings.budget.steps, over);
        }
    }
}
