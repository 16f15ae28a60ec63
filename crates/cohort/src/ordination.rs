//! Principal coordinates (Gower 1966): axes along which samples lie as far apart as their distances say.
//!
//! The centred matrix −½·J·D²·J is never formed: Lanczos' method (with full orthogonalisation; Golub, Van Loan 2013, chapter 10) needs
//! its products with vectors alone, so that the distances are all the memory there is.

use crate::counters::Stream;
use crate::matrix::SquareMatrix;
use linear::{Level, SmallMatrix, VectorWork, eigen};
use rayon::prelude::*;

/// Axes of distances.
#[derive(Clone, PartialEq, Debug)]
pub struct Ordination {
    /// For every axis, a coordinate per sample.
    pub coordinates: Vec<Vec<f64>>,
    /// The eigenvalue of every axis: the sum of the squares of its coordinates.
    pub values: Vec<f64>,
    /// What every axis explains of the sum of all eigenvalues.
    pub shares: Vec<f64>,
    /// How far eigenvectors may be off, relative to the largest eigenvalue.
    pub residual: f64,
}

/// There are no axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OrdinationError {
    /// One sample has no distances.
    #[error("axes need two samples at least")]
    TooFew,
    /// All samples are in one place.
    #[error("all distances are 0: there are no axes")]
    NoSpread,
}

/// Steps at most; the leading axes of distances need a few dozen.
const STEPS: usize = 400;

/// Between two looks at how good axes are.
const LOOK: usize = 10;

/// Eigenvectors are good when their residual is below this, relative to the largest eigenvalue.
const TOLERANCE: f64 = 1e-10;

