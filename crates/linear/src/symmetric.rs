//! XᵀX, summed block by block of rows of X.

use crate::tree::TreeNode;
use crate::{Accumulation, Level, Scalars, Size, multiply};
use rayon::prelude::*;

/// Columns of X that lie together: four blocks of six rows, three vectors, of the microkernel.
pub(crate) const PANEL: usize = 24;

/// A symmetric matrix. A part of it is summed by one thread in the order of X's rows: the bits do not
/// depend on the number of threads.
#[derive(Clone, Debug)]
pub struct Symmetric {
    size: usize,
    /// Rows and columns as stored: `size` and possibly more, in whole panels.
    padded: usize,
    level: Level,
    /// Column by column, the lower triangle; below its diagonal blocks nothing else counts.
    numbers: Vec<f64>,
}

impl Symmetric {
    /// Zero, with `size` rows and `more` that are only read by [`Self::number`].
    pub fn new(size: usize, more: usize) -> Self {
        let padded = padded(size, more);
        Symmetric { size, padded, level: Level::best(), numbers: vec![0.0; padded * padded] }
    }

    /// Rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Rows and columns as stored.
    pub fn padded(&self) -> usize {
        self.padded
    }

    /// Column `column` from the diagonal downwards.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.numbers[column * self.padded..][column..self.size]
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> f64 {
        (0..self.size).map(|column| self.numbers[column * (self.padded + 1)]).sum()
    }

    /// A single number of the lower triangle.
    pub fn number(&self, row: usize, column: usize) -> f64 {
        self.numbers[column * self.padded + row]
    }

    /// Replaces the first numbers of a row of the lower triangle.
    pub fn set_row(&mut self, row: usize, numbers: &[f64]) {
        for (column, number) in numbers.iter().enumerate() {
            self.numbers[column * self.padded + row] = *number;
        }
    }

    /// Gives its numbers away for others, whatever they are.
    pub(crate) fn exchange(&mut self, others: Option<Vec<f64>>) -> Vec<f64> {
        let others = others.unwrap_or_else(|| vec![0.0; self.padded * self.padded]);
        std::mem::replace(&mut self.numbers, others)
    }

    /// Becomes zero.
    pub fn clear(&mut self) {
        self.numbers.fill(0.0);
    }

    /// Adds XᵀX for `count` rows of X, which lie panel by panel of its columns `stride` numbers apart, and in
    /// a panel row by row.
    pub fn add(&mut self, panels: &[f64], stride: usize, count: usize) {
        self.add_to_nodes((panels, stride, count), Accumulation::Accumulate, &[]);
    }

    /// The same, or begins with it; then adds this matrix to others that lie left of it in a tree, the last of them first.
    /// All of that block by block, while a block is in the cache: a tree costs no more memory traffic than one sum.
    pub(crate) fn add_to_nodes(
        &mut self,
        (panels, stride, count): (&[f64], usize, usize),
        start: Accumulation,
        lefts: &[(TreeNode, Vec<f64>)],
    ) {
        let (padded, level) = (self.padded, self.level);
        let panel = |number: usize| &panels[number * stride..][..PANEL * count];
        self.numbers.par_chunks_exact_mut(PANEL * padded).with_max_len(1).enumerate().for_each(
            |(column, numbers)| {
                let columns = Scalars { numbers: panel(column), row: 1, column: PANEL };
                let block = Size { rows: PANEL, columns: PANEL, inner: count };
                for row in column..padded / PANEL {
                    let to = &mut numbers[row * PANEL..];
                    multiply(level, block, columns, (panel(row), PANEL), (&mut *to, padded), start);
                    for (_, left) in lefts.iter().rev() {
                        let left = &left[column * PANEL * padded + row * PANEL..];
                        for (to, left) in to.chunks_mut(padded).zip(left.chunks(padded)).take(PANEL) {
                            let (to, left) = (&mut to[..PANEL], &left[..PANEL]);
                            to.iter_mut().zip(left).for_each(|(to, left)| *to += left);
                        }
                    }
                }
            },
        );
    }
}

/// Rows and columns that are stored for `size` of them and `more`.
pub(crate) fn padded(size: usize, more: usize) -> usize {
    (size + more).next_multiple_of(PANEL)
}
