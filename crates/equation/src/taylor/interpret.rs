//! The oracle: evaluates a term of the plan at one point, in f64, in the order it is written down.
//! Every engine is checked against it.

use super::activation::derivatives;
use super::adjoint::Variable;
use super::architecture::{Architecture, Layer};
use super::program::Inputs;
use super::propagate::{At, Dense};
use super::{Adjoint, Term};
use std::sync::Arc;

/// Derivatives of an activation that are kept: the value and five orders.
const ORDERS: usize = 6;

/// Evaluates one term; owns its scratch memory, so that evaluation does not allocate.
#[derive(Clone, Debug)]
pub struct Interpreter {
    architecture: Arc<Architecture>,
    term: Arc<Term>,
    sites: Vec<Site>,
    signals: Vec<f64>,
    registers: Vec<f64>,
    coefficients_bar: Vec<f64>,
}

/// The network at one place of the point.
#[derive(Clone, Debug)]
struct Site {
    row: Vec<f64>,
    coefficients: Vec<f64>,
    features: Vec<f64>,
    features_bar: Vec<f64>,
    feature_slopes: Vec<f64>,
    values: Vec<Vec<f64>>,
    adjoints: Vec<Vec<f64>>,
    slopes: Vec<Vec<f64>>,
}

impl Interpreter {
    /// Allocates the scratch for one term.
    pub fn new(architecture: &Arc<Architecture>, term: &Arc<Term>) -> Self {
        let channels = term.channels.len();
        let vectors = || architecture.widths.iter().map(|width| vec![0.0; width * channels]).collect();
        let features = architecture.features.len();
        let slopes = |layer: &Layer| match layer {
            Layer::Activate { output, .. } => vec![0.0; ORDERS * architecture.widths[*output]],
            Layer::Dense { .. }
            | Layer::Gate { .. }
            | Layer::Add { .. }
            | Layer::Scale { .. }
            | Layer::Blend { .. }
            | Layer::Multiply { .. }
            | Layer::Select { .. } => Vec::new(),
        };
        let site = Site {
            row: vec![0.0; term.row.width()],
            coefficients: vec![0.0; term.channels.coefficients.len()],
            features: vec![0.0; features * channels],
            features_bar: vec![0.0; features * channels],
            feature_slopes: vec![0.0; ORDERS * features],
            values: vectors(),
            adjoints: vectors(),
            slopes: architecture.layers.iter().map(slopes).collect(),
        };
        let programs =
            [&term.residual, &term.adjoint.program, &term.coefficients, &term.coefficients_adjoint.program];
        let registers = programs.iter().map(|program| program.instructions.len()).max().unwrap_or(0);
        Interpreter {
            architecture: Arc::clone(architecture),
            term: Arc::clone(term),
            sites: vec![site; term.row.sites],
            signals: vec![0.0; term.signals.len()],
            registers: vec![0.0; registers],
            coefficients_bar: vec![0.0; term.channels.coefficients.len()],
        }
    }

    /// Writes the residuals (one per [`Term::residuals`]) at one point into `residuals`.
    pub fn residuals(&mut self, parameters: &[f64], row: &[f64], residuals: &mut [f64]) {
        let (weights, scalars) = parameters.split_at(self.architecture.weight_count());
        let (architecture, term) = (self.architecture.as_ref(), self.term.as_ref());
        for (number, site) in self.sites.iter_mut().enumerate() {
            let coordinates = term.row.coordinates;
            site.row.copy_from_slice(row);
            site.row[..coordinates].copy_from_slice(&row[number * coordinates..(number + 1) * coordinates]);
            let inputs = Inputs { row: &site.row, scalars, ..Inputs::default() };
            term.coefficients.run(inputs, &mut self.registers);
            for (coefficient, &output) in site.coefficients.iter_mut().zip(&term.coefficients.outputs) {
                *coefficient = self.registers[output as usize];
            }
            site.forward(architecture, term, weights);
        }
        for (value, signal) in self.signals.iter_mut().zip(&term.signals) {
            let outputs = self.architecture.outputs();
            let head = self.sites[usize::from(signal.site)].values.last().expect("a network has an output");
            *value = head[usize::from(signal.channel) * outputs + usize::from(signal.output)];
        }
        let inputs = Inputs { row, scalars, signals: &self.signals, ..Inputs::default() };
        term.residual.run(inputs, &mut self.registers);
        for (residual, &output) in residuals.iter_mut().zip(&term.residual.outputs) {
            *residual = self.registers[output as usize];
        }
    }

