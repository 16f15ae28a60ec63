//! Normal equations, added up block by block of rows of the Jacobian.

use crate::cpu::{Level, Scalars, Size, Start, multiply};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of the Jacobian that are there at a time.
const BLOCK: usize = 512;

/// Columns of the Jacobian that lie together: four blocks of six rows, three vectors, of the microkernel.
const PANEL: usize = 24;

/// JᵀJ and Jᵀr of a least-squares problem with rows r, and the memory to add them up in.
///
/// The residual is one more column of J, so one symmetric product gives both. A part of JᵀJ is added
/// up by one thread in the order of the rows: the bits do not depend on the number of threads.
#[derive(Clone, Debug)]
pub struct NormalEquations {
    size: usize,
    /// Columns, with the residual's and padding.
    padded: usize,
    level: Level,
    /// Column by column, the lower triangle of the symmetric matrix; below its diagonal blocks nothing
    /// else counts.
    matrix: Vec<f64>,
    residuals: Vec<f64>,
    rows: Vec<f64>,
    panels: Vec<f64>,
}

impl NormalEquations {
    /// For problems with `size` parameters.
    pub fn new(size: usize) -> Self {
        let padded = (size + 1).next_multiple_of(PANEL);
        NormalEquations {
            size,
            padded,
            level: Level::best(),
            matrix: vec![0.0; padded * padded],
            residuals: Vec::new(),
            rows: Vec::new(),
            panels: vec![0.0; BLOCK * padded],
        }
    }

    /// Parameters.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bytes that problems with `size` parameters take.
    pub fn bytes(size: usize) -> usize {
        let padded = (size + 1).next_multiple_of(PANEL);
        (padded * padded + BLOCK * (padded + size + 1)) * size_of::<f64>()
    }

    /// Column `column` of JᵀJ from the diagonal downwards.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.matrix[column * self.padded..][column..self.size]
    }

    /// Number `row` of Jᵀr: half of the loss's slope.
    pub fn slope(&self, row: usize) -> f64 {
        self.matrix[row * self.padded + self.size]
    }

    /// The points of a term with `residuals` residuals that make one block each.
    pub(crate) fn blocks(points: usize, residuals: usize) -> impl Iterator<Item = Range<usize>> {
        let step = (BLOCK / residuals.max(1)).max(1);
        (0..points).step_by(step).map(move |start| start..(start + step).min(points))
    }

    pub(crate) fn clear(&mut self) {
        self.matrix.fill(0.0);
    }

    /// Room for the residuals and the Jacobian of a block of `count` rows.
    pub(crate) fn block(&mut self, count: usize) -> (&mut [f64], &mut [f64]) {
        self.residuals.resize(count, 0.0);
        self.rows.resize(count * self.size, 0.0);
        (&mut self.residuals, &mut self.rows)
    }

    /// Adds the block, row k of it multiplied by `scales[k % scales.len()]`.
    pub(crate) fn add_block(&mut self, scales: &[f64]) {
        let NormalEquations { size, padded, level, matrix, residuals, rows, panels } = self;
        let (size, padded, level, count) = (*size, *padded, *level, residuals.len());
        panels.resize(padded * count.max(BLOCK), 0.0);
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
        let panels = &*panels;
        let panel = |number: usize| &panels[number * PANEL * count..][..PANEL * count];
        matrix.par_chunks_exact_mut(PANEL * padded).with_max_len(1).enumerate().for_each(
            |(column, matrix)| {
                let columns = Scalars { numbers: panel(column), row: 1, column: PANEL };
                let block = Size { rows: PANEL, columns: PANEL, inner: count };
                for row in column..padded / PANEL {
                    let to = &mut matrix[row * PANEL..];
                    multiply(level, block, columns, (panel(row), PANEL), (to, padded), Start::Accumulate);
                }
            },
        );
    }
}
