//! The reference engine: the plan's interpreter, point by point, on all cores.

use crate::{Points, Weighted};
use equation::taylor::{Interpreter, Plan};
use linear::tree::{Leaves, Nodes, TreeNode};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Into how many parts points are divided, at most: large enough to keep 32 cores busy. Those of sums are leaves of a tree.
const CHUNKS: usize = 64;

/// One part of the points, with all memory that its evaluation needs.
#[derive(Debug)]
struct Chunk {
    /// One per term, then the prediction's.
    interpreters: Vec<Interpreter>,
    /// Residuals at one point; long enough for every term.
    residuals: Vec<f64>,
    /// Their factors in the gradient.
    seeds: Vec<f64>,
    /// Sums of squares, one per residual of every term.
    squares: Vec<f64>,
    gradient: Vec<f64>,
}

#[derive(Debug)]
pub(crate) struct ReferenceEngine {
    plan: Arc<Plan>,
    chunks: Vec<Chunk>,
}

/// The points of part `chunk` of `count` points.
fn share(count: usize, chunk: usize) -> Range<usize> {
    count * chunk / CHUNKS..count * (chunk + 1) / CHUNKS
}

impl ReferenceEngine {
    pub(crate) fn new(plan: Arc<Plan>) -> Self {
        let all = || plan.terms.iter().chain([&plan.prediction]);
        let widest = all().map(|term| term.residuals.len()).max().unwrap_or(0);
        let residuals = plan.terms.iter().map(|term| term.residuals.len()).sum();
        let chunk = |_| Chunk {
            interpreters: all().map(|term| Interpreter::new(&plan.architecture, term)).collect(),
            residuals: vec![0.0; widest],
            seeds: vec![0.0; widest],
            squares: vec![0.0; residuals],
            gradient: vec![0.0; plan.parameter_count()],
        };
        let chunks = (0..CHUNKS).map(chunk).collect();
        ReferenceEngine { plan, chunks }
    }

    pub(crate) fn evaluate(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) {
        let plan = self.plan.as_ref();
        let leaves = Leaves::new(over.points.iter().map(Points::len).sum(), 1, CHUNKS);
        let chunks = self.chunks[..leaves.count()].par_iter_mut().enumerate();
        chunks.for_each(|(leaf, chunk)| chunk.evaluate(plan, leaves.items(leaf), over, parameters));
        self.add_up(leaves, gradient, squares);
    }

    /// Adds up the leaves as their tree says.
    fn add_up(&mut self, leaves: Leaves, gradient: &mut [f64], squares: &mut [f64]) {
        let mut nodes = Nodes::new(leaves.tree());
        for leaf in 0..leaves.count() {
            nodes.push(TreeNode::leaf(leaf), leaf, |left: usize, right: usize| {
                let (before, after) = self.chunks.split_at_mut(right);
                add(&mut before[left].gradient, &after[0].gradient);
                add(&mut before[left].squares, &after[0].squares);
                left
            });
        }
        gradient.fill(0.0);
        squares.fill(0.0);
        if let Some(root) = nodes.into_total() {
            gradient.copy_from_slice(&self.chunks[root].gradient);
            squares.copy_from_slice(&self.chunks[root].squares[..squares.len()]);
        }
    }

    pub(crate) fn fill(&mut self, term: usize, points: &Points, parameters: &[f64], out: &mut [f64]) {
        self.for_points(term, points, out, |interpreter, row, values| {
            interpreter.residuals(parameters, row, values);
        });
    }
}

