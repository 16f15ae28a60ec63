//! A line search for the strong Wolfe conditions (Nocedal, Wright 2006, algorithms 3.5 and 3.6).

use crate::Refusal;

/// Share of the predicted decrease that a step must achieve; c_1 of the book.
const DECREASE: f64 = 1e-4;
/// Share of the slope that may be left after a step; c_2 of the book for quasi-Newton methods.
const CURVATURE: f64 = 0.9;
/// Trial steps of one search.
const TRIALS: usize = 25;
/// How much longer the next trial may be than the last while no minimum is bracketed.
const GROWTH: (f64, f64) = (2.0, 10.0);
/// A trial stays away from the ends of its bracket by this share of it, so that brackets shrink.
const MARGIN: f64 = 0.1;
/// What is left of a step that led to where the loss is no number.
const SHORTENING: f64 = 0.1;

/// The loss along a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// In multiples of the direction.
    pub length: f64,
    /// The loss there.
    pub value: f64,
    /// Its derivative by the length.
    pub slope: f64,
}

/// A line along which a loss can be asked for: by `length`, `None` where the loss is not finite.
pub(super) trait Line {
    fn sample(&mut self, length: f64) -> Result<Option<Sample>, Refusal>;
}

/// Finds a step from `start`, whose slope is negative, trying the length `first` first. A loss is not
/// known better than to `noise`: a step may raise it by as much, if the slope says that it is a good
/// one. `None` when no step lowers the loss.
pub(super) fn search(
    line: &mut dyn Line,
    start: Sample,
    first: f64,
    noise: f64,
) -> Result<Option<Sample>, Refusal> {
    let mut search = Search { line, start, noise, left: TRIALS };
    search.bracket(first)
}

struct Search<'line> {
    line: &'line mut dyn Line,
    start: Sample,
    noise: f64,
    left: usize,
}

impl Search<'_> {
    /// Algorithm 3.5: longer and longer steps until one is good, or a good one lies between two.
    fn bracket(&mut self, first: f64) -> Result<Option<Sample>, Refusal> {
        let (mut before, mut length) = (self.start, first);
        // The shortest step that led out of where the loss is a number.
        let mut wall = f64::INFINITY;
        while self.left > 0 {
            self.left -= 1;
            let Some(sample) = self.line.sample(length)? else {
                wall = length;
                length = before.length + SHORTENING * (length - before.length);
                continue;
            };
            if !self.decreases(sample) || sample.value > before.value + self.noise {
                return self.zoom(before, sample);
            }
            if self.flat(sample) {
                return Ok(Some(sample));
            }
            if sample.slope >= 0.0 {
                return self.zoom(sample, before);
            }
            let longer = interpolate(before, sample)
                .unwrap_or(f64::INFINITY)
                .clamp(GROWTH.0 * length, GROWTH.1 * length);
            length = longer.min(0.5 * (length + wall));
            before = sample;
        }
        Ok(self.lower(before))
    }

    /// Algorithm 3.6: between `low`, the best step so far, and `high` lies a good one.
    fn zoom(&mut self, mut low: Sample, mut high: Sample) -> Result<Option<Sample>, Refusal> {
        while self.left > 0 {
            self.left -= 1;
            let width = high.length - low.length;
            let share = interpolate(low, high)
                .map_or(0.5, |length| ((length - low.length) / width).clamp(MARGIN, 1.0 - MARGIN));
            let length = low.length + share * width;
            if length == low.length || length == high.length {
                break;
            }
            let Some(sample) = self.line.sample(length)? else {
                high = Sample { length, value: f64::INFINITY, slope: f64::INFINITY };
                continue;
            };
            if !self.decreases(sample) || sample.value > low.value + self.noise {
                high = sample;
                continue;
            }
            if self.flat(sample) {
                return Ok(Some(sample));
            }
            if sample.slope * width >= 0.0 {
                high = low;
            }
            low = sample;
        }
        Ok(self.lower(low))
    }

    /// The first Wolfe condition, up to noise.
    fn decreases(&self, sample: Sample) -> bool {
        sample.value <= self.start.value + DECREASE * sample.length * self.start.slope + self.noise
    }

    /// The second Wolfe condition, in its strong form.
    fn flat(&self, sample: Sample) -> bool {
        sample.slope.abs() <= -CURVATURE * self.start.slope
    }

    /// A step that lowers the loss is better than none, even when its slope is not small enough.
    fn lower(&self, best: Sample) -> Option<Sample> {
        (best.value < self.start.value).then_some(best)
    }
}

