//! How the layers of a problem's network are wired.

use super::architecture::{Architecture, Feature, InitialDistribution, Layer, Signal, Tensor};
use super::features::features;
use crate::problem::{Initialization, Network, NetworkKind, Problem, RandomFactors, TrainedSlopes};
use std::ops::Range;

impl Architecture {
    /// The network of a problem. Random features follow from the problem's seed.
    pub fn new(problem: &Problem) -> Architecture {
        let network = &problem.network;
        let features = features(problem);
        let mut build = Build::new(problem, &features);
        let last = build.hidden();
        let (width, outputs) =
            (build.widths[last], problem.unknowns.len() * (1 + problem.domain.subdomains.len()));
        let head_limit = match network.initialization {
            Initialization::Spread | Initialization::Glorot => (6.0 / (width + outputs) as f64).sqrt(),
            Initialization::He => (6.0 / width as f64).sqrt(),
            Initialization::Siren { frequency } => (6.0 / width as f64).sqrt() / frequency,
        };
        build.dense("output", last, outputs, head_limit, 0.0);
        build.finish(features)
    }
}

struct Build<'a> {
    network: &'a Network,
    /// Runs of neighbouring features of one coordinate each, where no feature has several.
    runs: Vec<FeatureRun>,
    widths: Vec<usize>,
    layers: Vec<Layer>,
    tensors: Vec<Tensor>,
    /// Factors and shares, each with the layer that has it: they follow all matrices.
    factors: Vec<(usize, Tensor)>,
}

impl<'a> Build<'a> {
    fn new(problem: &'a Problem, features: &[Feature]) -> Self {
        Build {
            network: &problem.network,
            runs: runs(features),
            widths: vec![features.len()],
            layers: Vec::new(),
            tensors: Vec::new(),
            factors: Vec::new(),
        }
    }

    /// The whole network: factors get their places behind all matrices.
    fn finish(mut self, features: Vec<Feature>) -> Architecture {
        for (number, tensor) in self.factors {
            let offset = end(&self.tensors);
            match &mut self.layers[number] {
                Layer::Scale { factors: place, .. } | Layer::Blend { share: place, .. } => *place = offset,
                Layer::Dense { .. }
                | Layer::Activate { .. }
                | Layer::Gate { .. }
                | Layer::Add { .. }
                | Layer::Multiply { .. }
                | Layer::Select { .. } => unreachable!("only layers with factors are listed"),
            }
            self.tensors.push(Tensor { offset, ..tensor });
        }
        Architecture { features, layers: self.layers, widths: self.widths, tensors: self.tensors }
    }

    fn signal(&mut self, width: usize) -> Signal {
        self.widths.push(width);
        self.widths.len() - 1
    }

