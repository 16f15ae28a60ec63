//! From signals to an error. The numbers below are fitted: `benches/trust/trust.py fit` prints them from runs whose errors are known.

use super::signals::Signals;

/// Parts of training at which solutions are compared with the last.
pub(super) const PARTS: [f64; 4] = [0.125, 0.25, 0.5, 0.75];

/// The logarithm of an error as a sum of logarithms.
struct Weights {
    bias: f64,
    /// Of errors that are carried on from the parts of the way.
    trail: [f64; 4],
    /// Of one that is carried on from a second opinion.
    second: f64,
}

/// Where all was seen.
const BOTH: Weights = Weights { bias: 0.0, trail: [0.1, 0.1, 0.2, 0.2], second: 0.4 };

/// Without a second opinion.
const TRAIL: Weights = Weights { bias: 0.5, trail: [0.1, 0.2, 0.3, 0.4], second: 0.0 };

/// With nothing else.
const SECOND: Weights = Weights { bias: 0.0, trail: [0.0; 4], second: 1.0 };

/// Roundings that an error has at least: values are rounded, whatever training does.
const ROUNDINGS: f64 = 4.0;

/// A relative error that says no more than that nothing is right.
const MOST: f64 = 2.0;

/// The relative L2 error of an unknown; `None` where nothing was seen that tells.
pub(super) fn error(signals: &Signals, unknown: usize) -> Option<f64> {
    let carried = |part: f64| {
        let near = signals
            .trail
            .iter()
            .min_by(|one, other| (one.part - part).abs().total_cmp(&(other.part - part).abs()));
        near?.carried_on(unknown, signals.residual)
    };
    let trail: Option<Vec<f64>> = PARTS.into_iter().map(carried).collect();
    let second = signals.second.as_ref().and_then(|second| second.carried_on(unknown, signals.residual));
    let (weights, trail, second) = match (trail, second) {
        (Some(trail), Some(second)) => (BOTH, trail, second),
        (Some(trail), None) => (TRAIL, trail, 1.0),
        (None, Some(second)) => (SECOND, vec![1.0; PARTS.len()], second),
        (None, None) => return None,
    };
    // A difference of zero is one that rounding hides.
    let logarithm = |error: f64| error.max(signals.epsilon).ln();
    let sum: f64 = weights.trail.iter().zip(&trail).map(|(weight, error)| weight * logarithm(*error)).sum();
    let found = (weights.bias + sum + weights.second * logarithm(second)).exp();
    Some(found.clamp(ROUNDINGS * signals.epsilon, MOST)).filter(|error| error.is_finite())
}
