//! The network on one tile of points: forward with all channels, and back.

use super::activation::{self, ChannelBlock, Nonlinearity};
use super::factors::{self, FactorBar, Share};
use super::layout::TapeLayout;
use super::product::{self, ChannelSpan};
use super::term::TermCode;
use super::weights::{DenseBar, GradientTarget, Rows, narrow_forward};
use equation::taylor::{Architecture, Layer};
use linear::{Accumulation, Float, Level, Scalars, Size, multiply};

/// Packed weights of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights<T> {
    pub(crate) packed: Vec<T>,
    pub(crate) transposed: Vec<T>,
}

/// What all tiles share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a, T> {
    pub(crate) level: Level,
    pub(crate) architecture: &'a Architecture,
    pub(crate) layout: &'a TapeLayout,
    pub(crate) weights: &'a Weights<T>,
}

/// The network's memory at one place of a tile's points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site<T> {
    /// One matrix per signal: a row per channel and point, channels outermost.
    pub(crate) values: Vec<Vec<T>>,
    /// Two numbers per neuron and point for each activation.
    basis: Vec<Vec<T>>,
    /// Arguments of the input features, and their adjoints.
    pub(crate) arguments: Vec<T>,
    pub(super) arguments_bar: Vec<T>,
    pub(super) feature_basis: Vec<T>,
    /// Coefficients, point by point.
    pub(crate) coefficients: Vec<T>,
    pub(crate) coefficients_bar: Vec<T>,
    pub(super) partials: Vec<T>,
    /// One matrix of the widest layer, for directional derivatives.
    product: Vec<T>,
}

impl<T: Float> Site<T> {
    pub(crate) fn new(layout: &TapeLayout, terms: &[TermCode<T>]) -> Self {
        let most = |f: &dyn Fn(&TermCode<T>) -> usize| terms.iter().map(f).max().unwrap_or(0);
        let rows = most(&|term| term.rows());
        let points = most(&|term| term.points);
        let zeros = |count: usize| vec![T::ZERO; count];
        let basis = |step: &super::layout::LayerStep| match step.layer {
            Layer::Activate { output, .. } => zeros(2 * points * layout.padded[output]),
            Layer::Dense { .. }
            | Layer::Gate { .. }
            | Layer::Add { .. }
            | Layer::Scale { .. }
            | Layer::Blend { .. }
            | Layer::Multiply { .. }
            | Layer::Select { .. } => Vec::new(),
        };
        let coefficients = most(&|term| term.points * term.term.channels.coefficients.len());
        Site {
            values: layout.padded.iter().map(|width| zeros(rows * width)).collect(),
            basis: layout.steps.iter().map(basis).collect(),
            arguments: zeros(rows * layout.padded[0]),
            arguments_bar: zeros(rows * layout.padded[0]),
            feature_basis: zeros(2 * points * layout.padded[0]),
            coefficients: zeros(coefficients),
            coefficients_bar: zeros(coefficients),
            partials: zeros(most(&|term| term.term.rules.chain.len().max(term.product.len()))),
            product: zeros(rows * layout.padded.iter().max().copied().unwrap_or(0)),
        }
    }

