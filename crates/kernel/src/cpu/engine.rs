//! The engine: tiles of all terms, shared out over threads in leaves of a fixed tree.

use super::gather::{Gather, leaves};
use super::layout::TapeLayout;
use super::network::{Shared, Weights};
use super::term::TermCode;
use super::tile::{Scratch, TileSums};
use super::weights::GradientTarget;
use crate::{Points, Weighted};
use equation::taylor::Plan;
use linear::{Float, Level};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// A plan on the CPU's vector units, in f32 or f64.
#[derive(Debug)]
pub(crate) struct Cpu<T> {
    pub(super) fixed: Fixed<T>,
    pub(super) gather: Gather<T>,
    /// A direction in parameter space, packed.
    pub(super) direction: Weights<T>,
}

/// What threads read, or own one each of, while they work on tiles.
#[derive(Debug)]
pub(super) struct Fixed<T> {
    pub(super) plan: Arc<Plan>,
    level: Level,
    pub(super) layout: TapeLayout,
    /// One per term, then the prediction.
    pub(super) terms: Vec<TermCode<T>>,
    weights: Weights<T>,
    /// One per thread.
    scratch: Vec<Mutex<Scratch<T>>>,
}

/// A tile: which term, which of its points.
struct Tile {
    term: usize,
    range: Range<usize>,
}

impl<T: Float> Cpu<T> {
    pub(crate) fn new(plan: Arc<Plan>, level: Level) -> Self {
        let layout = TapeLayout::new::<T>(&plan.architecture);
        let terms: Vec<TermCode<T>> = (plan.terms.iter().chain([&plan.prediction]))
            .map(|term| TermCode::new(&plan.architecture, &layout, term))
            .collect();
        let residuals = plan.terms.iter().map(|term| term.residuals.len()).sum();
        let gather = Gather::new([layout.packed, plan.scalars.len(), residuals]);
        let weights =
            Weights { packed: vec![T::ZERO; layout.packed], transposed: vec![T::ZERO; layout.transposed] };
        let direction = weights.clone();
        let fixed = Fixed { plan, level, layout, terms, weights, scratch: Vec::new() };
        Cpu { fixed, gather, direction }
    }

    pub(crate) fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) {
        let points = over.points;
        self.fixed.prepare(parameters);
        let fixed = &self.fixed;
        let (plan, terms) = (&fixed.plan, &fixed.terms);
        let tiles: usize = terms.iter().zip(points).map(|(term, points)| tile_count(term, points)).sum();
        let each = |place: usize, sums: &mut TileSums<T>| {
            let tile = find_tile(terms, points, place);
            fixed.add_tile(&mut fixed.own_scratch(), over, &tile, sums);
        };
        self.gather.add_up(leaves(tiles), each, |total| {
            gradient.fill(0.0);
            let (weights_bar, scalars_bar) = gradient.split_at_mut(plan.architecture.weight_count());
            fixed.layout.unpack(&total.gradient, weights_bar);
            scalars_bar.copy_from_slice(&total.scalars);
            squares.copy_from_slice(&total.squares);
        });
    }

    /// Residuals of one term (or the prediction, after the last term) at `points`.
    pub(crate) fn fill(&mut self, term: usize, points: &Points, parameters: &[f64], out: &mut [f64]) {
        self.fixed.prepare(parameters);
        let fixed = &self.fixed;
        let term = &fixed.terms[term];
        let outputs = term.term.residuals.len();
        let parts = out.par_chunks_mut((term.points * outputs).max(1)).enumerate();
        parts.for_each(|(number, part)| {
            let mut scratch = fixed.own_scratch();
            scratch.forward(fixed.shared(), term, points, tile_range(term, points, number));
            for output in 0..outputs {
                scratch.copy_residual(term, output, part.iter_mut().skip(output).step_by(outputs));
            }
        });
    }
}

impl<T: Float> Fixed<T> {
    /// Takes over the parameters of this step.
    pub(super) fn prepare(&mut self, parameters: &[f64]) {
        let (weights, scalars) = parameters.split_at(self.plan.architecture.weight_count());
        while self.scratch.len() < rayon::current_num_threads() {
            let scratch = Scratch::new(&self.layout, &self.terms, scalars.len());
            self.scratch.push(Mutex::new(scratch));
        }
        for scratch in &mut self.scratch {
            scratch.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).set_scalars(scalars);
        }
        self.layout.pack(weights, &mut self.weights.packed, &mut self.weights.transposed);
    }

    pub(super) fn shared(&self) -> Shared<'_, T> {
        Shared {
            level: self.level,
            architecture: &self.plan.architecture,
            layout: &self.layout,
            weights: &self.weights,
        }
    }

    /// The memory of the current thread. Nobody else holds it: the lock only proves that.
    pub(super) fn own_scratch(&self) -> MutexGuard<'_, Scratch<T>> {
        let own = &self.scratch[rayon::current_thread_index().unwrap_or(0)];
        own.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Adds loss and gradient of one tile to the sums of its leaf.
    fn add_tile(&self, scratch: &mut Scratch<T>, over: Weighted<'_>, tile: &Tile, sums: &mut TileSums<T>) {
        let (shared, term) = (self.shared(), &self.terms[tile.term]);
        let before: usize = self.plan.terms[..tile.term].iter().map(|term| term.residuals.len()).sum();
        let count = tile.range.len();
        scratch.forward(shared, term, &over.points[tile.term], tile.range.clone());
        for number in 0..term.term.residuals.len() {
            let squares = scratch.residual(term, number)[..count].iter().map(|r| r.to_f64() * r.to_f64());
            sums.squares[before + number] += squares.sum::<f64>();
            let factor = T::from_f64(2.0 * over.factors[before + number]);
            scratch.seed(term, number, |point, r| if point < count { factor * r } else { T::ZERO });
        }
        let TileSums { gradient, scalars, .. } = sums;
        scratch.reverse(shared, term, &mut GradientTarget::Sum { gradient, scalars });
    }
}

pub(super) fn tile_count<T: Float>(term: &TermCode<T>, points: &Points) -> usize {
    points.len().div_ceil(term.points)
}

/// The points of a term's tile.
pub(super) fn tile_range<T: Float>(term: &TermCode<T>, points: &Points, number: usize) -> Range<usize> {
    let start = number * term.points;
    start..(start + term.points).min(points.len())
}

fn find_tile<T: Float>(terms: &[TermCode<T>], points: &[Points], mut place: usize) -> Tile {
    for (number, (term, points)) in terms.iter().zip(points).enumerate() {
        let count = tile_count(term, points);
        if place < count {
            return Tile { term: number, range: tile_range(term, points, place) };
        }
        place -= count;
    }
    unreachable!("leaves end with the last tile")
}
