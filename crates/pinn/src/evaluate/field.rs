//! The error of each unknown.

use super::level;
use crate::grid;
use crate::table::Tables;
use crate::windows::Reached;
use equation::problem::Problem;
use kernel::Points;
use linear::tree::sum;
use reference::Truth;

/// How far an unknown is from its reference.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldError {
    /// sqrt(Σ (u - u*)² / Σ u*²); `None` where no point was compared or the reference is zero everywhere.
    pub relative_l2: Option<f64>,
    /// sqrt(mean (u - u*)²); `None` where no point was compared.
    pub root_mean_square: Option<f64>,
    /// max |u - u*|; `None` where no point was compared.
    pub largest: Option<f64>,
    /// How many points were compared.
    pub points: usize,
    /// How many points were left out because the reference is not finite there.
    pub left_out: usize,
    /// The problem does not fix the level of this unknown, so the mean was taken off both sides first.
    pub mean_subtracted: bool,
}

/// Measures errors: knows the reference at all test points, so that a measurement is one prediction of them.
#[derive(Debug)]
pub(crate) struct Gauge {
    /// Where unknowns are predicted.
    places: Vec<Points>,
    /// Per unknown; `None` where there is no reference.
    targets: Vec<Option<Target>>,
}

/// The true values of an unknown.
#[derive(Debug)]
struct Target {
    /// Which of the places they belong to.
    place: usize,
    exact: Vec<f64>,
    mean_subtracted: bool,
}

impl Gauge {
    /// Finds the reference at `points`, or else at the problem's test points; where it is a table, at the
    /// points of the table. Times that were not reached are left out.
    pub(crate) fn new(
        problem: &Problem,
        truths: &[Option<Truth>],
        tables: &Tables,
        points: Option<&Points>,
        reached: Option<&Reached>,
    ) -> Self {
        let shaped = problem.domain.geometry.is_some();
        let within = |place: &[f64]| {
            reached.is_none_or(|reached| reached.contains(place)) && problem.domain.covers(place)
        };
        let mut places = Vec::new();
        let mut grid = None;
        let mut target = |unknown: usize| {
            let (place, exact) = match (tables.reference(unknown), &truths[unknown]) {
                (Some(table), _) => {
                    let values = table.points.iter().zip(&table.values);
                    let values = values.filter(|(place, _)| within(place)).map(|(_, &value)| value);
                    places.push(filtered(&table.points, within));
                    (places.len() - 1, values.collect())
                }
                (None, Some(truth)) => {
                    let place = *grid.get_or_insert_with(|| {
                        let points = points.cloned().unwrap_or_else(|| grid::test_points(problem));
                        places.push(if reached.is_some() || shaped {
                            filtered(&points, within)
                        } else {
                            points
                        });
                        places.len() - 1
                    });
                    (place, truth.values(problem, &places[place]))
                }
                (None, None) => return None,
            };
            Some(Target { place, exact, mean_subtracted: level::is_free(problem, unknown) })
        };
        let targets = (0..problem.unknowns.len()).map(&mut target).collect();
        Gauge { places, targets }
    }

    /// Where unknowns are compared.
    pub(crate) fn places(&self) -> &[Points] {
        &self.places
    }

    /// The error of every unknown that has a reference, by what was predicted at every place.
    pub(crate) fn errors(&self, predicted: &[Vec<f64>]) -> Vec<Option<FieldError>> {
        let unknowns = self.targets.len();
        let compared = self.targets.iter().enumerate().map(|(unknown, target)| {
            let Target { place, exact, mean_subtracted } = target.as_ref()?;
            let found = predicted[*place].iter().skip(unknown).step_by(unknowns).copied().collect();
            Some(compare(found, exact.clone(), *mean_subtracted))
        });
        compared.collect()
    }
}

/// Those of some points that are wanted.
fn filtered(points: &Points, wanted: impl Fn(&[f64]) -> bool) -> Points {
    let mut kept = Points::new(points.width());
    points.iter().filter(|place| wanted(place)).for_each(|place| kept.push(place));
    kept
}

fn compare(mut found: Vec<f64>, mut exact: Vec<f64>, mean_subtracted: bool) -> FieldError {
    let all = exact.len();
    let mut truths = exact.iter();
    found.retain(|_| truths.next().is_some_and(|exact| exact.is_finite()));
    exact.retain(|exact| exact.is_finite());
    let points = exact.len();
    if mean_subtracted {
        for values in [&mut found, &mut exact] {
            let mean = sum(values.iter().copied()) / points as f64;
            values.iter_mut().for_each(|value| *value -= mean);
        }
    }
    let differences = || found.iter().zip(&exact).map(|(found, exact)| found - exact);
    let square = sum(differences().map(|difference| difference * difference));
    let norm = sum(exact.iter().map(|exact| exact * exact));
    FieldError {
        relative_l2: (norm > 0.0).then(|| (square / norm).sqrt()),
        root_mean_square: (points > 0).then(|| (square / points as f64).sqrt()),
        largest: (points > 0).then(|| differences().map(f64::abs).fold(0.0, f64::max)),
        points,
        left_out: all - points,
        mean_subtracted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_relative_and_a_free_level_is_no_error() {
        let error = compare(vec![1.0, 2.0, 2.0], vec![1.0, 2.0, 4.0], false);
        assert_eq!(error.relative_l2, Some((4.0f64 / 21.0).sqrt()));
        assert_eq!(error.largest, Some(2.0));
        let shifted = compare(vec![11.0, 12.0, 16.0], vec![1.0, 2.0, 6.0], true);
        assert_eq!(shifted.relative_l2, Some(0.0));
    }

    #[test]
    fn a_reference_of_zero_has_no_relative_error() {
        let error = compare(vec![0.5, -0.5], vec![0.0, 0.0], false);
        assert_eq!((error.relative_l2, error.root_mean_square), (None, Some(0.5)));
    }

    #[test]
    fn points_without_a_finite_reference_are_left_out_and_counted() {
        let error = compare(vec![7.0, 1.0, 3.0, 2.0], vec![f64::NEG_INFINITY, 1.0, f64::NAN, 4.0], false);
        assert_eq!((error.points, error.left_out, error.largest), (2, 2, Some(2.0)));
        assert_eq!(error.relative_l2, Some((4.0f64 / 17.0).sqrt()));
        let none = compare(vec![1.0], vec![f64::NAN], true);
        assert_eq!((none.points, none.left_out), (0, 1));
        assert_eq!((none.relative_l2, none.root_mean_square, none.largest), (None, None, None));
    }
}
