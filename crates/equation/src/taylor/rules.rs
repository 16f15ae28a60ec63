//! How channels pass through functions and products: the chain rule (Faà di Bruno) and the product
//! rule (Leibniz) written out for one set of channels.

use super::channels::{Channels, Weight};
use crate::expression::Derivative;

/// The rules of one set of channels.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Beyond `h_c = s1·z_c`, which holds for every channel but the value (`h_0 = s0`).
    pub chain: Vec<ChainTerm>,
    /// Beyond `(fg)_c = f_0·g_c + f_c·g_0`, which holds for every channel but the value.
    pub product: Vec<ProductTerm>,
    /// Channels of the coordinates themselves: `(x_axis)_channel = weight`; all others are zero.
    pub seeds: Vec<Seed>,
}

/// Adds `weight · s_order · Π z_factor` to `h_channel`.
#[derive(Clone, PartialEq, Debug)]
pub struct ChainTerm {
    /// Where to.
    pub channel: usize,
    /// Number of factors, and the order of the activation's derivative.
    pub order: usize,
    /// The number of ways to share the derivatives out, times the operator's coefficient.
    pub weight: Weight,
    /// Which channels are multiplied, ascending, with repetition.
    pub factors: Vec<usize>,
}

/// Adds `weight · f_left · g_right` to `(fg)_channel`.
#[derive(Clone, PartialEq, Debug)]
pub struct ProductTerm {
    /// Where to.
    pub channel: usize,
    /// Channel of the first factor.
    pub left: usize,
    /// Channel of the second factor.
    pub right: usize,
    /// The number of ways to share the derivatives out, times the operator's coefficient.
    pub weight: Weight,
}

/// `(x_axis)_channel = weight`.
#[derive(Clone, PartialEq, Debug)]
pub struct Seed {
    /// Which channel.
    pub channel: usize,
    /// Of which coordinate.
    pub axis: usize,
    /// The operator's coefficient of the first derivative along that coordinate.
    pub weight: Weight,
}

impl Rules {
    /// Writes the rules out.
    pub fn new(channels: &Channels) -> Rules {
        let mut rules = Rules { chain: Vec::new(), product: Vec::new(), seeds: Vec::new() };
        for (channel, kind) in channels.kinds.iter().enumerate() {
            for derivative in kind.derivatives() {
                let Some(weight) = kind.weight(derivative) else { continue };
                if let [axis] = derivative.axes() {
                    rules.seeds.push(Seed { channel, axis: usize::from(*axis), weight });
                }
                rules.add_chain(channels, channel, derivative, weight);
                rules.add_products(channels, channel, derivative, weight);
            }
        }
        rules
    }

    /// The highest derivative of the activation that the forward pass needs; the reverse pass needs one more.
    pub fn highest_order(&self) -> usize {
        self.chain.iter().map(|term| term.order).max().unwrap_or(1)
    }

    /// Each way to share the axes out among at least two factors is one term of ∂^derivative σ(z).
    /// Those whose parts are all pivots carry the whole sum, because the basis is reduced: what a
    /// collapsed channel holds beyond its pivot are exactly the other ways.
    fn add_chain(&mut self, channels: &Channels, channel: usize, derivative: Derivative, weight: Weight) {
        for parts in partitions(derivative) {
            if parts.len() < 2 {
                continue;
            }
            let found: Option<Vec<usize>> = parts.iter().map(|&part| channels.at_pivot(part)).collect();
            let Some(mut factors) = found else { continue };
            factors.sort_unstable();
            let same = |term: &&mut ChainTerm| {
                term.channel == channel
                    && term.factors == factors
                    && term.weight.coefficient == weight.coefficient
            };
            match self.chain.iter_mut().find(same) {
                Some(term) => term.weight.factor += weight.factor,
                None => self.chain.push(ChainTerm { channel, order: factors.len(), weight, factors }),
            }
        }
    }

    fn add_products(&mut self, channels: &Channels, channel: usize, derivative: Derivative, weight: Weight) {
        let axes = derivative.axes();
        // Neither none nor all of the axes on the first factor: those two are f_0·g_c and f_c·g_0.
        for chosen in 1..(1u32 << axes.len()).saturating_sub(1) {
            let side = |wanted: bool| {
                let on_side = |(bit, _): &(usize, &u8)| (chosen >> bit & 1 == 1) == wanted;
                let axes: Vec<usize> =
                    axes.iter().enumerate().filter(on_side).map(|(_, &axis)| usize::from(axis)).collect();
                Derivative::new(&axes).expect("fewer axes than before")
            };
            let (Some(left), Some(right)) = (channels.at_pivot(side(true)), channels.at_pivot(side(false)))
            else {
                continue;
            };
            let same = |term: &&mut ProductTerm| {
                term.channel == channel
                    && (term.left, term.right) == (left, right)
                    && term.weight.coefficient == weight.coefficient
            };
            match self.product.iter_mut().find(same) {
                Some(term) => term.weight.factor += weight.factor,
                None => self.product.push(ProductTerm { channel, left, right, weight }),
            }
        }
    }
}

/// All partitions of the derivative's axes into groups, repeated as often as they arise.
fn partitions(derivative: Derivative) -> Vec<Vec<Derivative>> {
    let mut all: Vec<Vec<Derivative>> = vec![Vec::new()];
    for &axis in derivative.axes() {
        let axis = usize::from(axis);
        let mut next = Vec::new();
        for parts in &all {
            for position in 0..=parts.len() {
                let mut extended = parts.clone();
                if position == parts.len() {
                    extended.push(Derivative::NONE);
                }
                extended[position] = extended[position].along(axis).expect("no more axes than before");
                next.push(extended);
            }
        }
        all = next;
    }
    all
}
