//! The products of all rows of the Jacobian with each other: the smaller matrix where there are fewer rows
//! than parameters.

use crate::Symmetric;
use crate::subspace::{GOLDEN, finalized};
use crate::symmetric::{PANEL, padded};
use crate::tree::{Leaves, Nodes, TreeNode};
use rayon::prelude::*;

/// Parameters whose products are summed at a time: their panels lie in the second-level cache.
const CHUNK: usize = 512;

/// Panels of rows per leaf, at least, and leaves, at most, where rows are added up.
const PANELS: (usize, usize) = (8, 64);

/// JJᵀ and r of a least-squares problem with rows r, and the memory to find them in: the Jacobian as a whole, or sums of
/// its rows with random signs, which are fewer.
#[derive(Clone, Debug)]
pub struct Gram {
    matrix: Symmetric,
    parameters: usize,
    /// Of JᵀJ, whatever became of the rows.
    trace: f64,
    residuals: Vec<f64>,
    /// Rows of the Jacobian at hand.
    rows: Vec<f64>,
    /// All of it, chunk by chunk of parameters, panel by panel of rows, parameter by parameter.
    panels: Vec<f64>,
}

impl Gram {
    /// Rows of the Jacobian that are computed at a time.
    pub const BLOCK: usize = 240;

    /// For problems with `parameters` parameters and `rows` rows.
    pub fn new(parameters: usize, rows: usize) -> Self {
        Gram {
            matrix: Symmetric::new(rows, 0),
            parameters,
            trace: 0.0,
            residuals: vec![0.0; rows],
            rows: Vec::new(),
            panels: vec![0.0; padded(rows, 0) * parameters],
        }
    }

    /// Bytes that such problems take.
    pub fn bytes(parameters: usize, rows: usize) -> usize {
        let padded = padded(rows, 0);
        let numbers = padded.saturating_mul(padded + parameters).saturating_add(Self::BLOCK * parameters);
        numbers.saturating_mul(size_of::<f64>())
    }

    /// Rows.
    pub fn size(&self) -> usize {
        self.matrix.size()
    }

    /// JJᵀ.
    pub fn matrix(&self) -> &Symmetric {
        &self.matrix
    }

    /// The sum of the diagonal of JᵀJ.
    pub fn trace(&self) -> f64 {
        self.trace
    }

    /// The rows r; of sums of rows there are none.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Jᵀ times one number per row, into `slope`: far cheaper than going back through the network.
    pub fn back(&self, rows: &[f64], slope: &mut [f64]) {
        let padded = self.matrix.padded();
        if padded == 0 {
            slope.fill(0.0);
        }
        let chunks = self.panels.par_chunks(chunk(padded));
        let leaves = Leaves::new(rows.len().div_ceil(PANEL), PANELS.0, PANELS.1);
        slope.par_chunks_mut(CHUNK).zip(chunks).for_each(|(slope, chunk)| {
            let mut nodes = Nodes::new(leaves.tree());
            let mut leaf = vec![0.0; slope.len()];
            let panels = chunk.chunks_exact(PANEL * slope.len()).zip(rows.chunks(PANEL));
            for (number, (panel, rows)) in panels.enumerate() {
                for (to, numbers) in leaf.iter_mut().zip(panel.chunks_exact(PANEL)) {
                    *to += numbers.iter().zip(rows).map(|(number, row)| number * row).sum::<f64>();
                }
                if let Some(ended) = leaves.ended_by(number) {
                    let done = std::mem::replace(&mut leaf, vec![0.0; slope.len()]);
                    nodes.push(TreeNode::leaf(ended), done, add);
                }
            }
            slope.copy_from_slice(&nodes.into_total().unwrap_or(leaf));
        });
    }

    /// J times a direction in parameter space, into `rows`.
    pub fn along(&self, direction: &[f64], rows: &mut [f64]) {
        let padded = self.matrix.padded();
        rows.par_chunks_mut(PANEL).enumerate().for_each(|(number, rows)| {
            rows.fill(0.0);
            let chunks = self.panels.chunks(chunk(padded)).zip(direction.chunks(CHUNK));
            for (chunk, direction) in chunks {
                let panel = &chunk[number * PANEL * direction.len()..][..PANEL * direction.len()];
                for (numbers, along) in panel.chunks_exact(PANEL).zip(direction) {
                    rows.iter_mut().zip(numbers).for_each(|(to, number)| *to += number * along);
                }
            }
        });
    }

    /// Room for the residuals and the Jacobian of `count` rows from `first` on.
    pub fn block(&mut self, first: usize, count: usize) -> (&mut [f64], &mut [f64]) {
        self.rows.resize(count * self.parameters, 0.0);
        (&mut self.residuals[first..first + count], &mut self.rows)
    }

