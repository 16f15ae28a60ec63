//! What is told of a move.

use linear::tree::sum;

/// How priorities and chances were spread over candidates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PriorityRange {
    /// Of the chances, in units of that of equal ones: one where all are alike, towards zero where few have all.
    pub(crate) entropy: f64,
    /// The mean priority.
    pub(crate) mean: f64,
    /// The largest.
    pub(crate) largest: f64,
}

impl PriorityRange {
    /// Of candidates with these priorities and shares in the chances.
    pub(crate) fn of(priorities: &[f64], shares: &[f64]) -> Self {
        // Files of numbers have no infinite ones.
        let finite = |number: f64| if number.is_nan() { 0.0 } else { number.clamp(-f64::MAX, f64::MAX) };
        let all = sum(shares.iter().copied());
        let parts = shares.iter().map(|share| share / all);
        let entropy = -sum(parts.map(|part| if part > 0.0 { part * part.ln() } else { 0.0 }));
        let most = (shares.len().max(2) as f64).ln();
        PriorityRange {
            entropy: finite(entropy / most).clamp(0.0, 1.0),
            mean: finite(sum(priorities.iter().copied()) / priorities.len().max(1) as f64),
            largest: finite(priorities.iter().copied().fold(0.0, f64::max)),
        }
    }
}

/// The mean of squares.
pub(crate) fn mean_square(sizes: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = sizes.len().max(1) as f64;
    sum(sizes.map(|size| size * size)) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_one_where_chances_are_equal_and_small_where_few_have_all() {
        let even = PriorityRange::of(&[2.0; 8], &[3.0; 8]);
        assert!((even.entropy - 1.0).abs() < 1e-12 && even.mean == 2.0 && even.largest == 2.0, "{even:?}");
        let mut shares = [0.0; 8];
        shares[..2].fill(1.0);
        // Two of eight: ln 2 / ln 8.
        assert!((PriorityRange::of(&shares, &shares).entropy - 1.0 / 3.0).abs() < 1e-12);
        let strange = PriorityRange::of(&[f64::INFINITY, 0.0], &[f64::NAN, 1.0]);
        assert!(strange.mean.is_finite() && strange.largest.is_finite() && strange.entropy.is_finite());
    }

    #[test]
    fn a_mean_square_of_nothing_is_zero() {
        assert_eq!(mean_square([3.0, 4.0].into_iter()), 12.5);
        assert_eq!(mean_square([].into_iter()), 0.0);
    }
}
