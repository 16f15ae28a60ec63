//! What conditions prescribe at the start.

use crate::expression::{Expression, Field, Leaf, Pool};
use crate::problem::{Place, Problem};
use crate::problem::{prescribed, value};

/// What conditions prescribe at the start.
pub(super) struct InitialState {
    time: usize,
    /// A field, of an unknown or its slope in time, and the function of place that it begins as.
    fields: Vec<(Field, Expression)>,
}

impl InitialState {
    pub(super) fn read(pool: &mut Pool, problem: &Problem, time: usize) -> InitialState {
        let starts = |place: &Place| match place {
            Place::Pieces(pieces) => {
                pieces.iter().flat_map(|piece| &piece.fixed).any(|(fixed, _)| *fixed == time)
            }
            Place::Wrap { .. } | Place::Interface { .. } => false,
        };
        let conditions = problem.conditions.iter().filter(|condition| starts(&condition.place));
        let equations = conditions.flat_map(|condition| &condition.equations);
        let fields = equations.filter_map(|equation| prescribed(pool, equation.residual).ok());
        InitialState { time, fields: fields.collect() }
    }

    /// An expression with what is prescribed in place of fields; of what is not, zero. Derivatives in space are zero, too,
    /// where the start is taken as `flat`.
    pub(super) fn put_into(&self, pool: &mut Pool, expression: Expression, flat: bool) -> Expression {
        pool.substitute(expression, &mut |pool, leaf| match leaf {
            Leaf::Field(field) => {
                let axes = field.derivative.axes();
                let (in_time, along): (Vec<u8>, Vec<u8>) =
                    axes.iter().partition(|axis| usize::from(**axis) == self.time);
                let known = self
                    .fields
                    .iter()
                    .find(|(known, _)| known.unknown == field.unknown && known.derivative.axes() == in_time);
                let known = known.filter(|_| !flat || along.is_empty());
                let Some(&(_, mut function)) = known else { return Some(pool.number(0.0)) };
                for axis in along {
                    function = pool.differentiate(function, usize::from(axis));
                }
                Some(function)
            }
            // Trained from a start of its own: any number will do.
            Leaf::Parameter(_) => Some(pool.number(1.0)),
            _ => None,
        })
    }

    /// What is prescribed of problems without space.
    pub(super) fn values(&self, pool: &Pool, moment: f64) -> Vec<(Field, f64)> {
        self.fields.iter().map(|&(field, function)| (field, value(pool, function, &[moment]))).collect()
    }

    /// The wave number along every coordinate: how fast what is prescribed changes in units of how much it does, or its
    /// slope in units of the slope, whichever is less. A half wave between walls has a mean that is no part of it.
    pub(super) fn waves(&self, pool: &mut Pool, places: &[Vec<f64>]) -> Vec<f64> {
        let coordinates = places.first().map_or(0, Vec::len);
        // Mean squares, less the squares of means where those are no part of it.
        let size = |pool: &Pool, functions: &[Expression], less: f64| -> f64 {
            let each = functions.iter().map(|&function| {
                let values = places.iter().map(|place| value(pool, function, place));
                let (sum, squares) = values
                    .filter(|value| value.is_finite())
                    .fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
                let count = places.len() as f64;
                squares / count - less * (sum / count).powi(2)
            });
            each.sum()
        };
        let values: Vec<Expression> = self.fields.iter().map(|&(_, function)| function).collect();
        let change = size(pool, &values, 1.0);
        let wave = |axis: usize| {
            let slopes: Vec<Expression> =
                values.iter().map(|&function| pool.differentiate(function, axis)).collect();
            let second_derivatives: Vec<Expression> =
                slopes.iter().map(|&function| pool.differentiate(function, axis)).collect();
            let (slope, second_derivative) = (size(pool, &slopes, 0.0), size(pool, &second_derivatives, 0.0));
            if slope > 0.0 && change > 0.0 {
                (slope / change).min(second_derivative / slope).sqrt()
            } else {
                0.0
            }
        };
        (0..coordinates).map(wave).collect()
    }
}
