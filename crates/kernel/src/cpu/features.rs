//! The fixed functions of the coordinates that the first layer reads, with all channels.

use super::activation::{self, ChannelBlock, Nonlinearity};
use super::network::{Shared, Site, point_coefficients};
use super::term::TermCode;
use equation::taylor::{Architecture, Wave};
use linear::Float;

impl<T: Float> Site<T> {
    /// Arguments of all features from the coordinates (columns of a tile's points), then the waves.
    pub(super) fn features(&mut self, shared: Shared<'_, T>, term: &TermCode<T>, coordinates: &[T]) {
        let width = shared.layout.padded[0];
        let (points, rules) = (term.points, &term.term.rules);
        let count = term.term.channels.coefficients.len();
        self.arguments[..term.rows() * width].fill(T::ZERO);
        for (n, feature) in shared.architecture.features.iter().enumerate() {
            for point in 0..points {
                let mut value = T::from_f64(feature.phase);
                for &(axis, slope) in &feature.slopes {
                    value += T::from_f64(slope) * coordinates[axis * points + point];
                }
                self.arguments[point * width + n] = value;
                for seed in &rules.seeds {
                    let slope = feature.slopes.iter().find(|(axis, _)| *axis == seed.axis);
                    let Some(&(_, slope)) = slope else { continue };
                    let mut weight = T::from_f64(seed.weight.factor * slope);
                    if let Some(place) = seed.weight.coefficient {
                        weight *= self.coefficients[point * count + place];
                    }
                    self.arguments[(seed.channel * points + point) * width + n] += weight;
                }
            }
        }
        // Features of different kinds lie side by side: each kind is applied to a run of columns.
        for (range, wave) in runs(shared.architecture) {
            for point in 0..points {
                let start = point * width + range.start;
                let coefficients = point_coefficients(&self.coefficients, point, count);
                let block = wave_block(term, wave, range.len(), points * width, coefficients);
                let (z, h) = (&self.arguments[start..], &mut self.values[0][start..]);
                activation::forward(shared.level, block, z, h, &mut self.feature_basis[start..]);
            }
        }
    }

    /// Adjoints of the features, in the slot of signal 0, to adjoints of the coefficients.
    pub(super) fn features_adjoint(&mut self, shared: Shared<'_, T>, term: &TermCode<T>, slots: &[Vec<T>]) {
        let width = shared.layout.padded[0];
        let (points, count) = (term.points, term.term.channels.coefficients.len());
        let slot = shared.layout.features_slot;
        for (range, wave) in runs(shared.architecture) {
            for point in 0..points {
                let start = point * width + range.start;
                let coefficients = point_coefficients(&self.coefficients, point, count);
                let block = wave_block(term, wave, range.len(), points * width, coefficients);
                let partials = &mut self.partials[..term.term.rules.chain.len()];
                partials.fill(T::ZERO);
                let (z, basis) = (&self.arguments[start..], &self.feature_basis[start..]);
                let z_bar = &mut self.arguments_bar[start..];
                activation::reverse(shared.level, block, z, basis, &slots[slot][start..], z_bar, partials);
                let bar = &mut self.coefficients_bar[point * count..][..count];
                term.chain.scatter(partials, bar);
            }
        }
        for seed in &term.term.rules.seeds {
            let Some(place) = seed.weight.coefficient else { continue };
            for (n, feature) in shared.architecture.features.iter().enumerate() {
                for &(_, slope) in feature.slopes.iter().filter(|(axis, _)| *axis == seed.axis) {
                    let weight = T::from_f64(seed.weight.factor * slope);
                    for point in 0..points {
                        let bar = self.arguments_bar[(seed.channel * points + point) * width + n];
                        self.coefficients_bar[point * count + place] += weight * bar;
                    }
                }
            }
        }
    }
}

/// Some features of one kind at one point.
fn wave_block<'a, T: Float>(
    term: &'a TermCode<T>,
    wave: Wave,
    length: usize,
    stride: usize,
    coefficients: &'a [T],
) -> ChannelBlock<'a, T> {
    ChannelBlock { chain: &term.chain, shape: Nonlinearity::Wave(wave), length, stride, coefficients }
}

/// Runs of neighbouring features of one kind.
fn runs(architecture: &Architecture) -> impl Iterator<Item = (std::ops::Range<usize>, Wave)> {
    let features = &architecture.features;
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = features.get(start)?;
        let length = features[start..].iter().take_while(|feature| feature.wave == first.wave).count();
        let range = start..start + length;
        start += length;
        Some((range, first.wave))
    })
}
