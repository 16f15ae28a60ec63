//! Points whose residuals stay large weigh more (Anagnostopoulos, Toscano, Stergiopulos, Karniadakis 2024).
//!
//! The weights of an equation have mean square one over the points, so that losses keep their meaning. All are one
//! at the start of a phase. A point that is drawn later gets the weight that it would have, had it been there from
//! the start with the residual that it has now. In between weights stay as they are for some steps: each change is another
//! loss to whoever remembers the old one.

use super::task::Equations;
use crate::{Objective, TrainError};
use equation::problem::ResidualWeights;
use equation::taylor::Plan;
use train::Snapshot;

impl Equations<'_> {
    /// Looks at the residuals inside, where it is time for it, and weighs them anew; whether it did.
    pub(super) fn attend(&mut self, now: &Snapshot) -> Result<bool, TrainError> {
        let settings = self.settings();
        let (Some(residual_weights), Some((number, term))) =
            (settings.residual_weights, self.plan.weighted_points())
        else {
            return Ok(false);
        };
        let each = term.residuals.len();
        let interval = settings.method.traits().steps_per_look;
        let fresh = self.state.residual_weights.len() != self.objective.points()[number].len() * each;
        if now.phase_step == 0 || !(fresh || now.phase_step.is_multiple_of(interval)) {
            return Ok(false);
        }
        reset_residual_weights(self.plan, self.objective);
        let residuals = self.objective.residuals(number, &now.parameters)?;
        let steps = if fresh { now.phase_step } else { interval };
        if fresh {
            self.state.residual_weights = vec![1.0; residuals.len()];
        }
        renew(residual_weights, steps, &residuals, each, &mut self.state.residual_weights);
        self.apply_residual_weights();
        Ok(true)
    }

    /// Gives points the weights that are remembered, where they are those of so many.
    pub(super) fn apply_residual_weights(&mut self) {
        let Some((number, term)) = self.plan.weighted_points() else { return };
        let (each, weights) = (term.residuals.len(), &self.state.residual_weights);
        if weights.len() != self.objective.points()[number].len() * each {
            return;
        }
        let sizes: Vec<f64> = (0..each)
            .map(|equation| {
                let weights = weights.iter().skip(equation).step_by(each);
                let (sum, count) =
                    weights.fold((0.0, 0.0), |(sum, count), weight| (sum + weight * weight, count + 1.0));
                f64::sqrt(sum / count)
            })
            .collect();
        let mut weights = weights.chunks_exact(each);
        self.objective.change_points(number, |row| {
            let columns = row.len() - each;
            let weights = weights.next().into_iter().flatten().zip(&sizes);
            for (column, (weight, size)) in row[columns..].iter_mut().zip(weights) {
                *column = if *size > 0.0 { weight / size } else { 1.0 };
            }
        });
    }
}

/// Weighs all points alike.
pub(crate) fn reset_residual_weights(plan: &Plan, objective: &mut Objective) {
    if let Some((number, term)) = plan.weighted_points() {
        let each = term.residuals.len();
        objective.change_points(number, |row| {
            let columns = row.len() - each;
            row[columns..].fill(1.0);
        });
    }
}

/// What so many steps with the same residuals make of the weights. Each point has `each` residuals, which are compared with
/// those of the same equation.
fn renew(residual_weights: ResidualWeights, steps: u64, residuals: &[f64], each: usize, weights: &mut [f64]) {
    let ResidualWeights { decay, rate } = residual_weights;
    let kept = decay.powf(steps as f64);
    let added = rate * (1.0 - kept) / (1.0 - decay);
    for equation in 0..each {
        let sizes = || residuals.iter().skip(equation).step_by(each).map(|residual| residual.abs());
        let largest = sizes().fold(0.0, f64::max);
        for (weight, size) in weights.iter_mut().skip(equation).step_by(each).zip(sizes()) {
            let share = size / largest;
            // A residual that is no number is for the step to refuse.
            *weight = kept * *weight + if share.is_finite() { added * share } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: ResidualWeights = ResidualWeights { decay: 0.9, rate: 0.1 };

    #[test]
    fn weights_follow_residuals_that_stay_large_equation_by_equation() {
        let mut weights = [1.0; 6];
        // Three points, two equations of different units.
        let residuals = [1.0, -2e6, -4.0, 0.0, 2.0, 1e6];
        for _ in 0..200 {
            renew(USUAL, 1, &residuals, 2, &mut weights);
        }
        let wanted = [0.25, 1.0, 1.0, 0.0, 0.5, 0.5];
        assert!(weights.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{weights:?}");
    }

    #[test]
    fn many_steps_at_once_are_as_many_one_after_the_other() {
        let residuals = [1.0, 0.3, 0.0];
        let (mut once, mut often) = ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]);
        renew(USUAL, 7, &residuals, 1, &mut once);
        (0..7).for_each(|_| renew(USUAL, 1, &residuals, 1, &mut often));
        assert!(once.iter().zip(often).all(|(a, b)| (a - b).abs() < 1e-14), "{once:?} {often:?}");
    }

    #[test]
    fn residuals_that_vanish_or_are_no_numbers_leave_weights_that_are() {
        let mut weights = [1.0; 4];
        renew(USUAL, 1, &[0.0, f64::NAN, 0.0, 1.0], 2, &mut weights);
        assert!(weights.iter().all(|weight| weight.is_finite() && *weight > 0.0), "{weights:?}");
    }
}
