//! Limits that follow the norms of gradients.

use method::Clip;
use std::collections::VecDeque;

/// A limit and what it follows. Norms count as they were found, before anything is made shorter.
#[derive(Clone, PartialEq, Debug)]
pub enum Limit {
    /// So many times the mean of the last norms.
    Mean {
        /// How many times.
        factor: f64,
        /// How many norms.
        window: usize,
        /// Those, the oldest first.
        norms: VecDeque<f64>,
    },
    /// A share of the last norms is below.
    Percentile {
        /// The share, from 0 to 100.
        percentile: f64,
        /// Of how many norms.
        window: usize,
        /// Those, the oldest first.
        norms: VecDeque<f64>,
    },
    /// So many times an exponential average, and at least so much.
    Average {
        /// What is left of it after a step.
        decay: f64,
        /// How many times.
        factor: f64,
        /// The least limit.
        floor: f64,
        /// The average, after the first step.
        average: Option<f64>,
    },
}

impl Limit {
    /// Before the first step; `None` where a rule follows nothing.
    pub(super) fn of(clip: Clip) -> Option<Self> {
        match clip {
            Clip::Value { .. }
            | Clip::Norm { .. }
            | Clip::Layer { .. }
            | Clip::GlobalNorm { .. }
            | Clip::Relative { .. } => None,
            Clip::Adaptive { factor, window } => Some(Limit::Mean { factor, window, norms: VecDeque::new() }),
            Clip::Percentile { percentile, window } => {
                Some(Limit::Percentile { percentile, window, norms: VecDeque::new() })
            }
            Clip::Average { decay, factor, floor } => {
                Some(Limit::Average { decay, factor, floor, average: None })
            }
        }
    }

    /// The limit for a gradient of this norm, which counts for the next ones. The first of all has none.
    pub(super) fn next(&mut self, norm: f64) -> f64 {
        match self {
            Limit::Mean { factor, window, norms } => {
                let mean = norms.iter().sum::<f64>() / norms.len() as f64;
                let most = if norms.is_empty() { f64::INFINITY } else { *factor * mean };
                remember(norms, *window, norm);
                most
            }
            Limit::Percentile { percentile, window, norms } => {
                remember(norms, *window, norm);
                nearest_rank(norms, *percentile)
            }
            Limit::Average { decay, factor, floor, average } => {
                let most = average.map_or(f64::INFINITY, |average| (*factor * average).max(*floor));
                *average = Some(average.map_or(norm, |average| *decay * average + (1.0 - *decay) * norm));
                most
            }
        }
    }

    /// What it remembers.
    pub fn save(&self) -> Vec<f64> {
        match self {
            Limit::Mean { norms, .. } | Limit::Percentile { norms, .. } => norms.iter().copied().collect(),
            Limit::Average { average, .. } => average.iter().copied().collect(),
        }
    }

    /// Remembers that.
    pub fn restore(&mut self, remembered: &[f64]) {
        match self {
            Limit::Mean { norms, window, .. } | Limit::Percentile { norms, window, .. } => {
                *norms = remembered.iter().rev().take(*window).rev().copied().collect();
            }
            Limit::Average { average, .. } => *average = remembered.first().copied(),
        }
    }
}

fn remember(norms: &mut VecDeque<f64>, window: usize, norm: f64) {
    while norms.len() >= window {
        norms.pop_front();
    }
    norms.push_back(norm);
}

/// The smallest of some numbers that is not below so many per cent of them.
fn nearest_rank(norms: &VecDeque<f64>, percentile: f64) -> f64 {
    let mut sorted: Vec<f64> = norms.iter().copied().collect();
    let rank = (percentile / 100.0 * sorted.len() as f64).ceil() as usize;
    let place = rank.clamp(1, sorted.len()) - 1;
    *sorted.select_nth_unstable_by(place, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(clip: Clip, norms: &[f64]) -> Vec<f64> {
        let mut limit = Limit::of(clip).expect("it follows norms");
        norms.iter().map(|&norm| limit.next(norm)).collect()
    }

    #[test]
    fn limits_are_those_of_the_rules_by_hand() {
        let adaptive = limits(Clip::Adaptive { factor: 2.0, window: 2 }, &[1.0, 3.0, 5.0, 1.0]);
        assert_eq!(adaptive, [f64::INFINITY, 2.0, 4.0, 8.0]);
        let percentile = Clip::Percentile { percentile: 50.0, window: 4 };
        assert_eq!(limits(percentile, &[4.0, 1.0, 3.0, 2.0, 9.0]), [4.0, 1.0, 3.0, 2.0, 2.0]);
        let average = Clip::Average { decay: 0.5, factor: 1.0, floor: 0.1 };
        assert_eq!(limits(average, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])[..4], [f64::INFINITY, 1.0, 0.5, 0.25]);
        assert_eq!(limits(average, &[1e-3, 1e-3])[1], 0.1);
    }
}
