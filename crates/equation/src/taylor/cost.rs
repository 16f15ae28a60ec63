//! What one point of a term costs: the floor that engines are measured against.

use super::activation::Wave;
use super::architecture::{Architecture, Layer};
use super::channels::Channels;
use super::rules::Rules;

/// Work and memory per point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Multiplications and additions of the matrix products, forward.
    pub forward_products: u64,
    /// The same for the gradient: adjoints of the inputs and of the weights.
    pub reverse_products: u64,
    /// Elementwise operations of activations and gates, forward and reverse; a transcendental counts as one.
    pub elementwise: u64,
    /// Numbers that a reverse pass reads again: all channels of all signals.
    pub stored: u64,
}

impl Cost {
    /// Counts one point of a term.
    pub fn new(architecture: &Architecture, channels: &Channels, rules: &Rules, sites: usize) -> Cost {
        let all = channels.len() as u64;
        let width = |signal: usize| architecture.widths[signal] as u64;
        let linear_input = architecture.features.iter().all(|feature| feature.wave == Wave::Identity);
        let mut cost = Cost::default();
        for layer in &architecture.layers {
            match *layer {
                Layer::Dense { input, output, .. } if architecture.features_in(input).is_some() => {
                    // Channels of linear features are constant, so only the value needs a product,
                    // and nobody asks for the adjoint of the coordinates.
                    let channels = if linear_input { 1 } else { all };
                    cost.forward_products += 2 * width(input) * width(output) * channels;
                    cost.reverse_products += 2 * width(input) * width(output) * channels;
                }
                Layer::Dense { input, output, .. } => {
                    cost.forward_products += 2 * width(input) * width(output) * all;
                    cost.reverse_products += 4 * width(input) * width(output) * all;
                }
                Layer::Activate { output, .. } => cost.elementwise += width(output) * chain_work(all, rules),
                Layer::Gate { output, .. } => {
                    cost.elementwise += width(output) * 3 * (3 * all + 3 * rules.product.len() as u64);
                }
                Layer::Add { output, .. } => cost.elementwise += width(output) * 2 * all,
                // Forward, to the input, and two for the factor.
                Layer::Scale { output, .. } => cost.elementwise += width(output) * 4 * all,
                Layer::Blend { output, .. } => cost.elementwise += width(output) * 8 * all,
                Layer::Multiply { output, .. } => {
                    cost.elementwise += width(output) * 3 * (2 * all + 2 * rules.product.len() as u64);
                }
                Layer::Select { .. } => {}
            }
        }
        cost.stored = architecture.widths.iter().map(|&width| width as u64 * all).sum();
        let sites = sites as u64;
        Cost {
            forward_products: cost.forward_products * sites,
            reverse_products: cost.reverse_products * sites,
            elementwise: cost.elementwise * sites,
            stored: cost.stored * sites,
        }
    }

    /// All of a value with its gradient.
    pub fn flops(&self) -> u64 {
        self.forward_products + self.reverse_products + self.elementwise
    }

    /// Bytes that a reverse pass keeps per point, at this many bytes a number.
    pub fn stored_bytes(&self, number: u64) -> u64 {
        self.stored * number
    }
}

/// Operations per neuron: derivatives of the activation, then one multiplication per channel and a
/// few per further term of the chain rule; the reverse pass does each about twice.
fn chain_work(channels: u64, rules: &Rules) -> u64 {
    let terms: u64 = rules.chain.iter().map(|term| term.order as u64 + 2).sum();
    let derivatives = 3 * (rules.highest_order() as u64 + 1);
    derivatives + 3 * (channels - 1) + 3 * terms
}
