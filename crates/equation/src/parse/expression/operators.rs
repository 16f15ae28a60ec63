//! Sums, products and powers of scalars and vectors.

use super::{Broken, Resolver, Syntax, Value};
use crate::expression::{Expression, Node};
use std::ops::Range;

impl Resolver<'_> {
    /// How many operands an expression brings into a sum or product that absorbs it.
    fn breadth(&self, expression: Expression) -> usize {
        match self.workshop.pool.node(expression) {
            Node::Sum(_, terms) => terms.len(),
            Node::Product(factors) => factors.len(),
            _ => 1,
        }
    }

    /// `Σ ±term` in one go.
    pub(super) fn combine(
        &mut self,
        terms: &[(Expression, f64)],
        range: &Range<usize>,
    ) -> Result<Expression, Broken> {
        let breadth = terms.iter().map(|&(term, _)| self.breadth(term)).sum();
        self.spend(breadth, range)?;
        Ok(self.workshop.pool.combine(terms))
    }

    /// `Π factor^exponent` in one go.
    pub(super) fn powers(
        &mut self,
        factors: &[(Expression, f64)],
        range: &Range<usize>,
    ) -> Result<Expression, Broken> {
        let breadth = factors.iter().map(|&(factor, _)| self.breadth(factor)).sum();
        self.spend(breadth, range)?;
        Ok(self.workshop.pool.powers(factors))
    }

    /// All parts, or none when one is broken; every part is looked at.
    pub(super) fn values(&mut self, parts: &[Syntax]) -> Result<Vec<Value>, Broken> {
        let values: Vec<_> = parts.iter().map(|part| self.value(part)).collect();
        values.into_iter().collect()
    }

    pub(super) fn vector(&mut self, components: &[Syntax], range: &Range<usize>) -> Result<Value, Broken> {
        if components.is_empty() {
            return Err(self.fail(range, "this vector has no components"));
        }
        let all: Vec<_> = components.iter().map(|component| self.scalar(component)).collect();
        all.into_iter().collect::<Result<Vec<_>, _>>().map(Value::Vector)
    }

    pub(super) fn sum(&mut self, terms: &[(bool, Syntax)], range: &Range<usize>) -> Result<Value, Broken> {
        let values: Vec<_> = terms.iter().map(|(_, term)| self.value(term)).collect();
        let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
        let signs = terms.iter().map(|&(negative, _)| if negative { -1.0 } else { 1.0 });
        let length = match &values[0] {
            Value::Scalar(_) => None,
            Value::Vector(components) => Some(components.len()),
        };
        for (value, (_, term)) in values.iter().zip(terms) {
            let other = match value {
                Value::Scalar(_) => None,
                Value::Vector(components) => Some(components.len()),
            };
            if other != length {
                let message = format!("this term is {}, the first one is {}", shape(other), shape(length));
                return Err(self.fail(&term.range, message));
            }
        }
        let component = |position: usize| -> Vec<(Expression, f64)> {
            let pick = |value: &Value| match value {
                Value::Scalar(expression) => *expression,
                Value::Vector(components) => components[position],
            };
            values.iter().map(pick).zip(signs.clone()).collect()
        };
        match length {
            None => self.combine(&component(0), range).map(Value::Scalar),
            Some(length) => {
                let all: Result<Vec<_>, _> =
                    (0..length).map(|position| self.combine(&component(position), range)).collect();
                all.map(Value::Vector)
            }
        }
    }

    pub(super) fn product(
        &mut self,
        factors: &[(bool, Syntax)],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let values: Vec<_> = factors.iter().map(|(_, factor)| self.value(factor)).collect();
        let values = values.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut scalars = Vec::with_capacity(values.len());
        let mut vector = None;
        for (value, (divides, factor)) in values.into_iter().zip(factors) {
            match value {
                Value::Scalar(expression) => {
                    if *divides && self.workshop.pool.as_number(expression) == Some(0.0) {
                        return Err(self.fail(&factor.range, "division by zero"));
                    }
                    scalars.push((expression, if *divides { -1.0 } else { 1.0 }));
                }
                Value::Vector(_) if *divides => {
                    return Err(self.fail(&factor.range, "a vector cannot divide"));
                }
                Value::Vector(_) if vector.is_some() => {
                    let hint = "the scalar product is `dot(a, b)`";
                    return Err(self.fail_with(&factor.range, "two vectors cannot be multiplied", hint));
                }
                Value::Vector(components) => vector = Some(components),
            }
        }
        let Some(components) = vector else { return self.powers(&scalars, range).map(Value::Scalar) };
        let all: Result<Vec<_>, _> = components
            .into_iter()
            .map(|component| {
                scalars.push((component, 1.0));
                let product = self.powers(&scalars, range);
                scalars.pop();
                product
            })
            .collect();
        all.map(Value::Vector)
    }

    pub(super) fn power(&mut self, base: &Syntax, exponent: &Syntax) -> Result<Value, Broken> {
        let (value, power) = (self.value(base), self.scalar(exponent));
        let value = match value? {
            Value::Scalar(expression) => expression,
            Value::Vector(_) => {
                let hint = "the square of its length is `dot(v, v)`";
                return Err(self.fail_with(&base.range, "a vector has no powers", hint));
            }
        };
        let power = power?;
        let negative = self.workshop.pool.as_number(power).is_some_and(|power| power < 0.0);
        if negative && self.workshop.pool.as_number(value) == Some(0.0) {
            return Err(self.fail(&base.range, "division by zero"));
        }
        self.spend(self.breadth(value), &base.range)?;
        Ok(Value::Scalar(self.workshop.pool.power(value, power)))
    }
}

/// What a value of this many components is called; `None` is a scalar.
pub(in crate::parse) fn shape(length: Option<usize>) -> String {
    match length {
        None => "a scalar".to_owned(),
        Some(1) => "a vector of 1 component".to_owned(),
        Some(length) => format!("a vector of {length} components"),
    }
}