/// The leading axes, as many as are asked for and as have positive eigenvalues.
pub fn ordinate(distances: &SquareMatrix, axes: usize) -> Result<Ordination, OrdinationError> {
    let size = distances.size();
    if size < 2 {
        return Err(OrdinationError::TooFew);
    }
    let squares: f64 =
        (0..size).into_par_iter().map(|row| square(distances.row(row))).collect::<Vec<_>>().iter().sum();
    let trace = squares / (2.0 * size as f64);
    if trace <= 0.0 {
        return Err(OrdinationError::NoSpread);
    }
    let axes = axes.min(size - 1);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let (mut middle, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let stream = Stream::new(0).named("ordination");
    let mut next = fresh(stream, size, &basis);
    let most = STEPS.max(2 * axes).min(size - 1);
    loop {
        basis.push(next);
        let last = basis.len() - 1;
        let mut image = centred_product(distances, &basis[last]);
        middle.push(dot(&image, &basis[last]));
        // Twice: once leaves behind what rounding has made of it (Parlett's rule).
        (0..2).for_each(|_| orthogonalise(&mut image, &basis));
        let length = square(&image).sqrt();
        let ends = basis.len() >= most;
        // Everything that the first vector reaches is found; what it does not reach is found from another one.
        let closed = length <= 1e-13 * trace;
        beside.push(if closed { 0.0 } else { length });
        let looks = basis.len().is_multiple_of(LOOK) && basis.len() >= 2 * axes && !closed;
        if ends || looks {
            let (values, vectors) = tridiagonal(&middle, &beside);
            let rest = if ends && basis.len() == size - 1 { 0.0 } else { length };
            let off = |axis: usize| (rest * vectors.row(middle.len() - 1)[axis]).abs() / values[0].abs();
            let residual = (0..axes).map(off).fold(0.0, f64::max);
            if ends || residual <= TOLERANCE {
                return Ok(assembled(&basis, &values, &vectors, axes, trace, residual));
            }
        }
        next = if closed {
            fresh(stream.with(basis.len() as u64), size, &basis)
        } else {
            image.iter_mut().for_each(|number| *number /= length);
            image
        };
    }
}

fn assembled(
    basis: &[Vec<f64>],
    values: &[f64],
    vectors: &SmallMatrix,
    axes: usize,
    trace: f64,
    residual: f64,
) -> Ordination {
    // Eigenvalues that are nothing but rounding make no axes.
    let axes = (0..axes).take_while(|&axis| values[axis] > 1e-12 * trace).count();
    let coordinates = (0..axes).map(|axis| {
        let mut axis_coordinates = vec![0.0; basis[0].len()];
        for (step, vector) in basis.iter().enumerate() {
            let factor = vectors.row(step)[axis] * values[axis].sqrt();
            axis_coordinates.iter_mut().zip(vector).for_each(|(sum, number)| *sum += factor * number);
        }
        // An axis may point either way: the sample that is farthest out is on its positive side.
        let far = axis_coordinates.iter().copied().fold(0.0, |far: f64, number| {
            // A little more, so that rounding does not choose between two that are as far.
            if number.abs() > far.abs() * (1.0 + 1e-6) { number } else { far }
        });
        if far < 0.0 {
            axis_coordinates.iter_mut().for_each(|number| *number = -*number);
        }
        axis_coordinates
    });
    Ordination {
        coordinates: coordinates.collect(),
        values: values[..axes].to_vec(),
        shares: values[..axes].iter().map(|value| value / trace).collect(),
        residual,
    }
}

/// Eigenvalues, the largest first, and eigenvectors, one per column.
fn tridiagonal(middle: &[f64], beside: &[f64]) -> (Vec<f64>, SmallMatrix) {
    let mut matrix = SmallMatrix::zero(middle.len(), middle.len());
    for (place, number) in middle.iter().enumerate() {
        matrix.row_mut(place)[place] = *number;
        if place + 1 < middle.len() {
            matrix.row_mut(place)[place + 1] = beside[place];
            matrix.row_mut(place + 1)[place] = beside[place];
        }
    }
    let found = eigen(&matrix);
    (found.values, found.vectors)
}

/// A random direction that is orthogonal to those of the basis and to (1, 1, …).
fn fresh(stream: Stream, size: usize, basis: &[Vec<f64>]) -> Vec<f64> {
    let mut vector: Vec<f64> = (0..size as u64).map(|place| stream.normal(place)).collect();
    (0..2).for_each(|_| {
        centre(&mut vector);
        orthogonalise(&mut vector, basis);
    });
    let length = square(&vector).sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

fn orthogonalise(vector: &mut [f64], basis: &[Vec<f64>]) {
    for other in basis {
        let along = dot(vector, other);
        vector.iter_mut().zip(other).for_each(|(number, other)| *number -= along * other);
    }
}

fn centre(vector: &mut [f64]) {
    let mean = vector.iter().sum::<f64>() / vector.len() as f64;
    vector.iter_mut().for_each(|number| *number -= mean);
}

/// −½·J·D²·v, for a v whose mean is 0.
fn centred_product(distances: &SquareMatrix, vector: &[f64]) -> Vec<f64> {
    let level = Level::best();
    let row = |row: usize| -0.5 * level.run(SquaredDot { row: distances.row(row), vector });
    let mut product: Vec<f64> = (0..vector.len()).into_par_iter().map(row).collect();
    centre(&mut product);
    product
}

/// Σ d²·v, in eight sums side by side.
struct SquaredDot<'a> {
    row: &'a [f64],
    vector: &'a [f64],
}

impl VectorWork for SquaredDot<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let ((rows, rest), (vectors, vector_rest)) =
            (self.row.as_chunks::<8>(), self.vector.as_chunks::<8>());
        let mut sums = [0.0; 8];
        for (row, vector) in rows.iter().zip(vectors) {
            for lane in 0..8 {
                sums[lane] += row[lane] * row[lane] * vector[lane];
            }
        }
        let rest: f64 =
            rest.iter().zip(vector_rest).map(|(distance, number)| distance * distance * number).sum();
        sums.iter().sum::<f64>() + rest
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn square(vector: &[f64]) -> f64 {
    dot(vector, vector)
}