/// The minimum of the cubic through two samples and their slopes (the book's equation 3.59), if it has
/// one.
fn interpolate(first: Sample, second: Sample) -> Option<f64> {
    let width = second.length - first.length;
    let secant = first.slope + second.slope - 3.0 * (second.value - first.value) / width;
    let square = secant * secant - first.slope * second.slope;
    let root = width.signum() * square.sqrt();
    let length =
        second.length - width * (second.slope + root - secant) / (second.slope - first.slope + 2.0 * root);
    length.is_finite().then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function with its derivative; it is no number where the value is not finite.
    struct Function<F>(F, Vec<f64>);

    impl<F: Fn(f64) -> (f64, f64)> Line for Function<F> {
        fn sample(&mut self, length: f64) -> Result<Option<Sample>, Refusal> {
            let (value, slope) = self.0(length);
            self.1.push(length);
            Ok(value.is_finite().then_some(Sample { length, value, slope }))
        }
    }

    fn run(function: impl Fn(f64) -> (f64, f64), first: f64) -> (Sample, Option<Sample>, Vec<f64>) {
        let (value, slope) = function(0.0);
        let start = Sample { length: 0.0, value, slope };
        let mut line = Function(function, Vec::new());
        let found = search(&mut line, start, first, 0.0).unwrap();
        (start, found, line.1)
    }

    #[test]
    fn steps_from_far_too_short_and_far_too_long_satisfy_both_conditions() {
        let functions: [fn(f64) -> (f64, f64); 3] = [
            |x| ((x - 3.0).powi(2), 2.0 * (x - 3.0)),
            // Functions 1 and 2 of Moré and Thuente (1994).
            |x| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2)),
            |x| {
                let y = x + 0.004;
                (y.powi(5) - 2.0 * y.powi(4), 5.0 * y.powi(4) - 8.0 * y.powi(3))
            },
        ];
        for function in functions {
            for first in [1e-3, 0.1, 1.0, 10.0, 1e3] {
                let (start, found, trials) = run(function, first);
                let found = found.unwrap();
                assert!(found.value <= start.value + DECREASE * found.length * start.slope);
                assert!(found.slope.abs() <= CURVATURE * start.slope.abs());
                assert_eq!(trials.last(), Some(&found.length));
                assert!(trials.len() < TRIALS, "{first}: {trials:?}");
            }
        }
    }

    #[test]
    fn a_cubic_is_minimised_by_its_interpolation() {
        let cubic = |x: f64| (x * x * x - 2.0 * x * x - x, 3.0 * x * x - 4.0 * x - 1.0);
        let sample = |length| Sample { length, value: cubic(length).0, slope: cubic(length).1 };
        let minimum = (4.0 + 28.0f64.sqrt()) / 6.0;
        assert!((interpolate(sample(0.5), sample(4.0)).unwrap() - minimum).abs() < 1e-12);
        assert!((interpolate(sample(4.0), sample(0.5)).unwrap() - minimum).abs() < 1e-12);
    }

    #[test]
    fn a_trial_where_the_loss_is_no_number_shortens_the_step() {
        let (_, found, trials) = run(|x| (-x - (1.0 - x).ln() * 0.1, -1.0 + 0.1 / (1.0 - x)), 50.0);
        assert!(found.unwrap().length < 1.0);
        assert!(trials[0] == 50.0 && trials.len() < 10, "{trials:?}");
    }

    #[test]
    fn where_every_step_goes_up_none_is_found() {
        // The slope lies: it predicts a descent that is not there.
        let (_, found, trials) = run(|x| (x.abs(), -1.0), 1.0);
        assert_eq!((found, trials.len()), (None, TRIALS));
    }
}
