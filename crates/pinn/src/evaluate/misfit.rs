//! How well each equation holds.

use crate::Experiment;
use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use train::Losses;

/// How well an equation holds over the points of its term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Misfit<'problem> {
    /// `interior`, or the condition's or data table's name.
    pub term: &'problem str,
    /// The equation's name.
    pub equation: &'problem str,
    /// sqrt(mean residual²).
    pub root_mean_square: f64,
    /// The factor of its mean square in the loss.
    pub weight: f64,
    /// The standard deviation that the file states for these measurements: a smaller misfit fits noise.
    pub noise: Option<f64>,
}

/// One for every residual, in the plan's order.
pub(crate) fn misfits<'problem>(
    problem: &'problem Problem,
    plan: &'problem Plan,
    losses: &Losses,
) -> Vec<Misfit<'problem>> {
    let residuals = plan.terms.iter().flat_map(|term| {
        let noise = match term.source {
            Source::Data(index) => problem.data[index].noise,
            Source::Interior | Source::Condition(_) | Source::Prediction => None,
        };
        term.residuals.iter().map(move |residual| (term.name.as_str(), residual, noise))
    });
    residuals
        .zip(losses.mean_squares.iter().zip(&losses.weights))
        .map(|((term, residual, noise), (square, &weight))| Misfit {
            term,
            equation: &residual.name,
            root_mean_square: square.sqrt(),
            weight,
            noise,
        })
        .collect()
}

impl Experiment {
    /// How well every equation holds, by the losses of a trained problem.
    pub fn misfits(&self, losses: &Losses) -> Vec<Misfit<'_>> {
        misfits(self.problem(), self.plan(), losses)
    }
}
