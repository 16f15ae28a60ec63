//! The discrete Fourier transform of real samples on a line or a rectangle whose sides are powers of two.

use rayon::prelude::*;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex64 as Complex;
use rustfft::{Fft, FftPlanner};
use std::fmt::{Debug, Formatter};
use std::sync::Arc;

/// Samples along two coordinates, the last one running fastest; a line has one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GridShape {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl GridShape {
    /// How many samples.
    pub(super) fn len(self) -> usize {
        self.rows * self.columns
    }

    /// Modes kept along the columns: the others are conjugates of these.
    pub(super) fn half(self) -> usize {
        self.columns / 2 + 1
    }

    /// How many modes.
    pub(super) fn modes(self) -> usize {
        self.rows * self.half()
    }

    /// The whole numbers of waves along both coordinates of the mode at a position.
    pub(super) fn waves(self, mode: usize) -> [i64; 2] {
        let (column, row) = (mode / self.rows, mode % self.rows);
        let row = if 2 * row > self.rows { row as i64 - self.rows as i64 } else { row as i64 };
        [row, column as i64]
    }
}

/// Between real samples v and the modes c of v(i, j) = Σ c(k, l) exp(2πi (ik/rows + jl/columns)). Those with l
/// from 0 to columns/2 are kept, mode (k, l) at position l·rows + k.
#[derive(Clone)]
pub(super) struct Transform {
    shape: GridShape,
    to_modes: Arc<dyn RealToComplex<f64>>,
    to_samples: Arc<dyn ComplexToReal<f64>>,
    /// Along the rows, there and back.
    across: [Arc<dyn Fft<f64>>; 2],
    between: Vec<Complex>,
}

impl Debug for Transform {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Transform").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// Memory that transforms need for a while.
#[derive(Clone, Default)]
struct Scratch {
    samples: Vec<f64>,
    modes: Vec<Complex>,
    other: Vec<Complex>,
}

impl Transform {
    /// `columns` is a power of two, at least 4, `rows` a power of two.
    pub(super) fn new(shape: GridShape) -> Self {
        let (mut real, mut complex) = (RealFftPlanner::new(), FftPlanner::new());
        Transform {
            shape,
            to_modes: real.plan_fft_forward(shape.columns),
            to_samples: real.plan_fft_inverse(shape.columns),
            across: [complex.plan_fft_forward(shape.rows), complex.plan_fft_inverse(shape.rows)],
            between: vec![Complex::default(); shape.modes()],
        }
    }

    /// Samples to modes.
    pub(super) fn forward(&mut self, samples: &[f64], modes: &mut [Complex]) {
        let GridShape { rows, columns } = self.shape;
        let (half, scale) = (self.shape.half(), 1.0 / self.shape.len() as f64);
        if rows == 1 {
            self.line_forward(samples, modes, &mut Scratch::default());
            return modes.iter_mut().for_each(|mode| *mode *= scale);
        }
        let mut between = std::mem::take(&mut self.between);
        let lines = between.par_chunks_mut(half).zip(samples.par_chunks(columns));
        lines.for_each_init(Scratch::default, |scratch, (modes, samples)| {
            self.line_forward(samples, modes, scratch);
        });
        let across = &self.across[0];
        modes.par_chunks_mut(rows).enumerate().for_each_init(Scratch::default, |scratch, (column, modes)| {
            for (row, mode) in modes.iter_mut().enumerate() {
                *mode = between[row * half + column] * scale;
            }
            scratch.other.resize(across.get_inplace_scratch_len(), Complex::default());
            across.process_with_scratch(modes, &mut scratch.other);
        });
        self.between = between;
    }

    /// Modes to samples.
    pub(super) fn inverse(&mut self, modes: &[Complex], samples: &mut [f64]) {
        let GridShape { rows, columns } = self.shape;
        if rows == 1 {
            let mut scratch = Scratch { modes: modes.to_vec(), ..Scratch::default() };
            return self.line_inverse(samples, &mut scratch);
        }
        let (mut between, across) = (std::mem::take(&mut self.between), &self.across[1]);
        let lines = between.par_chunks_mut(rows).zip(modes.par_chunks(rows));
        lines.for_each_init(Scratch::default, |scratch, (target, modes)| {
            target.copy_from_slice(modes);
            scratch.other.resize(across.get_inplace_scratch_len(), Complex::default());
            across.process_with_scratch(target, &mut scratch.other);
        });
        let half = self.shape.half();
        samples.par_chunks_mut(columns).enumerate().for_each_init(
            Scratch::default,
            |scratch, (row, samples)| {
                scratch.modes.clear();
                scratch.modes.extend((0..half).map(|column| between[column * rows + row]));
                self.line_inverse(samples, scratch);
            },
        );
        self.between = between;
    }

    /// One line, without a factor.
    fn line_forward(&self, samples: &[f64], modes: &mut [Complex], scratch: &mut Scratch) {
        scratch.samples.clear();
        scratch.samples.extend_from_slice(samples);
        scratch.other.resize(self.to_modes.get_scratch_len(), Complex::default());
        let done = self.to_modes.process_with_scratch(&mut scratch.samples, modes, &mut scratch.other);
        done.expect("lines have the length that the transform was made for");
    }

    /// One line, of the modes in `scratch`.
    fn line_inverse(&self, samples: &mut [f64], scratch: &mut Scratch) {
        // Real samples have no such parts; rounding has.
        for end in [0, self.shape.half() - 1] {
            scratch.modes[end].im = 0.0;
        }
        scratch.other.resize(self.to_samples.get_scratch_len(), Complex::default());
        let done = self.to_samples.process_with_scratch(&mut scratch.modes, samples, &mut scratch.other);
        done.expect("lines have the length that the transform was made for");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn modes_are_those_of_the_definition_and_lead_back_to_the_samples() {
        for (rows, columns) in [(1, 4), (1, 8), (1, 64), (1, 512), (2, 4), (8, 4), (16, 32)] {
            let shape = GridShape { rows, columns };
            let samples: Vec<f64> =
                (0..shape.len()).map(|j| ((7 * j * j + 3 * j) % 31) as f64 / 31.0).collect();
            let mut transform = Transform::new(shape);
            let mut modes = vec![Complex::default(); shape.modes()];
            transform.forward(&samples, &mut modes);
            for (mode, found) in modes.iter().enumerate() {
                let [k, l] = shape.waves(mode);
                let wanted = samples.iter().enumerate().fold(Complex::default(), |sum, (place, &value)| {
                    let (i, j) = ((place / columns) as i64, (place % columns) as i64);
                    let turn = (i * k) as f64 / rows as f64 + (j * l) as f64 / columns as f64;
                    sum + Complex::cis(-TAU * turn) * (value / shape.len() as f64)
                });
                let off = *found - wanted;
                assert!(off.l1_norm() < 1e-13, "{shape:?}, mode {mode}");
            }
            let mut back = vec![0.0; shape.len()];
            transform.inverse(&modes, &mut back);
            let off = samples.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-13, "{shape:?}: {off}");
        }
    }
}
