//! What one evaluation found.

use serde::Serialize;

/// The loss and what it is made of.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Losses {
    /// Σ weight · mean square.
    pub total: f64,
    /// The mean square of every residual. A residual without points has zero.
    pub mean_squares: Vec<f64>,
    /// The weight of every residual.
    pub weights: Vec<f64>,
}

impl Losses {
    /// The losses of these sums of squares over so many points, with these weights.
    pub fn of(squares: &[f64], counts: &[usize], weights: &[f64]) -> Self {
        let mut losses = Losses::default();
        losses.set(squares, counts, weights);
        losses
    }

    /// Becomes the losses of these sums: the memory stays where it is.
    pub fn set(&mut self, squares: &[f64], counts: &[usize], weights: &[f64]) {
        // A residual without points contributes nothing; 0/0 would poison the loss.
        let means = squares.iter().zip(counts).map(|(square, &count)| square / count.max(1) as f64);
        self.mean_squares.clear();
        self.mean_squares.extend(means);
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        self.total = weights.iter().zip(&self.mean_squares).map(|(weight, square)| weight * square).sum();
    }

    /// The first residual whose mean square is infinite or no number, by position in
    /// [`Self::mean_squares`].
    pub fn first_non_finite(&self) -> Option<usize> {
        self.mean_squares.iter().position(|square| !square.is_finite())
    }
}
