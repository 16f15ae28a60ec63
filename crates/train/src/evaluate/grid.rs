//! Where errors are measured when the reference can be computed anywhere.

use crate::reference::ReferenceError;
use crate::sample::{Sobol, affine};
use equation::counter::Stream;
use equation::problem::Problem;
use kernel::Points;

/// Test points in more than three dimensions.
const SCATTERED: usize = 100_000;

/// The seed of scattered test points: fixed, so that errors of different runs compare.
const TEST_SEED: u64 = 0x7e57;

/// Points that a test grid has at most: a second or so of evaluation, and some hundred megabytes.
const LARGEST_GRID: f64 = 1e7;

/// The test points: the problem's own grid, or 201 points along each of one or two coordinates, 51
/// along each of three (ends included), or 100,000 scattered ones. In more than three dimensions a
/// grid counts only if it names every coordinate.
pub(super) fn test_points(problem: &Problem) -> Points {
    match counts(problem) {
        Some(counts) => grid(problem, &counts),
        None => scattered(problem),
    }
}

/// Checks the size of the grid, before anyone has waited for training.
pub(crate) fn check(problem: &Problem) -> Result<(), ReferenceError> {
    let points = counts(problem).unwrap_or_default().iter().map(|&count| count as f64).product();
    if points > LARGEST_GRID {
        return Err(ReferenceError::GridTooLarge { points, limit: LARGEST_GRID });
    }
    Ok(())
}

fn counts(problem: &Problem) -> Option<Vec<usize>> {
    let dimensions = problem.domain.len();
    let stated = |axis: usize| {
        problem.reference.grid.iter().find(|(coordinate, _)| *coordinate == axis).map(|(_, count)| *count)
    };
    let default = match dimensions {
        0..=2 => Some(201),
        3 => Some(51),
        _ => None,
    };
    (0..dimensions).map(|axis| stated(axis).or(default)).collect()
}

/// Every combination of evenly spaced coordinates, the last one running fastest.
fn grid(problem: &Problem, counts: &[usize]) -> Points {
    let mut points = Points::new(counts.len());
    let mut place = vec![0.0; counts.len()];
    for index in 0..counts.iter().product() {
        let mut rest: usize = index;
        for (axis, &count) in counts.iter().enumerate().rev() {
            let coordinate = &problem.domain.coordinates[axis];
            let position = rest % count;
            rest /= count;
            place[axis] = if position + 1 == count {
                coordinate.high
            } else {
                affine(coordinate, position as f64 / (count - 1) as f64)
            };
        }
        points.push(&place);
    }
    points
}

fn scattered(problem: &Problem) -> Points {
    let dimensions = problem.domain.len();
    let sobol = Sobol::scrambled(dimensions, Stream::new(TEST_SEED, 0));
    let mut points = Points::new(dimensions);
    let mut place = vec![0.0; dimensions];
    for index in 0..SCATTERED {
        sobol.point(index as u32, &mut place);
        for (value, coordinate) in place.iter_mut().zip(&problem.domain.coordinates) {
            *value = affine(coordinate, *value);
        }
        points.push(&place);
    }
    points
}
