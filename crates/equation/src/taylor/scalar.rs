//! Trainable scalars of inverse problems: unbounded numbers inside, bounded values outside.

use crate::expression::{Expression, Function, Leaf, Pool};
use crate::problem::Parameter;

/// The physical value of a scalar as a function of the unbounded number that is trained.
///
/// Bounds are met by construction, so that no optimizer has to know about them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// The number itself.
    Free,
    /// `lower + exp(number)`
    Above(f64),
    /// `upper - exp(number)`
    Below(f64),
    /// `lower + (upper - lower)·(1 + tanh(number))/2`
    Between(f64, f64),
}

impl Scalar {
    /// The transformation that a parameter's bounds ask for.
    pub fn new(parameter: &Parameter) -> Scalar {
        match (parameter.lower, parameter.upper) {
            (None, None) => Scalar::Free,
            (Some(lower), None) => Scalar::Above(lower),
            (None, Some(upper)) => Scalar::Below(upper),
            (Some(lower), Some(upper)) => Scalar::Between(lower, upper),
        }
    }

    /// The physical value.
    pub fn value(self, number: f64) -> f64 {
        match self {
            Scalar::Free => number,
            Scalar::Above(lower) => lower + number.exp(),
            Scalar::Below(upper) => upper - number.exp(),
            Scalar::Between(lower, upper) => lower + (upper - lower) * 0.5 * (1.0 + number.tanh()),
        }
    }

    /// The unbounded number of a physical value inside the bounds.
    pub fn number(self, value: f64) -> f64 {
        match self {
            Scalar::Free => value,
            Scalar::Above(lower) => (value - lower).ln(),
            Scalar::Below(upper) => (upper - value).ln(),
            Scalar::Between(lower, upper) => (2.0 * (value - lower) / (upper - lower) - 1.0).atanh(),
        }
    }

    /// The physical value as an expression of the unbounded one.
    pub fn expression(self, pool: &mut Pool, position: u16) -> Expression {
        let number = pool.leaf(Leaf::Parameter(position));
        let one = pool.number(1.0);
        match self {
            Scalar::Free => number,
            Scalar::Above(bound) | Scalar::Below(bound) => {
                let sign = if matches!(self, Scalar::Above(_)) { 1.0 } else { -1.0 };
                let distance = pool.apply(Function::Exp, number);
                pool.combine(&[(one, bound), (distance, sign)])
            }
            Scalar::Between(lower, upper) => {
                let half = 0.5 * (upper - lower);
                let squashed = pool.apply(Function::Tanh, number);
                pool.combine(&[(one, lower + half), (squashed, half)])
            }
        }
    }
}
