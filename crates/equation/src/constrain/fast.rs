//! Whether a start that is built in leaves the network something of order one to do.
//!
//! `φ` rises over all of time. Where the equations change the field much sooner, an oscillation of many periods say,
//! `N` has to begin with something very large, and training fails.

use super::claim::Claim;
use super::face::End;
use crate::expression::{Expression, Leaf, Pool};
use crate::problem::Problem;
use crate::problem::{places, value};

/// The largest value of `N` at the start, in units of the field: an oscillating field has about four periods then.
const FAST: f64 = 50.0;

/// Whether a claim says something about the first moment.
pub(super) fn is_start(problem: &Problem, claim: &Claim) -> bool {
    let first = |axis: usize, end: End| problem.time() == Some(axis) && end == End::Low;
    claim.data.iter().any(|datum| first(datum.face.axis, datum.face.end))
}

/// Whether the equations ask for too large an `N` of this unknown at the start: what they are off by without it, as a
/// multiple of what an `N` of one changes.
pub(super) fn is_fast(pool: &Pool, problem: &Problem, unknown: usize) -> bool {
    let Some(time) = problem.time() else { return false };
    // What is looked at leaves nothing behind.
    let mut pool = pool.clone();
    let places = places(&problem.domain, &[(time, problem.domain.coordinates[time].low)]);
    // Others say nothing about what comes next.
    let moves = |leaf: Leaf| match leaf {
        Leaf::Field(field) => {
            usize::from(field.unknown) == unknown && field.derivative.axes().contains(&(time as u8))
        }
        _ => false,
    };
    problem.equations.iter().filter(|equation| problem.pool.mentions(equation.residual, moves)).any(
        |equation| {
            let mut largest = |raw: f64, than: Option<Expression>| {
                let residual = with_networks(&mut pool, problem, equation.residual, unknown, raw);
                let change = than.map_or(residual, |than| pool.subtract(residual, than));
                let sizes = places.iter().map(|place| value(&pool, change, place).abs());
                (residual, sizes.filter(|size| size.is_finite()).fold(0.0, f64::max))
            };
            let (without, off) = largest(0.0, None);
            let (_, change) = largest(1.0, Some(without));
            change > 0.0 && off > FAST * change && pool.overflow().is_none()
        },
    )
}

/// A residual in terms of coordinates, with the ansatz of every unknown in it; networks are zero but for one.
fn with_networks(
    pool: &mut Pool,
    problem: &Problem,
    residual: Expression,
    unknown: usize,
    raw: f64,
) -> Expression {
    pool.substitute(residual, &mut |pool, leaf| match leaf {
        Leaf::Field(field) => {
            let Some(mut function) = problem.unknowns[usize::from(field.unknown)].ansatz else {
                return Some(pool.number(0.0));
            };
            for &axis in field.derivative.axes() {
                function = pool.differentiate(function, usize::from(axis));
            }
            Some(pool.substitute(function, &mut |pool, leaf| match leaf {
                Leaf::Raw(own) => Some(pool.number(if usize::from(own) == unknown { raw } else { 0.0 })),
                _ => None,
            }))
        }
        Leaf::Parameter(_) => Some(pool.number(1.0)),
        _ => None,
    })
}
