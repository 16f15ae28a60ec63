//! The size of an unknown: networks find functions of order one, fields have units.

use super::claim::{ROUNDING, finite_scale, prescribed};
use super::places::{largest, places};
use crate::expression::{Leaf, Pool};
use crate::problem::{Place, Problem};

/// Sizes up to this, and down to its inverse, are of order one.
const ORDER_ONE: f64 = 10.0;

/// What the raw output of the unknown at position `unknown` is to be multiplied with: the size of what its
/// conditions prescribe, as a power of two; one where that is of order one or not known.
pub(super) fn unit(pool: &Pool, problem: &Problem, unknown: usize) -> f64 {
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
            let lengths = field.derivative.axes().iter().map(|&axis| {
                let coordinate = &problem.domain.coordinates[usize::from(axis)];
                0.5 * (coordinate.high - coordinate.low)
            });
            let length: f64 = lengths.product();
            let least = ROUNDING * finite_scale(&pool, problem, function);
            for piece in pieces {
                let (_, found) = largest(&pool, function, &places(&problem.domain, &piece.fixed));
                if found.is_finite() && found > least {
                    let size = if field.derivative.axes().is_empty() { &mut values } else { &mut slopes };
                    *size = f64::max(*size, found * length);
                }
            }
        }
    }
    let size = if values > 0.0 { values } else { slopes };
    let unit = size.log2().round().exp2();
    let ordinary = (1.0 / ORDER_ONE..=ORDER_ONE).contains(&size);
    if ordinary || !unit.is_normal() { 1.0 } else { unit }
}
