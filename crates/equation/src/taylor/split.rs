//! Splits residuals into linear operators applied to unknowns, and what is done with the results.
//!
//! In every sum, derivatives that share a cofactor form one operator: `u_t + u*u_x - nu*u_xx` is
//! `(∂t - nu ∂xx) u + u · (∂x) u`, and `a*u_xx + a*u_yy` is `a · (∂xx + ∂yy) u` even when `a` is an unknown.

use super::operator::{VariableOperator, split_number};
use crate::expression::{Applied, Derivative, Expression, Field, Leaf, Node, Pool};
use std::collections::HashMap;

/// Residuals in terms of [`Leaf::Applied`] and undifferentiated fields, with the operators applied.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The distinct operators.
    pub operators: Vec<VariableOperator>,
    /// The residuals.
    pub residuals: Vec<Expression>,
}

/// Splits the residuals of one term.
pub(super) fn split(pool: &mut Pool, residuals: &[Expression]) -> Split {
    let mut splitter = Splitter { pool, operators: Vec::new(), done: HashMap::new() };
    let residuals = residuals.iter().map(|&residual| splitter.rewrite(residual)).collect();
    Split { operators: splitter.operators, residuals }
}

struct Splitter<'pool> {
    pool: &'pool mut Pool,
    operators: Vec<VariableOperator>,
    done: HashMap<Expression, Expression>,
}

/// One derivative inside a sum: `cofactor · coefficient · field`, the coefficient free of fields.
struct Derived {
    cofactor: Expression,
    coefficient: Expression,
    field: Field,
}

