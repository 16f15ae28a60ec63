//! Sums of squares as the losses that a trainer makes of them.

use equation::taylor::Plan;
use kernel::{Points, Sums, Weighted, factors};

/// The factors of residuals in means over so many points per term, with the plan's weights.
pub(crate) fn plan_factors(plan: &Plan, counts: impl Iterator<Item = usize>) -> Vec<f64> {
    let each = plan.terms.iter().zip(counts);
    let counts: Vec<usize> =
        each.flat_map(|(term, count)| std::iter::repeat_n(count, term.residuals.len())).collect();
    factors(&plan.weights(), &counts)
}

/// Points with the factors of means over them. The factors live as long as the test.
pub(crate) fn over<'run>(plan: &Plan, points: &'run [Points]) -> Weighted<'run> {
    Weighted { points, factors: plan_factors(plan, points.iter().map(Points::len)).leak() }
}

/// The mean square of every residual.
pub(crate) fn means(sums: &Sums) -> Vec<f64> {
    sums.squares.iter().zip(&sums.counts).map(|(square, &count)| square / count.max(1) as f64).collect()
}

/// Σ weight · mean square.
pub(crate) fn total(plan: &Plan, sums: &Sums) -> f64 {
    plan.weights().iter().zip(means(sums)).map(|(weight, mean)| weight * mean).sum()
}
