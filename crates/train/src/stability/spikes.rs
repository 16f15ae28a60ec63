//! Losses far above those of the steps before, by a rule that the losses themselves cannot spoil: median and median deviation.

use std::collections::VecDeque;

/// Losses that the next one is compared with.
const WINDOW: usize = 50;

/// Fewer losses say nothing.
const LEAST: usize = 20;

/// How many standard deviations above the median a spike is. Losses of steps are no independent normal numbers: three would find many.
const DEVIATIONS: f64 = 6.0;

/// From the median deviation to the standard deviation of normal numbers.
const NORMAL: f64 = 1.4826;

/// And how many times the median at least: smaller rises are the noise of steps.
const TIMES: f64 = 10.0;

/// The logarithms of recent losses.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Recent(pub(super) VecDeque<f64>);

impl Recent {
    /// Before the first.
    pub(super) const NONE: Recent = Recent(VecDeque::new());

    /// Takes note of a loss; in multiples of the median of those before, if it is a spike.
    pub(super) fn note(&mut self, loss: f64) -> Option<f64> {
        let own = loss.max(f64::MIN_POSITIVE).ln();
        let spike = self.above(own);
        if self.0.len() == WINDOW {
            self.0.pop_front();
        }
        self.0.push_back(own);
        spike
    }

    fn above(&self, own: f64) -> Option<f64> {
        if self.0.len() < LEAST {
            return None;
        }
        // Most steps are below all limits: they are not sorted.
        let largest = self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if own <= largest {
            return None;
        }
        let middle = median(self.0.iter().copied().collect());
        let rise = own - middle;
        if rise <= TIMES.ln() {
            return None;
        }
        let deviation = NORMAL * median(self.0.iter().map(|loss| (loss - middle).abs()).collect());
        (rise > DEVIATIONS * deviation).then(|| rise.exp())
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_are_far_above_the_scatter_of_what_came_before() {
        let mut recent = Recent::default();
        let falling =
            (0..200).map(|step| (-0.01 * f64::from(step)).exp() * (1.0 + 0.3 * f64::from(step % 3)));
        assert_eq!(falling.filter(|&loss| recent.note(loss).is_some()).count(), 0);
        let mut before = recent.clone();
        assert_eq!(before.note(1.0), None, "seven times is no spike");
        let times = recent.note(10.0).expect("tens of times is one");
        assert!((20.0..100.0).contains(&times), "{times}");
        assert_eq!(recent.0.len(), WINDOW);
    }

    #[test]
    fn losses_that_scatter_by_orders_of_magnitude_have_no_spikes() {
        let mut recent = Recent::default();
        let spikes = (0..100u64).filter(|&step| recent.note(10f64.powi((step * 7 % 5) as i32)).is_some());
        assert_eq!(spikes.count(), 0);
    }
}
