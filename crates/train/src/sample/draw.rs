//! All points of a plan for one phase of training.

use super::{Sobol, condition};
use crate::TrainError;
use crate::table::Tables;
use equation::counter::Stream;
use equation::problem::{Coordinate, Problem};
use equation::taylor::{Plan, Row, Source};
use kernel::Points;

/// Families of random numbers that belong to sampling: their names start with these bits, so that no
/// other user of the seed meets them.
const STREAMS: u64 = 0x5a << 56;

/// The random numbers for `part` of the term at `position`.
fn stream(seed: u64, position: usize, part: usize) -> Stream {
    Stream::new(seed, STREAMS | (position as u64) << 24 | part as u64)
}

/// From (0, 1) to the coordinate's interval.
pub(crate) fn affine(coordinate: &Coordinate, unit: f64) -> f64 {
    coordinate.low + (coordinate.high - coordinate.low) * unit
}

/// Draws `interior` points inside the domain, each condition's own number on it, and takes every row
/// of every data table. A pure function of its arguments: one set per term of the plan.
pub fn draw(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    seed: u64,
    interior: usize,
) -> Result<Vec<Points>, TrainError> {
    plan.terms
        .iter()
        .enumerate()
        .map(|(position, term)| match term.source {
            Source::Interior | Source::Prediction => {
                Ok(inside(problem, term.row, stream(seed, position, 0), interior))
            }
            Source::Condition(index) => {
                condition::draw(problem, index, term.row, |part| stream(seed, position, part))
            }
            Source::Data(index) => Ok(tables.measurements(index).clone()),
        })
        .collect()
}

fn inside(problem: &Problem, row: Row, stream: Stream, count: usize) -> Points {
    let sobol = Sobol::scrambled(problem.domain.len(), stream);
    let mut points = Points::new(row.width());
    let mut numbers = vec![0.0; row.width()];
    for index in 0..count {
        let place = &mut numbers[..problem.domain.len()];
        sobol.point(index as u32, place);
        for (value, coordinate) in place.iter_mut().zip(&problem.domain.coordinates) {
            *value = affine(coordinate, *value);
        }
        points.push(&numbers);
    }
    points
}
