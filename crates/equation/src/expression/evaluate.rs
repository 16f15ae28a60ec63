//! Evaluation over any kind of number: f64 in the product, multicomplex numbers in the tests.

use super::function::sign;
use super::{Expression, Function, Leaf, Node, Pool};
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What an expression can be evaluated over.
pub trait Number:
    Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant.
    fn from_f64(value: f64) -> Self;
    /// The part that comparisons look at.
    fn real(&self) -> f64;
    /// `function(self)`
    fn apply(self, function: Function) -> Self;

    /// `self ^ exponent` for a numeric exponent.
    fn power(self, exponent: f64) -> Self {
        if exponent.fract() == 0.0 && exponent.abs() <= 64.0 {
            let count = exponent.abs() as u32;
            let product = (1..count).fold(self.clone(), |product, _| product * self.clone());
            return match exponent {
                0.0 => Self::from_f64(1.0),
                positive if positive > 0.0 => product,
                _ => Self::from_f64(1.0) / product,
            };
        }
        if exponent == 0.5 {
            return self.apply(Function::Sqrt);
        }
        self.power_of(Self::from_f64(exponent))
    }

    /// `self ^ exponent` for a positive base.
    fn power_of(self, exponent: Self) -> Self {
        (self.apply(Function::Log) * exponent).apply(Function::Exp)
    }
}

impl Number for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
    fn real(&self) -> f64 {
        *self
    }
    fn apply(self, function: Function) -> Self {
        match function {
            Function::Sign => sign(self),
            other => other.value(self),
        }
    }
    fn power(self, exponent: f64) -> Self {
        self.powf(exponent)
    }
    fn power_of(self, exponent: Self) -> Self {
        self.powf(exponent)
    }
}

/// The value of each leaf.
pub trait Environment<T> {
    /// The value of `leaf`, which the expression is known to mention.
    fn leaf(&self, leaf: Leaf) -> T;
}

impl<T, F: Fn(Leaf) -> T> Environment<T> for F {
    fn leaf(&self, leaf: Leaf) -> T {
        self(leaf)
    }
}

/// The value of an expression. Each shared subexpression is computed once.
pub fn evaluate<T: Number>(pool: &Pool, root: Expression, environment: &impl Environment<T>) -> T {
    let mut values: HashMap<Expression, T> = HashMap::new();
    pool.visit(&[root], |expression, node| {
        let value = |operand: &Expression| values[operand].clone();
        let result = match node {
            Node::Number(number) => T::from_f64(number.get()),
            Node::Leaf(leaf) => environment.leaf(*leaf),
            Node::Sum(constant, terms) => {
                terms.iter().fold(T::from_f64(constant.get()), |sum, (term, coefficient)| {
                    sum + value(term) * T::from_f64(coefficient.get())
                })
            }
            Node::Product(factors) => factors.iter().fold(T::from_f64(1.0), |product, (base, exponent)| {
                product * value(base).power(exponent.get())
            }),
            Node::Power(base, exponent) => value(base).power_of(value(exponent)),
            Node::Apply(function, argument) => value(argument).apply(*function),
            Node::Min(left, right) => {
                let (left, right) = (value(left), value(right));
                if left.real() < right.real() { left } else { right }
            }
            Node::Max(left, right) => {
                let (left, right) = (value(left), value(right));
                if left.real() > right.real() { left } else { right }
            }
            Node::Compare(comparison, left, right) => {
                T::from_f64(f64::from(u8::from(comparison.holds(value(left).real(), value(right).real()))))
            }
            Node::Where(condition, then, otherwise) => {
                if value(condition).real() != 0.0 {
                    value(then)
                } else {
                    value(otherwise)
                }
            }
        };
        values.insert(expression, result);
    });
    values.remove(&root).expect("visit reaches the root last")
}