impl Splitter<'_> {
    fn rewrite(&mut self, root: Expression) -> Expression {
        if let Some(&known) = self.done.get(&root) {
            return known;
        }
        let result = if !self.has_derivative(root) {
            root
        } else {
            match self.pool.node(root).clone() {
                Node::Sum(..) => self.rewrite_sum(root),
                Node::Leaf(Leaf::Field(field)) => {
                    let one = self.pool.number(1.0);
                    self.applied(field, vec![(field.derivative, one)])
                }
                _ => self.rewrite_operands(root),
            }
        };
        self.done.insert(root, result);
        result
    }

    fn rewrite_operands(&mut self, root: Expression) -> Expression {
        let mut operands = Vec::new();
        self.pool.operands(root, |operand| operands.push(operand));
        let rewritten: HashMap<Expression, Expression> =
            operands.into_iter().map(|operand| (operand, self.rewrite(operand))).collect();
        let node = self.pool.node(root).clone();
        self.pool.rebuild(root, &node, |operand| rewritten[&operand])
    }

    fn rewrite_sum(&mut self, root: Expression) -> Expression {
        let mut groups: Vec<((Expression, u16, u16), VariableOperator)> = Vec::new();
        let mut rest = Vec::new();
        for (term, coefficient) in self.expanded_terms(root) {
            match self.derived(term, coefficient) {
                Some(Derived { cofactor, coefficient, field }) => {
                    let key = (cofactor, field.unknown, field.site);
                    let place = groups.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                        groups.push((key, VariableOperator(Vec::new())));
                        groups.len() - 1
                    });
                    groups[place].1.0.push((field.derivative, coefficient));
                }
                None => {
                    let term = self.rewrite(term);
                    rest.push((term, coefficient));
                }
            }
        }
        for ((cofactor, unknown, site), operator) in groups {
            let terms = self.merged(operator);
            if terms.is_empty() {
                continue;
            }
            let cofactor = self.rewrite(cofactor);
            let field = Field { unknown, derivative: Derivative::NONE, site };
            let applied = self.applied(field, terms);
            let product = self.pool.multiply(cofactor, applied);
            rest.push((product, 1.0));
        }
        self.pool.combine(&rest)
    }

    /// The terms of a sum, with `a(x)·(sum of derivatives)` multiplied out; the constant comes last.
    fn expanded_terms(&mut self, root: Expression) -> Vec<(Expression, f64)> {
        let mut terms = Vec::new();
        let mut pending = vec![(root, 1.0)];
        while let Some((expression, outer)) = pending.pop() {
            match self.pool.node(expression).clone() {
                Node::Sum(constant, inner) => {
                    // Reversed, because the stack returns them in reverse.
                    let one = self.pool.number(1.0);
                    pending.push((one, outer * constant.get()));
                    pending.extend(inner.iter().rev().map(|&(term, c)| (term, outer * c.get())));
                }
                Node::Product(factors) => match self.distributable(&factors) {
                    Some((others, Node::Sum(constant, inner))) => {
                        pending.push((others, outer * constant.get()));
                        for &(term, c) in inner.iter().rev() {
                            let product = self.pool.multiply(others, term);
                            pending.push((product, outer * c.get()));
                        }
                    }
                    _ => terms.push((expression, outer)),
                },
                _ => terms.push((expression, outer)),
            }
        }
        terms.retain(|&(_, coefficient)| coefficient != 0.0);
        terms
    }

    /// A product of field-free factors with one sum that holds derivatives: the factors and the sum.
    fn distributable(
        &mut self,
        factors: &[(Expression, crate::expression::Real)],
    ) -> Option<(Expression, Node)> {
        let with_fields: Vec<_> = factors.iter().filter(|(base, _)| self.has_field(*base)).collect();
        let &[&(sum, exponent)] = &with_fields[..] else { return None };
        let node = self.pool.node(sum).clone();
        if exponent.get() != 1.0 || !matches!(node, Node::Sum(..)) || !self.has_derivative(sum) {
            return None;
        }
        let others: Vec<_> =
            factors.iter().filter(|(base, _)| *base != sum).map(|&(base, e)| (base, e.get())).collect();
        Some((self.pool.powers(&others), node))
    }

    /// The highest derivative that a term is linear in, if any.
    fn derived(&mut self, term: Expression, number: f64) -> Option<Derived> {
        let one = self.pool.number(1.0);
        match self.pool.node(term).clone() {
            Node::Leaf(Leaf::Field(field)) if field.derivative.order() > 0 => {
                let coefficient = self.pool.number(number);
                Some(Derived { cofactor: one, coefficient, field })
            }
            Node::Product(factors) => {
                let mut best: Option<(usize, Field)> = None;
                for (position, &(base, exponent)) in factors.iter().enumerate() {
                    if let (Node::Leaf(Leaf::Field(field)), 1.0) = (self.pool.node(base), exponent.get()) {
                        let order = field.derivative.order();
                        if order > best.map_or(0, |(_, known)| known.derivative.order()) {
                            best = Some((position, *field));
                        }
                    }
                }
                let (position, field) = best?;
                let mut fields = Vec::new();
                let mut plain = vec![(self.pool.number(number), 1.0)];
                for (other, &(base, exponent)) in factors.iter().enumerate() {
                    if other != position {
                        let side = if self.has_field(base) { &mut fields } else { &mut plain };
                        side.push((base, exponent.get()));
                    }
                }
                let cofactor = self.pool.powers(&fields);
                let coefficient = self.pool.powers(&plain);
                Some(Derived { cofactor, coefficient, field })
            }
            _ => None,
        }
    }

    /// Sorts an operator's terms and adds the coefficients of equal derivatives.
    fn merged(&mut self, operator: VariableOperator) -> Vec<(Derivative, Expression)> {
        let mut terms = operator.0;
        terms.sort_by_key(|&(derivative, _)| derivative);
        let mut merged: Vec<(Derivative, Expression)> = Vec::with_capacity(terms.len());
        for (derivative, coefficient) in terms {
            match merged.last_mut() {
                Some((known, sum)) if *known == derivative => *sum = self.pool.add(*sum, coefficient),
                _ => merged.push((derivative, coefficient)),
            }
        }
        merged.retain(|&(_, coefficient)| self.pool.as_number(coefficient) != Some(0.0));
        merged
    }

    /// The operator applied to a field: a factor outside, the operator in its simplest form inside.
    fn applied(&mut self, field: Field, terms: Vec<(Derivative, Expression)>) -> Expression {
        let (number, _) = split_number(self.pool, terms[0].1);
        let operator = VariableOperator(terms);
        let (factor, operator) = match operator.as_multiple(self.pool) {
            Some((factor, numeric)) => {
                let terms = numeric.terms().map(|(derivative, c)| (derivative, self.pool.number(c / number)));
                (factor, VariableOperator(terms.collect()))
            }
            None => {
                let scaled = |&(derivative, c): &(Derivative, Expression)| {
                    (derivative, self.pool.scale(c, 1.0 / number))
                };
                (None, VariableOperator(operator.0.iter().map(scaled).collect()))
            }
        };
        let known = self.operators.iter().position(|known| *known == operator);
        let place = known.unwrap_or_else(|| {
            self.operators.push(operator);
            self.operators.len() - 1
        });
        let applied = Applied { operator: place as u16, unknown: field.unknown, site: field.site };
        let leaf = self.pool.leaf(Leaf::Applied(applied));
        let scaled = self.pool.scale(leaf, number);
        factor.map_or(scaled, |factor| self.pool.multiply(factor, scaled))
    }

    fn has_derivative(&self, expression: Expression) -> bool {
        self.pool
            .mentions(expression, |leaf| matches!(leaf, Leaf::Field(field) if field.derivative.order() > 0))
    }

    fn has_field(&self, expression: Expression) -> bool {
        self.pool.mentions(expression, |leaf| matches!(leaf, Leaf::Field(_)))
    }
}
