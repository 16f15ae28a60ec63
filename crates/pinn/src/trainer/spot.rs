//! Where a residual is no basis for training.

use super::task::Equations;
use crate::TrainError;
use crate::error::Spot;
use equation::problem::Problem;
use equation::taylor::Term;
use kernel::cuda::CudaError;
use kernel::{KernelError, Points};
use train::Refusal;

/// The first point at which the squares of a term's residuals do not sum to a number, and which residual is to blame:
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

impl Equations<'_> {
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
                origin: None,
            }),
        }
    }

    /// Why no step can be taken, with the point where it happened.
    pub(super) fn explained(&mut self, refusal: Refusal, parameters: &[f64], step: u64) -> TrainError {
        let precision = self.objective.kernel().precision();
        match refusal {
            Refusal::Residual(position) => {
                let found = self.spot_of(position, parameters);
                let (number, own) = found.as_ref().map_or((0, 0), |&(number, own, _)| (number, own));
                let spot = found.and_then(|(_, _, spot)| spot);
                let origin = spot.as_ref().and_then(|(row, _)| self.origin(number, row, parameters));
                let named = self.plan.terms.get(number);
                let term = named.map(|term| term.name.clone()).unwrap_or_default();
                let residual = named.and_then(|term| term.residuals.get(own)).map(|it| it.name.clone());
                TrainError::NonFiniteResidual {
                    step,
                    precision,
                    term,
                    residual: residual.unwrap_or_default(),
                    spot: spot.map(|(_, spot)| spot),
                    origin: origin.map(|(words, _)| words.into()),
                }
            }
            Refusal::Gradient => {
                let origin = self.bad_gradient(parameters).map(|story| story.line.into());
                TrainError::NonFiniteGradient { step, precision, origin }
            }
            Refusal::NotSquares => TrainError::NotSquares,
            Refusal::NoRule | Refusal::NoVectors => TrainError::Unmeasurable(refusal),
            Refusal::NoRoom { bytes } => TrainError::Kernel(CudaError::Memory { bytes }.into()),
            Refusal::Device(ref error) => match error.downcast_ref::<KernelError>() {
                Some(error) => TrainError::Kernel(error.clone()),
                None => TrainError::Unmeasurable(refusal),
            },
        }
    }

    /// The term of a residual that is counted through all terms, its position there, and its worst point; no point where all is
    /// well at those at hand.
    pub(super) fn spot_of(&mut self, position: usize, parameters: &[f64]) -> Option<BadResidual> {
        let mut first = 0;
        let (number, term) = self.plan.terms.iter().enumerate().find(|(_, term)| {
            first += term.residuals.len();
            position < first
        })?;
        let each = term.residuals.len();
        let own = position + each - first;
        let Ok(residuals) = self.objective.residuals(number, parameters) else {
            return Some((number, own, None));
        };
        let column: Vec<f64> = residuals.iter().skip(own).step_by(each).copied().collect();
        let Some(point) = worst(&column) else { return Some((number, own, None)) };
        let is_double = self.objective.kernel().precision().epsilon() < f64::from(f32::EPSILON);
        let most = if is_double { f64::MAX } else { f64::from(f32::MAX) };
        // Their sum may be too large where each is not. What is no number fits nowhere.
        let fits = column[point] * column[point] * column.len() as f64 <= most;
        let row = self.objective.points()[number].row(point).to_vec();
        let spot = (!fits).then(|| Spot::new(self.problem, &row, column[point]));
        Some((number, own, spot.map(|spot| (row, spot))))
    }
}

/// A term and a residual of it by their positions, and the row and place of a point.
pub(super) type BadResidual = (usize, usize, Option<(Vec<f64>, Spot)>);

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
        assert_eq!(said(f64::NAN), "is not finite at t = 0.123457, x = -1 (not a number)");
        assert_eq!(said(1e300), "is too large, its square is not finite at t = 0.123457, x = -1 (1.0e300)");
    }
}
