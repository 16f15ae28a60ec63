//! u_t = L u + N(t, x, u, u_x, …) with its start, as read off a problem.

use super::read::{equations, is_smooth, periodic, start};
use super::samples::Samples;
use super::transform::GridShape;
use equation::expression::{Expression, Field, Leaf, Pool, evaluate};
use equation::problem::{Problem, Role};
use rayon::prelude::*;

/// Points that one evaluation of formulas takes: their intermediate values stay in the second-level cache.
const CHUNK: usize = 2048;

/// Why a problem is not of the form that can be solved here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// Not one time, one or two space coordinates.
    #[error("the coordinates are not t and one or two of space")]
    Coordinates,
    /// Not one equation for the rate of each unknown.
    #[error("there is not exactly one equation for each unknown")]
    System,
    /// The ends of space are not identified.
    #[error("a space coordinate is not periodic")]
    NotPeriodic,
    /// Not u_t with a number before it, or other derivatives in time.
    #[error("an equation is not of first order in time with a number before one time derivative")]
    TimeDerivative,
    /// Trainable scalars, comparisons or choices.
    #[error("an equation or an initial condition contains parameters, comparisons, min, max or where")]
    NotSmooth,
    /// No condition that says what an unknown is at the start.
    #[error("some unknown has no initial condition of the form `u = formula`")]
    NoStart,
}

/// An unknown, differentiated so often along each coordinate of space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Derived {
    pub(super) unknown: usize,
    /// A line's only coordinate is the second.
    pub(super) orders: [usize; 2],
}

/// A term of L: `coefficient` times a derivative in the rate of an unknown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Linear {
    pub(super) rate: usize,
    pub(super) of: Derived,
    pub(super) coefficient: f64,
}

/// u_t = L u + N for all unknowns, with a linear L of constant coefficients, from a start, on a periodic
/// interval or rectangle.
#[derive(Clone, Debug)]
pub struct Evolution {
    pool: Pool,
    pub(super) linear: Vec<Linear>,
    /// N, one for each unknown.
    rest: Vec<Expression>,
    /// What N mentions.
    pub(super) mentioned: Vec<Derived>,
    start: Vec<Expression>,
    /// Position of t.
    pub(super) time: usize,
    /// Positions of the coordinates of space.
    pub(super) space: Vec<usize>,
    /// The ends of t.
    pub(super) times: (f64, f64),
    /// The ends of space; those of a line come second.
    pub(super) intervals: [(f64, f64); 2],
    /// All of this in words.
    pub(super) statement: String,
}

impl Evolution {
    /// The problem in this form, if it has it.
    pub fn of(problem: &Problem) -> Result<Self, Unfit> {
        let coordinates = &problem.domain.coordinates;
        let with = |role: Role| (0..coordinates.len()).filter(move |&axis| coordinates[axis].role == role);
        let (times, space): (Vec<usize>, Vec<usize>) =
            (with(Role::Time).collect(), with(Role::Space).collect());
        let ([time], 1..=2) = (times.as_slice(), space.len()) else { return Err(Unfit::Coordinates) };
        if space.len() + 1 != problem.domain.len() {
            return Err(Unfit::Coordinates);
        }
        if !space.iter().all(|&axis| periodic(problem, axis)) {
            return Err(Unfit::NotPeriodic);
        }
        let mut pool = problem.pool.clone();
        let (linear, rest) = equations(problem, &mut pool, *time, &space)?;
        let start = (0..problem.unknowns.len())
            .map(|unknown| start(problem, &mut pool, *time, unknown).ok_or(Unfit::NoStart))
            .collect::<Result<Vec<_>, _>>()?;
        if !is_smooth(&pool, &[rest.as_slice(), start.as_slice()].concat()) {
            return Err(Unfit::NotSmooth);
        }
        let fields = pool.leaves(&rest).into_iter().filter_map(|leaf| match leaf {
            Leaf::Field(field) => Some(Derived::of(field, &space)),
            _ => None,
        });
        let mut mentioned: Vec<Derived> = fields.collect();
        mentioned.sort_unstable();
        let ends = |axis: usize| (coordinates[axis].low, coordinates[axis].high);
        let last = ends(space[space.len() - 1]);
        let intervals = [if space.len() == 2 { ends(space[0]) } else { (0.0, 1.0) }, last];
        let times = ends(*time);
        let mut statement = format!("t {times:?}, space {intervals:?}, L {linear:?}");
        for (name, formulas) in [("N", &rest), ("start", &start)] {
            formulas.iter().for_each(|&formula| {
                statement.push_str(&format!("\n{name} = {}", pool.print(formula, problem)));
            });
        }
        Ok(Evolution {
            pool,
            linear,
            rest,
            mentioned,
            start,
            time: *time,
            space,
            times,
            intervals,
            statement,
        })
    }

