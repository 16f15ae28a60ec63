//! Axes: an interval, a scale, a name.

use super::font::Face;
use super::ticks::{self, Ticks};

/// How numbers are spread along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scale {
    Linear,
    Logarithmic,
}

/// An axis of a picture, or the scale of a colour bar. Its interval is never empty.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    label: String,
    low: f64,
    high: f64,
    scale: Scale,
}

/// Bounds beyond this are drawn at it: their differences are numbers.
const FARTHEST: f64 = 1e300;

/// Nearer to zero than this is zero: smaller numbers lose digits.
const NEAREST: f64 = 1e-290;

/// An interval shorter than this share of its numbers is one number with rounding.
const SHORTEST: f64 = 1e-7;

impl Axis {
    /// An axis from `low` to `high`. An interval that is empty or no interval is widened around its number.
    pub fn linear(label: &str, low: f64, high: f64) -> Self {
        let finite = |bound: f64| if bound.is_finite() { bound.clamp(-FARTHEST, FARTHEST) } else { 0.0 };
        let (low, high) = (finite(low).min(finite(high)), finite(low).max(finite(high)));
        let size = low.abs().max(high.abs());
        let (low, high) = if size < NEAREST {
            (-1.0, 1.0)
        } else if high - low < SHORTEST * size {
            let (middle, half) = (low + (high - low) / 2.0, 0.05 * size);
            (middle - half, middle + half)
        } else {
            (low, high)
        };
        Axis { label: label.to_owned(), low, high, scale: Scale::Linear }
    }

    /// An axis from `low` to `high` of powers of ten: at least one of them long.
    pub fn logarithmic(label: &str, low: f64, high: f64) -> Self {
        let usable = |bound: f64| bound.is_finite() && bound >= NEAREST;
        let high = if usable(high) { high.min(FARTHEST) } else { 1.0 };
        let low = if usable(low) { low.min(high / 10.0) } else { high / 10.0 };
        Axis { label: label.to_owned(), low, high, scale: Scale::Logarithmic }
    }

    /// What it is called.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where it begins and ends.
    pub fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// How much of the way from the low to the high end `value` is; NaN where it has no place.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            // Nothing is less than the lowest power of ten: zero lies at the end.
            Scale::Logarithmic if value == 0.0 => f64::NEG_INFINITY,
            Scale::Logarithmic => f64::NAN,
        }
    }

    /// As many ticks as fit side by side on `length` pixels.
    pub(super) fn ticks_across(&self, length: f64, face: Face) -> Ticks {
        let apart = 1.2 * face.size;
        let fits = |ticks: &Ticks| {
            let place = |(value, _): &(f64, String)| length * self.share(*value);
            ticks.labelled.windows(2).all(|pair| {
                let half = (face.width(&pair[0].1) + face.width(&pair[1].1)) / 2.0;
                place(&pair[1]) - place(&pair[0]) >= half + apart
            })
        };
        let most = (length / (3.2 * face.size)).clamp(2.0, 10.0) as usize;
        let fitting = (2..=most).rev().map(|most| self.ticks(most)).find(fits);
        fitting.unwrap_or_else(|| {
            let mut ticks = self.ticks(1);
            ticks.labelled.truncate(1);
            ticks
        })
    }

    /// As many ticks as fit above each other on `length` pixels.
    pub(super) fn ticks_upwards(&self, length: f64, face: Face) -> Ticks {
        self.ticks((length / (2.2 * face.size)).clamp(2.0, 10.0) as usize)
    }

    fn ticks(&self, most: usize) -> Ticks {
        match self.scale {
            Scale::Linear => ticks::linear(self.low, self.high, most),
            Scale::Logarithmic => ticks::logarithmic(self.low, self.high, most),
        }
    }
}

/// The least and the largest of the numbers among `values`.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |extent, value| match extent {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Colour;

    #[test]
    fn degenerate_intervals_become_intervals_with_ticks() {
        let face = Face::regular(18.0, Colour::INK);
        let bounds = [
            (0.0, 0.0),
            (3.0, 3.0),
            (-2e-12, -2e-12),
            (1.0, 1.0 + 1e-15),
            (f64::NAN, 1.0),
            (f64::NEG_INFINITY, f64::INFINITY),
            (-1e308, 1e308),
            (5.0, -5.0),
            (1e-310, 2e-310),
            (1e300, 1e300),
        ];
        for (low, high) in bounds {
            for axis in [Axis::linear("x", low, high), Axis::logarithmic("x", low, high)] {
                let (from, to) = axis.bounds();
                assert!(from < to && (to - from).is_finite(), "{axis:?} of {low} and {high}");
                for length in [3.0, 90.0, 2000.0] {
                    let counts = [axis.ticks_across(length, face), axis.ticks_upwards(length, face)]
                        .map(|ticks| ticks.labelled.len());
                    assert!(counts.iter().all(|count| (1..=13).contains(count)), "{counts:?} of {axis:?}");
                }
            }
        }
    }

    #[test]
    fn labels_side_by_side_do_not_touch() {
        let face = Face::regular(18.0, Colour::INK);
        let axis = Axis::linear("x", 1000.0, 1000.004);
        for length in [100.0, 300.0, 900.0] {
            let ticks = axis.ticks_across(length, face);
            for pair in ticks.labelled.windows(2) {
                let apart = length * (axis.share(pair[1].0) - axis.share(pair[0].0));
                assert!(apart > face.width(&pair[0].1), "{ticks:?}");
            }
        }
    }

    #[test]
    fn shares_run_from_the_low_to_the_high_end() {
        let axis = Axis::logarithmic("x", 1e-4, 1.0);
        assert!((axis.share(1e-2) - 0.5).abs() < 1e-12);
        assert!(axis.share(0.0) < 0.0 && axis.share(-1.0).is_nan());
        assert_eq!(Axis::linear("x", -1.0, 3.0).share(0.0), 0.25);
    }
}
