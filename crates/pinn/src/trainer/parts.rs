//! Large sets of points that follow residuals are chosen part by part. Of each part of the draw, which lies everywhere as the whole does, so many
//! candidates are taken; nobody has all candidates, or all of their residuals, at the same time. The set follows from the draw and from the parameters
//! at which it was chosen: these are saved, and a run that goes on chooses it again. Whether it lies in memory or in a file changes no bit.

use super::adapt::{Occasion, PointMove};
use super::task::Equations;
use super::{Settings, TaskState};
use crate::TrainError;
use crate::sample::{Draw, KeptPoints, PointRoom, draw_inside, order};
use equation::counter::Stream;
use equation::problem::{Adaptive, Criterion, Priority, Sampler};
use equation::taylor::{Source, Term};
use kernel::Points;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use train::trainer::LoopFault;
use train::{PointsMoved, Snapshot};

/// Points of a part at most: their mean priority is that of all to about a percent, and their candidates take some ten megabytes.
pub(crate) const PART: usize = 1 << 16;

/// Parts at a time at most: where a device judges them, the host draws and chooses side by side.
pub(crate) const AT_A_TIME: usize = 8;

/// The family that choices within parts come from.
const PARTS: u64 = 0x5f << 56;

/// Whether so many points inside are chosen in parts in a phase: where steps visit batches, and points follow from their draw
/// and from parameters, but not from the points before them.
pub(crate) fn in_parts(settings: &Settings, interior: usize) -> bool {
    priorities(settings, interior).is_some()
}

/// By what, and how many candidates there are for each.
fn priorities(settings: &Settings, interior: usize) -> Option<(&[Priority], usize)> {
    let sampling = &settings.sampling;
    let Adaptive::Chosen { priorities, candidates } = &sampling.adaptive else { return None };
    let alone = priorities.iter().all(|priority| match priority.criterion {
        Criterion::Residual | Criterion::Gradient(_) => true,
        // It compares with the points before.
        Criterion::Uncertainty { .. } => false,
    });
    let everywhere = match sampling.sampler {
        Sampler::Sobol | Sampler::Uniform | Sampler::LatinHypercube | Sampler::Halton => true,
        // Parts of them lie beside one another.
        Sampler::Hammersley | Sampler::Grid | Sampler::Chebyshev => false,
    };
    let batches = settings.visited().is_some_and(|size| size < interior);
    let fits =
        alone && everywhere && batches && sampling.veto.is_none() && settings.residual_weights.is_none();
    (fits && interior > PART).then_some((priorities, *candidates))
}

/// Which of so many points are a part's, of as many parts as it takes.
fn bounds(interior: usize, part: usize) -> Range<usize> {
    let parts = interior.div_ceil(PART);
    let bound = |part: usize| (interior as u128 * part as u128 / parts as u128) as usize;
    bound(part)..bound(part + 1)
}

