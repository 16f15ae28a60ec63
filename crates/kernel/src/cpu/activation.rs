//! Activation jets: the chain rule on blocks of neurons, forward and reverse, for any set of channels.
//!
//! Blocks are worked through in pieces that stay in the first-level cache; within a piece every
//! operation is one plain loop, so the rules may be data and the arithmetic still runs in vectors.

use super::fast::{self, Fast};
use super::math;
use equation::problem::Activation;
use equation::taylor::{Rules, Wave};
use linear::{Float, for_each_level};

/// Numbers of one piece.
const PIECE: usize = 128;

/// Derivatives of an activation that are ever needed: the value and five orders.
const ORDERS: usize = 6;

/// What is applied to each neuron.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Nonlinearity {
    Activation(Activation),
    Wave(Wave),
}

/// The chain rule of one term of the plan, weights resolved to numbers of the engine.
#[derive(Clone, Debug)]
pub(crate) struct Chain<T> {
    pub(crate) channels: usize,
    highest: usize,
    terms: Vec<ChainTerm<T>>,
    /// The same rule in its common form, if it has it.
    fast: Option<Fast<T>>,
}

#[derive(Clone, Debug)]
struct ChainTerm<T> {
    channel: usize,
    order: usize,
    factor: T,
    coefficient: Option<usize>,
    factors: Vec<usize>,
}

impl<T: Float> Chain<T> {
    pub(crate) fn new(rules: &Rules, channels: usize) -> Self {
        let term = |term: &equation::taylor::ChainTerm| ChainTerm {
            channel: term.channel,
            order: term.order,
            factor: T::from_f64(term.weight.factor),
            coefficient: term.weight.coefficient,
            factors: term.factors.clone(),
        };
        let square = |term: &equation::taylor::ChainTerm| match term.factors[..] {
            [a, b] if a == b && term.weight.coefficient.is_none() => {
                Some((term.channel, a, T::from_f64(term.weight.factor)))
            }
            _ => None,
        };
        Chain {
            channels,
            highest: rules.highest_order(),
            terms: rules.chain.iter().map(term).collect(),
            fast: Fast::new(channels, rules.chain.iter().map(square).collect()),
        }
    }

    /// Adds `factor · partial` of every varying term to the adjoint of its coefficient.
    pub(crate) fn scatter(&self, partials: &[T], coefficients_bar: &mut [T]) {
        for (partial, term) in partials.iter().zip(&self.terms) {
            if let Some(place) = term.coefficient {
                coefficients_bar[place] += term.factor * *partial;
            }
        }
    }
}

/// One block: all channels of some neurons at some points, `block` numbers apart.
pub(crate) struct ChannelBlock<'a, T> {
    pub(crate) chain: &'a Chain<T>,
    pub(crate) shape: Nonlinearity,
    /// Numbers per channel that are worked on, from `start` of each channel.
    pub(crate) length: usize,
    /// Distance between channels.
    pub(crate) stride: usize,
    /// The coefficients of the point; empty if weights do not vary.
    pub(crate) coefficients: &'a [T],
}

impl<'a, T: Float> ChannelBlock<'a, T> {
    /// The common form, where rule, activation and length allow it.
    #[inline(always)]
    fn fast(&self) -> Option<&'a Fast<T>> {
        let tanh = self.shape == Nonlinearity::Activation(Activation::Tanh);
        let whole = self.length.is_multiple_of(T::LANES);
        if tanh && whole { self.chain.fast.as_ref() } else { None }
    }

    #[inline(always)]
    fn weight(&self, term: &ChainTerm<T>) -> T {
        term.coefficient.map_or(term.factor, |place| term.factor * self.coefficients[place])
    }
}

