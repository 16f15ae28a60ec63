//! What an evaluation takes and finds: factors in, sums and counts out. Means and losses are somebody else's.

use crate::Points;
use equation::taylor::Plan;

/// Points of every term, and the factor of every residual's square in the sum over them: its weight over the number of all
/// points of its term, wherever those are.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'run> {
    /// One set per term.
    pub points: &'run [Points],
    /// One per residual, term by term.
    pub factors: &'run [f64],
}

/// Sums of squared residuals, and over how many points.
#[derive(Clone, PartialEq, Debug)]
pub struct Sums {
    /// One per residual, term by term.
    pub squares: Vec<f64>,
    /// The points that each is over.
    pub counts: Vec<usize>,
}

/// A step that a device has taken, or refused to take.
#[derive(Clone, PartialEq, Debug)]
pub struct Visited {
    /// The loss before it, by which the device has decided.
    pub loss: f64,
    /// What that is made of.
    pub sums: Sums,
}

impl Sums {
    pub(crate) fn zero(plan: &Plan) -> Self {
        let residuals = plan.terms.iter().map(|term| term.residuals.len()).sum();
        Sums { squares: vec![0.0; residuals], counts: vec![0; residuals] }
    }

    /// No squares yet, over so many points per term.
    pub(crate) fn begin(&mut self, plan: &Plan, counts: impl Iterator<Item = usize>) {
        self.squares.fill(0.0);
        let each = plan.terms.iter().zip(counts);
        let each = each.flat_map(|(term, count)| std::iter::repeat_n(count, term.residuals.len()));
        self.counts.iter_mut().zip(each).for_each(|(to, count)| *to = count);
    }

    /// These squares, over so many points per term.
    pub(crate) fn of(plan: &Plan, squares: Vec<f64>, counts: impl Iterator<Item = usize>) -> Self {
        let mut sums = Sums::zero(plan);
        sums.begin(plan, counts);
        Sums { squares, ..sums }
    }

    /// The sum of squares with these factors.
    pub fn weighted(&self, factors: &[f64]) -> f64 {
        self.squares.iter().zip(factors).map(|(square, factor)| factor * square).sum()
    }
}

/// The factors of residuals with these weights in means over so many points; of a residual without points, zero.
pub fn factors(weights: &[f64], counts: &[usize]) -> Vec<f64> {
    let factor = |(weight, &count): (&f64, &usize)| if count == 0 { 0.0 } else { weight / count as f64 };
    weights.iter().zip(counts).map(factor).collect()
}