impl ReferenceEngine {
    /// Calls `each` for every point of a term, in parallel, with the point's part of `out`.
    fn for_points(
        &mut self,
        term: usize,
        points: &Points,
        out: &mut [f64],
        each: impl Fn(&mut Interpreter, &[f64], &mut [f64]) + Sync,
    ) {
        let width = out.len() / points.len().max(1);
        let mut rest = out;
        let mut parts = Vec::with_capacity(CHUNKS);
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let range = share(points.len(), number);
            let (part, tail) = rest.split_at_mut(range.len() * width);
            rest = tail;
            parts.push((&mut chunk.interpreters[term], range, part));
        }
        parts.into_par_iter().for_each(|(interpreter, range, part)| {
            for (index, values) in range.zip(part.chunks_exact_mut(width.max(1))) {
                each(interpreter, points.row(index), values);
            }
        });
    }

    pub(crate) fn jacobian(
        &mut self,
        (term, points, range): (usize, &Points, Range<usize>),
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) {
        let count = self.plan.terms[term].residuals.len();
        let mut part = Points::new(points.width());
        range.for_each(|index| part.push(points.row(index)));
        self.fill(term, &part, parameters, residuals);
        self.for_points(term, &part, rows, |interpreter, row, out| {
            out.fill(0.0);
            interpreter.residuals(parameters, row, &mut vec![0.0; count]);
            for (residual, out) in out.chunks_exact_mut(parameters.len().max(1)).enumerate() {
                let mut seeds = vec![0.0; count];
                seeds[residual] = 1.0;
                interpreter.accumulate(parameters, row, &seeds, out);
            }
        });
    }

    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) {
        let residuals = self.plan.terms[term].residuals.len();
        self.for_points(term, points, out, |interpreter, row, out| {
            interpreter.residuals(parameters, row, &mut vec![0.0; residuals]);
            for (residual, out) in out.iter_mut().enumerate() {
                let mut seeds = vec![0.0; residuals];
                let mut slopes = vec![0.0; parameters.len()];
                seeds[residual] = 1.0;
                interpreter.accumulate(parameters, row, &seeds, &mut slopes);
                *out = slopes.iter().zip(direction).map(|(slope, direction)| slope * direction).sum();
            }
        });
    }

    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) {
        let residuals = self.plan.terms[term].residuals.len();
        let leaves = Leaves::new(points.len(), 1, CHUNKS);
        self.chunks[..leaves.count()].par_iter_mut().enumerate().for_each(|(leaf, chunk)| {
            chunk.gradient.fill(0.0);
            for index in leaves.items(leaf) {
                let interpreter = &mut chunk.interpreters[term];
                interpreter.residuals(parameters, points.row(index), &mut chunk.residuals[..residuals]);
                let seeds = &seeds[index * residuals..][..residuals];
                interpreter.accumulate(parameters, points.row(index), seeds, &mut chunk.gradient);
            }
        });
        self.add_up(leaves, gradient, &mut []);
    }
}

impl Chunk {
    /// At some of all points, which are counted term by term.
    fn evaluate(&mut self, plan: &Plan, points: Range<usize>, over: Weighted<'_>, parameters: &[f64]) {
        let (wanted, mut before) = (points, 0);
        self.gradient.fill(0.0);
        self.squares.fill(0.0);
        let (mut squares, mut factors) = (self.squares.as_mut_slice(), over.factors);
        for ((term, interpreter), points) in plan.terms.iter().zip(&mut self.interpreters).zip(over.points) {
            let count = term.residuals.len();
            let (own, rest) = std::mem::take(&mut squares).split_at_mut(count);
            squares = rest;
            let (weights, rest) = factors.split_at(count);
            factors = rest;
            let (residuals, seeds) = (&mut self.residuals[..count], &mut self.seeds[..count]);
            let inside = |place: usize| place.saturating_sub(before).min(points.len());
            let own_points = inside(wanted.start)..inside(wanted.end);
            before += points.len();
            for index in own_points {
                let row = points.row(index);
                interpreter.residuals(parameters, row, residuals);
                for position in 0..count {
                    own[position] += residuals[position] * residuals[position];
                    seeds[position] = 2.0 * weights[position] * residuals[position];
                }
                interpreter.accumulate(parameters, row, seeds, &mut self.gradient);
            }
        }
    }
}

fn add(sum: &mut [f64], part: &[f64]) {
    for (sum, part) in sum.iter_mut().zip(part) {
        *sum += part;
    }
}
