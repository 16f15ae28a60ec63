//! The network as a list of vector operations on signals, and where its weights lie.

use super::activation::Wave;
use crate::counter::Stream;
use crate::problem::Activation;
use std::ops::Range;

/// A vector that flows through the network, by position in [`Architecture::widths`].
pub type Signal = usize;

/// The network.
#[derive(Clone, Debug)]
pub struct Architecture {
    /// What signal 0 is made of: fixed functions of the coordinates.
    pub features: Vec<Feature>,
    /// In order of execution; the last one writes the network's outputs.
    pub layers: Vec<Layer>,
    /// Width of every signal; the last one is the output.
    pub widths: Vec<usize>,
    /// The weights, in the order of the parameter vector.
    pub tensors: Vec<Tensor>,
}

/// `wave(phase + Σ slope·coordinate)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// The function around the affine map.
    pub wave: Wave,
    /// Which coordinates enter, and how steeply.
    pub slopes: Vec<(usize, f64)>,
    /// Its value where all coordinates are zero.
    pub phase: f64,
}

/// One vector operation. Every signal is written once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// `output = input · W + b`, W stored with one row per input neuron.
    Dense {
        /// Read from.
        input: Signal,
        /// Written to.
        output: Signal,
        /// Where W starts in the parameter vector.
        weights: usize,
        /// Where b starts in the parameter vector.
        bias: usize,
    },
    /// `output = σ(input)`
    Activate {
        /// Read from.
        input: Signal,
        /// Written to.
        output: Signal,
        /// σ
        activation: Activation,
    },
    /// `output = gate·first + (1 - gate)·second`
    Gate {
        /// What decides between the two.
        gate: Signal,
        /// Where the gate is one.
        first: Signal,
        /// Where the gate is zero.
        second: Signal,
        /// Written to.
        output: Signal,
    },
    /// `output = left + right`
    Add {
        /// First summand.
        left: Signal,
        /// Second summand.
        right: Signal,
        /// Written to.
        output: Signal,
    },
    /// `output = factor·input`, one trainable factor per neuron, or one for all of them.
    Scale {
        /// Read from.
        input: Signal,
        /// Written to.
        output: Signal,
        /// Where the factors start in the parameter vector.
        factors: usize,
        /// Whether one factor is that of all neurons.
        shared: bool,
    },
    /// `output = share·first + (1 - share)·second` with one trainable share.
    Blend {
        /// All of the output where the share is one.
        first: Signal,
        /// All of it where the share is zero.
        second: Signal,
        /// Written to.
        output: Signal,
        /// Where the share is in the parameter vector.
        share: usize,
    },
    /// `output = left·right`, neuron by neuron.
    Multiply {
        /// First factor.
        left: Signal,
        /// Second factor.
        right: Signal,
        /// Written to.
        output: Signal,
    },
    /// `output` is a run of neighbouring neurons of `input`, as many as the output is wide.
    Select {
        /// Read from.
        input: Signal,
        /// Written to.
        output: Signal,
        /// The first of the neurons.
        first: usize,
    },
}

impl Layer {
    /// The signal that it writes.
    pub fn output(self) -> Signal {
        match self {
            Layer::Dense { output, .. }
            | Layer::Activate { output, .. }
            | Layer::Gate { output, .. }
            | Layer::Add { output, .. }
            | Layer::Scale { output, .. }
            | Layer::Blend { output, .. }
            | Layer::Multiply { output, .. }
            | Layer::Select { output, .. } => output,
        }
    }

    /// Trainable factors other than those of matrices: where they start, and whether one is that of all neurons.
    pub fn factors(self) -> Option<(usize, bool)> {
        match self {
            Layer::Scale { factors, shared, .. } => Some((factors, shared)),
            Layer::Blend { share, .. } => Some((share, true)),
            Layer::Dense { .. }
            | Layer::Activate { .. }
            | Layer::Gate { .. }
            | Layer::Add { .. }
            | Layer::Multiply { .. }
            | Layer::Select { .. } => None,
        }
    }
}

/// A named block of the parameter vector.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Such as `layer1.weight`.
    pub name: String,
    /// Where it starts.
    pub offset: usize,
    /// Rows and columns; a bias has one row.
    pub shape: [usize; 2],
    /// Distribution of its starting values.
    pub start: InitialDistribution,
}