    /// Adds `Σ_k seeds[k]·∂residual_k/∂parameters` to `gradient`, for the point of the last call of
    /// [`Self::residuals`] with the same arguments.
    pub fn accumulate(&mut self, parameters: &[f64], row: &[f64], seeds: &[f64], gradient: &mut [f64]) {
        let count = self.architecture.weight_count();
        let (weights, scalars) = parameters.split_at(count);
        let (weights_bar, scalars_bar) = gradient.split_at_mut(count);
        let (architecture, term) = (self.architecture.as_ref(), self.term.as_ref());
        for site in &mut self.sites {
            site.adjoints.iter_mut().for_each(|adjoint| adjoint.fill(0.0));
        }
        let outputs = self.architecture.outputs();
        let inputs = Inputs { row, scalars, signals: &self.signals, seeds };
        let (sites, registers) = (&mut self.sites, &mut self.registers);
        run_adjoint(&term.adjoint, inputs, registers, |variable, adjoint| match variable {
            Variable::Scalar(scalar) => scalars_bar[usize::from(scalar)] += adjoint,
            Variable::Signal(signal) => {
                let channel = term.signals[usize::from(signal)];
                let head = sites[usize::from(channel.site)].adjoints.last_mut();
                let head = head.expect("a network has an output");
                head[usize::from(channel.channel) * outputs + usize::from(channel.output)] += adjoint;
            }
        });
        for site in &mut self.sites {
            self.coefficients_bar.fill(0.0);
            site.reverse(architecture, term, weights, weights_bar, &mut self.coefficients_bar);
            let seeds = &self.coefficients_bar;
            let inputs = Inputs { row: &site.row, scalars, signals: &[], seeds };
            run_adjoint(&term.coefficients_adjoint, inputs, &mut self.registers, |variable, adjoint| {
                match variable {
                    Variable::Scalar(scalar) => scalars_bar[usize::from(scalar)] += adjoint,
                    Variable::Signal(_) => unreachable!("coefficients do not depend on the network"),
                }
            });
        }
    }
}

/// A number on the way through the network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Origin {
    /// At which place of the point, of those that the term sees.
    pub site: usize,
    /// In which layer, by position in [`Architecture::layers`]; `None` where it is what enters the network.
    pub layer: Option<usize>,
    /// In which channel.
    pub channel: usize,
    /// In which neuron.
    pub neuron: usize,
    /// The number.
    pub value: f64,
}

impl Interpreter {
    /// The first number that is infinite, none, or larger than `most`, on the way of the last call of [`Self::residuals`].
    pub fn first_beyond(&self, most: f64) -> Option<Origin> {
        let is_beyond = |value: &f64| !(value.abs() <= most && value.is_finite());
        let in_vector = |site, layer, values: &[f64], width: usize| {
            let place = values.iter().position(is_beyond)?;
            let (channel, neuron) = (place / width, place % width);
            Some(Origin { site, layer, channel, neuron, value: values[place] })
        };
        self.sites.iter().enumerate().find_map(|(number, site)| {
            let widths = &self.architecture.widths;
            let within = || {
                self.architecture.layers.iter().enumerate().find_map(|(layer, kind)| {
                    let output = kind.output();
                    in_vector(number, Some(layer), &site.values[output], widths[output])
                })
            };
            in_vector(number, None, &site.values[0], widths[0]).or_else(within)
        })
    }
}

fn run_adjoint(
    adjoint: &Adjoint,
    inputs: Inputs,
    registers: &mut [f64],
    mut each: impl FnMut(Variable, f64),
) {
    adjoint.program.run(inputs, registers);
    for (&variable, &output) in adjoint.variables.iter().zip(&adjoint.program.outputs) {
        each(variable, registers[output as usize]);
    }
}

