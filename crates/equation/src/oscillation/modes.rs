//! The rates of a wave: equations `Σ factor·λ^power·column = 0` have a solution for some rates `λ` only.

use super::complex::Complex;
use std::f64::consts::TAU;

/// A part of an equation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Which equation.
    pub(super) row: usize,
    /// Which unknown.
    pub(super) column: usize,
    /// Derivatives in time.
    pub(super) power: usize,
    pub(super) factor: Complex,
}

/// The part of a polynomial's largest term that its leading one must not fall below: what is left then is rounding.
const ROUNDING: f64 = 1e-9;

/// Rounds of the search for roots, far more than it needs.
const ROUNDS: usize = 200;

/// The rates at which solutions of the equations grow (their real parts) and oscillate (their imaginary parts, in radians).
/// `orders` are the derivatives in time of every unknown, `unit` a rate of the order of those looked for. `None` where
/// equations do not tell all rates.
pub(super) fn rates(entries: &[Entry], orders: &[usize], unit: f64) -> Option<Vec<Complex>> {
    let degree: usize = orders.iter().sum();
    // Values around a circle tell a polynomial: rates are in units of its radius.
    let angle = |number: usize| TAU * number as f64 / (degree + 1) as f64;
    let values: Vec<Complex> = (0..=degree)
        .map(|number| determinant(matrix(entries, orders.len(), Complex::turned(unit, angle(number)))))
        .collect();
    let coefficient = |power: usize| {
        let parts = values.iter().enumerate();
        let sum = parts.fold(Complex::from(0.0), |sum, (number, &value)| {
            sum + value * Complex::turned(1.0, -angle(number * power % (degree + 1)))
        });
        sum / Complex::from((degree + 1) as f64)
    };
    let polynomial: Vec<Complex> = (0..=degree).map(coefficient).collect();
    let largest = polynomial.iter().map(|coefficient| coefficient.size()).fold(0.0, f64::max);
    let leading = polynomial.last().copied().filter(|leading| leading.size() > ROUNDING * largest)?;
    let monic: Vec<Complex> = polynomial.iter().map(|&coefficient| coefficient / leading).collect();
    let roots: Vec<Complex> = roots(&monic).into_iter().map(|root| root * Complex::from(unit)).collect();
    roots.iter().all(|root| root.size().is_finite()).then_some(roots)
}

fn matrix(entries: &[Entry], size: usize, rate: Complex) -> Vec<Vec<Complex>> {
    let mut matrix = vec![vec![Complex::from(0.0); size]; size];
    for entry in entries {
        let part = (0..entry.power).fold(entry.factor, |part, _| part * rate);
        let place = &mut matrix[entry.row][entry.column];
        *place = *place + part;
    }
    matrix
}

/// By elimination, with the largest pivot of every column.
fn determinant(mut matrix: Vec<Vec<Complex>>) -> Complex {
    let mut product = Complex::from(1.0);
    for column in 0..matrix.len() {
        let sizes = (column..matrix.len()).map(|row| (row, matrix[row][column].size()));
        let (pivot, size) = sizes.fold((column, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        if size == 0.0 {
            return Complex::from(0.0);
        }
        if pivot != column {
            matrix.swap(pivot, column);
            product = product * Complex::from(-1.0);
        }
        let (above, below) = matrix.split_at_mut(column + 1);
        let pivot = &above[column];
        product = product * pivot[column];
        for row in below {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).for_each(|(number, &other)| *number = *number - factor * other);
        }
    }
    product
}

/// All roots at once (Durand 1960, Kerner 1966) of a polynomial whose last coefficient is one.
fn roots(monic: &[Complex]) -> Vec<Complex> {
    let degree = monic.len() - 1;
    // No root is larger (Fujiwara 1916).
    let size = |power: usize| monic[power].size().powf(1.0 / (degree - power) as f64);
    let radius = 2.0 * (0..degree).map(size).fold(0.0, f64::max);
    // Off the axis, where conjugate roots would stay together.
    let angle = |number: usize| TAU * (number as f64 + 0.3) / degree as f64;
    let mut roots: Vec<Complex> = (0..degree).map(|number| Complex::turned(radius, angle(number))).collect();
    for _ in 0..ROUNDS {
        for number in 0..degree {
            let root = roots[number];
            let value = monic.iter().rev().fold(Complex::from(0.0), |sum, &part| sum * root + part);
            let others = roots.iter().enumerate().filter(|(other, _)| *other != number);
            let slope = others.fold(Complex::from(1.0), |slope, (_, &other)| slope * (root - other));
            if slope.size() > 0.0 {
                roots[number] = root - value / slope;
            }
        }
    }
    roots
}