    /// Coordinates (columns of a tile's points) to the outputs, all channels.
    pub(crate) fn forward(&mut self, shared: Shared<'_, T>, term: &TermCode<T>, coordinates: &[T]) {
        self.features(shared, term, coordinates);
        let Shared { level, layout, weights, .. } = shared;
        let rows = term.rows();
        for (step, basis) in layout.steps.iter().zip(&mut self.basis) {
            match step.layer {
                Layer::Dense { input, output, .. } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let (inner, columns) = (layout.widths[input], layout.padded[output]);
                    let in_columns = layout.padded[input];
                    if step.packed.narrow {
                        let outputs = layout.widths[output];
                        let values = Rows { numbers: &before[input], stride: in_columns };
                        let transpose = &weights.transposed[step.packed.transpose..];
                        let transpose = Rows { numbers: transpose, stride: in_columns };
                        narrow_forward(level, values, transpose, outputs, rows, &mut after[0], columns);
                    } else {
                        let a = Scalars { numbers: &before[input], row: in_columns, column: 1 };
                        let matrix = &weights.packed[step.packed.matrix..][..inner * columns];
                        let size = Size { rows, columns, inner };
                        multiply(
                            level,
                            size,
                            a,
                            (matrix, columns),
                            (&mut after[0], columns),
                            Accumulation::Zero,
                        );
                    }
                    let bias = &weights.packed[step.packed.bias..][..columns];
                    for row in after[0].chunks_exact_mut(columns).take(term.points) {
                        row.iter_mut().zip(bias).for_each(|(value, &bias)| *value += bias);
                    }
                }
                Layer::Activate { input, output, activation } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let width = layout.padded[output];
                    let shape = Nonlinearity::Activation(activation);
                    let (z, h) = (&before[input], &mut after[0]);
                    activate(level, term, shape, width, &self.coefficients, z, h, basis);
                }
                Layer::Gate { gate, first, second, output } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let width = layout.padded[output];
                    let out = &mut after[0][..rows * width];
                    out.copy_from_slice(&before[second][..rows * width]);
                    for_spans(term, width, &self.coefficients, |start, span| {
                        let gate = &before[gate][start..];
                        let out = &mut out[start..];
                        product::multiply(level, span, T::ONE, gate, &before[first][start..], out);
                        product::multiply(level, span, -T::ONE, gate, &before[second][start..], out);
                    });
                }
                Layer::Add { left, right, output } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let sums = before[left].iter().zip(&before[right]).map(|(&left, &right)| left + right);
                    after[0].iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
                }
                Layer::Scale { input, output, .. } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let width = layout.padded[output];
                    let factors = Share::Factor(&weights.packed[step.packed.matrix..][..width]);
                    let (from, to) = (&before[input][..rows * width], &mut after[0][..rows * width]);
                    factors::scale(level, factors, from, to, Accumulation::Zero);
                }
                Layer::Blend { first, second, output, .. } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let width = layout.padded[output];
                    let share = &weights.packed[step.packed.matrix..][..width];
                    let [first, second] = [first, second].map(|signal| &before[signal][..rows * width]);
                    factors::blend(level, share, first, second, &mut after[0][..rows * width]);
                }
                Layer::Multiply { left, right, output } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let width = layout.padded[output];
                    let out = &mut after[0][..rows * width];
                    out.fill(T::ZERO);
                    for_spans(term, width, &self.coefficients, |start, span| {
                        let (left, right) = (&before[left][start..], &before[right][start..]);
                        product::multiply(level, span, T::ONE, left, right, &mut out[start..]);
                    });
                }
                Layer::Select { input, output, first } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let (from, to) = (layout.padded[input], layout.padded[output]);
                    let width = layout.widths[output];
                    let both = before[input].chunks_exact(from).zip(after[0].chunks_exact_mut(to));
                    both.take(rows)
                        .for_each(|(from, to)| to[..width].copy_from_slice(&from[first..first + width]));
                }
            }
        }
    }

    /// Adjoints of the outputs (in the output slot) to gradients of the weights, handed to `target`.
    pub(crate) fn reverse(
        &mut self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        slots: &mut [Vec<T>],
        target: &mut GradientTarget<'_, T>,
    ) {
        let Shared { level, layout, weights, .. } = shared;
        let rows = term.rows();
        self.coefficients_bar.fill(T::ZERO);
        for (step, basis) in layout.steps.iter().zip(&self.basis).rev() {
            match step.layer {
                Layer::Dense { input, output, .. } => {
                    let outputs = layout.widths[output];
                    let (in_columns, out_columns) = (layout.padded[input], layout.padded[output]);
                    let dense = DenseBar { step, values: &self.values[input], bar: &slots[step.output] };
                    match target {
                        GradientTarget::Sum { gradient, .. } => dense.add_to_sum(shared, term, gradient),
                        GradientTarget::Rows { rows, stride, points } => {
                            dense.add_to_rows(shared, term, rows, *stride, *points);
                        }
                        GradientTarget::Along { direction, products, .. } => {
                            dense.add_along(shared, term, direction, products, &mut self.product);
                        }
                    }
                    if input == 0 && !term.trains_coefficients {
                        continue;
                    }
                    let bar = step.operands[0];
                    let (out_bar, in_bar) = two(slots, step.output, bar.slot);
                    let a = Scalars { numbers: out_bar, row: out_columns, column: 1 };
                    let transpose = &weights.transposed[step.packed.transpose..][..outputs * in_columns];
                    let size = Size { rows, columns: in_columns, inner: outputs };
                    multiply(level, size, a, (transpose, in_columns), (in_bar, in_columns), bar.start);
                }
                Layer::Activate { input, output, activation } => {
                    let width = layout.padded[output];
                    let (h_bar, z_bar) = two(slots, step.output, step.operands[0].slot);
                    let shape = Nonlinearity::Activation(activation);
                    let (z, partials) = (&self.values[input], &mut self.partials);
                    let bars = (&self.coefficients[..], &mut self.coefficients_bar[..]);
                    deactivate(level, term, shape, width, bars, z, basis, h_bar, z_bar, partials);
                }
                Layer::Gate { gate, first, second, output } => {
                    let width = layout.padded[output];
                    let out_bar = std::mem::take(&mut slots[step.output]);
                    for bar in step.operands.iter().filter(|bar| bar.start == Accumulation::Zero) {
                        slots[bar.slot][..rows * width].fill(T::ZERO);
                    }
                    let [gate_bar, first_bar, second_bar] = [0, 1, 2].map(|place| step.operands[place].slot);
                    let add = slots[second_bar].iter_mut().zip(&out_bar);
                    add.take(rows * width).for_each(|(second, &out)| *second += out);
                    for (sign, other, other_bar) in
                        [(T::ONE, first, first_bar), (-T::ONE, second, second_bar)]
                    {
                        let (gate, other) = (&self.values[gate], &self.values[other]);
                        let (partials, coefficients_bar) = (&mut self.partials, &mut self.coefficients_bar);
                        for_spans(term, width, &self.coefficients, |start, span| {
                            let out_bar = &out_bar[start..];
                            let (gate, other) = (&gate[start..], &other[start..]);
                            product::adjoint(
                                level,
                                span,
                                sign,
                                other,
                                out_bar,
                                &mut slots[gate_bar][start..],
                            );
                            product::adjoint(
                                level,
                                span,
                                sign,
                                gate,
                                out_bar,
                                &mut slots[other_bar][start..],
                            );
                            if term.trains_coefficients {
                                let partials = &mut partials[..term.product.len()];
                                partials.fill(T::ZERO);
                                product::partials(span, sign, gate, other, out_bar, partials);
                                let count = span.coefficients.len();
                                let bar = &mut coefficients_bar[start / width * count..][..count];
                                term.product.scatter(partials, bar);
                            }
                        });
                    }
                    slots[step.output] = out_bar;
                }
                Layer::Add { .. } => {
                    let out_bar = std::mem::take(&mut slots[step.output]);
                    for bar in &step.operands {
                        let both = slots[bar.slot].iter_mut().zip(&out_bar);
                        match bar.start {
                            Accumulation::Zero => both.for_each(|(bar, &out)| *bar = out),
                            Accumulation::Accumulate => both.for_each(|(bar, &out)| *bar += out),
                        }
                    }
                    slots[step.output] = out_bar;
                }
                Layer::Scale { input, output, .. } => {
                    let widths = [layout.widths[output], layout.padded[output]];
                    let (values, bar) = (&self.values[input][..], &slots[step.output][..]);
                    FactorBar { step, widths, values, bar }.add_to(shared, term, target);
                    let factors = Share::Factor(&weights.packed[step.packed.matrix..][..widths[1]]);
                    let to = step.operands[0];
                    let (bar, in_bar) = two(slots, step.output, to.slot);
                    factors::scale(level, factors, &bar[..rows * widths[1]], in_bar, to.start);
                }
                Layer::Blend { first, second, output, .. } => {
                    let widths = [layout.widths[output], layout.padded[output]];
                    let both = self.values[first].iter().zip(&self.values[second]);
                    let differences = self.product.iter_mut().zip(both);
                    differences.for_each(|(to, (&first, &second))| *to = first - second);
                    let bar = &slots[step.output][..];
                    FactorBar { step, widths, values: &self.product, bar }.add_to(shared, term, target);
                    let share = &weights.packed[step.packed.matrix..][..widths[1]];
                    for (to, share) in step.operands.iter().zip([Share::Factor(share), Share::Rest(share)]) {
                        let (bar, in_bar) = two(slots, step.output, to.slot);
                        factors::scale(level, share, &bar[..rows * widths[1]], in_bar, to.start);
                    }
                }
                Layer::Multiply { left, right, output } => {
                    let width = layout.padded[output];
                    let out_bar = std::mem::take(&mut slots[step.output]);
                    for bar in step.operands.iter().filter(|bar| bar.start == Accumulation::Zero) {
                        slots[bar.slot][..rows * width].fill(T::ZERO);
                    }
                    let [left_bar, right_bar] = [0, 1].map(|place| step.operands[place].slot);
                    let (left, right) = (&self.values[left], &self.values[right]);
                    let (partials, coefficients_bar) = (&mut self.partials, &mut self.coefficients_bar);
                    for_spans(term, width, &self.coefficients, |start, span| {
                        let (left, right) = (&left[start..], &right[start..]);
                        let out_bar = &out_bar[start..];
                        let (one, left_bar) = (T::ONE, &mut slots[left_bar][start..]);
                        product::adjoint(level, span, one, right, out_bar, left_bar);
                        product::adjoint(level, span, one, left, out_bar, &mut slots[right_bar][start..]);
                        if term.trains_coefficients {
                            let partials = &mut partials[..term.product.len()];
                            partials.fill(T::ZERO);
                            product::partials(span, one, left, right, out_bar, partials);
                            let count = span.coefficients.len();
                            let bar = &mut coefficients_bar[start / width * count..][..count];
                            term.product.scatter(partials, bar);
                        }
                    });
                    slots[step.output] = out_bar;
                }
                Layer::Select { input: 0, .. } if !term.trains_coefficients => {}
                Layer::Select { input, output, first } => {
                    let (from, to) = (layout.padded[input], layout.padded[output]);
                    let (width, bar) = (layout.widths[output], step.operands[0]);
                    let (out_bar, in_bar) = two(slots, step.output, bar.slot);
                    let in_bar = &mut in_bar[..rows * from];
                    if bar.start == Accumulation::Zero {
                        in_bar.fill(T::ZERO);
                    }
                    for (to, out) in in_bar.chunks_exact_mut(from).zip(out_bar.chunks_exact(to)) {
                        to[first..first + width].iter_mut().zip(out).for_each(|(to, &out)| *to += out);
                    }
                }
            }
        }
        if term.trains_coefficients {
            self.features_adjoint(shared, term, slots);
        }
    }
}

