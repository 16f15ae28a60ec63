//! What a dense layer's weights receive from one tile: a sum over the points, one row of the Jacobian
//! per point, or the product of each row with a direction.

use super::layout::LayerStep;
use super::network::Shared;
use super::term::TermCode;
use equation::taylor::Layer;
use linear::{Accumulation, Float, Scalars, Size, for_each_level, multiply};

/// What becomes of the gradients of a tile.
pub(crate) enum GradientTarget<'a, T> {
    /// Added up over the points: packed weights, and scalars.
    Sum { gradient: &'a mut [T], scalars: &'a mut [f64] },
    /// One row per point, in the order of the parameters; points `stride` numbers apart.
    Rows { rows: &'a mut [f64], stride: usize, points: usize },
    /// Multiplied by a direction (packed weights, and scalars): one number per point.
    Along { direction: &'a [T], scalars: &'a [f64], products: &'a mut [T] },
}

impl<T: Float> GradientTarget<'_, T> {
    /// Takes every point's derivative with respect to a scalar that follows `weights` weights.
    pub(crate) fn scalar(&mut self, weights: usize, place: usize, bars: &[T]) {
        match self {
            GradientTarget::Sum { scalars, .. } => {
                scalars[place] += bars.iter().map(|bar| bar.to_f64()).sum::<f64>()
            }
            GradientTarget::Rows { rows, stride, points } => {
                for (point, bar) in bars.iter().enumerate().take(*points) {
                    rows[point * *stride + weights + place] += bar.to_f64();
                }
            }
            GradientTarget::Along { scalars, products, .. } => {
                let direction = T::from_f64(scalars[place]);
                products.iter_mut().zip(bars).for_each(|(product, &bar)| *product += direction * bar);
            }
        }
    }
}

/// A dense layer's input values and the adjoint of its output, on one tile.
pub(crate) struct DenseBar<'a, T> {
    pub(crate) step: &'a LayerStep,
    pub(crate) values: &'a [T],
    pub(crate) bar: &'a [T],
}

/// Sizes of the layer at hand.
struct Sizes {
    inputs: usize,
    outputs: usize,
    in_columns: usize,
    out_columns: usize,
    weights: usize,
    bias: usize,
}

impl<T: Float> DenseBar<'_, T> {
    fn sizes(&self, shared: Shared<'_, T>) -> Sizes {
        let Layer::Dense { input, output, weights, bias } = self.step.layer else {
            unreachable!("only dense layers have matrices")
        };
        let layout = shared.layout;
        Sizes {
            inputs: layout.widths[input],
            outputs: layout.widths[output],
            in_columns: layout.padded[input],
            out_columns: layout.padded[output],
            weights,
            bias,
        }
    }

    /// Adds the gradient, summed over the points, to a packed one.
    pub(crate) fn add_to_sum(&self, shared: Shared<'_, T>, term: &TermCode<T>, gradient: &mut [T]) {
        let Sizes { inputs, outputs, in_columns, out_columns, .. } = self.sizes(shared);
        let bias_bar = &mut gradient[self.step.packed.bias..][..out_columns];
        for row in self.bar.chunks_exact(out_columns).take(term.points) {
            bias_bar.iter_mut().zip(row).for_each(|(bias, &bar)| *bias += bar);
        }
        let matrix_bar = &mut gradient[self.step.packed.matrix..][..inputs * out_columns];
        if self.step.packed.narrow {
            let a = Scalars { numbers: self.bar, row: 1, column: out_columns };
            let size = Size { rows: outputs, columns: in_columns, inner: term.rows() };
            let (b, c) = ((self.values, in_columns), (matrix_bar, in_columns));
            return multiply(shared.level, size, a, b, c, Accumulation::Accumulate);
        }
        let a = Scalars { numbers: self.values, row: 1, column: in_columns };
        let size = Size { rows: inputs, columns: out_columns, inner: term.rows() };
        multiply(
            shared.level,
            size,
            a,
            (self.bar, out_columns),
            (matrix_bar, out_columns),
            Accumulation::Accumulate,
        );
    }

    /// Adds every point's own gradient to its row.
    pub(crate) fn add_to_rows(
        &self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        rows: &mut [f64],
        stride: usize,
        points: usize,
    ) {
        let Sizes { inputs, outputs, in_columns, out_columns, weights, bias } = self.sizes(shared);
        for point in 0..points {
            let row = &mut rows[point * stride..];
            let bar = &self.bar[point * out_columns..][..outputs];
            row[bias..][..outputs].iter_mut().zip(bar).for_each(|(to, bar)| *to += bar.to_f64());
            let matrix = &mut row[weights..][..inputs * outputs];
            for channel in 0..term.channels {
                let place = channel * term.points + point;
                let values = &self.values[place * in_columns..][..inputs];
                let bar = &self.bar[place * out_columns..][..outputs];
                outer_product(shared.level, values, bar, matrix);
            }
        }
    }

    /// Adds the product of every point's gradient with a packed direction to `products`: the layer is
    /// applied with the direction as its weights, and the result multiplied with the adjoint.
    pub(crate) fn add_along(
        &self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        direction: &[T],
        products: &mut [T],
        scratch: &mut [T],
    ) {
        let Sizes { inputs, in_columns, out_columns, .. } = self.sizes(shared);
        let rows = term.rows();
        let a = Scalars { numbers: self.values, row: in_columns, column: 1 };
        let matrix = &direction[self.step.packed.matrix..][..inputs * out_columns];
        let size = Size { rows, columns: out_columns, inner: inputs };
        multiply(shared.level, size, a, (matrix, out_columns), (scratch, out_columns), Accumulation::Zero);
        let bias = &direction[self.step.packed.bias..][..out_columns];
        for row in 0..rows {
            let (moved, bar) = (&scratch[row * out_columns..], &self.bar[row * out_columns..][..out_columns]);
            let mut sum: T = moved.iter().zip(bar).map(|(&moved, &bar)| moved * bar).sum();
            if row < term.points {
                sum += bias.iter().zip(bar).map(|(&bias, &bar)| bias * bar).sum();
            }
            products[row % term.points] += sum;
        }
    }
}

