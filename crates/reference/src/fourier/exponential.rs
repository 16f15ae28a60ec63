//! Functions of small matrices that exponential integrators are made of.

use rustfft::num_complex::Complex64 as Complex;
use std::array::from_fn;

/// Matrices are scaled down to this size before their series are summed.
const SMALL: f64 = 0.25;

/// Terms of the series: the next one is smaller than 0.25^14/17! = 1e-23.
const TERMS: u32 = 14;

/// A square matrix, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix {
    size: usize,
    entries: Vec<Complex>,
}

impl Matrix {
    /// From its rows, one after the other.
    pub(super) fn new(size: usize, entries: Vec<Complex>) -> Self {
        Matrix { size, entries }
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> Complex {
        self.entries[row * self.size + column]
    }

    pub(super) fn scale(&self, factor: f64) -> Self {
        Matrix { size: self.size, entries: self.entries.iter().map(|entry| entry.scale(factor)).collect() }
    }

    /// The sum with a multiple of another.
    pub(super) fn plus(&self, other: &Matrix, factor: f64) -> Self {
        let entries = self.entries.iter().zip(&other.entries);
        let entries = entries.map(|(entry, other)| *entry + other.scale(factor)).collect();
        Matrix { size: self.size, entries }
    }

    fn identity(size: usize, factor: f64) -> Self {
        let entry = |place: usize| if place.is_multiple_of(size + 1) { factor } else { 0.0 };
        Matrix { size, entries: (0..size * size).map(|place| Complex::new(entry(place), 0.0)).collect() }
    }

    pub(super) fn times(&self, other: &Matrix) -> Self {
        let entry = |place: usize| {
            let (row, column) = (place / self.size, place % self.size);
            (0..self.size).fold(Complex::default(), |sum, inner| {
                sum + self.entry(row, inner) * other.entry(inner, column)
            })
        };
        Matrix { size: self.size, entries: (0..self.size * self.size).map(entry).collect() }
    }

    /// The largest sum of a row's sizes.
    fn norm(&self) -> f64 {
        let rows = self.entries.chunks(self.size.max(1));
        rows.map(|row| row.iter().map(|entry| entry.re.abs() + entry.im.abs()).sum()).fold(0.0, f64::max)
    }
}

/// φ0 = exp(z), φ1 = (exp(z) - 1)/z, φ2 = (φ1 - 1)/z, φ3 = (φ2 - 1/2)/z of a matrix.
#[derive(Clone, Debug)]
pub(super) struct Exponentials(pub(super) [Matrix; 4]);

impl Exponentials {
    /// By Taylor's series of the matrix over a power of two, then doubling (Skaflestad and Wright 2009):
    /// nothing cancels, neither for small nor for large matrices.
    pub(super) fn of(matrix: &Matrix) -> Self {
        let doublings = (matrix.norm() / SMALL).log2().ceil().clamp(0.0, 1000.0) as i32;
        let small = matrix.scale(0.5f64.powi(doublings));
        let one = |factor: f64| Matrix::identity(matrix.size, factor);
        // Σ z^n/(n + 3)! by Horner's rule, from the last term.
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let third = (0..TERMS)
            .rev()
            .fold(one(0.0), |sum, n| small.times(&sum).plus(&one(1.0), 1.0 / factorial(n + 3)));
        let second = small.times(&third).plus(&one(0.5), 1.0);
        let first = small.times(&second).plus(&one(1.0), 1.0);
        let zeroth = small.times(&first).plus(&one(1.0), 1.0);
        (0..doublings).fold(Exponentials([zeroth, first, second, third]), |small, _| small.doubled())
    }

    /// Those of twice the matrix.
    pub(super) fn doubled(&self) -> Self {
        let [zeroth, first, second, third] = &self.0;
        let products: [Matrix; 4] = from_fn(|order| match order {
            0 => zeroth.times(zeroth),
            1 => zeroth.times(first).plus(first, 1.0).scale(0.5),
            2 => first.times(first).plus(second, 2.0).scale(0.25),
            _ => first.times(second).plus(third, 2.0).plus(second, 1.0).scale(0.125),
        });
        Exponentials(products)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: Complex) -> Matrix {
        Matrix::new(1, vec![value])
    }

    #[test]
    fn functions_of_numbers_are_their_quotients_where_nothing_cancels() {
        for z in [Complex::new(-3.0, 0.0), Complex::new(0.0, 40.0), Complex::new(-500.0, 30.0)] {
            let Exponentials(found) = Exponentials::of(&number(z));
            let mut wanted = z.exp();
            for (order, start) in [(0, 1.0), (1, 1.0), (2, 0.5), (3, 0.0)] {
                let off = found[order].entry(0, 0) - wanted;
                assert!(off.re.abs() + off.im.abs() < 1e-13, "order {order} of {z:?}");
                wanted = (wanted - Complex::new(start, 0.0)) * z.inv();
            }
        }
        let Exponentials(zero) = Exponentials::of(&number(Complex::default()));
        let values = zero.map(|matrix| matrix.entry(0, 0).re);
        assert!(values.iter().zip([1.0, 1.0, 0.5, 1.0 / 6.0]).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn a_matrix_that_turns_has_an_exponential_that_turns() {
        let angle = 7.0;
        let entry = |value: f64| Complex::new(value, 0.0);
        let turn = Matrix::new(2, [0.0, -angle, angle, 0.0].map(entry).to_vec());
        let Exponentials([found, first, ..]) = Exponentials::of(&turn);
        let wanted = [angle.cos(), -angle.sin(), angle.sin(), angle.cos()];
        assert!(found.entries.iter().zip(wanted).all(|(found, wanted)| (found.re - wanted).abs() < 1e-13));
        // z φ1 = φ0 - 1.
        let back = turn.times(&first).plus(&Matrix::identity(2, 1.0), 1.0);
        assert!(back.plus(&found, -1.0).norm() < 1e-13);
    }
}
