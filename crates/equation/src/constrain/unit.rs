//! The size of an unknown: networks find functions of order one, fields have units.

use super::claim::{ROUNDING, finite_scale};
use crate::expression::{Derivative, Leaf, Pool, evaluate};
use crate::problem::{Place, Problem};
use crate::problem::{largest, places, prescribed, surface_places};

/// Sizes up to this, and down to its inverse, are of order one.
const ORDER_ONE: f64 = 10.0;

/// What the raw output of the unknown at position `unknown` is to be multiplied with: the size of what its
/// conditions prescribe, as a power of two; one where that is of order one or not known, or where sources in the
/// equations make more of it than conditions do. `followed` are the sizes of all unknowns where they have been followed
/// through time.
pub(super) fn unit(pool: &Pool, problem: &Problem, unknown: usize, followed: Option<&[f64]>) -> f64 {
    // Steep slopes belong to functions that are smaller than their length makes them: values come first.
    let (mut values, mut slopes) = (0.0, 0.0);
    // What is looked at leaves nothing behind.
    let mut pool = pool.clone();
    for condition in &problem.conditions {
        let Place::Pieces(pieces) = &condition.place else { continue };
        for equation in &condition.equations {
            let Ok((field, function)) = prescribed(&mut pool, equation.residual) else { continue };
            if usize::from(field.unknown) != unknown
                || pool.mentions(function, |leaf| matches!(leaf, Leaf::Parameter(_)))
            {
                continue;
            }
            let length = length(problem, field.derivative);
            let least = ROUNDING * finite_scale(&pool, problem, function);
            for piece in pieces {
                let places = match piece.surface {
                    Some(surface) => surface_places(&problem.domain, surface),
                    None => places(&problem.domain, &piece.fixed),
                };
                let (_, found) = largest(&pool, function, &places);
                if found.is_finite() && found > least {
                    let size = if field.derivative.axes().is_empty() { &mut values } else { &mut slopes };
                    *size = f64::max(*size, found * length);
                }
            }
        }
    }
    let mut size = if values > 0.0 { values } else { slopes };
    // Without space the way from the start is known well enough: a few infected become many.
    if let Some(sizes) = followed {
        size = sizes[unknown];
    } else if size > 0.0 && size < 1.0 {
        size = size.max(driven(&pool, problem, unknown).min(1.0));
    }
    let unit = size.log2().round().exp2();
    let ordinary = (1.0 / ORDER_ONE..=ORDER_ONE).contains(&size);
    if ordinary || !unit.is_normal() { 1.0 } else { unit }
}

/// What a derivative of a function is to be multiplied with to be as large as the function, if that varies over half
/// of the box.
fn length(problem: &Problem, derivative: Derivative) -> f64 {
    let half = |&axis: &u8| {
        let coordinate = &problem.domain.coordinates[usize::from(axis)];
        0.5 * (coordinate.high - coordinate.low)
    };
    derivative.axes().iter().map(half).product()
}

/// How large sources and other unknowns, of size one, make an unknown: what the equations are off by without it, in
/// multiples of what an unknown of size one changes.
fn driven(pool: &Pool, problem: &Problem, unknown: usize) -> f64 {
    let mut size: f64 = 0.0;
    for equation in &problem.equations {
        let (mut source, mut change) = (0.0, 0.0);
        for place in places(&problem.domain, &[]) {
            let at = |field: f64| {
                evaluate(pool, equation.residual, &|leaf| match leaf {
                    Leaf::Coordinate(axis) => place[usize::from(axis)],
                    Leaf::Field(own) => {
                        let size = if usize::from(own.unknown) == unknown { field } else { 1.0 };
                        size / length(problem, own.derivative)
                    }
                    _ => 1.0,
                })
            };
            let without = at(0.0);
            // `max` passes over what is no number.
            source = f64::max(source, without.abs());
            change = f64::max(change, (at(1.0) - without).abs());
        }
        if change > 0.0 && source.is_finite() && change.is_finite() {
            size = size.max(source / change);
        }
    }
    size
}