impl Site {
    fn forward(&mut self, architecture: &Architecture, term: &Term, weights: &[f64]) {
        let at = |width| At { rules: &term.rules, coefficients: &self.coefficients, width };
        let features = architecture.features.len();
        self.features.fill(0.0);
        for (n, feature) in architecture.features.iter().enumerate() {
            let slope =
                |axis: usize| feature.slopes.iter().find(|(own, _)| *own == axis).map_or(0.0, |s| s.1);
            self.features[n] = feature.phase
                + feature.slopes.iter().map(|&(axis, slope)| slope * self.row[axis]).sum::<f64>();
            for seed in &term.rules.seeds {
                let weight = seed.weight.value(&self.coefficients);
                self.features[seed.channel * features + n] += weight * slope(seed.axis);
            }
            let orders = feature.wave.derivatives(self.features[n]);
            (0..ORDERS).for_each(|order| self.feature_slopes[order * features + n] = orders[order]);
        }
        at(features).chain(&self.feature_slopes, &self.features, &mut self.values[0]);

        for (layer, slopes) in architecture.layers.iter().zip(&mut self.slopes) {
            match *layer {
                Layer::Dense { input, output, weights: start, bias } => {
                    let dense = dense(architecture, weights, input, output, start, bias);
                    let (before, after) = self.values.split_at_mut(output);
                    dense.forward(&before[input], &mut after[0]);
                }
                Layer::Activate { input, output, activation } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.values.split_at_mut(output);
                    let z = &before[input];
                    for n in 0..width {
                        let orders = derivatives(activation, z[n]);
                        (0..ORDERS).for_each(|order| slopes[order * width + n] = orders[order]);
                    }
                    at(width).chain(slopes, z, &mut after[0]);
                }
                Layer::Gate { gate, first, second, output } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.values.split_at_mut(output);
                    let out = &mut after[0];
                    out.copy_from_slice(&before[second]);
                    at(width).product(1.0, &before[gate], &before[first], out);
                    at(width).product(-1.0, &before[gate], &before[second], out);
                }
                Layer::Add { left, right, output } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let sums = before[left].iter().zip(&before[right]).map(|(left, right)| left + right);
                    after[0].iter_mut().zip(sums).for_each(|(out, sum)| *out = sum);
                }
                Layer::Scale { input, output, factors, shared } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.values.split_at_mut(output);
                    for (place, (out, value)) in after[0].iter_mut().zip(&before[input]).enumerate() {
                        *out = weights[factors + if shared { 0 } else { place % width }] * value;
                    }
                }
                Layer::Blend { first, second, output, share } => {
                    let (before, after) = self.values.split_at_mut(output);
                    let both = before[first].iter().zip(&before[second]);
                    for (out, (first, second)) in after[0].iter_mut().zip(both) {
                        *out = second + weights[share] * (first - second);
                    }
                }
                Layer::Multiply { left, right, output } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.values.split_at_mut(output);
                    after[0].fill(0.0);
                    at(width).product(1.0, &before[left], &before[right], &mut after[0]);
                }
                Layer::Select { input, output, first } => {
                    let (from, width) = (architecture.widths[input], architecture.widths[output]);
                    let (before, after) = self.values.split_at_mut(output);
                    let rows = before[input].chunks_exact(from).zip(after[0].chunks_exact_mut(width));
                    rows.for_each(|(from, to)| to.copy_from_slice(&from[first..first + width]));
                }
            }
        }
    }

    fn reverse(
        &mut self,
        architecture: &Architecture,
        term: &Term,
        weights: &[f64],
        weights_bar: &mut [f64],
        coefficients_bar: &mut [f64],
    ) {
        let at = |width| At { rules: &term.rules, coefficients: &self.coefficients, width };
        let values = &self.values;
        for (layer, slopes) in architecture.layers.iter().zip(&self.slopes).rev() {
            match *layer {
                Layer::Dense { input, output, weights: start, bias } => {
                    let dense = dense(architecture, weights, input, output, start, bias);
                    let (before, after) = self.adjoints.split_at_mut(output);
                    let (matrix_bar, rest) = weights_bar[start..].split_at_mut(dense.weights.len());
                    let bias_bar = &mut rest[bias - start - dense.weights.len()..][..dense.bias.len()];
                    dense.adjoint(&values[input], &after[0], &mut before[input], matrix_bar, bias_bar);
                }
                Layer::Activate { input, output, .. } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.adjoints.split_at_mut(output);
                    let (z, z_bar) = (&values[input], &mut before[input]);
                    at(width).chain_adjoint(slopes, z, &after[0], z_bar, coefficients_bar);
                }
                Layer::Gate { gate, first, second, output } => {
                    let at = at(architecture.widths[output]);
                    let (before, after) = self.adjoints.split_at_mut(output);
                    let out_bar = &after[0];
                    for (sign, other) in [(1.0, first), (-1.0, second)] {
                        at.product_adjoint(sign, &values[other], out_bar, &mut before[gate]);
                        at.product_adjoint(sign, &values[gate], out_bar, &mut before[other]);
                        let (gate, other) = (&values[gate], &values[other]);
                        at.product_coefficients_adjoint(sign, gate, other, out_bar, coefficients_bar);
                    }
                    before[second].iter_mut().zip(out_bar).for_each(|(second, out)| *second += out);
                }
                Layer::Add { left, right, output } => {
                    let (before, after) = self.adjoints.split_at_mut(output);
                    for signal in [left, right] {
                        before[signal].iter_mut().zip(&after[0]).for_each(|(bar, out)| *bar += out);
                    }
                }
                Layer::Scale { input, output, factors, shared } => {
                    let width = architecture.widths[output];
                    let (before, after) = self.adjoints.split_at_mut(output);
                    for (place, out_bar) in after[0].iter().enumerate() {
                        let factor = factors + if shared { 0 } else { place % width };
                        before[input][place] += weights[factor] * out_bar;
                        weights_bar[factor] += values[input][place] * out_bar;
                    }
                }
                Layer::Blend { first, second, output, share } => {
                    let (before, after) = self.adjoints.split_at_mut(output);
                    for (place, out_bar) in after[0].iter().enumerate() {
                        before[first][place] += weights[share] * out_bar;
                        before[second][place] += (1.0 - weights[share]) * out_bar;
                        weights_bar[share] += (values[first][place] - values[second][place]) * out_bar;
                    }
                }
                Layer::Multiply { left, right, output } => {
                    let at = at(architecture.widths[output]);
                    let (before, after) = self.adjoints.split_at_mut(output);
                    let out_bar = &after[0];
                    at.product_adjoint(1.0, &values[right], out_bar, &mut before[left]);
                    at.product_adjoint(1.0, &values[left], out_bar, &mut before[right]);
                    let (left, right) = (&values[left], &values[right]);
                    at.product_coefficients_adjoint(1.0, left, right, out_bar, coefficients_bar);
                }
                Layer::Select { input, output, first } => {
                    let (from, width) = (architecture.widths[input], architecture.widths[output]);
                    let (before, after) = self.adjoints.split_at_mut(output);
                    let rows = before[input].chunks_exact_mut(from).zip(after[0].chunks_exact(width));
                    for (bar, out_bar) in rows {
                        let selected = bar[first..first + width].iter_mut().zip(out_bar);
                        selected.for_each(|(bar, out_bar)| *bar += out_bar);
                    }
                }
            }
        }
        if coefficients_bar.is_empty() {
            return;
        }
        let features = architecture.features.len();
        let features_bar = &mut self.features_bar;
        features_bar.fill(0.0);
        at(features).chain_adjoint(
            &self.feature_slopes,
            &self.features,
            &self.adjoints[0],
            features_bar,
            coefficients_bar,
        );
        for seed in &term.rules.seeds {
            let Some(place) = seed.weight.coefficient else { continue };
            for (n, feature) in architecture.features.iter().enumerate() {
                for &(_, slope) in feature.slopes.iter().filter(|(axis, _)| *axis == seed.axis) {
                    coefficients_bar[place] +=
                        seed.weight.factor * slope * features_bar[seed.channel * features + n];
                }
            }
        }
    }
}

fn dense<'a>(
    architecture: &Architecture,
    parameters: &'a [f64],
    input: usize,
    output: usize,
    weights: usize,
    bias: usize,
) -> Dense<'a> {
    let (inputs, outputs) = (architecture.widths[input], architecture.widths[output]);
    Dense {
        weights: &parameters[weights..weights + inputs * outputs],
        bias: &parameters[bias..bias + outputs],
    }
}
