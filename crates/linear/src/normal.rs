//! Normal equations, summed block by block of rows of the Jacobian.

use crate::Symmetric;
use crate::symmetric::{PANEL, padded};
use rayon::prelude::*;

/// JᵀJ and Jᵀr of a least-squares problem with rows r, and the memory to add them up in.
///
/// The residual is one more column of J, so one symmetric product gives both.
#[derive(Clone, Debug)]
pub struct NormalEquations {
    matrix: Symmetric,
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
            residuals: Vec::new(),
            rows: Vec::new(),
            panels: vec![0.0; Self::BLOCK * padded(size, 1)],
        }
    }

    /// Parameters.
    pub fn size(&self) -> usize {
        self.matrix.size()
    }

    /// Bytes that problems with `size` parameters take.
    pub fn bytes(size: usize) -> usize {
        let padded = padded(size, 1);
        let block = Self::BLOCK.saturating_mul(padded + size + 1);
        padded.saturating_mul(padded).saturating_add(block).saturating_mul(size_of::<f64>())
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

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.matrix.clear();
    }

    /// Room for the residuals and the Jacobian of a block of `count` rows.
    pub fn block(&mut self, count: usize) -> (&mut [f64], &mut [f64]) {
        self.residuals.resize(count, 0.0);
        self.rows.resize(count * self.matrix.size(), 0.0);
        (&mut self.residuals, &mut self.rows)
    }

    /// Adds the block, row k of it multiplied by `scales[k % scales.len()]`.
    pub fn add_block(&mut self, scales: &[f64]) {
        let NormalEquations { matrix, residuals, rows, panels } = self;
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
        matrix.add(panels, PANEL * count, count);
    }
}
