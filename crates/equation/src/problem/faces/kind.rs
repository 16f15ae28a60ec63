//! What the kind of an equation asks for, and where it asks for nothing.

use super::{BareFace, CoordinateSystem, FaceEnd, Steep, few_places, order};
use crate::expression::{Expression, Leaf, Pool, evaluate};
use crate::problem::{Problem, Role};

/// Stands for whatever fields are, where only the sign of a factor counts: no special value.
const SOME_VALUE: f64 = 0.7;

/// A factor this small on a face, as a share of its size inside, vanishes there.
const VANISHES: f64 = 1e-9;

/// Conditions that the derivatives of an unknown along an axis ask for.
pub(super) fn asked(pool: &Pool, system: &CoordinateSystem, (unknown, highest): Steep, axis: usize) -> usize {
    // With an odd order, the sign of its factor tells at which end more is needed: where fields decide it, perhaps nowhere.
    let by_fields = || {
        let mut pool = pool.clone();
        let factors = factors(&mut pool, system, &[(unknown, highest)], axis);
        let mut factors = factors.into_iter();
        factors.any(|factor| pool.mentions(factor, |leaf| matches!(leaf, Leaf::Field(_))))
    };
    if highest % 2 == 1 && by_fields() { highest - 1 } else { highest }
}

/// The factors of the highest derivatives along an axis.
fn factors(pool: &mut Pool, system: &CoordinateSystem, steep: &[Steep], axis: usize) -> Vec<Expression> {
    let mut factors = Vec::new();
    for &residual in &system.equations {
        for leaf in pool.leaves(&[residual]) {
            if steep.iter().any(|&(unknown, highest)| order(leaf, unknown, axis) == highest) {
                factors.push(pool.derivative(residual, leaf));
            }
        }
    }
    factors
}

/// A function at a place, with some values for all that is not known there.
fn sample(problem: &Problem, pool: &Pool, function: Expression, place: &[f64]) -> f64 {
    evaluate(pool, function, &|leaf| match leaf {
        Leaf::Coordinate(axis) => place[usize::from(axis)],
        Leaf::Parameter(index) => problem.parameters[usize::from(index)].start,
        _ => SOME_VALUE,
    })
}

/// Whether equations lose their highest derivatives on a face, or are infinite there: solutions that stay finite
/// need no condition then, as at the axis of a cylinder.
pub(super) fn is_singular(
    problem: &Problem,
    system: &CoordinateSystem,
    steep: &[Steep],
    end: FaceEnd,
) -> bool {
    let mut pool = problem.pool.clone();
    let factors = factors(&mut pool, system, steep, end.axis);
    let (face, inside) = (few_places(problem, &[(end.axis, end.value)]), few_places(problem, &[]));
    let vanishes = |factor: Expression| {
        let size = |places: &[Vec<f64>]| {
            let values = places.iter().map(|place| sample(problem, &pool, factor, place).abs());
            values.filter(|value| value.is_finite()).fold(0.0, f64::max)
        };
        pool.as_number(factor).is_none() && size(&face) <= VANISHES * size(&inside)
    };
    let infinite =
        |residual: Expression| face.iter().any(|place| !sample(problem, &pool, residual, place).is_finite());
    factors.into_iter().any(vanishes) || system.equations.iter().any(|residual| infinite(*residual))
}

/// Whether a highest derivative changes its sign inside: the kind of the equation changes there, and with it what it needs.
pub(super) fn changes_sign(
    problem: &Problem,
    system: &CoordinateSystem,
    steep: &[Steep],
    axis: usize,
) -> bool {
    let mut pool = problem.pool.clone();
    let factors = factors(&mut pool, system, steep, axis);
    factors.into_iter().any(|factor| sign(problem, &pool, factor).is_none())
}

/// The sign of a function that has the same one everywhere; zero does not count.
fn sign(problem: &Problem, pool: &Pool, function: Expression) -> Option<f64> {
    let values: Vec<f64> = match pool.as_number(function) {
        Some(number) => vec![number],
        None => {
            let places = few_places(problem, &[]);
            places.iter().map(|place| sample(problem, pool, function, place)).collect()
        }
    };
    let mut signs = values.into_iter().filter(|value| *value != 0.0).map(f64::signum);
    let first = signs.next()?;
    signs.all(|sign| sign == first).then_some(first)
}

/// The end at which a quantity that is carried along comes in, where nothing says what comes in: of one field with
/// `a·u_t + b·u_x + … = 0` and known signs of `a` and `b` only.
pub(super) fn inflow(problem: &Problem, system: &CoordinateSystem, ends: [FaceEnd; 2]) -> Option<BareFace> {
    let (&[residual], 1) = (&system.equations[..], system.unknowns.len()) else { return None };
    let unknown = *system.unknowns.first()?;
    let time = problem.domain.coordinates.iter().position(|coordinate| coordinate.role == Role::Time)?;
    let axis = ends[0].axis;
    let mut pool = problem.pool.clone();
    let leaves = pool.leaves(&[residual]);
    let orders = leaves.iter().filter_map(|leaf| match leaf {
        Leaf::Field(field) => Some(field.derivative.order()),
        _ => None,
    });
    if orders.max() != Some(1) {
        return None;
    }
    let mut direction = |along: usize| {
        let leaf = leaves.iter().find(|leaf| order(**leaf, unknown, along) == 1)?;
        let factor = pool.derivative(residual, *leaf);
        let known = !pool.mentions(factor, |leaf| matches!(leaf, Leaf::Field(_) | Leaf::Parameter(_)));
        if known { sign(problem, &pool, factor) } else { None }
    };
    let end = if direction(time)? == direction(axis)? { ends[0] } else { ends[1] };
    let (unknowns, orders) = (vec![unknown], vec![1]);
    (!end.open).then(|| BareFace { axis, ends: vec![end.value], unknowns, orders, needed: 1, found: 0 })
}
