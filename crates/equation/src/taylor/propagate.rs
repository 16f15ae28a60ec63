//! The Taylor rules on numbers: how the channels of a vector pass through functions, products and
//! matrices, and how adjoints come back. One point, f64, no tricks.
//!
//! A vector of width W with K channels is a slice of K·W numbers, channel by channel.

use super::rules::Rules;

/// The rules with the coefficients of the point at hand.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) rules: &'a Rules,
    pub(super) coefficients: &'a [f64],
    pub(super) width: usize,
}

impl At<'_> {
    fn channel<'s>(&self, vector: &'s [f64], channel: usize) -> &'s [f64] {
        &vector[channel * self.width..(channel + 1) * self.width]
    }

    fn channels(&self, vector: &[f64]) -> usize {
        vector.len() / self.width
    }

    /// `h = σ(z)`, with `slopes` holding σ and its derivatives at `z_0`, order by order.
    pub(super) fn chain(&self, slopes: &[f64], z: &[f64], h: &mut [f64]) {
        let width = self.width;
        let slope = |order: usize| &slopes[order * width..(order + 1) * width];
        h[..width].copy_from_slice(slope(0));
        for channel in 1..self.channels(z) {
            for n in 0..width {
                h[channel * width + n] = slope(1)[n] * z[channel * width + n];
            }
        }
        for term in &self.rules.chain {
            let weight = term.weight.value(self.coefficients);
            for n in 0..width {
                let product: f64 = term.factors.iter().map(|factor| z[factor * width + n]).product();
                h[term.channel * width + n] += weight * slope(term.order)[n] * product;
            }
        }
    }

    /// Adds the adjoint of [`Self::chain`] to `z_bar` and to the adjoints of the coefficients.
    pub(super) fn chain_adjoint(
        &self,
        slopes: &[f64],
        z: &[f64],
        h_bar: &[f64],
        z_bar: &mut [f64],
        coefficients_bar: &mut [f64],
    ) {
        let width = self.width;
        let slope = |order: usize| &slopes[order * width..(order + 1) * width];
        for n in 0..width {
            z_bar[n] += slope(1)[n] * h_bar[n];
        }
        for channel in 1..self.channels(z) {
            for n in 0..width {
                let here = channel * width + n;
                z_bar[here] += slope(1)[n] * h_bar[here];
                z_bar[n] += slope(2)[n] * z[here] * h_bar[here];
            }
        }
        for term in &self.rules.chain {
            let weight = term.weight.value(self.coefficients);
            let from = self.channel(h_bar, term.channel);
            let mut ungauged = 0.0;
            for n in 0..width {
                let product: f64 = term.factors.iter().map(|factor| z[factor * width + n]).product();
                ungauged += slope(term.order)[n] * product * from[n];
                z_bar[n] += weight * slope(term.order + 1)[n] * product * from[n];
                for (position, factor) in term.factors.iter().enumerate() {
                    let others: f64 = (term.factors.iter().enumerate())
                        .filter(|&(other, _)| other != position)
                        .map(|(_, factor)| z[factor * width + n])
                        .product();
                    z_bar[factor * width + n] += weight * slope(term.order)[n] * others * from[n];
                }
            }
            if let Some(place) = term.weight.coefficient {
                coefficients_bar[place] += term.weight.factor * ungauged;
            }
        }
    }

    /// Adds `sign · f·g` to `h`.
    pub(super) fn product(&self, sign: f64, f: &[f64], g: &[f64], h: &mut [f64]) {
        let width = self.width;
        for n in 0..width {
            h[n] += sign * f[n] * g[n];
        }
        for channel in 1..self.channels(f) {
            for n in 0..width {
                let here = channel * width + n;
                h[here] += sign * (f[n] * g[here] + f[here] * g[n]);
            }
        }
        for term in &self.rules.product {
            let weight = sign * term.weight.value(self.coefficients);
            for n in 0..width {
                h[term.channel * width + n] += weight * f[term.left * width + n] * g[term.right * width + n];
            }
        }
    }

    /// Adds the adjoint of [`Self::product`] with respect to `f` to `f_bar`. The rule is symmetric,
    /// so the adjoint with respect to `g` is the same with the factors exchanged.
    pub(super) fn product_adjoint(&self, sign: f64, g: &[f64], h_bar: &[f64], f_bar: &mut [f64]) {
        let width = self.width;
        for n in 0..width {
            f_bar[n] += sign * g[n] * h_bar[n];
        }
        for channel in 1..self.channels(g) {
            for n in 0..width {
                let here = channel * width + n;
                f_bar[n] += sign * g[here] * h_bar[here];
                f_bar[here] += sign * g[n] * h_bar[here];
            }
        }
        for term in &self.rules.product {
            let weight = sign * term.weight.value(self.coefficients);
            let from = self.channel(h_bar, term.channel);
            for n in 0..width {
                f_bar[term.left * width + n] += weight * g[term.right * width + n] * from[n];
            }
        }
    }

    /// Adds the adjoint of [`Self::product`] with respect to the coefficients.
    pub(super) fn product_coefficients_adjoint(
        &self,
        sign: f64,
        f: &[f64],
        g: &[f64],
        h_bar: &[f64],
        coefficients_bar: &mut [f64],
    ) {
        for term in &self.rules.product {
            let Some(place) = term.weight.coefficient else { continue };
            let (left, right) = (self.channel(f, term.left), self.channel(g, term.right));
            let from = self.channel(h_bar, term.channel);
            let sum: f64 = (0..self.width).map(|n| left[n] * right[n] * from[n]).sum();
            coefficients_bar[place] += sign * term.weight.factor * sum;
        }
    }
}

