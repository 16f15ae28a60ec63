//! Rows of the Jacobian, block by block, and whoever wants to see them.

use crate::{Kernel, KernelError, Sums, Weighted};
use linear::tree::{Leaves, Nodes, Sum, TreeNode};
use linear::{Gram, NormalEquations, Subspace};

/// Numbers of the Jacobian that are there at a time where only its diagonal is wanted.
const ROOM: usize = 1 << 21;

/// Whoever wants to see all rows of the least-squares problem, a block at a time.
pub(super) trait Visitor {
    /// Points of a term with so many residuals that make one block.
    fn points_per_block(&self, residuals: usize) -> usize;

    /// Gets ready for so many blocks, of so many rows.
    fn begin(&mut self, _blocks: usize, _rows: usize) {}

    /// Room for the residuals and the Jacobian of a block of `count` rows, `first` of the whole problem being its first.
    fn room(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]);

    /// Takes over that block, which is there now: row k of it is to be multiplied by `scales[k % scales.len()]`.
    fn take(&mut self, first: usize, count: usize, scales: &[f64]);
}

impl Kernel {
    /// Shows all rows to a visitor, term by term and in the order of the points, and sums squares. The Jacobian is never
    /// there as a whole.
    pub(super) fn visit_rows(
        &mut self,
        over: Weighted<'_>,
        parameters: &[f64],
        visitor: &mut dyn Visitor,
    ) -> Result<&Sums, KernelError> {
        self.sums.begin(&self.plan, over.points.iter().map(|points| points.len()));
        let terms = || self.plan.terms.iter().zip(over.points);
        let per_block = |residuals: usize| visitor.points_per_block(residuals).max(1);
        let blocks =
            terms().map(|(term, points)| points.len().div_ceil(per_block(term.residuals.len()))).sum();
        let rows = terms().map(|(term, points)| points.len() * term.residuals.len()).sum();
        visitor.begin(blocks, rows);
        let (mut first, mut offset) = (0, 0);
        for (number, (term, points)) in self.plan.terms.iter().zip(over.points).enumerate() {
            let residuals = offset..offset + term.residuals.len();
            offset = residuals.end;
            let scales = scales(&over.factors[residuals.clone()]);
            let mut squares = vec![Sum::of(points.len()); scales.len()];
            let step = visitor.points_per_block(scales.len()).max(1);
            for start in (0..points.len()).step_by(step) {
                let range = start..(start + step).min(points.len());
                let count = range.len() * scales.len();
                let (residuals, rows) = visitor.room(first, count);
                self.engine.jacobian((number, points, range), parameters, residuals, rows)?;
                for (place, residual) in residuals.iter().enumerate() {
                    squares[place % scales.len()].add(residual * residual);
                }
                visitor.take(first, count, &scales);
                first += count;
            }
            let own = &mut self.sums.squares[residuals];
            own.iter_mut().zip(squares).for_each(|(to, sum)| *to = sum.total());
        }
        Ok(&self.sums)
    }
}

/// What turns the residuals of a point into rows.
pub(super) fn scales(factors: &[f64]) -> Vec<f64> {
    factors.iter().map(|factor| factor.sqrt()).collect()
}

/// Multiplies the residuals of points, which lie one point after the other.
pub(super) fn scale(rows: &mut [f64], scales: &[f64]) {
    for point in rows.chunks_exact_mut(scales.len().max(1)) {
        point.iter_mut().zip(scales).for_each(|(row, scale)| *row *= scale);
    }
}

/// JᵀJ and Jᵀr.
impl Visitor for NormalEquations {
    fn begin(&mut self, blocks: usize, rows: usize) {
        self.begin(blocks, rows);
    }

    fn points_per_block(&self, residuals: usize) -> usize {
        NormalEquations::BLOCK / residuals.max(1)
    }

    fn room(&mut self, _first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        self.block(count)
    }

    fn take(&mut self, _first: usize, _count: usize, scales: &[f64]) {
        self.add_block(scales);
    }
}

/// JJᵀ and r.
impl Visitor for Gram {
    fn points_per_block(&self, residuals: usize) -> usize {
        Gram::BLOCK / residuals.max(1)
    }

    fn room(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        self.block(first, count)
    }

    fn take(&mut self, first: usize, count: usize, scales: &[f64]) {
        self.keep_block(first, count, scales);
    }
}

