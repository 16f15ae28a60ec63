//! Where everything lies: padded widths, buffers for adjoints, packed weights.

use crate::adjoints::{self, Adjoints, LayerBars};
use equation::taylor::{Architecture, Layer};
use linear::{Accumulation, Float};

/// The network's layers with the buffers that their adjoints use.
#[derive(Clone, Debug)]
pub(crate) struct TapeLayout {
    pub(crate) steps: Vec<LayerStep>,
    /// Width of every signal, and the same in whole vectors.
    pub(crate) widths: Vec<usize>,
    pub(crate) padded: Vec<usize>,
    /// Buffers that adjoints share: the padded width that each must hold.
    pub(crate) slots: Vec<usize>,
    /// Where the adjoint of the outputs is put.
    pub(crate) output_slot: usize,
    /// Where that of the features is found.
    pub(crate) features_slot: usize,
    /// Numbers of all packed matrices: weights, transposes and gradients lie at [`PackedLayer`] places.
    pub(crate) packed: usize,
    pub(crate) transposed: usize,
}

/// One layer and the adjoints of what it reads.
#[derive(Clone, Debug)]
pub(crate) struct LayerStep {
    pub(crate) layer: Layer,
    /// Where the adjoint of the output lies.
    pub(crate) output: usize,
    /// In the order of the layer's operands.
    pub(crate) operands: Vec<AdjointSlot>,
    pub(crate) packed: PackedLayer,
}

/// The adjoint of a signal, and whether the layer is the first to write it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdjointSlot {
    pub(crate) slot: usize,
    pub(crate) start: Accumulation,
}

/// Where a dense layer's matrix, its bias and its transpose lie in the packed buffers; factors of neurons are a matrix of
/// one row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PackedLayer {
    pub(crate) matrix: usize,
    pub(crate) bias: usize,
    pub(crate) transpose: usize,
    /// Few outputs: a row of outputs would fill a fraction of a vector, so this layer's products run
    /// over its inputs instead, and its gradient is packed transposed.
    pub(crate) narrow: bool,
}

/// Outputs up to which a layer is narrow.
const NARROW: usize = 4;

impl TapeLayout {
    pub(crate) fn new<T: Float>(architecture: &Architecture) -> TapeLayout {
        let widths = architecture.widths.clone();
        let padded: Vec<usize> = widths.iter().map(|width| width.next_multiple_of(T::LANES)).collect();
        let adjoints = Adjoints::assign(architecture, &padded);
        let features_slot = adjoints.of_features(architecture);
        let step = |(layer, bars): (&Layer, LayerBars)| {
            let start =
                |bar: &adjoints::Bar| if bar.adds { Accumulation::Accumulate } else { Accumulation::Zero };
            let bar = |bar: &adjoints::Bar| AdjointSlot { slot: bar.slot, start: start(bar) };
            let operands = bars.operands.iter().map(bar).collect();
            LayerStep { layer: *layer, output: bars.output, operands, packed: PackedLayer::default() }
        };
        let mut steps: Vec<LayerStep> = architecture.layers.iter().zip(adjoints.layers).map(step).collect();

        let (mut packed, mut transposed) = (0, 0);
        for step in &mut steps {
            if let Layer::Dense { input, output, .. } = step.layer {
                let matrix = packed;
                let bias = matrix + widths[input] * padded[output];
                let fits = widths[output] * padded[input] <= widths[input] * padded[output];
                let narrow = widths[output] <= NARROW && fits;
                step.packed = PackedLayer { matrix, bias, transpose: transposed, narrow };
                packed = bias + padded[output];
                transposed += widths[output] * padded[input];
            } else if step.layer.factors().is_some() {
                step.packed = PackedLayer { matrix: packed, ..PackedLayer::default() };
                packed += padded[step.layer.output()];
            }
        }
        TapeLayout {
            steps,
            widths,
            padded,
            slots: adjoints.slots,
            output_slot: adjoints.output,
            features_slot,
            packed,
            transposed,
        }
    }

    /// Copies weights into padded rows, and into padded rows of the transposes.
    pub(crate) fn pack<T: Float>(&self, parameters: &[f64], packed: &mut [T], transposed: &mut [T]) {
        for step in &self.steps {
            if let Some((first, shared)) = step.layer.factors() {
                let places = &mut packed[step.packed.matrix..][..self.widths[step.layer.output()]];
                for (column, factor) in places.iter_mut().enumerate() {
                    *factor = T::from_f64(parameters[first + if shared { 0 } else { column }]);
                }
            }
            let Layer::Dense { input, output, weights, bias } = step.layer else { continue };
            let (inputs, outputs) = (self.widths[input], self.widths[output]);
            for row in 0..inputs {
                for column in 0..outputs {
                    let weight = T::from_f64(parameters[weights + row * outputs + column]);
                    packed[step.packed.matrix + row * self.padded[output] + column] = weight;
                    transposed[step.packed.transpose + column * self.padded[input] + row] = weight;
                }
            }
            for column in 0..outputs {
                packed[step.packed.bias + column] = T::from_f64(parameters[bias + column]);
            }
        }
    }

    /// Adds a packed gradient to one in the order of the parameters.
    pub(crate) fn unpack(&self, packed: &[f64], gradient: &mut [f64]) {
        for step in &self.steps {
            if let Some((first, shared)) = step.layer.factors() {
                let places = &packed[step.packed.matrix..][..self.widths[step.layer.output()]];
                for (column, bar) in places.iter().enumerate() {
                    gradient[first + if shared { 0 } else { column }] += bar;
                }
            }
            let Layer::Dense { input, output, weights, bias } = step.layer else { continue };
            let (inputs, outputs) = (self.widths[input], self.widths[output]);
            // Distances between rows and columns of the packed gradient.
            let (down, right) =
                if step.packed.narrow { (1, self.padded[input]) } else { (self.padded[output], 1) };
            for row in 0..inputs {
                let to = &mut gradient[weights + row * outputs..][..outputs];
                for (column, to) in to.iter_mut().enumerate() {
                    *to += packed[step.packed.matrix + row * down + column * right];
                }
            }
            let from = &packed[step.packed.bias..][..outputs];
            let to = &mut gradient[bias..][..outputs];
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }
}
