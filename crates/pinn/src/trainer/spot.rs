//! Where a residual is no basis for training.

use super::run::{Run, explain};
use crate::error::Spot;
use crate::{Objective, TrainError};
use equation::problem::Problem;
use equation::taylor::Term;
use kernel::Points;
use train::Refusal;

/// The first point at which the squares of a term's residuals do not add up to a number, and which residual is to blame:
/// by position in the term.
pub(super) fn first_bad(
    problem: &Problem,
    term: &Term,
    points: &Points,
    residuals: &[f64],
) -> Option<(usize, Spot)> {
    let each = term.residuals.len().max(1);
    let bad = |here: &[f64]| !here.iter().map(|number| number * number).sum::<f64>().is_finite();
    let (point, here) = residuals.chunks_exact(each).enumerate().find(|(_, here)| bad(here))?;
    let position = worst(here)?;
    Some((position, Spot::new(problem, points.row(point), here[position])))
}

/// Where what is not finite stands, or else the largest number.
fn worst(numbers: &[f64]) -> Option<usize> {
    let size = |number: &f64| if number.is_nan() { f64::INFINITY } else { number.abs() };
    let better = |best: usize, next: usize| size(&numbers[next]) > size(&numbers[best]);
    (0..numbers.len()).reduce(|best, next| if better(best, next) { next } else { best })
}

impl Run<'_> {
    /// The error of a term with such residuals at some points.
    pub(super) fn refuse_bad(
        &self,
        number: usize,
        points: &Points,
        residuals: &[f64],
        (precision, step): (kernel::Precision, u64),
    ) -> Result<(), TrainError> {
        let term = &self.plan.terms[number];
        match first_bad(self.problem, term, points, residuals) {
            None => Ok(()),
            Some((position, spot)) => Err(TrainError::NonFiniteResidual {
                step,
                precision,
                term: term.name.clone(),
                residual: term.residuals[position].name.clone(),
                spot: Some(spot),
            }),
        }
    }

    /// As [`explain`], with the point where it happened.
    pub(super) fn explain(
        &self,
        refusal: Refusal,
        objective: &mut Objective<'_>,
        (parameters, step): (&[f64], u64),
    ) -> TrainError {
        let spot = match refusal {
            Refusal::Residual(position) => self.spot(position, objective, parameters),
            _ => None,
        };
        match explain(refusal, self.plan, objective.kernel().precision(), step) {
            TrainError::NonFiniteResidual { step, precision, term, residual, spot: _ } => {
                TrainError::NonFiniteResidual { step, precision, term, residual, spot }
            }
            other => other,
        }
    }

    /// The worst point of a residual, counted through all terms; `None` where all is well at the points at hand.
    fn spot(&self, position: usize, objective: &mut Objective<'_>, parameters: &[f64]) -> Option<Spot> {
        let mut first = 0;
        let (number, term) = self.plan.terms.iter().enumerate().find(|(_, term)| {
            first += term.residuals.len();
            position < first
        })?;
        let each = term.residuals.len();
        let own = position + each - first;
        let residuals = objective.residuals(number, parameters).ok()?;
        let column: Vec<f64> = residuals.iter().skip(own).step_by(each).copied().collect();
        let point = worst(&column)?;
        let is_double = objective.kernel().precision().epsilon() < f64::from(f32::EPSILON);
        let most = if is_double { f64::MAX } else { f64::from(f32::MAX) };
        // Their sum may be too large where each is not. What is no number fits nowhere.
        let fits = column[point] * column[point] * column.len() as f64 <= most;
        (!fits).then(|| Spot::new(self.problem, objective.points()[number].row(point), column[point]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_worse_than_what_is_large() {
        assert_eq!(worst(&[1.0, -1e300, f64::NAN, f64::INFINITY]), Some(2));
        assert_eq!(worst(&[1.0, -3.0, 2.0]), Some(1));
        assert_eq!(worst(&[]), None);
    }

    #[test]
    fn a_spot_names_coordinates_and_says_what_is_wrong() {
        let place = vec![("t".to_owned(), 0.123_456_789), ("x".to_owned(), -1.0)];
        let said = |value| Spot { place: place.clone(), value }.to_string();
        assert_eq!(said(f64::NAN), "is not finite at t = 0.123457, x = -1 (it is no number)");
        assert_eq!(said(1e300), "is too large, its square is not finite at t = 0.123457, x = -1 (1.0e300)");
    }
}
