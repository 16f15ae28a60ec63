//! From evidence to an error. The numbers below are fitted: `benches/trust/trust.py fit` prints them from runs whose errors are known.

use super::evidence::{Evidence, OtherSolution};

/// Parts of training at which solutions are compared with the last.
pub(crate) const PARTS: [f64; 4] = [0.25, 0.5, 0.75, 0.875];

/// The one of them that tells most.
const LATE: f64 = 0.75;

/// How far from it a comparison may be.
const NEAR: f64 = 0.2;

/// The logarithm of an error as a sum of logarithms.
struct Weights {
    bias: f64,
    /// Of the error that is carried on from late in training.
    late: f64,
    /// Of the one that is carried on from a second opinion.
    second: f64,
    /// Of the larger of both.
    larger: f64,
    /// Of the number of time windows: errors add up from each to the next, and late in the training of one, those before it are over.
    windows: f64,
}

/// Where all was seen.
const BOTH: Weights = Weights { bias: 0.294, late: 0.736, second: 0.115, larger: 0.198, windows: 0.644 };

/// Without a second opinion.
const LATE_ALONE: Weights = Weights { bias: 0.352, late: 1.042, second: 0.0, larger: 0.0, windows: 0.979 };

/// With nothing else.
const SECOND_ALONE: Weights = Weights { bias: 0.109, late: 0.0, second: 1.044, larger: 0.0, windows: 0.0 };

/// Roundings that an error has at least: values are rounded, whatever training does.
const ROUNDINGS: f64 = 4.0;

/// A relative error that says no more than that nothing is right.
const MOST: f64 = 2.0;

/// The relative L2 error of an unknown; `None` where nothing was seen that tells.
pub(crate) fn error(evidence: &Evidence, unknown: usize) -> Option<f64> {
    let carried = |other: &OtherSolution| other.carried_on(unknown, evidence.residual);
    let off = |part: f64| (part - LATE).abs();
    let near = evidence.trail.iter().filter(|other| off(other.part) <= NEAR);
    let told = near.filter_map(|other| Some((off(other.part), carried(other)?)));
    let late = told.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, error)| error);
    // Another network that has the same residuals shares what keeps them up, and differs by what is not shared.
    let second = evidence.second.as_ref();
    let second = second.and_then(|other| carried(other).or(other.moved.get(unknown).copied().flatten()));
    let (weights, late, second) = match (late, second) {
        (Some(late), Some(second)) => (BOTH, late, second),
        (Some(late), None) => (LATE_ALONE, late, late),
        (None, Some(second)) => (SECOND_ALONE, second, second),
        (None, None) => return None,
    };
    // A difference of zero is one that rounding hides.
    let logarithm = |error: f64| error.max(evidence.epsilon).ln();
    let found = weights.bias
        + weights.late * logarithm(late)
        + weights.second * logarithm(second)
        + weights.larger * logarithm(late.max(second))
        + weights.windows * (evidence.windows.max(1) as f64).ln();
    Some(found.exp().clamp(ROUNDINGS * evidence.epsilon, MOST)).filter(|error| error.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(part: f64, moved: f64, difference: f64) -> OtherSolution {
        OtherSolution {
            part,
            moved: vec![Some(moved)],
            difference,
            residual: difference,
            relative_residual: None,
        }
    }

    fn evidence(trail: Vec<OtherSolution>, second: Option<OtherSolution>) -> Evidence {
        let (residual, epsilon) = (1e-3, f64::EPSILON);
        let none = None;
        let (trained_residual, relative_residual, periods) = (none, none, none);
        let (steps, missing, windows) = (100, 0, 1);
        Evidence {
            residual,
            trained_residual,
            relative_residual,
            trail,
            second,
            epsilon,
            steps,
            missing,
            periods,
            windows,
        }
    }

    #[test]
    fn errors_grow_with_what_was_seen_and_stay_between_rounding_and_everything() {
        let found = |late: f64, second: f64| {
            let seen = evidence(vec![seen(0.75, late, 1e-2)], Some(seen(0.1, second, 1.0)));
            error(&seen, 0).expect("all was seen")
        };
        assert!(found(1e-3, 0.1) < found(2e-3, 0.1) && found(1e-3, 0.1) < found(1e-3, 0.2));
        // Both say 1e-4.
        assert!((2e-5..1e-3).contains(&found(1e-3, 0.1)), "{}", found(1e-3, 0.1));
        assert_eq!((found(1e9, 1e9), found(0.0, 0.0)), (MOST, ROUNDINGS * f64::EPSILON));
    }

    #[test]
    fn one_kind_of_signal_is_enough_and_none_tells_nothing() {
        assert!(error(&evidence(vec![seen(0.7, 1e-3, 1e-2)], None), 0).is_some());
        assert!(error(&evidence(Vec::new(), Some(seen(0.1, 0.1, 1.0))), 0).is_some());
        assert_eq!(error(&evidence(Vec::new(), None), 0), None);
        assert_eq!(error(&evidence(vec![seen(0.25, 1e-3, 1e-2)], None), 0), None, "that was too early");
    }
}
