//! The engine: tiles of all terms, shared out over threads in a fixed number of chunks.

use super::layout::Layout;
use super::network::{Shared, Weights};
use super::term::TermCode;
use super::tile::{Scratch, Sums};
use super::{Float, Level};
use crate::{Losses, Points};
use equation::taylor::Plan;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Into how many parts the tiles of a step are divided. Fixed, so that partial sums and therefore
/// the bits of every result do not depend on the number of threads.
const CHUNKS: usize = 32;

/// A plan on the processor's vector units, in f32 or f64.
#[derive(Debug)]
pub(crate) struct Cpu<'plan, T> {
    plan: &'plan Plan,
    level: Level,
    layout: Layout,
    /// One per term, then the prediction.
    terms: Vec<TermCode<'plan, T>>,
    weights: Weights<T>,
    /// One per thread.
    scratch: Vec<Mutex<Scratch<T>>>,
    sums: Vec<Sums<T>>,
}

/// A tile: which term, which of its points.
struct Tile {
    term: usize,
    range: Range<usize>,
}

impl<'plan, T: Float> Cpu<'plan, T> {
    pub(crate) fn new(plan: &'plan Plan, level: Level) -> Self {
        let layout = Layout::new::<T>(&plan.architecture);
        let terms: Vec<TermCode<'plan, T>> = (plan.terms.iter().chain([&plan.prediction]))
            .map(|term| TermCode::new(&plan.architecture, &layout, term))
            .collect();
        let residuals = plan.terms.iter().map(|term| term.residuals.len()).sum();
        let sums = || Sums {
            gradient: vec![T::ZERO; layout.packed],
            scalars: vec![0.0; plan.scalars.len()],
            squares: vec![0.0; residuals],
        };
        let weights =
            Weights { packed: vec![T::ZERO; layout.packed], transposed: vec![T::ZERO; layout.transposed] };
        let sums = (0..CHUNKS).map(|_| sums()).collect();
        Cpu { plan, level, layout, terms, weights, scratch: Vec::new(), sums }
    }

    pub(crate) fn evaluate(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        gradient: &mut [f64],
        losses: &mut Losses,
    ) {
        self.prepare(parameters);
        let plan = self.plan;
        let shared = Shared {
            level: self.level,
            architecture: &plan.architecture,
            layout: &self.layout,
            weights: &self.weights,
        };
        let (terms, scratch) = (&self.terms, &self.scratch);
        let tiles: usize = terms.iter().zip(points).map(|(term, points)| tile_count(term, points)).sum();
        self.sums.par_iter_mut().enumerate().for_each(|(number, sums)| {
            sums.clear();
            let mut scratch = own_scratch(scratch);
            for place in tiles * number / CHUNKS..tiles * (number + 1) / CHUNKS {
                let tile = find_tile(terms, points, place);
                gradient_of_tile(&mut scratch, shared, plan, terms, points, &tile, sums);
            }
        });

        // Added in chunk order, not in order of arrival: runs must repeat bit for bit.
        gradient.fill(0.0);
        losses.mean_squares.fill(0.0);
        let (weights_bar, scalars_bar) = gradient.split_at_mut(plan.architecture.weight_count());
        for sums in &self.sums {
            self.layout.unpack(&sums.gradient, weights_bar);
            scalars_bar.iter_mut().zip(&sums.scalars).for_each(|(to, from)| *to += from);
            losses.mean_squares.iter_mut().zip(&sums.squares).for_each(|(to, from)| *to += from);
        }
        losses.finish(plan, points);
    }

    /// Residuals of one term (or the prediction, after the last term) at `points`.
    pub(crate) fn fill(&mut self, term: usize, points: &Points, parameters: &[f64], out: &mut [f64]) {
        self.prepare(parameters);
        let shared = Shared {
            level: self.level,
            architecture: &self.plan.architecture,
            layout: &self.layout,
            weights: &self.weights,
        };
        let term = &self.terms[term];
        let outputs = term.term.residuals.len();
        let scratch = &self.scratch;
        let parts = out.par_chunks_mut((term.points * outputs).max(1)).enumerate();
        parts.for_each(|(number, part)| {
            let start = number * term.points;
            let range = start..(start + term.points).min(points.len());
            let mut scratch = own_scratch(scratch);
            scratch.forward(shared, term, points, range);
            for output in 0..outputs {
                let residual = scratch.residual(term, output);
                for (place, &value) in part.iter_mut().skip(output).step_by(outputs).zip(residual) {
                    *place = value.to_f64();
                }
            }
        });
    }

    fn prepare(&mut self, parameters: &[f64]) {
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
}

/// The memory of the current thread. Nobody else holds it: the lock only proves that.
fn own_scratch<T>(scratch: &[Mutex<Scratch<T>>]) -> std::sync::MutexGuard<'_, Scratch<T>> {
    let own = &scratch[rayon::current_thread_index().unwrap_or(0)];
    own.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn tile_count<T: Float>(term: &TermCode<'_, T>, points: &Points) -> usize {
    points.len().div_ceil(term.points)
}

fn find_tile<T: Float>(terms: &[TermCode<'_, T>], points: &[Points], mut place: usize) -> Tile {
    for (number, (term, points)) in terms.iter().zip(points).enumerate() {
        let count = tile_count(term, points);
        if place < count {
            let start = place * term.points;
            return Tile { term: number, range: start..(start + term.points).min(points.len()) };
        }
        place -= count;
    }
    unreachable!("chunks end with the last tile")
}

fn gradient_of_tile<T: Float>(
    scratch: &mut Scratch<T>,
    shared: Shared<'_, T>,
    plan: &Plan,
    terms: &[TermCode<'_, T>],
    points: &[Points],
    tile: &Tile,
    sums: &mut Sums<T>,
) {
    let term = &terms[tile.term];
    let before: usize = plan.terms[..tile.term].iter().map(|term| term.residuals.len()).sum();
    let (total, count) = (points[tile.term].len() as f64, tile.range.len());
    scratch.forward(shared, term, &points[tile.term], tile.range.clone());
    for (number, residual) in term.term.residuals.iter().enumerate() {
        let squares = scratch.residual(term, number)[..count].iter().map(|r| r.to_f64() * r.to_f64());
        sums.squares[before + number] += squares.sum::<f64>();
        let factor = T::from_f64(2.0 * residual.weight / total);
        scratch.seed(term, number, |point, r| if point < count { factor * r } else { T::ZERO });
    }
    sums.add(scratch, shared, term);
}
