//! The discrete Fourier transform of real samples on a line or a rectangle whose sides are powers of two.

use super::complex::Complex;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Samples along two coordinates, the last one running fastest; a line has one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Shape {
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
#[derive(Clone, Debug)]
pub(super) struct Transform {
    shape: Shape,
    across: Butterflies,
    along: RealTransform,
    between: Vec<Complex>,
}

impl Transform {
    /// `columns` is a power of two, at least 4, `rows` a power of two.
    pub(super) fn new(shape: Shape) -> Self {
        Transform {
            shape,
            across: Butterflies::new(shape.rows),
            along: RealTransform::new(shape.columns),
            between: vec![Complex::default(); shape.modes()],
        }
    }

    /// Samples to modes.
    pub(super) fn forward(&mut self, samples: &[f64], modes: &mut [Complex]) {
        let Shape { rows, columns } = self.shape;
        if rows == 1 {
            return self.along.forward(samples, modes, &mut Scratch::default());
        }
        let (half, along, across) = (self.shape.half(), &self.along, &self.across);
        let lines = self.between.par_chunks_mut(half).zip(samples.par_chunks(columns));
        lines.for_each_init(Scratch::default, |scratch, (modes, samples)| {
            along.forward(samples, modes, scratch)
        });
        let between = &self.between;
        modes.par_chunks_mut(rows).enumerate().for_each_init(Scratch::default, |scratch, (column, modes)| {
            for (row, mode) in modes.iter_mut().enumerate() {
                *mode = between[row * half + column].scale(1.0 / rows as f64);
            }
            across.run(modes, scratch);
        });
    }

    /// Modes to samples.
    pub(super) fn inverse(&mut self, modes: &[Complex], samples: &mut [f64]) {
        let Shape { rows, columns } = self.shape;
        if rows == 1 {
            return self.along.inverse(modes, samples, &mut Scratch::default());
        }
        let (along, across) = (&self.along, &self.across);
        let lines = self.between.par_chunks_mut(rows).zip(modes.par_chunks(rows));
        lines.for_each_init(Scratch::default, |scratch, (target, modes)| {
            // The transform of the conjugate is the conjugate of the inverse.
            target.iter_mut().zip(modes).for_each(|(target, mode)| *target = mode.conjugate());
            across.run(target, scratch);
        });
        let (between, half) = (&self.between, self.shape.half());
        samples.par_chunks_mut(columns).enumerate().for_each_init(
            || (vec![Complex::default(); half], Scratch::default()),
            |(line, scratch), (row, samples)| {
                for (column, mode) in line.iter_mut().enumerate() {
                    *mode = between[column * rows + row].conjugate();
                }
                along.inverse(line, samples, scratch);
            },
        );
    }
}

/// Memory that transforms need for a while.
#[derive(Clone, Debug, Default)]
struct Scratch {
    packed: Vec<Complex>,
    other: Vec<Complex>,
}

/// The transform of one line of real samples.
#[derive(Clone, Debug)]
struct RealTransform {
    length: usize,
    /// exp(-2πi k/length) for k up to length/2.
    roots: Vec<Complex>,
    half: Butterflies,
}

impl RealTransform {
    fn new(length: usize) -> Self {
        RealTransform { length, roots: roots(length, length / 2 + 1), half: Butterflies::new(length / 2) }
    }

    fn forward(&self, samples: &[f64], modes: &mut [Complex], scratch: &mut Scratch) {
        let half = self.length / 2;
        let mut packed = std::mem::take(&mut scratch.packed);
        packed.clear();
        packed.extend(samples.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])));
        self.half.run(&mut packed, scratch);
        // The even samples' transform is (Z(k) + Z*(half-k))/2, the odd ones' (Z(k) - Z*(half-k))/2i.
        let scale = 0.5 / self.length as f64;
        for (k, mode) in modes.iter_mut().enumerate().take(half + 1) {
            let (here, there) = (packed[k % half], packed[(half - k) % half].conjugate());
            let odd = (here - there) * self.roots[k];
            *mode = (here + there - odd.turned()).scale(scale);
        }
        scratch.packed = packed;
    }

    fn inverse(&self, modes: &[Complex], samples: &mut [f64], scratch: &mut Scratch) {
        let half = self.length / 2;
        let mut packed = std::mem::take(&mut scratch.packed);
        packed.clear();
        packed.extend((0..half).map(|k| {
            let (here, there) = (modes[k], modes[half - k].conjugate());
            let odd = (here - there) * self.roots[k].conjugate();
            // Conjugated: the transform of the conjugate is the conjugate of the inverse.
            (here + there + odd.turned()).conjugate()
        }));
        self.half.run(&mut packed, scratch);
        for (packed, pair) in packed.iter().zip(samples.chunks_exact_mut(2)) {
            pair[0] = packed.real;
            pair[1] = -packed.imaginary;
        }
        scratch.packed = packed;
    }
}

/// Σ z(j) exp(-2πi jk/length) of complex numbers, without a factor.
#[derive(Clone, Debug)]
struct Butterflies {
    /// exp(-2πi k/length) for k below length/2.
    roots: Vec<Complex>,
}

impl Butterflies {
    fn new(length: usize) -> Self {
        Butterflies { roots: roots(length, length / 2) }
    }

    /// In place: Stockham's ordering, radix 2.
    fn run(&self, values: &mut [Complex], scratch: &mut Scratch) {
        scratch.other.resize(values.len(), Complex::default());
        let (mut blocks, mut width) = (values.len() / 2, 1);
        let (mut from, mut to) = (values, scratch.other.as_mut_slice());
        let mut swapped = false;
        while blocks >= 1 {
            let (low, high) = from.split_at(blocks * width);
            let sources = low.chunks_exact(width).zip(high.chunks_exact(width));
            for (block, ((low, high), target)) in sources.zip(to.chunks_exact_mut(2 * width)).enumerate() {
                let root = self.roots[block * width];
                let (sums, differences) = target.split_at_mut(width);
                for (((low, high), sum), difference) in low.iter().zip(high).zip(sums).zip(differences) {
                    *sum = *low + *high;
                    *difference = (*low - *high) * root;
                }
            }
            (from, to) = (to, from);
            swapped = !swapped;
            blocks /= 2;
            width *= 2;
        }
        if swapped {
            to.copy_from_slice(from);
        }
    }
}

fn roots(length: usize, count: usize) -> Vec<Complex> {
    (0..count).map(|k| Complex::on_circle(-TAU * k as f64 / length as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_the_definition_and_lead_back_to_the_samples() {
        for (rows, columns) in [(1, 4), (1, 8), (1, 64), (1, 512), (2, 4), (8, 4), (16, 32)] {
            let shape = Shape { rows, columns };
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
                    sum + Complex::on_circle(-TAU * turn).scale(value / shape.len() as f64)
                });
                let off = *found - wanted;
                assert!(off.real.abs() + off.imaginary.abs() < 1e-13, "{shape:?}, mode {mode}");
            }
            let mut back = vec![0.0; shape.len()];
            transform.inverse(&modes, &mut back);
            let off = samples.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-13, "{shape:?}: {off}");
        }
    }
}
