//! Weights that make a network the function that another one was, where intervals have changed.

use super::activation::Wave;
use super::{Architecture, Feature, Layer};

impl Architecture {
    /// Changes the weights of a network that differs from this one in nothing but the intervals of coordinates: with
    /// what they become, this one is the same function, unless intervals of other lengths have made random waves of
    /// other lengths.
    pub fn carry(&self, before: &Architecture, weights: &mut [f64]) {
        for layer in &self.layers {
            let &Layer::Dense { input, output, weights: first, bias } = layer else { continue };
            let Some(read) = self.features_in(input) else { continue };
            let width = self.widths[output];
            let both = self.features[read.clone()].iter().zip(&before.features[read]);
            for (number, (after, before)) in both.enumerate() {
                let (stretch, moved) = change(after, before);
                let row = first + number * width;
                for column in 0..width {
                    match after.wave {
                        Wave::Identity => {
                            weights[bias + column] += moved * weights[row + column];
                            weights[row + column] *= stretch;
                        }
                        // Each cosine is followed by the sine of the same waves, and turns with it.
                        Wave::Cos => {
                            let (cosine, sine) = (row + column, row + width + column);
                            let (along, across) = (weights[cosine], weights[sine]);
                            let (sines, cosines) = moved.sin_cos();
                            weights[cosine] = along * cosines + across * sines;
                            weights[sine] = across * cosines - along * sines;
                        }
                        Wave::Sin => {}
                    }
                }
            }
        }
    }
}

/// What the affine map inside of a feature is multiplied with and moved by, from after to before.
fn change(after: &Feature, before: &Feature) -> (f64, f64) {
    let slope = |feature: &Feature| feature.slopes.first().map_or(1.0, |(_, slope)| *slope);
    let stretch = match after.wave {
        Wave::Identity => slope(before) / slope(after),
        Wave::Sin | Wave::Cos => 1.0,
    };
    (stretch, before.phase - stretch * after.phase)
}
