//! Points inside that follow what training leaves.

use super::TaskState;
use super::reset_residual_weights;
use super::task::Equations;
use super::veto::Judgement;
use crate::TrainError;
use crate::sample::{
    Cell, PriorityRange, Refinement, cell_shares, first_cells, largest, mean_square, mix, pick, refine,
    retained, shares, sizes, steepness, taken, variances,
};
use equation::counter::Stream;
use equation::problem::{Adaptive, Addition, Criterion, Priority, Steepness};
use equation::taylor::Source;
use kernel::Points;
use train::{PointsMoved, Snapshot};

/// The family that the choices among candidates come from.
const CHANCES: u64 = 0x5c << 56;

/// The family that random directions come from.
const DIRECTIONS: u64 = 0x5d << 56;

/// Whether points are the first of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Occasion {
    /// They are.
    First,
    /// Others were there before.
    Later,
}

/// What a move is made from.
pub(super) struct PointMove<'m> {
    /// Which term.
    pub(super) number: usize,
    /// The points at hand; `None` at first.
    pub(super) before: Option<&'m Points>,
    /// What the draw has: points, or candidates for them in an order in which neighbours lie near one another.
    pub(super) drawn: Points,
    /// By chance.
    pub(super) chance: Stream,
    /// At these parameters.
    pub(super) now: &'m Snapshot,
}

/// What a move has led to.
struct Moved {
    points: Points,
    told: PointsMoved,
}

/// What is known of candidates.
pub(super) struct JudgedCandidates {
    residuals: Vec<f64>,
    /// By every priority.
    sizes: Vec<Vec<f64>>,
}

impl JudgedCandidates {
    /// Which of them are so many points, and what is told of that.
    pub(super) fn choice(
        &self,
        priorities: &[Priority],
        count: usize,
        chance: Stream,
    ) -> (Vec<bool>, PointsMoved) {
        let parts = self.sizes.iter().zip(priorities);
        let parts: Vec<_> = parts.map(|(sizes, it)| shares(sizes, it.power, it.floor)).collect();
        let shares = if let [only] = &parts[..] { only.clone() } else { mix(&parts) };
        let flags = pick(&shares, count, chance);
        let first = self.sizes.first().map_or(&[][..], Vec::as_slice);
        let told = told((first, &shares), &self.residuals, &flags);
        let moved = flags.iter().filter(|taken| **taken).count();
        (flags, PointsMoved { moved, ..told })
    }
}