/// Two different buffers at once, the second one to write.
fn two<T>(slots: &mut [Vec<T>], read: usize, write: usize) -> (&[T], &mut [T]) {
    if read < write {
        let (before, after) = slots.split_at_mut(write);
        (&before[read], &mut after[0])
    } else {
        let (before, after) = slots.split_at_mut(read);
        (&after[0], &mut before[write])
    }
}

/// The coefficients of one point; empty where there are none.
pub(super) fn point_coefficients<T>(coefficients: &[T], point: usize, count: usize) -> &[T] {
    &coefficients[point * count..(point + 1) * count]
}

/// Calls `each` with where a span starts: the whole block, or one point at a time if weights vary.
fn for_spans<T: Float>(
    term: &TermCode<T>,
    width: usize,
    coefficients: &[T],
    mut each: impl FnMut(usize, ChannelSpan<'_, T>),
) {
    let (points, stride) = (term.points, term.points * width);
    let count = term.term.channels.coefficients.len();
    let span = ChannelSpan {
        product: &term.product,
        channels: term.channels,
        length: stride,
        stride,
        coefficients: &[],
    };
    if !term.varies {
        return each(0, span);
    }
    for point in 0..points {
        let coefficients = point_coefficients(coefficients, point, count);
        each(point * width, ChannelSpan { length: width, coefficients, ..span });
    }
}

#[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
fn activate<T: Float>(
    level: Level,
    term: &TermCode<T>,
    shape: Nonlinearity,
    width: usize,
    coefficients: &[T],
    z: &[T],
    h: &mut [T],
    basis: &mut [T],
) {
    for_spans(term, width, coefficients, |start, span| {
        let ChannelSpan { length, stride, coefficients, .. } = span;
        let block = ChannelBlock { chain: &term.chain, shape, length, stride, coefficients };
        activation::forward(level, block, &z[start..], &mut h[start..], &mut basis[start..]);
    });
}

#[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
fn deactivate<T: Float>(
    level: Level,
    term: &TermCode<T>,
    shape: Nonlinearity,
    width: usize,
    (coefficients, coefficients_bar): (&[T], &mut [T]),
    z: &[T],
    basis: &[T],
    h_bar: &[T],
    z_bar: &mut [T],
    partials: &mut [T],
) {
    let count = if term.trains_coefficients { term.term.rules.chain.len() } else { 0 };
    for_spans(term, width, coefficients, |start, span| {
        let ChannelSpan { length, stride, coefficients, .. } = span;
        let block = ChannelBlock { chain: &term.chain, shape, length, stride, coefficients };
        let partials = &mut partials[..count];
        partials.fill(T::ZERO);
        let (z, basis, h_bar) = (&z[start..], &basis[start..], &h_bar[start..]);
        activation::reverse(level, block, z, basis, h_bar, &mut z_bar[start..], partials);
        if count > 0 {
            let each = coefficients.len();
            term.chain.scatter(partials, &mut coefficients_bar[start / width * each..][..each]);
        }
    });
}