    /// How many unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.rest.len()
    }

    /// The coordinates of all samples: one list for each coordinate of space, those of a line second.
    pub(super) fn places(&self, shape: GridShape) -> [Vec<f64>; 2] {
        let along = |(low, high): (f64, f64), position: usize, count: usize| {
            low + (high - low) * position as f64 / count as f64
        };
        let places = 0..shape.len();
        [
            places.clone().map(|place| along(self.intervals[0], place / shape.columns, shape.rows)).collect(),
            places.map(|place| along(self.intervals[1], place % shape.columns, shape.columns)).collect(),
        ]
    }

    /// An unknown at the start, at these places.
    pub(super) fn start(&self, unknown: usize, places: &[Vec<f64>; 2], values: &mut [f64]) {
        self.evaluate(self.start[unknown], self.times.0, places, &[], values);
    }

    /// An unknown at the start, at a point of the domain.
    pub(super) fn at_start(&self, unknown: usize, place: &[f64]) -> f64 {
        evaluate(&self.pool, self.start[unknown], &|leaf| match leaf {
            Leaf::Coordinate(axis) => place[usize::from(axis)],
            _ => f64::NAN,
        })
    }

    /// N of an unknown at time `t`, where `fields` holds what it mentions.
    pub(super) fn rest(
        &self,
        unknown: usize,
        t: f64,
        places: &[Vec<f64>; 2],
        fields: &[Vec<f64>],
        values: &mut [f64],
    ) {
        self.evaluate(self.rest[unknown], t, places, fields, values);
    }

    fn evaluate(
        &self,
        root: Expression,
        t: f64,
        places: &[Vec<f64>; 2],
        fields: &[Vec<f64>],
        values: &mut [f64],
    ) {
        let chunk = |(number, values): (usize, &mut [f64])| {
            let range = number * CHUNK..number * CHUNK + values.len();
            let samples = evaluate(&self.pool, root, &|leaf: Leaf| match leaf {
                Leaf::Coordinate(axis) if usize::from(axis) == self.time => Samples::Same(t),
                Leaf::Coordinate(axis) => {
                    let first = self.space.len() == 2 && usize::from(axis) == self.space[0];
                    Samples::Each(places[usize::from(!first)][range.clone()].to_vec())
                }
                Leaf::Field(field) => {
                    let wanted = Derived::of(field, &self.space);
                    let position = self.mentioned.iter().position(|mentioned| *mentioned == wanted);
                    position.map_or(Samples::Same(f64::NAN), |position| {
                        Samples::Each(fields[position][range.clone()].to_vec())
                    })
                }
                // No other leaf is admitted by `is_smooth`.
                _ => Samples::Same(f64::NAN),
            });
            samples.spread(values);
        };
        match self.space.len() {
            1 => values.chunks_mut(CHUNK).enumerate().for_each(chunk),
            _ => values.par_chunks_mut(CHUNK).enumerate().for_each(chunk),
        }
    }
}

impl Derived {
    /// What a field is; derivatives in time are not counted.
    pub(super) fn of(field: Field, space: &[usize]) -> Self {
        let count =
            |axis: usize| field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count();
        let orders = match *space {
            [first, second] => [count(first), count(second)],
            [only] => [0, count(only)],
            _ => [0, 0],
        };
        Derived { unknown: usize::from(field.unknown), orders }
    }
}