impl Equations<'_> {
    /// Puts points inside in place of what the draw at hand has there: a function of the draw, of the points before and of
    /// parameters.
    pub(super) fn adapt(
        &mut self,
        sets: &mut [Points],
        occasion: Occasion,
        now: &Snapshot,
    ) -> Result<(), TrainError> {
        let sampling = &self.settings().sampling;
        let inside = self.plan.terms.iter().position(|term| term.source == Source::Interior);
        let Some(number) = inside.filter(|_| sampling.adaptive.moves()) else { return Ok(()) };
        if occasion == Occasion::Later {
            // Points that stay are weighed anew.
            reset_residual_weights(self.plan, self.objective);
        }
        let before = (occasion == Occasion::Later).then(|| self.all_points(number).clone());
        let known = match self.judge(number, now)? {
            Judgement::TakenBack(kept) => {
                sets[number] = kept;
                return Ok(());
            }
            Judgement::Stands { measured } => measured,
        };
        let cells = self.state.cells.clone();
        let seed = Stream::new(self.problem.training.seed, CHANCES).bits(self.state.draw);
        let drawn = std::mem::replace(&mut sets[number], Points::new(1));
        let chance = Stream::new(seed, number as u64);
        let found = self.found(PointMove { number, before: before.as_ref(), drawn, chance, now })?;
        sets[number] = found.points;
        // A phase that is entered again, from its start, would tell of the first points another time.
        let Some(before) = before else { return Ok(()) };
        self.moved = Some(PointsMoved { draw: self.state.draw, points: sets[number].len(), ..found.told });
        self.watch_move(number, (before, cells), known, now)
    }

    fn found(&mut self, from: PointMove<'_>) -> Result<Moved, TrainError> {
        match &self.settings().sampling.adaptive {
            Adaptive::Even => Ok(Moved { points: from.drawn, told: PointsMoved::default() }),
            Adaptive::Chosen { priorities, .. } => self.chosen(&from, priorities),
            Adaptive::Added { choice, add, .. } => self.added(&from, *choice, *add),
            Adaptive::Retained => self.renewed(&from),
            &Adaptive::Cells { split, merge, .. } => self.in_cells(&from, (split, merge)),
        }
    }

    /// All points anew, by priorities.
    fn chosen(&mut self, from: &PointMove<'_>, priorities: &[Priority]) -> Result<Moved, TrainError> {
        let judged = self.judged(from, priorities)?;
        let (flags, told) = judged.choice(priorities, self.state.interior, from.chance);
        Ok(Moved { told, points: taken(&from.drawn, &flags) })
    }

    /// What candidates are judged by.
    pub(super) fn judged(
        &mut self,
        from: &PointMove<'_>,
        priorities: &[Priority],
    ) -> Result<JudgedCandidates, TrainError> {
        let residuals = self.sizes_at(from.number, &from.drawn, from.now)?;
        let mut sizes = Vec::with_capacity(priorities.len());
        for priority in priorities {
            sizes.push(match priority.criterion {
                Criterion::Residual => residuals.clone(),
                Criterion::Gradient(of) => self.steepness(from, of)?,
                Criterion::Uncertainty { damping } => {
                    let weights = &from.now.parameters[..self.plan.architecture.weight_count()];
                    let at_hand = from.before.unwrap_or(&from.drawn);
                    variances(&self.plan.architecture, weights, at_hand, &from.drawn, damping)
                }
            });
        }
        Ok(JudgedCandidates { residuals, sizes })
    }

    /// The points at hand and more, as far as there may be.
    fn added(
        &mut self,
        from: &PointMove<'_>,
        choice: Addition,
        add: Option<usize>,
    ) -> Result<Moved, TrainError> {
        /// Points that are added at a time, in parts of those at first.
        const PART: usize = 20;
        let Some(before) = from.before else {
            let (points, told) = (from.drawn.clone(), PointsMoved::default());
            return Ok(Moved { told: PointsMoved { moved: points.len(), ..told }, points });
        };
        let settings = self.settings();
        let room = settings.most_points.saturating_sub(before.len());
        let wanted = add.unwrap_or((settings.points / PART).max(1)).min(room);
        let residuals = self.sizes_at(from.number, &from.drawn, from.now)?;
        let (shares, flags) = match choice {
            Addition::Largest => (residuals.clone(), largest(&residuals, wanted)),
            Addition::ByChance { power, floor } => {
                let shares = shares(&residuals, power, floor);
                let flags =
                    if wanted == 0 { vec![false; shares.len()] } else { pick(&shares, wanted, from.chance) };
                (shares, flags)
            }
        };
        let more = taken(&from.drawn, &flags);
        let points = joined(before, &more);
        self.state.interior = points.len();
        let told = told((&residuals, &shares), &residuals, &flags);
        Ok(Moved { told: PointsMoved { moved: more.len(), ..told }, points })
    }

    /// The points at hand with large residuals, and others in place of those without.
    fn renewed(&mut self, from: &PointMove<'_>) -> Result<Moved, TrainError> {
        let count = self.state.interior;
        let Some(before) = from.before else {
            let (points, told) = (from.drawn.clone(), PointsMoved::default());
            return Ok(Moved { told: PointsMoved { moved: points.len(), ..told }, points });
        };
        let sizes = self.sizes_at(from.number, before, from.now)?;
        let stay = retained(&sizes);
        let kept = taken(before, &stay);
        // Fewer are wanted where a phase was changed.
        let wanted = count.saturating_sub(kept.len());
        let flags = match wanted {
            0 => vec![false; from.drawn.len()],
            wanted => pick(&vec![1.0; from.drawn.len()], wanted, from.chance),
        };
        let fresh = taken(&from.drawn, &flags);
        let after = self.sizes_at(from.number, &fresh, from.now)?;
        let stayed = sizes.iter().zip(&stay).filter(|(_, stay)| **stay).map(|(size, _)| *size);
        let after: Vec<f64> = stayed.chain(after).collect();
        let told = told((&sizes, &sizes), &sizes, &stay);
        let residual_after = Some(mean_square(after.into_iter()));
        Ok(Moved {
            told: PointsMoved { moved: fresh.len(), residual_after, ..told },
            points: joined(&kept, &fresh),
        })
    }

    /// All points anew, as many in each cell.
    fn in_cells(&mut self, from: &PointMove<'_>, bounds: (f64, f64)) -> Result<Moved, TrainError> {
        let coordinates = &self.problem.domain.coordinates;
        let residuals = self.sizes_at(from.number, &from.drawn, from.now)?;
        let count = self.state.interior;
        let Refinement { cells, refined, coarsened } = match self.state.cells.is_empty() {
            true => Refinement { cells: first_cells(count), refined: 0, coarsened: 0 },
            false => refine(&self.state.cells, coordinates, (&from.drawn, &residuals), bounds, count),
        };
        let shares = cell_shares(&cells, coordinates, &from.drawn);
        self.state.cells = cells;
        let flags = pick(&shares, count, from.chance);
        let points = taken(&from.drawn, &flags);
        let told = told((&residuals, &shares), &residuals, &flags);
        Ok(Moved { told: PointsMoved { moved: points.len(), refined, coarsened, ..told }, points })
    }

    /// The sizes of residuals at points of a term. Those that are no numbers are refused.
    pub(super) fn sizes_at(
        &mut self,
        number: usize,
        points: &Points,
        now: &Snapshot,
    ) -> Result<Vec<f64>, TrainError> {
        let mut residuals = vec![0.0; points.len() * self.plan.terms[number].residuals.len()];
        self.objective.kernel().residuals(number, points, &now.parameters, &mut residuals)?;
        let moment = (self.objective.kernel().precision(), now.steps);
        self.refuse_bad(number, points, &residuals, moment)?;
        Ok(sizes(&residuals, points.len()))
    }

    fn steepness(&mut self, from: &PointMove<'_>, of: Steepness) -> Result<Vec<f64>, TrainError> {
        let (number, parameters) = (from.number, &from.now.parameters);
        let (term, coordinates) = (&self.plan.terms[number], self.problem.domain.len());
        let chance =
            Stream::new(Stream::new(self.problem.training.seed, DIRECTIONS).bits(self.state.draw), 0);
        let kernel = self.objective.kernel();
        // Rounding and curvature of the function weigh about the same.
        let reach = kernel.precision().epsilon().sqrt();
        let unknowns = self.problem.unknowns.len();
        let mut values = |points: &Points| -> Result<Vec<f64>, TrainError> {
            let mut found;
            match of {
                Steepness::Residual => {
                    found = vec![0.0; points.len() * term.residuals.len()];
                    kernel.residuals(number, points, parameters, &mut found)?;
                }
                Steepness::Field => {
                    let places = points.iter().flat_map(|row| &row[..coordinates]).copied().collect();
                    found = vec![0.0; points.len() * unknowns];
                    kernel.predict(&Points::from_rows(coordinates, places), parameters, &mut found)?;
                }
            }
            Ok(found)
        };
        let given = term.given.as_ref();
        steepness(&self.problem.domain, &from.drawn, given, (reach, chance), &mut values)
    }
}

/// What is told of candidates with these priorities, shares in the chances and residuals, of which some were taken.
fn told((priorities, shares): (&[f64], &[f64]), residuals: &[f64], flags: &[bool]) -> PointsMoved {
    let range = PriorityRange::of(priorities, shares);
    let taken: Vec<f64> =
        residuals.iter().zip(flags).filter(|(_, taken)| **taken).map(|(size, _)| *size).collect();
    PointsMoved {
        entropy: Some(range.entropy),
        mean_priority: Some(range.mean),
        largest_priority: Some(range.largest),
        residual_before: Some(mean_square(residuals.iter().copied())),
        residual_after: Some(mean_square(taken.into_iter())),
        ..PointsMoved::default()
    }
}

/// Points of two sets.
fn joined(one: &Points, other: &Points) -> Points {
    let rows = one.iter().chain(other.iter()).flatten().copied();
    Points::from_rows(one.width(), rows.collect())
}

/// Points and cells before a move.
pub(super) type Before = (Points, Vec<Cell>);

impl TaskState {
    /// Puts back what was there before a move.
    pub(super) fn put_back(&mut self, (points, cells): Before, grows: bool) -> Points {
        self.cells = cells;
        if grows {
            self.interior = points.len();
        }
        points
    }
}