    fn tensor(&mut self, name: String, shape: [usize; 2], limit: f64) -> usize {
        let offset = end(&self.tensors);
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

    /// Its input times factors that train; [`Self::finish`] gives them their place.
    fn scale(&mut self, name: String, input: Signal, shared: bool, start: InitialDistribution) -> Signal {
        let width = self.widths[input];
        let output = self.signal(width);
        let shape = [1, if shared { 1 } else { width }];
        self.factors.push((self.layers.len(), Tensor { name, offset: 0, shape, start }));
        self.layers.push(Layer::Scale { input, output, factors: 0, shared });
        output
    }

    /// Whether a signal is coordinates, or fixed functions of them.
    fn is_features(&self, signal: Signal) -> bool {
        let selected = |layer: &Layer| matches!(*layer, Layer::Select { output, .. } if output == signal);
        signal == 0 || self.layers.iter().any(selected)
    }

    /// A dense layer without an activation.
    fn linear(&mut self, name: &str, input: Signal, width: usize) -> Signal {
        let limit = (6.0 / (self.widths[input] + width) as f64).sqrt();
        self.dense(name, input, width, limit, 0.0)
    }

    /// A dense layer with its activation.
    fn layer(&mut self, name: &str, input: Signal) -> Signal {
        let first = self.is_features(input);
        let (inputs, width) = (self.widths[input] as f64, self.network.width);
        let (limit, bias_limit) = match self.network.initialization {
            // Neurons that bend in different places, the first of them steeply enough for a few waves.
            Initialization::Spread if first => (2.0 * (6.0 / (inputs + width as f64)).sqrt(), 1.0),
            Initialization::Spread => ((6.0 / (inputs + width as f64)).sqrt(), 0.3),
            Initialization::Glorot => ((6.0 / (inputs + width as f64)).sqrt(), 0.0),
            Initialization::He => ((6.0 / inputs).sqrt(), 0.0),
            // sin(ω(Wx + b)) with ω multiplied into W and b, so that every engine sees a plain sine.
            Initialization::Siren { frequency } if first => (frequency / inputs, frequency / inputs.sqrt()),
            Initialization::Siren { frequency } => ((6.0 / inputs).sqrt(), frequency / inputs.sqrt()),
        };
        let mut input = self.dense(name, input, width, limit, bias_limit);
        if let Some(RandomFactors { mean, deviation }) = self.network.factorization {
            let start = InitialDistribution::LogNormal { mean, deviation };
            input = self.scale(format!("{name}.factors"), input, false, start);
        }
        if let Some(adaptive) = self.network.slopes {
            let shared = adaptive == TrainedSlopes::Layer;
            input = self.scale(format!("{name}.slope"), input, shared, InitialDistribution::One);
        }
        let output = self.signal(width);
        self.layers.push(Layer::Activate { input, output, activation: self.network.activation });
        output
    }

    fn gate(&mut self, gate: Signal, [first, second]: [Signal; 2]) -> Signal {
        let output = self.signal(self.network.width);
        self.layers.push(Layer::Gate { gate, first, second, output });
        output
    }

    /// All layers but the last one.
    fn hidden(&mut self) -> Signal {
        let (depth, input) = (self.network.depth, 0);
        match self.network.kind {
            NetworkKind::Mlp => {
                (1..=depth).fold(input, |signal, number| self.layer(&format!("layer{number}"), signal))
            }
            NetworkKind::Modified => {
                let encoders = [self.layer("encoder1", input), self.layer("encoder2", input)];
                (1..=depth).fold(input, |signal, number| {
                    let gate = self.layer(&format!("layer{number}"), signal);
                    self.gate(gate, encoders)
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
            NetworkKind::Pirate => self.pirate(),
            NetworkKind::Separable => self.separable(),
        }
    }

    /// Blocks of three layers that begin as nothing: the share of each starts at zero (Wang et al. 2024). A linear
    /// layer makes the features as wide as the blocks.
    fn pirate(&mut self) -> Signal {
        let encoders = [self.layer("encoder1", 0), self.layer("encoder2", 0)];
        let start = self.linear("embedding", 0, self.network.width);
        (1..=self.network.depth).fold(start, |second, number| {
            let named = |part: usize| format!("block{number}.layer{part}");
            let gate = self.layer(&named(1), second);
            let gated = self.gate(gate, encoders);
            let gate = self.layer(&named(2), gated);
            let gated = self.gate(gate, encoders);
            let first = self.layer(&named(3), gated);
            let output = self.signal(self.network.width);
            let tensor = Tensor {
                name: format!("block{number}.share"),
                offset: 0,
                shape: [1, 1],
                start: InitialDistribution::Zero,
            };
            self.factors.push((self.layers.len(), tensor));
            self.layers.push(Layer::Blend { first, second, output, share: 0 });
            output
        })
    }

    /// A network of its own for each coordinate; their outputs are multiplied, and the last layer sums them up (Cho et al.
    /// 2023).
    fn separable(&mut self) -> Signal {
        let rank = self.network.rank.unwrap_or(self.network.width);
        let runs = std::mem::take(&mut self.runs);
        let part = |run: &FeatureRun| {
            let name = format!("coordinate{}", run.axis + 1);
            let output = self.signal(run.places.len());
            self.layers.push(Layer::Select { input: 0, output, first: run.places.start });
            let hidden = (1..=self.network.depth)
                .fold(output, |signal, number| self.layer(&format!("{name}.layer{number}"), signal));
            self.linear(&format!("{name}.output"), hidden, rank)
        };
        let parts: Vec<Signal> = runs.iter().map(part).collect();
        parts.into_iter().reduce(|left, right| self.multiply(left, right)).unwrap_or(0)
    }

    fn multiply(&mut self, left: Signal, right: Signal) -> Signal {
        let output = self.signal(self.widths[left]);
        self.layers.push(Layer::Multiply { left, right, output });
        output
    }
}

/// Where the next tensor begins.
fn end(tensors: &[Tensor]) -> usize {
    tensors.last().map_or(0, |last| last.offset + last.shape[0] * last.shape[1])
}

/// Neighbouring features that see the same coordinate.
#[derive(Debug)]
struct FeatureRun {
    axis: usize,
    places: Range<usize>,
}

/// All runs of features.
fn runs(features: &[Feature]) -> Vec<FeatureRun> {
    let mut runs: Vec<FeatureRun> = Vec::new();
    for (number, feature) in features.iter().enumerate() {
        let axis = feature.slopes.first().map_or(0, |&(axis, _)| axis);
        match runs.last_mut() {
            Some(run) if run.axis == axis => run.places.end = number + 1,
            _ => runs.push(FeatureRun { axis, places: number..number + 1 }),
        }
    }
    runs
}