/// Products of sums of rows with random signs, and all rows r.
pub(super) struct Sketch<'run> {
    pub(super) gram: &'run mut Gram,
    pub(super) out: &'run mut [f64],
}

impl Visitor for Sketch<'_> {
    fn points_per_block(&self, residuals: usize) -> usize {
        self.gram.points_per_block(residuals)
    }

    fn room(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        (&mut self.out[first..first + count], self.gram.block_to_add(count))
    }

    fn take(&mut self, first: usize, count: usize, scales: &[f64]) {
        scale(&mut self.out[first..first + count], scales);
        self.gram.add_block(first, scales);
    }
}

/// The normal equations of a subspace of the parameters, and all rows r.
pub(super) struct Narrow<'run> {
    pub(super) subspace: &'run Subspace,
    pub(super) normal: &'run mut NormalEquations,
    pub(super) out: &'run mut [f64],
    pub(super) parameters: usize,
    /// Rows in terms of all parameters.
    pub(super) wide: Vec<f64>,
}

impl Visitor for Narrow<'_> {
    fn begin(&mut self, blocks: usize, rows: usize) {
        self.normal.begin(blocks, rows);
    }

    fn points_per_block(&self, residuals: usize) -> usize {
        self.normal.points_per_block(residuals)
    }

    fn room(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        self.wide.resize(count * self.parameters, 0.0);
        (&mut self.out[first..first + count], &mut self.wide)
    }

    fn take(&mut self, first: usize, count: usize, scales: &[f64]) {
        let found = &mut self.out[first..first + count];
        let (residuals, rows) = self.normal.block(count);
        residuals.copy_from_slice(found);
        scale(found, scales);
        let wide = self.wide.chunks_exact(self.parameters);
        for (from, to) in wide.zip(rows.chunks_exact_mut(self.subspace.unknowns())) {
            self.subspace.gather(from, to);
        }
        self.normal.add_block(scales);
    }
}

/// The diagonal of JᵀJ, and all rows r.
pub(super) struct Diagonal<'run> {
    diagonal: &'run mut [f64],
    out: &'run mut [f64],
    rows: Vec<f64>,
    /// Blocks are the items of a tree.
    leaves: Leaves,
    added: usize,
    nodes: Nodes<Vec<f64>>,
}

/// Leaves of the tree over blocks, at most, where only a diagonal is added up.
const DIAGONAL_LEAVES: usize = 256;

impl<'run> Diagonal<'run> {
    pub(super) fn new(diagonal: &'run mut [f64], out: &'run mut [f64]) -> Self {
        let leaves = Leaves::one();
        Diagonal { diagonal, out, rows: Vec::new(), leaves, added: 0, nodes: Nodes::new(leaves.tree()) }
    }
}

impl Visitor for Diagonal<'_> {
    fn begin(&mut self, blocks: usize, _rows: usize) {
        self.leaves = Leaves::new(blocks, 1, DIAGONAL_LEAVES);
        (self.added, self.nodes) = (0, Nodes::new(self.leaves.tree()));
        self.diagonal.fill(0.0);
    }

    fn points_per_block(&self, residuals: usize) -> usize {
        (ROOM / (self.diagonal.len() * residuals).max(1)).max(16)
    }

    fn room(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        self.rows.resize(count * self.diagonal.len(), 0.0);
        (&mut self.out[first..first + count], &mut self.rows)
    }

    fn take(&mut self, first: usize, count: usize, scales: &[f64]) {
        scale(&mut self.out[first..first + count], scales);
        for (place, row) in self.rows.chunks_exact(self.diagonal.len().max(1)).enumerate() {
            let square = scales[place % scales.len()].powi(2);
            self.diagonal.iter_mut().zip(row).for_each(|(sum, slope)| *sum += square * slope * slope);
        }
        if let Some(leaf) = self.leaves.ended_by(self.added) {
            self.nodes.push(TreeNode::leaf(leaf), self.diagonal.to_vec(), |mut left, right| {
                left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
                left
            });
            self.diagonal.fill(0.0);
        }
        self.added += 1;
        if self.added == self.leaves.len() {
            let nodes = std::mem::replace(&mut self.nodes, Nodes::new(self.leaves.tree()));
            self.diagonal.copy_from_slice(&nodes.into_total().expect("all blocks were taken"));
        }
    }
}