/// A dense layer's matrix, one row per input neuron, and its bias.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a> {
    pub(super) weights: &'a [f64],
    pub(super) bias: &'a [f64],
}

impl Dense<'_> {
    /// `z_c = h_c·W` for every channel, plus the bias in the value.
    pub(super) fn forward(&self, h: &[f64], z: &mut [f64]) {
        let outputs = self.bias.len();
        let inputs = self.weights.len() / outputs;
        z.fill(0.0);
        z[..outputs].copy_from_slice(self.bias);
        for (h, z) in h.chunks_exact(inputs).zip(z.chunks_exact_mut(outputs)) {
            for (h, row) in h.iter().zip(self.weights.chunks_exact(outputs)) {
                z.iter_mut().zip(row).for_each(|(z, weight)| *z += h * weight);
            }
        }
    }

    /// Adds the adjoints of the input, the weights and the bias.
    pub(super) fn adjoint(
        &self,
        h: &[f64],
        z_bar: &[f64],
        h_bar: &mut [f64],
        weights_bar: &mut [f64],
        bias_bar: &mut [f64],
    ) {
        let outputs = self.bias.len();
        let inputs = self.weights.len() / outputs;
        bias_bar.iter_mut().zip(z_bar).for_each(|(bias, z)| *bias += z);
        let channels = h.chunks_exact(inputs).zip(h_bar.chunks_exact_mut(inputs));
        for ((h, h_bar), z_bar) in channels.zip(z_bar.chunks_exact(outputs)) {
            for (input, row) in self.weights.chunks_exact(outputs).enumerate() {
                h_bar[input] += dot(row, z_bar);
                let row_bar = &mut weights_bar[input * outputs..(input + 1) * outputs];
                row_bar.iter_mut().zip(z_bar).for_each(|(weight, z)| *weight += h[input] * z);
            }
        }
    }
}

/// Four interleaved partial sums: a fixed order that the compiler can vectorise.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (left_blocks, right_blocks) = (left.chunks_exact(4), right.chunks_exact(4));
    let rest: f64 = left_blocks.remainder().iter().zip(right_blocks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left_blocks.zip(right_blocks) {
        (0..4).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