/// Rows of numbers, some of them padding at the end.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, T> {
    pub(crate) numbers: &'a [T],
    /// Distance between rows, in whole vectors.
    pub(crate) stride: usize,
}

for_each_level! {
    /// `out[r][o] = Σ values[r][i]·weights[o][i]` for all `rows` of values and `outputs` of weights: a
    /// layer with few outputs, its weights transposed.
    pub(crate) fn narrow_forward<T: Float>(
        values: Rows<'_, T>,
        weights: Rows<'_, T>,
        outputs: usize,
        rows: usize,
        out: &mut [T],
        out_stride: usize,
    ) => narrow_forward_body
}

#[inline(always)]
fn narrow_forward_body<T: Float, const FMA: bool>(
    values: Rows<'_, T>,
    weights: Rows<'_, T>,
    outputs: usize,
    rows: usize,
    out: &mut [T],
    out_stride: usize,
) {
    for row in 0..rows {
        let values = &values.numbers[row * values.stride..][..values.stride];
        for output in 0..outputs {
            let weights = &weights.numbers[output * weights.stride..][..weights.stride];
            out[row * out_stride + output] = if T::LANES == 16 {
                dot::<T, FMA, 16>(values, weights)
            } else {
                dot::<T, FMA, 8>(values, weights)
            };
        }
    }
}

#[inline(always)]
fn dot<T: Float, const FMA: bool, const LANES: usize>(left: &[T], right: &[T]) -> T {
    let mut sums = [T::ZERO; LANES];
    for (left, right) in left.chunks_exact(LANES).zip(right.chunks_exact(LANES)) {
        for n in 0..LANES {
            sums[n] = left[n].mul_add::<FMA>(right[n], sums[n]);
        }
    }
    // By halves, so that the last sums are vectors too.
    let mut half = LANES / 2;
    while half > 0 {
        for n in 0..half {
            sums[n] += sums[n + half];
        }
        half /= 2;
    }
    sums[0]
}

for_each_level! {
    /// `matrix[i][j] += values[i]·bar[j]`
    fn outer_product<T: Float>(values: &[T], bar: &[T], matrix: &mut [f64]) => outer_product_body
}

#[inline(always)]
fn outer_product_body<T: Float, const FMA: bool>(values: &[T], bar: &[T], matrix: &mut [f64]) {
    for (row, &value) in matrix.chunks_exact_mut(bar.len()).zip(values) {
        for (to, &bar) in row.iter_mut().zip(bar) {
            *to = Float::mul_add::<FMA>(value.to_f64(), bar.to_f64(), *to);
        }
    }
}
