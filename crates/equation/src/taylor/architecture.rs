//! The network as a list of vector operations on signals, and where its weights lie.

use super::activation::Wave;
use crate::counter::Stream;
use crate::problem::{Activation, Initialization, Network, NetworkKind, Problem};
use std::f64::consts::TAU;

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
}

impl Architecture {
    /// The network of a problem. Random features follow from the problem's seed.
    pub fn new(problem: &Problem) -> Architecture {
        let network = &problem.network;
        let features = features(problem);
        let mut build =
            Build { network, widths: vec![features.len()], layers: Vec::new(), tensors: Vec::new() };
        let last = build.hidden(0);
        let outputs = problem.unknowns.len() * (1 + problem.domain.subdomains.len());
        let head_limit = match network.initialization {
            Initialization::Spread | Initialization::Glorot => {
                (6.0 / (network.width + outputs) as f64).sqrt()
            }
            Initialization::He => (6.0 / network.width as f64).sqrt(),
            Initialization::Siren { frequency } => (6.0 / network.width as f64).sqrt() / frequency,
        };
        build.dense("output", last, outputs, head_limit, 0.0);
        Architecture { features, layers: build.layers, widths: build.widths, tensors: build.tensors }
    }

    /// Trainable weights.
    pub fn weight_count(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.offset + tensor.shape[0] * tensor.shape[1])
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
                };
            }
        }
    }
}

/// First stream name of weights; one stream per tensor follows.
const WEIGHT_STREAM: u64 = 1 << 32;
/// Stream name of random Fourier features.
const FOURIER_STREAM: u64 = 1 << 33;

struct Build<'a> {
    network: &'a Network,
    widths: Vec<usize>,
    layers: Vec<Layer>,
    tensors: Vec<Tensor>,
}

impl Build<'_> {
    fn signal(&mut self, width: usize) -> Signal {
        self.widths.push(width);
        self.widths.len() - 1
    }

    fn tensor(&mut self, name: String, shape: [usize; 2], limit: f64) -> usize {
        let offset = self.tensors.last().map_or(0, |last| last.offset + last.shape[0] * last.shape[1]);
        let start =
            if limit == 0.0 { InitialDistribution::Zero } else { InitialDistribution::Uniform(limit) };
        self.tensors.push(Tensor { name, offset, shape, start });
        offset
    }

    fn dense(&mut self, name: &str, input: Signal, width: usize, limit: f64, bias_limit: f64) -> Signal {
        let weights = self.tensor(format!("{name}.weight"), [self.widths[input], width], limit);
        let bias = self.tensor(format!("{name}.bias"), [1, width], bias_limit);
        let output = self.signal(width);
        self.layers.push(Layer::Dense { input, output, weights, bias });
        output
    }

    /// A dense layer with its activation.
    fn layer(&mut self, name: &str, input: Signal) -> Signal {
        let (inputs, width) = (self.widths[input] as f64, self.network.width);
        let (limit, bias_limit) = match self.network.initialization {
            // Neurons that bend in different places, the first of them steeply enough for a few waves.
            Initialization::Spread if input == 0 => (2.0 * (6.0 / (inputs + width as f64)).sqrt(), 1.0),
            Initialization::Spread => ((6.0 / (inputs + width as f64)).sqrt(), 0.3),
            Initialization::Glorot => ((6.0 / (inputs + width as f64)).sqrt(), 0.0),
            Initialization::He => ((6.0 / inputs).sqrt(), 0.0),
            // sin(ω(Wx + b)) with ω multiplied into W and b, so that every engine sees a plain sine.
            Initialization::Siren { frequency } if input == 0 => {
                (frequency / inputs, frequency / inputs.sqrt())
            }
            Initialization::Siren { frequency } => ((6.0 / inputs).sqrt(), frequency / inputs.sqrt()),
        };
        let input = self.dense(name, input, width, limit, bias_limit);
        let output = self.signal(width);
        self.layers.push(Layer::Activate { input, output, activation: self.network.activation });
        output
    }

    fn hidden(&mut self, input: Signal) -> Signal {
        let depth = self.network.depth;
        match self.network.kind {
            NetworkKind::Mlp => {
                (1..=depth).fold(input, |signal, number| self.layer(&format!("layer{number}"), signal))
            }
            NetworkKind::Modified => {
                let first = self.layer("encoder1", input);
                let second = self.layer("encoder2", input);
                (1..=depth).fold(input, |signal, number| {
                    let gate = self.layer(&format!("layer{number}"), signal);
                    let output = self.signal(self.network.width);
                    self.layers.push(Layer::Gate { gate, first, second, output });
                    output
                })
            }
            NetworkKind::Residual => {
                let mut signal = self.layer("layer1", input);
                for number in (2..=depth).step_by(2) {
                    let inner = self.layer(&format!("layer{number}"), signal);
                    if number == depth {
                        return inner; // An odd one out has no partner to span.
                    }
                    let right = self.layer(&format!("layer{}", number + 1), inner);
                    let output = self.signal(self.network.width);
                    self.layers.push(Layer::Add { left: signal, right, output });
                    signal = output;
                }
                signal
            }
        }
    }
}

/// The fixed functions of the coordinates that the first layer sees.
fn features(problem: &Problem) -> Vec<Feature> {
    let network = &problem.network;
    let mut features = Vec::new();
    let mut plain = Vec::new();
    for (axis, coordinate) in problem.domain.coordinates.iter().enumerate() {
        let length = coordinate.high - coordinate.low;
        match network.periodic.iter().find(|periodic| periodic.axis == axis) {
            Some(periodic) => {
                for harmonic in 1..=periodic.harmonics {
                    let slope = TAU * harmonic as f64 / length;
                    for wave in [Wave::Cos, Wave::Sin] {
                        let phase = -slope * coordinate.low;
                        features.push(Feature { wave, slopes: vec![(axis, slope)], phase });
                    }
                }
            }
            None if network.normalize => {
                let phase = -(coordinate.low + coordinate.high) / length;
                plain.push(Feature { wave: Wave::Identity, slopes: vec![(axis, 2.0 / length)], phase });
            }
            None => plain.push(Feature { wave: Wave::Identity, slopes: vec![(axis, 1.0)], phase: 0.0 }),
        }
    }
    match network.fourier {
        Some(fourier) if !plain.is_empty() => {
            let stream = Stream::new(problem.training.seed, FOURIER_STREAM);
            for number in 0..fourier.features {
                let mut slopes = Vec::new();
                let mut phase = 0.0;
                for (place, feature) in plain.iter().enumerate() {
                    let index = (number * plain.len() + place) as u64;
                    let waves = TAU * fourier.scale * stream.normal(index);
                    slopes.extend(feature.slopes.iter().map(|&(axis, slope)| (axis, waves * slope)));
                    phase += waves * feature.phase;
                }
                for wave in [Wave::Cos, Wave::Sin] {
                    features.push(Feature { wave, slopes: slopes.clone(), phase });
                }
            }
            features
        }
        _ => {
            features.extend(plain);
            features
        }
    }
}
