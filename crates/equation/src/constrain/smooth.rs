//! Whether what is prescribed on a face is smooth enough to be a part of the solution everywhere.

use super::claim::Claim;
use super::face::{End, Face};
use crate::expression::{Derivative, Expression, Function, Node, Pool};
use crate::problem::PenaltyReason;
use crate::problem::{Condition, Place, Problem};
use crate::problem::{largest, places, value};

/// A jump at the ends of a periodic coordinate, as a share of the function's largest value, that does not
/// count: such are solitons whose tails are cut off.
const JUMP: f64 = 1e-8;

/// The largest second derivative, over a coordinate's whole length and as a multiple of the function's
/// largest value: about a feature of a seventeenth of the length. A solution that moves leaves steeper data
/// behind, and the network would have to take away again what the ansatz says.
const STEEP: f64 = 300.0;

/// Refuses data that is steep, kinks, derivatives that are not finite, and functions that are not smooth when they are continued
/// around a periodic coordinate.
pub(super) fn check(pool: &Pool, problem: &Problem, claim: &Claim) -> Result<(), PenaltyReason> {
    // Derivatives are only looked at: they shall not fill the problem's pool.
    let mut pool = pool.clone();
    for datum in &claim.data {
        if has_kink(&pool, datum.data) {
            return Err(PenaltyReason::Kink);
        }
        let fixed = datum.face.fixed(&problem.domain);
        let on_face = places(&problem.domain, &[fixed]);
        for axis in (0..problem.domain.len()).filter(|&axis| axis != datum.face.axis) {
            let embedded = problem.network.periodic.iter().any(|periodic| periodic.axis == axis);
            let periodic = embedded || is_wrapped(problem, axis);
            let highest = if embedded { Derivative::MAX_ORDER } else { problem.order_along(axis) };
            steep(&mut pool, problem, (datum.data, datum.scale), axis, &on_face)?;
            let (mut slope, mut scale) = (datum.data, datum.scale);
            for order in 0..=highest {
                if order > 0 {
                    slope = pool.differentiate(slope, axis);
                    if let Some(overflow) = pool.overflow() {
                        return Err(PenaltyReason::Overflow(overflow));
                    }
                    let index;
                    (index, scale) = largest(&pool, slope, &on_face);
                    if !scale.is_finite() {
                        return Err(PenaltyReason::NotFinite { axis, order, place: on_face[index].clone() });
                    }
                }
                if periodic {
                    continuous(&mut pool, problem, (slope, order, scale), axis, fixed)?;
                }
            }
        }
    }
    Ok(())
}

fn steep(
    pool: &mut Pool,
    problem: &Problem,
    (data, scale): (Expression, f64),
    axis: usize,
    places: &[Vec<f64>],
) -> Result<(), PenaltyReason> {
    let slope = pool.differentiate(data, axis);
    let second_derivative = pool.differentiate(slope, axis);
    let coordinate = &problem.domain.coordinates[axis];
    let (index, size) = largest(pool, second_derivative, places);
    let ratio = size * (coordinate.high - coordinate.low).powi(2) / scale;
    if pool.overflow().is_none() && ratio.is_finite() && ratio > STEEP {
        return Err(PenaltyReason::Steep { axis, part: ratio.sqrt(), at: places[index][axis] });
    }
    Ok(())
}

/// Whether a condition ties the ends of a coordinate together.
fn is_wrapped(problem: &Problem, axis: usize) -> bool {
    let wraps =
        |condition: &Condition| matches!(condition.place, Place::Wrap { axis: other } if other == axis);
    problem.conditions.iter().any(wraps)
}

/// Whether a function has the same values at both ends of a periodic coordinate.
fn continuous(
    pool: &mut Pool,
    problem: &Problem,
    (function, order, scale): (Expression, usize, f64),
    axis: usize,
    fixed: (usize, f64),
) -> Result<(), PenaltyReason> {
    let domain = &problem.domain;
    let low = Face { axis, end: End::Low, order: 0 }.of(pool, domain, function);
    let high = Face { axis, end: End::High, order: 0 }.of(pool, domain, function);
    let difference = pool.subtract(low, high);
    let places = places(domain, &[fixed, (axis, domain.coordinates[axis].low)]);
    let (index, jump) = largest(pool, difference, &places);
    if jump <= JUMP * scale {
        return Ok(());
    }
    let (low, high) = (value(pool, low, &places[index]), value(pool, high, &places[index]));
    Err(PenaltyReason::Jump { axis, order, low, high })
}

fn has_kink(pool: &Pool, function: Expression) -> bool {
    let mut found = false;
    pool.visit(&[function], |_, node| match node {
        Node::Min(..) | Node::Max(..) | Node::Compare(..) | Node::Where(..) => found = true,
        Node::Apply(Function::Abs | Function::Sign, _) => found = true,
        Node::Number(_)
        | Node::Leaf(_)
        | Node::Sum(..)
        | Node::Product(_)
        | Node::Power(..)
        | Node::Apply(..) => {}
    });
    found
}