impl Equations<'_> {
    /// With room for points that follow residuals.
    #[must_use]
    pub fn keeping_points(mut self, room: PointRoom) -> Self {
        self.room = room;
        self
    }

    /// Whether the points inside are chosen in parts.
    pub(super) fn chooses_in_parts(&self) -> bool {
        in_parts(self.settings(), self.state.interior)
    }

    /// Chooses all points inside of the draw at hand; the former ones are there until that is done.
    pub(super) fn choose_in_parts(&mut self, occasion: Occasion, now: &Snapshot) -> Result<(), TrainError> {
        let interior = self.state.interior;
        // Whoever goes on chooses what was chosen before.
        let again = occasion == Occasion::First && !self.state.chosen_at.is_empty();
        let at = if again { self.state.chosen_at.clone() } else { now.parameters.clone() };
        let then = Snapshot { parameters: at, ..now.clone() };
        let mut kept = KeptPoints::begin((self.problem.domain.len(), interior), &self.room)?;
        let (mut told, count) = (Vec::new(), interior.div_ceil(PART));
        for first in (0..count).step_by(AT_A_TIME) {
            for (rows, moved) in self.parts(first..(first + AT_A_TIME).min(count), &then)? {
                kept.append(&rows)?;
                told.push(moved);
            }
        }
        if occasion == Occasion::Later {
            self.moved = Some(PointsMoved { draw: self.state.draw, points: kept.len(), ..together(&told) });
        }
        (self.state.chosen_at, self.kept) = (then.parameters, Some(Arc::new(kept)));
        Ok(())
    }

    /// Points that stand for all that a state has chosen in parts: those of the first one. `None` where it has not.
    pub(crate) fn chosen_part(&mut self, now: &Snapshot) -> Result<Option<Points>, TrainError> {
        let misfit = |cause| LoopFault::Misfit { phase: now.phase, cause };
        (self.phase, self.state) = (now.phase, TaskState::of(&now.task).map_err(misfit)?);
        if !self.chooses_in_parts() || self.state.chosen_at.is_empty() {
            return Ok(None);
        }
        let then = Snapshot { parameters: self.state.chosen_at.clone(), ..now.clone() };
        let inside = self.plan.terms.iter().position(|term| term.source == Source::Interior);
        let Some((number, term)) = inside.map(|number| (number, &self.plan.terms[number])) else {
            return Ok(None);
        };
        let mut first = KeptPoints::begin((self.problem.domain.len(), PART), &PointRoom::in_memory())?;
        for (rows, _) in self.parts(0..1, &then)? {
            first.append(&rows)?;
        }
        let mut points =
            first.completed(self.problem, term, std::slice::from_ref(&(0..first.len() as u64)))?;
        self.confine(number, &mut points);
        Ok(Some(points))
    }

    /// The points of some parts, coordinates alone, in the order of their draw: those beside one another lie everywhere.
    fn parts(
        &mut self,
        parts: Range<usize>,
        now: &Snapshot,
    ) -> Result<Vec<(Vec<f64>, PointsMoved)>, TrainError> {
        let (settings, interior, problem) = (self.settings(), self.state.interior, self.problem);
        let inside = self.plan.terms.iter().position(|term| term.source == Source::Interior);
        let (Some(number), Some((priorities, times))) = (inside, priorities(settings, interior)) else {
            return Ok(Vec::new());
        };
        let term: &Term = &self.plan.terms[number];
        let draw =
            Draw { interior: interior.saturating_mul(times), ..settings.draw(problem, self.state.draw) };
        let curriculum = self.curriculum_drawn();
        let seed = Stream::new(problem.training.seed, PARTS | number as u64).bits(self.state.draw);
        let candidates = |part: usize| -> Result<Candidates, TrainError> {
            let points = bounds(interior, part);
            let drawn = draw_inside(problem, (number, term), draw, points.start * times..points.end * times)?;
            let order = order(&problem.domain.coordinates, &drawn);
            let rows = order.iter().flat_map(|&index| drawn.row(index)).copied();
            let mut ordered = Points::from_rows(drawn.width(), rows.collect());
            if let Some(curriculum) = curriculum {
                curriculum.confine(problem, term, &mut ordered);
            }
            let chance = Stream::new(seed, part as u64);
            Ok(Candidates { drawn, order, ordered, count: points.len(), chance })
        };
        let found: Vec<Candidates> =
            parts.into_par_iter().map(candidates).collect::<Result<_, TrainError>>()?;
        let mut judged = Vec::with_capacity(found.len());
        for Candidates { drawn, order, ordered, count, chance } in found {
            let from = PointMove { number, before: None, drawn: ordered, chance, now };
            judged.push((self.judged(&from, priorities)?, drawn, order, count, chance));
        }
        let coordinates = problem.domain.len();
        let chosen = judged.into_par_iter().map(|(judged, drawn, order, count, chance)| {
            let (flags, told) = judged.choice(priorities, count, chance);
            let mut taken = vec![false; drawn.len()];
            order.iter().zip(&flags).for_each(|(&index, &flag)| taken[index] = flag);
            let rows = drawn.iter().zip(taken).filter(|(_, taken)| *taken);
            (rows.flat_map(|(row, _)| &row[..coordinates]).copied().collect(), told)
        });
        Ok(chosen.collect())
    }
}

/// Candidates of a part.
struct Candidates {
    /// As their draw has them.
    drawn: Points,
    /// Their order along a curve on which neighbours lie near one another.
    order: Vec<usize>,
    /// The same in that order, in the part of time that is trained.
    ordered: Points,
    /// How many of them are points.
    count: usize,
    chance: Stream,
}

/// What is told of a move in parts of about the same size: the largest of largest numbers, the mean of others.
fn together(parts: &[PointsMoved]) -> PointsMoved {
    let mean = |number: fn(&PointsMoved) -> Option<f64>| {
        let numbers: Vec<f64> = parts.iter().filter_map(number).collect();
        (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
    };
    PointsMoved {
        moved: parts.iter().map(|part| part.moved).sum(),
        entropy: mean(|part| part.entropy),
        mean_priority: mean(|part| part.mean_priority),
        largest_priority: parts.iter().filter_map(|part| part.largest_priority).reduce(f64::max),
        residual_before: mean(|part| part.residual_before),
        residual_after: mean(|part| part.residual_after),
        ..PointsMoved::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_points_and_none_has_too_many() {
        for interior in [PART + 1, 3 * PART, 100_000_000, 1_000_000_007] {
            let parts = interior.div_ceil(PART);
            let all: Vec<Range<usize>> = (0..parts).map(|part| bounds(interior, part)).collect();
            assert!(all[0].start == 0 && all[parts - 1].end == interior);
            assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert!(all.iter().all(|part| part.len() <= PART && part.len() >= PART / 2));
        }
    }
}
