//! Expressions on many points at once.

use equation::expression::{Function, Number};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One value per point, or one for all. Comparisons have no answer here: whoever evaluates refuses
/// expressions with choices in them.
#[derive(Clone, Debug)]
pub(super) enum Samples {
    Same(f64),
    Each(Vec<f64>),
}

impl Samples {
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        match self {
            Samples::Same(value) => Samples::Same(f(value)),
            Samples::Each(mut values) => {
                values.iter_mut().for_each(|value| *value = f(*value));
                Samples::Each(values)
            }
        }
    }

    fn join(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        match (self, other) {
            (left, Samples::Same(right)) => left.map(|left| f(left, right)),
            (Samples::Same(left), right) => right.map(|right| f(left, right)),
            (Samples::Each(mut left), Samples::Each(right)) => {
                left.iter_mut().zip(right).for_each(|(left, right)| *left = f(*left, right));
                Samples::Each(left)
            }
        }
    }

    /// Writes one value per point.
    pub(super) fn spread(self, target: &mut [f64]) {
        match self {
            Samples::Same(value) => target.fill(value),
            Samples::Each(values) => target.copy_from_slice(&values),
        }
    }
}

impl Add for Samples {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.join(other, |left, right| left + right)
    }
}

impl Sub for Samples {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.join(other, |left, right| left - right)
    }
}

impl Mul for Samples {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.join(other, |left, right| left * right)
    }
}

impl Div for Samples {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.join(other, |left, right| left / right)
    }
}

impl Neg for Samples {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(|value| -value)
    }
}

impl Number for Samples {
    fn from_f64(value: f64) -> Self {
        Samples::Same(value)
    }

    fn real(&self) -> f64 {
        match self {
            Samples::Same(value) => *value,
            Samples::Each(_) => f64::NAN,
        }
    }

    fn apply(self, function: Function) -> Self {
        self.map(|value| value.apply(function))
    }

    fn power_of(self, exponent: Self) -> Self {
        self.join(exponent, f64::powf)
    }
}