    /// Keeps those rows, row k of them multiplied by `scales[k % scales.len()]`.
    pub fn keep_block(&mut self, first: usize, count: usize, scales: &[f64]) {
        let Gram { matrix, parameters, residuals, rows, panels, .. } = self;
        let (parameters, padded) = (*parameters, matrix.padded());
        for (place, residual) in residuals[first..first + count].iter_mut().enumerate() {
            *residual *= scales[place % scales.len()];
        }
        panels.par_chunks_mut(chunk(padded)).enumerate().for_each(|(number, chunk)| {
            let columns = number * CHUNK..(number * CHUNK + CHUNK).min(parameters);
            for place in 0..count {
                let (row, scale) = (first + place, scales[place % scales.len()]);
                let panel = &mut chunk[row / PANEL * PANEL * columns.len()..][..PANEL * columns.len()];
                let from = &rows[place * parameters..][columns.clone()];
                let to = panel[row % PANEL..].iter_mut().step_by(PANEL);
                to.zip(from).for_each(|(to, from)| *to = scale * from);
            }
        });
    }

    /// Begins sums of rows.
    pub fn clear(&mut self) {
        self.panels.fill(0.0);
        self.trace = 0.0;
    }

    /// Room for the Jacobian of `count` rows that will be added to sums.
    pub fn block_to_add(&mut self, count: usize) -> &mut [f64] {
        self.rows.resize(count * self.parameters, 0.0);
        &mut self.rows
    }

    /// Adds those rows, from row `first` on, to sums with random signs; row k multiplied by `scales[k % scales.len()]`.
    pub fn add_block(&mut self, first: usize, scales: &[f64]) {
        let Gram { matrix, parameters, rows, panels, trace, .. } = self;
        let (parameters, padded, sums) = (*parameters, matrix.padded(), matrix.size());
        let count = rows.len() / parameters.max(1);
        for (place, row) in rows.chunks_exact(parameters.max(1)).enumerate() {
            *trace +=
                scales[place % scales.len()].powi(2) * row.iter().map(|number| number * number).sum::<f64>();
        }
        panels.par_chunks_mut(chunk(padded)).enumerate().for_each(|(number, chunk)| {
            let columns = number * CHUNK..(number * CHUNK + CHUNK).min(parameters);
            for place in 0..count {
                let (sum, sign) = sketch_place(first + place, sums);
                let scale = sign * scales[place % scales.len()];
                let panel = &mut chunk[sum / PANEL * PANEL * columns.len()..][..PANEL * columns.len()];
                let from = &rows[place * parameters..][columns.clone()];
                let to = panel[sum % PANEL..].iter_mut().step_by(PANEL);
                to.zip(from).for_each(|(to, from)| *to += scale * from);
            }
        });
    }

    /// Multiplies what was added.
    pub fn finish_sums(&mut self) {
        let trace = self.trace;
        self.finish();
        self.trace = trace;
    }

    /// Multiplies what was kept.
    pub fn finish(&mut self) {
        let Gram { matrix, parameters, panels, .. } = self;
        let padded = matrix.padded();
        matrix.clear();
        for (number, chunk) in panels.chunks(chunk(padded)).enumerate() {
            let count = CHUNK.min(*parameters - number * CHUNK);
            matrix.add(chunk, PANEL * count, count);
        }
        self.trace = self.matrix.trace();
    }
}

/// Adds numbers to those left of them.
fn add(mut left: Vec<f64>, right: Vec<f64>) -> Vec<f64> {
    left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    left
}

/// Numbers of a chunk of panels with so many rows; of none where there are no rows, which cannot be cut.
fn chunk(padded: usize) -> usize {
    (CHUNK * padded).max(1)
}

/// The sum that a row belongs to, of so many, and its sign there: as in `cuda/device/dense/sketch.cuh`. Rows that lie far apart
/// share a sum, so that they are no copies of each other.
pub(crate) fn sketch_place(row: usize, sums: usize) -> (usize, f64) {
    let bits = finalized((row as u64 + 1).wrapping_mul(GOLDEN));
    (row % sums.max(1), if bits & 1 == 0 { 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_no_rows_are_nothing() {
        let mut gram = Gram::new(700, 0);
        gram.keep_block(0, 0, &[1.0]);
        gram.finish();
        gram.clear();
        gram.add_block(0, &[1.0]);
        gram.finish_sums();
        let (mut slope, mut rows) = (vec![1.0; 700], Vec::new());
        gram.back(&[], &mut slope);
        gram.along(&[1.0; 700], &mut rows);
        assert!(slope.iter().all(|number| *number == 0.0));
        assert_eq!((gram.size(), gram.trace(), gram.residuals().len()), (0, 0.0, 0));
    }
}
