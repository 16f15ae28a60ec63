//! The common case in one pass over memory: tanh, and at most one collapsed operator whose rule is a
//! sum of squares (first derivatives, Laplacians, wave and heat operators). Everything of a neuron
//! stays in registers; the general rules of [`super::activation`] touch memory once per term.

use super::activation::ChannelBlock;
use super::math;
use linear::Float;

/// What makes a chain rule common: `h_i = s1·z_i`, and for one channel also `+ s2·Σ weight_i·z_i²`.
#[derive(Clone, Debug)]
pub(crate) struct Fast<T> {
    /// The channels without the value and without the collapsed one, with their weights in the sum.
    plain: Vec<(usize, T)>,
    /// The collapsed channel, if there is one.
    collapsed: Option<usize>,
}

/// Plain channels that are compiled for; more go the general way.
const MOST_PLAIN: usize = 5;

impl<T: Float> Fast<T> {
    /// The rule in this form, if it has it. `squares` lists (target, factor, weight) of every term
    /// beyond `s1·z`, `None` if one of them is no constant multiple of a square.
    pub(crate) fn new(channels: usize, squares: Option<Vec<(usize, usize, T)>>) -> Option<Fast<T>> {
        let squares = squares?;
        let collapsed = squares.first().map(|&(target, ..)| target);
        let one_target = squares.iter().all(|&(target, ..)| Some(target) == collapsed);
        let weight = |channel: usize| {
            squares.iter().filter(|&&(_, factor, _)| factor == channel).map(|&(_, _, weight)| weight).sum()
        };
        let plain: Vec<(usize, T)> = (1..channels)
            .filter(|&channel| Some(channel) != collapsed)
            .map(|channel| (channel, weight(channel)))
            .collect();
        (one_target && plain.len() <= MOST_PLAIN).then_some(Fast { plain, collapsed })
    }
}

macro_rules! for_each_count {
    ($fast:expr, $body:ident($($argument:expr),*)) => {
        match $fast.plain.len() {
            0 => $body::<T, FMA, 0>($($argument),*),
            1 => $body::<T, FMA, 1>($($argument),*),
            2 => $body::<T, FMA, 2>($($argument),*),
            3 => $body::<T, FMA, 3>($($argument),*),
            4 => $body::<T, FMA, 4>($($argument),*),
            _ => $body::<T, FMA, 5>($($argument),*),
        }
    };
}

/// See [`super::activation::forward`].
#[inline(always)]
pub(super) fn forward<T: Float, const FMA: bool>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    h: &mut [T],
    basis: &mut [T],
) {
    for_each_count!(fast, forward_lanes(fast, block, z, h, basis));
}

/// See [`super::activation::reverse`].
#[inline(always)]
pub(super) fn reverse<T: Float, const FMA: bool>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    basis: &[T],
    h_bar: &[T],
    z_bar: &mut [T],
) {
    for_each_count!(fast, reverse_lanes(fast, block, z, basis, h_bar, z_bar));
}

#[inline(always)]
fn forward_lanes<T: Float, const FMA: bool, const PLAIN: usize>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    h: &mut [T],
    basis: &mut [T],
) {
    if T::LANES == 16 {
        forward_body::<T, FMA, PLAIN, 16>(fast, block, z, h, basis);
    } else {
        forward_body::<T, FMA, PLAIN, 8>(fast, block, z, h, basis);
    }
}

#[inline(always)]
fn reverse_lanes<T: Float, const FMA: bool, const PLAIN: usize>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    basis: &[T],
    h_bar: &[T],
    z_bar: &mut [T],
) {
    if T::LANES == 16 {
        reverse_body::<T, FMA, PLAIN, 16>(fast, block, z, basis, h_bar, z_bar);
    } else {
        reverse_body::<T, FMA, PLAIN, 8>(fast, block, z, basis, h_bar, z_bar);
    }
}

#[inline(always)]
fn load<T: Float, const LANES: usize>(numbers: &[T], place: usize) -> [T; LANES] {
    let mut lanes = [T::ZERO; LANES];
    lanes.copy_from_slice(&numbers[place..place + LANES]);
    lanes
}

#[inline(always)]
fn store<T: Float, const LANES: usize>(numbers: &mut [T], place: usize, lanes: [T; LANES]) {
    numbers[place..place + LANES].copy_from_slice(&lanes);
}

