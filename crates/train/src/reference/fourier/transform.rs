//! The discrete Fourier transform of real samples, of a length that is a power of two.

use super::complex::Complex;
use std::f64::consts::TAU;

/// Between `length` real samples v and the modes c of v(j) = Σ c(k) exp(2πi jk/length), of which those
/// from 0 to length/2 are kept: the others are their conjugates.
#[derive(Clone, Debug)]
pub(super) struct Transform {
    length: usize,
    /// exp(-2πi k/length) for k up to length/2.
    roots: Vec<Complex>,
    first: Vec<Complex>,
    second: Vec<Complex>,
}

impl Transform {
    /// `length` is a power of two, at least 4.
    pub(super) fn new(length: usize) -> Self {
        let half = length / 2;
        let roots = (0..=half).map(|k| Complex::on_circle(-TAU * k as f64 / length as f64)).collect();
        Transform {
            length,
            roots,
            first: vec![Complex::default(); half],
            second: vec![Complex::default(); half],
        }
    }

    /// Samples to modes.
    pub(super) fn forward(&mut self, samples: &[f64], modes: &mut [Complex]) {
        let half = self.length / 2;
        for (packed, pair) in self.first.iter_mut().zip(samples.chunks_exact(2)) {
            *packed = Complex::new(pair[0], pair[1]);
        }
        self.half_length();
        // The even samples' transform is (Z(k) + Z*(half-k))/2, the odd ones' (Z(k) - Z*(half-k))/2i.
        let scale = 0.5 / self.length as f64;
        for (k, mode) in modes.iter_mut().enumerate().take(half + 1) {
            let (here, there) = (self.first[k % half], self.first[(half - k) % half].conjugate());
            let odd = (here - there) * self.roots[k];
            *mode = (here + there - odd.turned()).scale(scale);
        }
    }

    /// Modes to samples.
    pub(super) fn inverse(&mut self, modes: &[Complex], samples: &mut [f64]) {
        let half = self.length / 2;
        for k in 0..half {
            let (here, there) = (modes[k], modes[half - k].conjugate());
            let odd = (here - there) * self.roots[k].conjugate();
            // Conjugated: the transform of the conjugate is the conjugate of the inverse.
            self.first[k] = (here + there + odd.turned()).conjugate();
        }
        self.half_length();
        for (packed, pair) in self.first.iter().zip(samples.chunks_exact_mut(2)) {
            pair[0] = packed.real;
            pair[1] = -packed.imaginary;
        }
    }

    /// Σ z(j) exp(-2πi jk/half) in place in `first`: Stockham's ordering, radix 2.
    fn half_length(&mut self) {
        let mut blocks = self.first.len() / 2;
        let mut width = 1;
        while blocks >= 1 {
            let (low, high) = self.first.split_at(blocks * width);
            let sources = low.chunks_exact(width).zip(high.chunks_exact(width));
            for (block, ((low, high), target)) in
                sources.zip(self.second.chunks_exact_mut(2 * width)).enumerate()
            {
                let root = self.roots[2 * block * width];
                let (sums, differences) = target.split_at_mut(width);
                for (((low, high), sum), difference) in low.iter().zip(high).zip(sums).zip(differences) {
                    *sum = *low + *high;
                    *difference = (*low - *high) * root;
                }
            }
            std::mem::swap(&mut self.first, &mut self.second);
            blocks /= 2;
            width *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_the_definition_and_lead_back_to_the_samples() {
        for length in [4, 8, 64, 512] {
            let samples: Vec<f64> = (0..length).map(|j| ((7 * j * j + 3 * j) % 31) as f64 / 31.0).collect();
            let mut transform = Transform::new(length);
            let mut modes = vec![Complex::default(); length / 2 + 1];
            transform.forward(&samples, &mut modes);
            for (k, mode) in modes.iter().enumerate() {
                let wanted = samples.iter().enumerate().fold(Complex::default(), |sum, (j, &value)| {
                    let turn = (j * k % length) as f64 / length as f64;
                    sum + Complex::on_circle(-TAU * turn).scale(value / length as f64)
                });
                let off = *mode - wanted;
                assert!(off.real.abs() + off.imaginary.abs() < 1e-14, "length {length}, mode {k}");
            }
            let mut back = vec![0.0; length];
            transform.inverse(&modes, &mut back);
            let off = samples.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-13, "length {length}: {off}");
        }
    }
}
