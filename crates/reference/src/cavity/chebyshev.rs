//! Polynomials on [0, 1] by their values at Chebyshev's points.

use std::f64::consts::{FRAC_PI_2, PI};

/// A square matrix, row by row.
pub(super) type Matrix = Vec<Vec<f64>>;

/// The points 0 = x(0) < … < x(degree) = 1, crowded at the ends.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Chebyshev {
    pub(super) points: Vec<f64>,
    weights: Vec<f64>,
}

impl Chebyshev {
    pub(super) fn new(degree: usize) -> Self {
        let points = (0..=degree).map(|i| 0.5 * (1.0 - (PI * i as f64 / degree as f64).cos())).collect();
        let weight = |i: usize| {
            let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
            if i == 0 || i == degree { 0.5 * sign } else { sign }
        };
        Chebyshev { points, weights: (0..=degree).map(weight).collect() }
    }

    /// Matrices of the first four derivatives, by the recursion of Welfert (1997).
    pub(super) fn derivatives(&self) -> [Matrix; 4] {
        let count = self.points.len();
        // x(i) - x(j) without cancellation.
        let distance = |i: usize, j: usize| {
            let unit = FRAC_PI_2 / (count - 1) as f64;
            (unit * (i + j) as f64).sin() * (unit * (i as f64 - j as f64)).sin()
        };
        let mut last: Matrix =
            (0..count).map(|i| (0..count).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        [1.0, 2.0, 3.0, 4.0].map(|order| {
            let mut next = vec![vec![0.0; count]; count];
            for i in 0..count {
                for j in (0..count).filter(|&j| j != i) {
                    let ratio = self.weights[j] / self.weights[i];
                    next[i][j] = order / distance(i, j) * (ratio * last[i][i] - last[i][j]);
                }
                // A constant has no derivative.
                next[i][i] = -next[i].iter().sum::<f64>();
            }
            last.clone_from(&next);
            next
        })
    }

    /// Weights of the values at the points in the value at `place`.
    pub(super) fn interpolation(&self, place: f64) -> Vec<f64> {
        if let Some(hit) = self.points.iter().position(|point| *point == place) {
            return (0..self.points.len()).map(|i| f64::from(u8::from(i == hit))).collect();
        }
        let terms: Vec<f64> =
            self.points.iter().zip(&self.weights).map(|(point, weight)| weight / (place - point)).collect();
        let sum: f64 = terms.iter().sum();
        terms.into_iter().map(|term| term / sum).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_differentiated_and_interpolated_exactly() {
        let chebyshev = Chebyshev::new(12);
        let values: Vec<f64> = chebyshev.points.iter().map(|x| x.powi(7)).collect();
        let apply = |matrix: &Matrix, row: usize| -> f64 {
            matrix[row].iter().zip(&values).map(|(entry, value)| entry * value).sum()
        };
        let wanted = [(7.0, 6), (42.0, 5), (210.0, 4), (840.0, 3)];
        for (matrix, (factor, power)) in chebyshev.derivatives().iter().zip(wanted) {
            for (row, x) in chebyshev.points.iter().enumerate() {
                let off = apply(matrix, row) - factor * x.powi(power);
                assert!(off.abs() < 1e-8, "{power} {x}: {off}");
            }
        }
        for x in [0.0, 0.123, 0.9, 1.0] {
            let value: f64 =
                chebyshev.interpolation(x).iter().zip(&values).map(|(weight, value)| weight * value).sum();
            assert!((value - x.powi(7)).abs() < 1e-14);
        }
    }
}
