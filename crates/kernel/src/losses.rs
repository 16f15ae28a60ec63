//! What one evaluation found.

use crate::Points;
use equation::taylor::Plan;

/// The loss and what it is made of.
#[derive(Clone, PartialEq, Debug)]
pub struct Losses {
    /// Σ weight · mean square.
    pub total: f64,
    /// The mean square of every residual of every term, in the plan's order. A term without points
    /// has zeros.
    pub mean_squares: Vec<f64>,
    /// The weight of every residual.
    pub weights: Vec<f64>,
}

impl Losses {
    pub(crate) fn zero(plan: &Plan) -> Self {
        Losses {
            total: 0.0,
            mean_squares: vec![0.0; plan.terms.iter().map(|term| term.residuals.len()).sum()],
            weights: plan.weights(),
        }
    }

    /// Turns sums of squares into means and adds up the loss.
    pub(crate) fn finish(&mut self, plan: &Plan, points: &[Points]) {
        self.finish_counts(plan, points.iter().map(Points::len));
    }

    /// The same for so many points per term.
    pub(crate) fn finish_counts(&mut self, plan: &Plan, counts: impl Iterator<Item = usize>) {
        self.total = 0.0;
        let residuals =
            plan.terms.iter().zip(counts).flat_map(|(term, count)| {
                term.residuals.iter().map(move |residual| (residual.weight, count))
            });
        let own = self.mean_squares.iter_mut().zip(&mut self.weights);
        for ((square, own), (weight, count)) in own.zip(residuals) {
            *own = weight;
            // A term without points contributes nothing; 0/0 would poison the loss.
            *square /= count.max(1) as f64;
            self.total += weight * *square;
        }
    }

    /// Adds up the loss with other weights.
    pub(crate) fn weigh(&mut self, weights: &[f64]) {
        self.weights.copy_from_slice(weights);
        self.total = weights.iter().zip(&self.mean_squares).map(|(weight, square)| weight * square).sum();
    }

    /// The first residual whose mean square is infinite or no number, by position in
    /// [`Self::mean_squares`].
    pub fn first_non_finite(&self) -> Option<usize> {
        self.mean_squares.iter().position(|square| !square.is_finite())
    }
}