#[inline(always)]
fn forward_body<T: Float, const FMA: bool, const PLAIN: usize, const LANES: usize>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    h: &mut [T],
    basis: &mut [T],
) {
    let stride = block.stride;
    let plain: [(usize, T); PLAIN] = std::array::from_fn(|place| fast.plain[place]);
    for start in (0..block.length).step_by(LANES) {
        let value: [T; LANES] = load(z, start);
        let (mut a, mut s1) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        for n in 0..LANES {
            (a[n], s1[n]) = math::tanh::<T, FMA>(value[n]);
        }
        store(h, start, a);
        store(basis, start, a);
        store(basis, stride + start, s1);
        let mut squares = [T::ZERO; LANES];
        for (channel, weight) in plain {
            let z: [T; LANES] = load(z, channel * stride + start);
            let mut out = [T::ZERO; LANES];
            for n in 0..LANES {
                out[n] = s1[n] * z[n];
                squares[n] = (weight * z[n]).mul_add::<FMA>(z[n], squares[n]);
            }
            store(h, channel * stride + start, out);
        }
        if let Some(channel) = fast.collapsed {
            let z: [T; LANES] = load(z, channel * stride + start);
            let mut out = [T::ZERO; LANES];
            for n in 0..LANES {
                let s2 = T::from_f64(-2.0) * a[n] * s1[n];
                out[n] = s2.mul_add::<FMA>(squares[n], s1[n] * z[n]);
            }
            store(h, channel * stride + start, out);
        }
    }
}

#[inline(always)]
fn reverse_body<T: Float, const FMA: bool, const PLAIN: usize, const LANES: usize>(
    fast: &Fast<T>,
    block: &ChannelBlock<'_, T>,
    z: &[T],
    basis: &[T],
    h_bar: &[T],
    z_bar: &mut [T],
) {
    let stride = block.stride;
    let plain: [(usize, T); PLAIN] = std::array::from_fn(|place| fast.plain[place]);
    for start in (0..block.length).step_by(LANES) {
        let a: [T; LANES] = load(basis, start);
        let s1: [T; LANES] = load(basis, stride + start);
        let h0: [T; LANES] = load(h_bar, start);
        let (mut s2, mut sum, mut squares) = ([T::ZERO; LANES], [T::ZERO; LANES], [T::ZERO; LANES]);
        // What the collapsed channel sends to the plain ones: 2·s2·h̄_L, and s3·h̄_L to the value.
        let (mut to_plain, mut to_value) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        for n in 0..LANES {
            s2[n] = T::from_f64(-2.0) * a[n] * s1[n];
        }
        if let Some(channel) = fast.collapsed {
            let (z, bar): ([T; LANES], [T; LANES]) =
                (load(z, channel * stride + start), load(h_bar, channel * stride + start));
            let mut out = [T::ZERO; LANES];
            for n in 0..LANES {
                out[n] = s1[n] * bar[n];
                sum[n] = z[n] * bar[n];
                to_plain[n] = T::from_f64(2.0) * s2[n] * bar[n];
                to_value[n] =
                    s1[n] * (a[n] * a[n]).mul_add::<FMA>(T::from_f64(6.0), T::from_f64(-2.0)) * bar[n];
            }
            store(z_bar, channel * stride + start, out);
        }
        for (channel, weight) in plain {
            let (z, bar): ([T; LANES], [T; LANES]) =
                (load(z, channel * stride + start), load(h_bar, channel * stride + start));
            let mut out = [T::ZERO; LANES];
            for n in 0..LANES {
                let weighted = weight * z[n];
                out[n] = weighted.mul_add::<FMA>(to_plain[n], s1[n] * bar[n]);
                sum[n] = z[n].mul_add::<FMA>(bar[n], sum[n]);
                squares[n] = weighted.mul_add::<FMA>(z[n], squares[n]);
            }
            store(z_bar, channel * stride + start, out);
        }
        let mut out = [T::ZERO; LANES];
        for n in 0..LANES {
            let linear = s2[n].mul_add::<FMA>(sum[n], s1[n] * h0[n]);
            out[n] = to_value[n].mul_add::<FMA>(squares[n], linear);
        }
        store(z_bar, start, out);
    }
}
