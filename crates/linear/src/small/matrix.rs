//! A matrix row by row, with rows of whole vectors.

use crate::{Accumulation, Float, Level, Scalars, Size, multiply};

/// A matrix that fits into cache.
#[derive(Clone, PartialEq, Debug)]
pub struct SmallMatrix {
    rows: usize,
    columns: usize,
    /// Numbers from one row to the next; those behind the columns are zero.
    stride: usize,
    numbers: Vec<f64>,
}

impl SmallMatrix {
    /// Zero everywhere.
    pub fn zero(rows: usize, columns: usize) -> Self {
        let stride = columns.next_multiple_of(f64::LANES);
        SmallMatrix { rows, columns, stride, numbers: vec![0.0; rows * stride] }
    }

    /// One on the diagonal.
    pub fn identity(size: usize) -> Self {
        let mut matrix = Self::zero(size, size);
        (0..size).for_each(|place| matrix.row_mut(place)[place] = 1.0);
        matrix
    }

    /// A matrix whose rows follow each other.
    pub fn packed(rows: usize, columns: usize, numbers: &[f64]) -> Self {
        let mut matrix = Self::zero(rows, columns);
        let from = numbers.chunks_exact(columns.max(1));
        (0..rows).zip(from).for_each(|(row, from)| matrix.row_mut(row).copy_from_slice(from));
        matrix
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One of the rows.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.stride..][..self.columns]
    }

    /// One of the rows, to change it.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.numbers[row * self.stride..][..self.columns]
    }

    /// Two rows, the first of which comes first, to change them.
    pub(super) fn two_rows(&mut self, first: usize, second: usize) -> (&mut [f64], &mut [f64]) {
        let (before, from) = self.numbers.split_at_mut(second * self.stride);
        (&mut before[first * self.stride..][..self.columns], &mut from[..self.columns])
    }

    /// All numbers, row after row.
    pub fn iter(&self) -> impl Iterator<Item = f64> {
        (0..self.rows).flat_map(|row| self.row(row).iter().copied())
    }

    /// Changes every number to `keep` of it and `share` of another matrix of the same size.
    pub fn blend(&mut self, keep: f64, share: f64, other: &SmallMatrix) {
        for (own, other) in self.numbers.iter_mut().zip(&other.numbers) {
            *own = keep * *own + share * other;
        }
    }

    /// The root of the sum of squares.
    pub fn norm(&self) -> f64 {
        self.iter().map(|number| number * number).sum::<f64>().sqrt()
    }

    /// Rows as columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut other = Self::zero(self.columns, self.rows);
        for row in 0..self.rows {
            for (column, number) in self.row(row).iter().enumerate() {
                other.numbers[column * other.stride + row] = *number;
            }
        }
        other
    }

    /// This matrix times another.
    #[must_use]
    pub fn times(&self, other: &SmallMatrix) -> Self {
        let scalars = Scalars { numbers: &self.numbers, row: self.stride, column: 1 };
        product([self.rows, self.columns], scalars, other)
    }

    /// The transpose of this matrix times another.
    #[must_use]
    pub fn transposed_times(&self, other: &SmallMatrix) -> Self {
        let scalars = Scalars { numbers: &self.numbers, row: 1, column: self.stride };
        product([self.columns, self.rows], scalars, other)
    }
}

fn product([rows, inner]: [usize; 2], left: Scalars<'_, f64>, right: &SmallMatrix) -> SmallMatrix {
    debug_assert_eq!(inner, right.rows);
    let mut found = SmallMatrix::zero(rows, right.columns);
    let (size, stride) = (Size { rows, columns: right.stride, inner }, right.stride);
    multiply(
        Level::best(),
        size,
        left,
        (&right.numbers, stride),
        (&mut found.numbers, stride),
        Accumulation::Zero,
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern.
    fn wave(rows: usize, columns: usize, pace: f64) -> SmallMatrix {
        let numbers: Vec<f64> = (0..rows * columns).map(|number| (number as f64 * pace).sin()).collect();
        SmallMatrix::packed(rows, columns, &numbers)
    }

    #[test]
    fn products_are_those_of_plain_loops_whatever_the_size() {
        for [rows, inner, columns] in [[1, 1, 1], [3, 7, 5], [17, 65, 64], [65, 64, 9]] {
            let (left, right) = (wave(rows, inner, 0.7), wave(inner, columns, 1.3));
            let turned = left.transposed();
            for found in [left.times(&right), turned.transposed_times(&right)] {
                for row in 0..rows {
                    for column in 0..columns {
                        let terms = (0..inner).map(|k| left.row(row)[k] * right.row(k)[column]);
                        let wanted: f64 = terms.sum();
                        assert!((found.row(row)[column] - wanted).abs() < 1e-13);
                    }
                }
                assert_eq!(found, SmallMatrix::packed(rows, columns, &found.iter().collect::<Vec<_>>()));
            }
            assert_eq!(turned.transposed(), left);
        }
    }
}
