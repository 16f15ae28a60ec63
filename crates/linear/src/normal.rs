//! Normal equations, summed block by block of rows of the Jacobian.

use crate::symmetric::{PANEL, padded};
use crate::tree::{Leaves, TreeNode};
use crate::{Accumulation, Symmetric};
use rayon::prelude::*;

/// JᵀJ and Jᵀr of a least-squares problem with rows r, and the memory to add them up in.
///
/// The residual is one more column of J, so one symmetric product gives both. Blocks are the items of a tree.
#[derive(Clone, Debug)]
pub struct NormalEquations {
    matrix: Symmetric,
    leaves: Leaves,
    /// Blocks that were added.
    added: usize,
    /// Nodes of the tree that wait for what lies right of them.
    held: Vec<(TreeNode, Vec<f64>)>,
    /// Matrices that nothing counts in.
    spare: Vec<Vec<f64>>,
    residuals: Vec<f64>,
    rows: Vec<f64>,
    panels: Vec<f64>,
}

impl NormalEquations {
    /// Rows of the Jacobian that are there at a time.
    pub const BLOCK: usize = 512;

    /// For problems with `size` parameters.
    pub fn new(size: usize) -> Self {
        NormalEquations {
            matrix: Symmetric::new(size, 1),
            leaves: Leaves::one(),
            added: 0,
            held: Vec::new(),
            spare: Vec::new(),
            residuals: Vec::new(),
            rows: Vec::new(),
            panels: vec![0.0; Self::BLOCK * padded(size, 1)],
        }
    }

    /// Parameters.
    pub fn size(&self) -> usize {
        self.matrix.size()
    }

    /// Bytes that problems with `size` parameters and `rows` rows take.
    pub fn bytes(size: usize, rows: usize) -> usize {
        let padded = padded(size, 1);
        let block = Self::BLOCK.saturating_mul(padded + size + 1);
        // One per level of the tree.
        let matrices = 1 + most_leaves(size, rows).next_power_of_two().ilog2() as usize;
        let matrices = matrices.saturating_mul(padded.saturating_mul(padded));
        matrices.saturating_add(block).saturating_mul(size_of::<f64>())
    }

    /// JᵀJ.
    pub fn matrix(&self) -> &Symmetric {
        &self.matrix
    }

    /// Number `row` of Jᵀr: half of the loss's slope.
    pub fn slope(&self, row: usize) -> f64 {
        self.matrix.number(self.size(), row)
    }

    /// Replaces a row of JᵀJ up to its diagonal, or Jᵀr behind the last one.
    pub fn set_row(&mut self, row: usize, numbers: &[f64]) {
        self.matrix.set_row(row, numbers);
    }

    /// Forgets all rows. However many blocks come, they are added one after the other.
    pub fn clear(&mut self) {
        self.begin(0, 0);
        self.leaves = Leaves::one();
    }

    /// Forgets all rows; so many blocks will come, of so many rows.
    pub fn begin(&mut self, blocks: usize, rows: usize) {
        self.leaves = Leaves::new(blocks, 1, most_leaves(self.size(), rows));
        self.added = 0;
        self.spare.extend(self.held.drain(..).map(|(_, matrix)| matrix));
        if blocks == 0 {
            self.matrix.clear();
        }
    }

    /// Room for the residuals and the Jacobian of a block of `count` rows.
    pub fn block(&mut self, count: usize) -> (&mut [f64], &mut [f64]) {
        self.residuals.resize(count, 0.0);
        self.rows.resize(count * self.matrix.size(), 0.0);
        (&mut self.residuals, &mut self.rows)
    }

    /// Adds the block, row k of it multiplied by `scales[k % scales.len()]`.
    pub fn add_block(&mut self, scales: &[f64]) {
        let NormalEquations { matrix, leaves, added, held, spare, residuals, rows, panels } = self;
        let (size, padded, count) = (matrix.size(), matrix.padded(), residuals.len());
        panels.resize(padded * count.max(Self::BLOCK), 0.0);
        let panels = &mut panels[..padded * count];
        panels.par_chunks_exact_mut(PANEL * count.max(1)).enumerate().for_each(|(number, panel)| {
            let first = number * PANEL;
            for (place, part) in panel.chunks_exact_mut(PANEL).enumerate() {
                let (row, scale) = (&rows[place * size..][..size], scales[place % scales.len()]);
                let own = &row[first.min(size)..(first + PANEL).min(size)];
                part.iter_mut().zip(own).for_each(|(to, from)| *to = scale * from);
                if own.len() < PANEL {
                    part[own.len()..].fill(0.0);
                    if (first..first + PANEL).contains(&size) {
                        part[size - first] = scale * residuals[place];
                    }
                }
            }
        });
        let start =
            if *added & (leaves.span() - 1) == 0 { Accumulation::Zero } else { Accumulation::Accumulate };
        let Some(leaf) = leaves.ended_by(*added) else {
            *added += 1;
            return matrix.add_to_nodes((panels, PANEL * count, count), start, &[]);
        };
        *added += 1;
        let (mut node, mut first) = (TreeNode::leaf(leaf), held.len());
        while let Some(parent) =
            first.checked_sub(1).and_then(|last| leaves.tree().joined(held[last].0, node))
        {
            (node, first) = (parent, first - 1);
        }
        matrix.add_to_nodes((panels, PANEL * count, count), start, &held[first..]);
        spare.extend(held.drain(first..).map(|(_, matrix)| matrix));
        if *added < leaves.len() {
            held.push((node, matrix.exchange(spare.pop())));
        }
    }
}

/// Rows of a leaf at least: adding its matrix to another one takes as long as the products of some fifty rows.
const ROWS_PER_LEAF: usize = 4096;

/// Leaves of the tree, at most: each level costs a matrix, and few rows are not worth one.
fn most_leaves(size: usize, rows: usize) -> usize {
    let most = if size > 4096 { 8 } else { 16 };
    (rows / ROWS_PER_LEAF).clamp(1, most)
}
