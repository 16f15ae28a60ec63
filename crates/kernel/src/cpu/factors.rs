//! Trainable factors of neurons on a tile: how they multiply, and what they receive.

use super::layout::LayerStep;
use super::network::Shared;
use super::term::TermCode;
use super::weights::GradientTarget;
use linear::{Accumulation, Float, for_each_level};

/// Factors side by side, one for each column of a matrix, or what one lacks of each.
#[derive(Clone, Copy)]
pub(crate) enum Share<'a, T> {
    Factor(&'a [T]),
    Rest(&'a [T]),
}

for_each_level! {
    /// Writes rows times factors, or adds them.
    pub(crate) fn scale<T: Float>(share: Share<'_, T>, rows: &[T], out: &mut [T], start: Accumulation) => scale_body
}

for_each_level! {
    /// `out = second + factors·(first - second)`, row by row.
    pub(crate) fn blend<T: Float>(factors: &[T], first: &[T], second: &[T], out: &mut [T]) => blend_body
}

for_each_level! {
    /// Adds the product of two matrices, summed over rows, to one number per column.
    fn sum_products<T: Float>(left: &[T], right: &[T], sums: &mut [T]) => sum_products_body
}

#[inline(always)]
fn scale_body<T: Float, const FMA: bool>(
    share: Share<'_, T>,
    rows: &[T],
    out: &mut [T],
    start: Accumulation,
) {
    let (Share::Factor(factors) | Share::Rest(factors)) = share;
    let width = factors.len();
    for (out, row) in out.chunks_exact_mut(width).zip(rows.chunks_exact(width)) {
        for n in 0..width {
            let own = match share {
                Share::Factor(_) => factors[n] * row[n],
                Share::Rest(_) => (T::ONE - factors[n]) * row[n],
            };
            out[n] = match start {
                Accumulation::Zero => own,
                Accumulation::Accumulate => out[n] + own,
            };
        }
    }
}

#[inline(always)]
fn blend_body<T: Float, const FMA: bool>(factors: &[T], first: &[T], second: &[T], out: &mut [T]) {
    let width = factors.len();
    let rows = first.chunks_exact(width).zip(second.chunks_exact(width));
    for (out, (first, second)) in out.chunks_exact_mut(width).zip(rows) {
        for n in 0..width {
            out[n] = factors[n].mul_add::<FMA>(first[n] - second[n], second[n]);
        }
    }
}

#[inline(always)]
fn sum_products_body<T: Float, const FMA: bool>(left: &[T], right: &[T], sums: &mut [T]) {
    let width = sums.len();
    for (left, right) in left.chunks_exact(width).zip(right.chunks_exact(width)) {
        for n in 0..width {
            sums[n] = left[n].mul_add::<FMA>(right[n], sums[n]);
        }
    }
}

/// What factors multiply, and the adjoint of the result, on one tile.
pub(crate) struct FactorBar<'a, T> {
    pub(crate) step: &'a LayerStep,
    /// Neurons, and the same in whole vectors.
    pub(crate) widths: [usize; 2],
    pub(crate) values: &'a [T],
    pub(crate) bar: &'a [T],
}

impl<T: Float> FactorBar<'_, T> {
    /// Hands the factors' share of the gradient to whoever wants it.
    pub(crate) fn add_to(
        &self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        target: &mut GradientTarget<'_, T>,
    ) {
        let [_, padded] = self.widths;
        let length = term.rows() * padded;
        let (values, bar) = (&self.values[..length], &self.bar[..length]);
        let place = self.step.packed.matrix..self.step.packed.matrix + padded;
        match target {
            GradientTarget::Sum { gradient, .. } => {
                sum_products(shared.level, values, bar, &mut gradient[place]);
            }
            GradientTarget::Rows { rows, stride, points } => self.add_to_rows(term, rows, *stride, *points),
            GradientTarget::Along { direction, products, .. } => {
                let direction = &direction[place];
                let pairs = values.chunks_exact(padded).zip(bar.chunks_exact(padded));
                for (row, (values, bar)) in pairs.enumerate() {
                    let both = values.iter().zip(bar).zip(direction);
                    products[row % term.points] += both.map(|((&value, &bar), &by)| by * value * bar).sum();
                }
            }
        }
    }

    /// Adds every point's own gradient to its row.
    fn add_to_rows(&self, term: &TermCode<T>, rows: &mut [f64], stride: usize, points: usize) {
        let Some((first, shared)) = self.step.layer.factors() else { return };
        let [width, padded] = self.widths;
        for point in 0..points {
            let row = &mut rows[point * stride + first..];
            for channel in 0..term.channels {
                let start = (channel * term.points + point) * padded;
                let both = self.values[start..][..width].iter().zip(&self.bar[start..]);
                for (neuron, (value, bar)) in both.enumerate() {
                    row[if shared { 0 } else { neuron }] += value.to_f64() * bar.to_f64();
                }
            }
        }
    }
}
