//! The product rule on blocks of neurons, for gates.

use equation::taylor::Rules;
use linear::{Float, for_each_level};

/// The product rule of one term of the plan.
#[derive(Clone, Debug)]
pub(crate) struct ProductRule<T> {
    terms: Vec<ProductTerm<T>>,
}

#[derive(Clone, Debug)]
struct ProductTerm<T> {
    channel: usize,
    left: usize,
    right: usize,
    factor: T,
    coefficient: Option<usize>,
}

impl<T: Float> ProductRule<T> {
    pub(crate) fn new(rules: &Rules) -> Self {
        let term = |term: &equation::taylor::ProductTerm| ProductTerm {
            channel: term.channel,
            left: term.left,
            right: term.right,
            factor: T::from_f64(term.weight.factor),
            coefficient: term.weight.coefficient,
        };
        ProductRule { terms: rules.product.iter().map(term).collect() }
    }
}

/// All channels of some neurons at one or more points, `stride` numbers apart.
#[derive(Clone, Copy)]
pub(crate) struct ChannelSpan<'a, T> {
    pub(crate) product: &'a ProductRule<T>,
    pub(crate) channels: usize,
    pub(crate) length: usize,
    pub(crate) stride: usize,
    /// The coefficients of the point; empty if weights do not vary.
    pub(crate) coefficients: &'a [T],
}

for_each_level! {
    /// Adds `sign · f·g` to `h`.
    pub(crate) fn multiply<T: Float>(span: ChannelSpan<'_, T>, sign: T, f: &[T], g: &[T], h: &mut [T]) => multiply_body
}

for_each_level! {
    /// Adds the adjoint of [`multiply`] with respect to `f` to `f_bar`.
    pub(crate) fn adjoint<T: Float>(span: ChannelSpan<'_, T>, sign: T, g: &[T], h_bar: &[T], f_bar: &mut [T]) => adjoint_body
}

/// Adds the derivative with respect to every term's weight, summed over the span, to `partials`.
pub(crate) fn partials<T: Float>(
    span: ChannelSpan<'_, T>,
    sign: T,
    f: &[T],
    g: &[T],
    h_bar: &[T],
    partials: &mut [T],
) {
    for (partial, term) in partials.iter_mut().zip(&span.product.terms) {
        let (left, right) = (term.left * span.stride, term.right * span.stride);
        let from = term.channel * span.stride;
        *partial += (0..span.length).map(|n| sign * f[left + n] * g[right + n] * h_bar[from + n]).sum::<T>();
    }
}

impl<T: Float> ProductRule<T> {
    /// Adds `factor · partial` of every varying term to the adjoint of its coefficient.
    pub(crate) fn scatter(&self, partials: &[T], coefficients_bar: &mut [T]) {
        for (partial, term) in partials.iter().zip(&self.terms) {
            if let Some(place) = term.coefficient {
                coefficients_bar[place] += term.factor * *partial;
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }
}

#[inline(always)]
fn multiply_body<T: Float, const FMA: bool>(
    span: ChannelSpan<'_, T>,
    sign: T,
    f: &[T],
    g: &[T],
    h: &mut [T],
) {
    let at = |channel: usize| channel * span.stride..channel * span.stride + span.length;
    for channel in 0..span.channels {
        let (f0, g0) = (&f[at(0)], &g[at(0)]);
        let (fc, gc, h) = (&f[at(channel)], &g[at(channel)], &mut h[at(channel)]);
        for n in 0..span.length {
            let cross = if channel == 0 { T::ZERO } else { fc[n] * g0[n] };
            h[n] += sign * f0[n].mul_add::<FMA>(gc[n], cross);
        }
    }
    for term in &span.product.terms {
        let weight = sign * weight(&span, term);
        let (f, g, h) = (&f[at(term.left)], &g[at(term.right)], &mut h[at(term.channel)]);
        for n in 0..span.length {
            h[n] = (weight * f[n]).mul_add::<FMA>(g[n], h[n]);
        }
    }
}

#[inline(always)]
fn adjoint_body<T: Float, const FMA: bool>(
    span: ChannelSpan<'_, T>,
    sign: T,
    g: &[T],
    h_bar: &[T],
    f_bar: &mut [T],
) {
    let at = |channel: usize| channel * span.stride..channel * span.stride + span.length;
    for channel in 0..span.channels {
        let (gc, h_bar) = (&g[at(channel)], &h_bar[at(channel)]);
        let value_bar = &mut f_bar[at(0)];
        for n in 0..span.length {
            value_bar[n] = (sign * gc[n]).mul_add::<FMA>(h_bar[n], value_bar[n]);
        }
        if channel > 0 {
            let (g0, f_bar) = (&g[at(0)], &mut f_bar[at(channel)]);
            for n in 0..span.length {
                f_bar[n] = (sign * g0[n]).mul_add::<FMA>(h_bar[n], f_bar[n]);
            }
        }
    }
    for term in &span.product.terms {
        let weight = sign * weight(&span, term);
        let (g, h_bar, f_bar) = (&g[at(term.right)], &h_bar[at(term.channel)], &mut f_bar[at(term.left)]);
        for n in 0..span.length {
            f_bar[n] = (weight * g[n]).mul_add::<FMA>(h_bar[n], f_bar[n]);
        }
    }
}

#[inline(always)]
fn weight<T: Float>(span: &ChannelSpan<'_, T>, term: &ProductTerm<T>) -> T {
    term.coefficient.map_or(term.factor, |place| term.factor * span.coefficients[place])
}
