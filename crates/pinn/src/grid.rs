//! Where errors are measured when the reference can be computed anywhere, and fields are shown.

use crate::GridError;
use crate::error::LARGEST_GRID;
use crate::sample::{Sobol, affine};
use equation::counter::Stream;
use equation::problem::{Coordinate, Problem};
use kernel::Points;
use reference::ReferenceError;

/// Test points in more than three dimensions.
const SCATTERED: usize = 100_000;

/// The seed of scattered test points: fixed, so that errors of different runs compare.
const TEST_SEED: u64 = 0x7e57;

/// Every combination of evenly spaced values of all coordinates, ends included.
#[derive(Clone, Debug)]
pub struct Grid {
    axes: Vec<Axis>,
}

/// One coordinate of a grid.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The coordinate; both ends of one that is fixed are its value.
    pub coordinate: Coordinate,
    /// How many values it takes; a single one is the upper end.
    pub count: usize,
}

/// What a grid says of a coordinate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GridExtent {
    /// So many values, from end to end.
    Count(usize),
    /// One value.
    At(f64),
}

impl Grid {
    /// Reads `t=201,x=512`: every coordinate once, in any order. `x=0.5` fixes a value.
    pub fn parse(problem: &Problem, text: &str) -> Result<Grid, GridError> {
        let coordinates = &problem.domain.coordinates;
        let example = || {
            let parts: Vec<String> =
                coordinates.iter().map(|coordinate| format!("{}=51", coordinate.name)).collect();
            parts.join(",")
        };
        let mut counts = vec![None; coordinates.len()];
        for part in text.split(',') {
            let written = || part.trim().to_owned();
            let (name, count) = part
                .split_once('=')
                .ok_or_else(|| GridError::Part { part: written(), example: example() })?;
            let (name, count) = (name.trim(), count.trim());
            let axis = problem.domain.find(name).ok_or_else(|| GridError::Unknown {
                name: name.to_owned(),
                coordinates: coordinates.iter().map(|coordinate| coordinate.name.clone()).collect(),
            })?;
            let extent = GridExtent::read(&coordinates[axis], count)?;
            if counts[axis].replace(extent).is_some() {
                return Err(GridError::Twice { name: name.to_owned() });
            }
        }
        let missing =
            |axis: usize| GridError::Missing { name: coordinates[axis].name.clone(), example: example() };
        let extents: Vec<GridExtent> = counts
            .into_iter()
            .enumerate()
            .map(|(axis, count)| count.ok_or_else(|| missing(axis)))
            .collect::<Result<_, _>>()?;
        let grid = Grid::new(problem, &extents);
        match grid.size() {
            points if points > LARGEST_GRID => Err(GridError::TooLarge { points }),
            _ => Ok(grid),
        }
    }

    /// The problem's own test grid: what its file states, or 201 points along each of one or two
    /// coordinates, 51 along each of three. In more than three dimensions there is one only if the file
    /// names every coordinate.
    pub fn of_tests(problem: &Problem) -> Option<Grid> {
        let dimensions = problem.domain.len();
        let stated = |axis: usize| {
            problem.reference.grid.iter().find(|(coordinate, _)| *coordinate == axis).map(|(_, count)| *count)
        };
        let default = match dimensions {
            0..=2 => Some(201),
            3 => Some(51),
            _ => None,
        };
        let counts = (0..dimensions).map(|axis| stated(axis).or(default).map(GridExtent::Count));
        counts.collect::<Option<Vec<GridExtent>>>().map(|extents| Grid::new(problem, &extents))
    }

    fn new(problem: &Problem, extents: &[GridExtent]) -> Grid {
        let axis = |(coordinate, extent): (&Coordinate, &GridExtent)| match *extent {
            GridExtent::Count(count) => Axis { coordinate: coordinate.clone(), count },
            GridExtent::At(value) => {
                Axis { coordinate: Coordinate { low: value, high: value, ..coordinate.clone() }, count: 1 }
            }
        };
        Grid { axes: problem.domain.coordinates.iter().zip(extents).map(axis).collect() }
    }

    /// In the problem's order.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many points, as a number that cannot overflow.
    pub(crate) fn size(&self) -> f64 {
        self.axes.iter().map(|axis| axis.count as f64).product()
    }

    /// All points, the last coordinate running fastest.
    pub fn points(&self) -> Points {
        let values: Vec<Vec<f64>> = self.axes.iter().map(Axis::values).collect();
        let mut points = Points::new(self.axes.len());
        let mut place = vec![0.0; self.axes.len()];
        for index in 0..values.iter().map(Vec::len).product() {
            let mut rest: usize = index;
            for (value, values) in place.iter_mut().zip(&values).rev() {
                *value = values[rest % values.len()];
                rest /= values.len();
            }
            points.push(&place);
        }
        points
    }
}

impl GridExtent {
    /// Reads what follows `x=`: an integer of at least 2 is a number of points; any other number but 1, and every number with
    /// a decimal point or an exponent, is a value. 1 could be meant as either.
    pub fn read(coordinate: &Coordinate, text: &str) -> Result<Self, GridError> {
        if let Some(count) = text.parse().ok().filter(|count: &usize| *count >= 2) {
            return Ok(GridExtent::Count(count));
        }
        let Coordinate { name, low, high, .. } = coordinate;
        let value = text.parse().ok().filter(|value: &f64| value.is_finite() && text != "1");
        match value {
            Some(value) if (*low..=*high).contains(&value) => Ok(GridExtent::At(value)),
            Some(_) => {
                Err(GridError::Outside { name: name.clone(), value: text.to_owned(), low: *low, high: *high })
            }
            None => Err(GridError::Count {
                name: name.clone(),
                count: text.to_owned(),
                example: match text.parse::<f64>() {
                    Ok(value) if value.is_finite() => format!("{value:?}"),
                    _ => format!("{:?}", affine(coordinate, 0.5)),
                },
            }),
        }
    }
}

impl Axis {
    /// Its values, ascending.
    pub fn values(&self) -> Vec<f64> {
        let value = |position: usize| match position + 1 == self.count {
            true => self.coordinate.high,
            false => affine(&self.coordinate, position as f64 / (self.count - 1) as f64),
        };
        (0..self.count).map(value).collect()
    }
}

/// The test points: the problem's grid, or 100,000 scattered points where there is none.
pub(crate) fn test_points(problem: &Problem) -> Points {
    match Grid::of_tests(problem) {
        Some(grid) => grid.points(),
        None => scattered(problem),
    }
}

/// How many test points there are.
pub(super) fn test_point_count(problem: &Problem) -> f64 {
    Grid::of_tests(problem).map_or(SCATTERED as f64, |grid| grid.size())
}

/// Checks the size of the grid, before anyone has waited for training.
pub(crate) fn check(problem: &Problem) -> Result<(), ReferenceError> {
    match Grid::of_tests(problem).map_or(0.0, |grid| grid.size()) {
        points if points > LARGEST_GRID => Err(ReferenceError::GridTooLarge { points, limit: LARGEST_GRID }),
        _ => Ok(()),
    }
}

fn scattered(problem: &Problem) -> Points {
    let dimensions = problem.domain.len();
    let sobol = Sobol::scrambled(dimensions, Stream::new(TEST_SEED, 0));
    let mut points = Points::new(dimensions);
    let mut place = vec![0.0; dimensions];
    for index in 0..SCATTERED {
        sobol.point(index as u64, &mut place);
        for (value, coordinate) in place.iter_mut().zip(&problem.domain.coordinates) {
            *value = affine(coordinate, *value);
        }
        points.push(&place);
    }
    points
}