/// Distribution of starting values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InitialDistribution {
    /// All zero.
    Zero,
    /// Uniform in (-limit, limit).
    Uniform(f64),
    /// All one.
    One,
    /// The exponential of a normal distribution; what they multiply is divided by them, so that the network starts as
    /// it would without them.
    LogNormal {
        /// Mean of the logarithms.
        mean: f64,
        /// Standard deviation of the logarithms.
        deviation: f64,
    },
}

impl Architecture {
    /// What a layer is called: after its own weights, or those that come before it.
    pub fn layer_name(&self, layer: usize) -> String {
        let named = |number: usize| match self.layers.get(number) {
            Some(Layer::Dense { weights, .. }) => self
                .tensors
                .iter()
                .find(|tensor| tensor.offset == *weights)
                .map(|tensor| tensor.name.as_str()),
            Some(
                Layer::Activate { .. }
                | Layer::Gate { .. }
                | Layer::Add { .. }
                | Layer::Scale { .. }
                | Layer::Blend { .. }
                | Layer::Multiply { .. }
                | Layer::Select { .. },
            )
            | None => None,
        };
        let before = (0..=layer).rev().find_map(|number| Some((number, named(number)?)));
        match before {
            Some((number, name)) => {
                let name = name.strip_suffix(".weight").unwrap_or(name);
                let after = if number == layer { "" } else { "the vector after " };
                format!("{after}`{name}`")
            }
            None => "the first layer".to_owned(),
        }
    }

    /// Trainable weights.
    pub fn weight_count(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.offset + tensor.shape[0] * tensor.shape[1])
    }

    /// How many of the first weights belong to matrices and their biases: nothing draws factors and shares, which follow
    /// them, towards zero.
    pub fn decaying_count(&self) -> usize {
        let factors = self.layers.iter().filter_map(|layer| layer.factors()).map(|(first, _)| first);
        factors.min().unwrap_or_else(|| self.weight_count())
    }

    /// Which features a signal is, if it is some of them as they are.
    pub fn features_in(&self, signal: Signal) -> Option<Range<usize>> {
        if signal == 0 {
            return Some(0..self.features.len());
        }
        self.layers.iter().find_map(|layer| match *layer {
            Layer::Select { input: 0, output, first } if output == signal => {
                Some(first..first + self.widths[output])
            }
            _ => None,
        })
    }

    /// Whether it is nothing but dense layers and activations, one after the other.
    pub fn is_chain(&self) -> bool {
        self.layers.iter().all(|layer| matches!(layer, Layer::Dense { .. } | Layer::Activate { .. }))
    }

    /// Network outputs.
    pub fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// Writes starting weights: weight i of tensor k is a pure function of (seed, k, i).
    pub fn initialize(&self, seed: u64, weights: &mut [f64]) {
        for (number, tensor) in self.tensors.iter().enumerate() {
            let stream = Stream::new(seed, WEIGHT_STREAM + number as u64);
            let size = tensor.shape[0] * tensor.shape[1];
            for (index, weight) in weights[tensor.offset..tensor.offset + size].iter_mut().enumerate() {
                *weight = match tensor.start {
                    InitialDistribution::Zero => 0.0,
                    InitialDistribution::Uniform(limit) => limit * (2.0 * stream.uniform(index as u64) - 1.0),
                    InitialDistribution::One => 1.0,
                    InitialDistribution::LogNormal { mean, deviation } => {
                        (mean + deviation * stream.normal(index as u64)).exp()
                    }
                };
            }
        }
        self.divide_by_factors(weights);
    }

    /// Divides weights and biases by the random factors of their neurons.
    fn divide_by_factors(&self, parameters: &mut [f64]) {
        let random = self
            .tensors
            .iter()
            .filter(|tensor| matches!(tensor.start, InitialDistribution::LogNormal { .. }));
        for tensor in random {
            let multiplied = self.layers.iter().find_map(|layer| match *layer {
                Layer::Scale { input, factors, .. } if factors == tensor.offset => Some(input),
                _ => None,
            });
            let dense = self.layers.iter().find_map(|layer| match *layer {
                Layer::Dense { input, output, weights, bias } if Some(output) == multiplied => {
                    Some((weights..weights + self.widths[input] * self.widths[output], bias))
                }
                _ => None,
            });
            let Some((matrix, bias)) = dense else { continue };
            let width = tensor.shape[1];
            for place in matrix.clone() {
                parameters[place] /= parameters[tensor.offset + (place - matrix.start) % width];
            }
            for neuron in 0..width {
                parameters[bias + neuron] /= parameters[tensor.offset + neuron];
            }
        }
    }
}

/// First stream name of weights; one stream per tensor follows.
const WEIGHT_STREAM: u64 = 1 << 32;