for_each_level! {
    /// `h = σ(z)` on all channels. `basis` receives, from its start and `stride` further on, the two
    /// numbers per neuron from which all derivatives of σ follow.
    pub(crate) fn forward<T: Float>(block: ChannelBlock<'_, T>, z: &[T], h: &mut [T], basis: &mut [T]) => forward_body
}

for_each_level! {
    /// The adjoint of [`forward`]: `z_bar` is overwritten. `partials` receives, per term of the chain
    /// rule, the derivative with respect to its weight, summed over the block; empty to skip that.
    pub(crate) fn reverse<T: Float>(
        block: ChannelBlock<'_, T>,
        z: &[T],
        basis: &[T],
        h_bar: &[T],
        z_bar: &mut [T],
        partials: &mut [T],
    ) => reverse_body
}

#[inline(always)]
fn forward_body<T: Float, const FMA: bool>(
    block: ChannelBlock<'_, T>,
    z: &[T],
    h: &mut [T],
    basis: &mut [T],
) {
    if let Some(fast) = block.fast() {
        return fast::forward::<T, FMA>(fast, &block, z, h, basis);
    }
    let chain = block.chain;
    let mut slopes = [[T::ZERO; PIECE]; ORDERS];
    let mut start = 0;
    while start < block.length {
        let length = PIECE.min(block.length - start);
        let piece = |channel: usize| channel * block.stride + start..channel * block.stride + start + length;
        let (p, q) = (piece(0), piece(1));
        {
            let (first, second) = basis.split_at_mut(block.stride);
            let second = &mut second[start..start + length];
            basis_values::<T, FMA>(block.shape, &z[piece(0)], &mut first[p.clone()], second);
        }
        for (order, slopes) in slopes.iter_mut().enumerate().take(chain.highest + 1) {
            slope::<T, FMA>(block.shape, order, &z[piece(0)], &basis[p.clone()], &basis[q.clone()], slopes);
        }
        h[piece(0)].copy_from_slice(&slopes[0][..length]);
        for channel in 1..chain.channels {
            let (z, h) = (&z[piece(channel)], &mut h[piece(channel)]);
            for ((h, &z), &s) in h.iter_mut().zip(z).zip(&slopes[1]) {
                *h = s * z;
            }
        }
        for term in &chain.terms {
            let weight = block.weight(term);
            let s = &slopes[term.order];
            let h = &mut h[piece(term.channel)];
            match term.factors[..] {
                [a, b] => {
                    for (((h, &s), &a), &b) in h.iter_mut().zip(s).zip(&z[piece(a)]).zip(&z[piece(b)]) {
                        *h = (weight * s).mul_add::<FMA>(a * b, *h);
                    }
                }
                [a, b, c] => {
                    let (a, b, c) = (&z[piece(a)], &z[piece(b)], &z[piece(c)]);
                    for n in 0..length {
                        h[n] = (weight * s[n] * a[n]).mul_add::<FMA>(b[n] * c[n], h[n]);
                    }
                }
                [a, b, c, d] => {
                    let (a, b, c, d) = (&z[piece(a)], &z[piece(b)], &z[piece(c)], &z[piece(d)]);
                    for n in 0..length {
                        h[n] = (weight * s[n] * a[n] * b[n]).mul_add::<FMA>(c[n] * d[n], h[n]);
                    }
                }
                _ => unreachable!("the chain rule to order 4 has 2 to 4 factors"),
            }
        }
        start += length;
    }
}

#[inline(always)]
fn reverse_body<T: Float, const FMA: bool>(
    block: ChannelBlock<'_, T>,
    z: &[T],
    basis: &[T],
    h_bar: &[T],
    z_bar: &mut [T],
    partials: &mut [T],
) {
    if let (Some(fast), true) = (block.fast(), partials.is_empty()) {
        return fast::reverse::<T, FMA>(fast, &block, z, basis, h_bar, z_bar);
    }
    let chain = block.chain;
    let mut slopes = [[T::ZERO; PIECE]; ORDERS];
    let mut gated = [T::ZERO; PIECE];
    let mut product = [T::ZERO; PIECE];
    let mut start = 0;
    while start < block.length {
        let length = PIECE.min(block.length - start);
        let piece = |channel: usize| channel * block.stride + start..channel * block.stride + start + length;
        let orders = if chain.channels == 1 { 2 } else { chain.highest + 2 };
        for (order, slopes) in slopes.iter_mut().enumerate().take(orders).skip(1) {
            slope::<T, FMA>(block.shape, order, &z[piece(0)], &basis[piece(0)], &basis[piece(1)], slopes);
        }
        let (value_bar, others_bar) = z_bar.split_at_mut(block.stride);
        let value_bar = &mut value_bar[start..start + length];
        let other = |channel: usize| {
            (channel - 1) * block.stride + start..(channel - 1) * block.stride + start + length
        };
        for ((bar, &s), &h_bar) in value_bar.iter_mut().zip(&slopes[1]).zip(&h_bar[piece(0)]) {
            *bar = s * h_bar;
        }
        for channel in 1..chain.channels {
            let bar = &mut others_bar[other(channel)];
            let (z, h_bar) = (&z[piece(channel)], &h_bar[piece(channel)]);
            let (s1, s2) = (&slopes[1][..length], &slopes[2][..length]);
            for n in 0..length {
                bar[n] = s1[n] * h_bar[n];
                value_bar[n] = (s2[n] * z[n]).mul_add::<FMA>(h_bar[n], value_bar[n]);
            }
        }
        for (number, term) in chain.terms.iter().enumerate() {
            let weight = block.weight(term);
            let h_bar = &h_bar[piece(term.channel)];
            let (s, next) = (&slopes[term.order][..length], &slopes[term.order + 1][..length]);
            let (gated, product) = (&mut gated[..length], &mut product[..length]);
            product.copy_from_slice(&z[piece(term.factors[0])]);
            for &factor in &term.factors[1..] {
                product.iter_mut().zip(&z[piece(factor)]).for_each(|(product, &z)| *product *= z);
            }
            if !partials.is_empty() {
                partials[number] += (0..length).map(|n| s[n] * product[n] * h_bar[n]).sum::<T>();
            }
            for n in 0..length {
                let to_h = weight * h_bar[n];
                gated[n] = to_h * s[n];
                value_bar[n] = (to_h * next[n]).mul_add::<FMA>(product[n], value_bar[n]);
            }
            for (position, &factor) in term.factors.iter().enumerate() {
                let bar = &mut others_bar[other(factor)];
                if let [a, b] = term.factors[..] {
                    let z = &z[piece(if position == 0 { b } else { a })];
                    for n in 0..length {
                        bar[n] = gated[n].mul_add::<FMA>(z[n], bar[n]);
                    }
                    continue;
                }
                product.fill(T::ONE);
                for (_, &factor) in term.factors.iter().enumerate().filter(|&(other, _)| other != position) {
                    product.iter_mut().zip(&z[piece(factor)]).for_each(|(product, &z)| *product *= z);
                }
                for n in 0..length {
                    bar[n] = gated[n].mul_add::<FMA>(product[n], bar[n]);
                }
            }
        }
        start += length;
    }
}

/// The two numbers from which, with z, all derivatives follow: value and slope of tanh, sine and
/// cosine, the normal distribution and its density, sigmoid and its slope.
#[inline(always)]
fn basis_values<T: Float, const FMA: bool>(shape: Nonlinearity, z: &[T], p: &mut [T], q: &mut [T]) {
    let both = z.iter().zip(p.iter_mut().zip(q.iter_mut()));
    match shape {
        Nonlinearity::Activation(Activation::Tanh) => {
            both.for_each(|(&z, (p, q))| (*p, *q) = math::tanh::<T, FMA>(z))
        }
        Nonlinearity::Activation(Activation::Sin) | Nonlinearity::Wave(Wave::Sin | Wave::Cos) => {
            both.for_each(|(&z, (p, q))| (*p, *q) = math::sine_cosine::<T, FMA>(z));
        }
        Nonlinearity::Activation(Activation::Silu) => {
            both.for_each(|(&z, (p, q))| (*p, *q) = math::sigmoid::<T, FMA>(z));
        }
        Nonlinearity::Activation(Activation::Gelu) => {
            both.for_each(|(&z, (p, q))| (*p, *q) = math::normal::<T, FMA>(z));
        }
        Nonlinearity::Wave(Wave::Identity) => {}
    }
}

/// One derivative of the shape for a piece.
#[inline(always)]
fn slope<T: Float, const FMA: bool>(
    shape: Nonlinearity,
    order: usize,
    z: &[T],
    p: &[T],
    q: &[T],
    out: &mut [T],
) {
    let number = T::from_f64;
    macro_rules! fill {
        (|$z:ident, $p:ident, $q:ident| $value:expr) => {
            for (out, (&$z, (&$p, &$q))) in out.iter_mut().zip(z.iter().zip(p.iter().zip(q))) {
                *out = $value;
            }
        };
    }
    match shape {
        Nonlinearity::Activation(Activation::Tanh) => match order {
            0 => fill!(|_z, p, _q| p),
            1 => fill!(|_z, _p, q| q),
            2 => fill!(|_z, p, q| number(-2.0) * p * q),
            3 => fill!(|_z, p, q| q * (p * p).mul_add::<FMA>(number(6.0), number(-2.0))),
            4 => fill!(|_z, p, q| number(8.0) * p * q * (p * p).mul_add::<FMA>(number(-3.0), number(2.0))),
            _ => fill!(|_z, p, q| {
                let a2 = p * p;
                number(8.0) * q * (number(15.0) * a2).mul_add::<FMA>(a2 - T::ONE, number(2.0))
            }),
        },
        Nonlinearity::Activation(Activation::Sin) | Nonlinearity::Wave(Wave::Sin) => match order % 4 {
            0 => fill!(|_z, p, _q| p),
            1 => fill!(|_z, _p, q| q),
            2 => fill!(|_z, p, _q| -p),
            _ => fill!(|_z, _p, q| -q),
        },
        Nonlinearity::Wave(Wave::Cos) => match order % 4 {
            0 => fill!(|_z, _p, q| q),
            1 => fill!(|_z, p, _q| -p),
            2 => fill!(|_z, _p, q| -q),
            _ => fill!(|_z, p, _q| p),
        },
        Nonlinearity::Wave(Wave::Identity) => match order {
            0 => fill!(|z, _p, _q| z),
            1 => fill!(|_z, _p, _q| T::ONE),
            _ => fill!(|_z, _p, _q| T::ZERO),
        },
        Nonlinearity::Activation(Activation::Gelu) => match order {
            0 => fill!(|z, p, _q| z * p),
            1 => fill!(|z, p, q| z.mul_add::<FMA>(q, p)),
            2 => fill!(|z, _p, q| (number(2.0) - z * z) * q),
            3 => fill!(|z, _p, q| z * (z * z - number(4.0)) * q),
            4 => fill!(|z, _p, q| {
                let z2 = z * z;
                ((number(7.0) - z2) * z2 - number(4.0)) * q
            }),
            _ => fill!(|z, _p, q| {
                let z2 = z * z;
                z * ((z2 - number(11.0)) * z2 + number(18.0)) * q
            }),
        },
        Nonlinearity::Activation(Activation::Silu) => match order {
            0 => fill!(|z, p, _q| z * p),
            1 => fill!(|z, p, q| z.mul_add::<FMA>(q, p)),
            2 => fill!(|z, p, q| q * (number(2.0) + z * (T::ONE - number(2.0) * p))),
            3 => fill!(|z, p, q| {
                let square = number(6.0) * (p * p - p);
                q * (number(3.0) - number(6.0) * p + z * (T::ONE + square))
            }),
            4 => fill!(|z, p, q| {
                let p2 = p * p;
                let inner = T::ONE - number(14.0) * p + number(36.0) * p2 - number(24.0) * p2 * p;
                q * (number(4.0) - number(24.0) * p + number(24.0) * p2 + z * inner)
            }),
            _ => fill!(|z, p, q| {
                let (p2, p3) = (p * p, p * p * p);
                let outer = number(5.0) - number(70.0) * p + number(180.0) * p2 - number(120.0) * p3;
                let inner = T::ONE - number(30.0) * p + number(150.0) * p2 - number(240.0) * p3
                    + number(120.0) * p2 * p2;
                q * (outer + z * inner)
            }),
        },
    }
}
