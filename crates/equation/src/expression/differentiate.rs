//! Symbolic differentiation.

use super::{Comparison, Expression, Field, GivenField, Leaf, Node, Overflow, Pool};

impl Pool {
    /// The derivative along a coordinate: unknowns depend on every coordinate.
    pub fn differentiate(&mut self, expression: Expression, axis: usize) -> Expression {
        self.derivative(expression, Leaf::Coordinate(axis as u16))
    }

    /// The derivative with respect to a leaf. With respect to a coordinate, fields gain a
    /// derivative; with respect to any other leaf everything else is constant.
    pub fn derivative(&mut self, root: Expression, variable: Leaf) -> Expression {
        let mut pending = Vec::new();
        self.visit(&[root], |expression, _| pending.push(expression));
        for expression in pending {
            if self.overflow.is_some() {
                return self.refused();
            }
            if !self.derivatives.contains_key(&(expression, variable)) {
                let result = self.differentiate_node(expression, variable);
                if self.overflow.is_some() {
                    return self.refused(); // Not remembered: the pool may be used again.
                }
                self.derivatives.insert((expression, variable), result);
            }
        }
        self.derivatives[&(root, variable)]
    }

    /// One node, its operands being differentiated already.
    fn differentiate_node(&mut self, expression: Expression, variable: Leaf) -> Expression {
        let slope = |pool: &Pool, operand: Expression| pool.derivatives[&(operand, variable)];
        match self.node(expression).clone() {
            Node::Number(_) | Node::Compare(..) => self.number(0.0),
            Node::Leaf(leaf) => self.differentiate_leaf(leaf, variable),
            Node::Sum(_, terms) => {
                let terms: Vec<_> = terms.iter().map(|&(term, c)| (slope(self, term), c.get())).collect();
                self.combine(&terms)
            }
            Node::Product(factors) => {
                let mut terms = Vec::with_capacity(factors.len());
                for (position, &(base, exponent)) in factors.iter().enumerate() {
                    let inner = slope(self, base);
                    if self.as_number(inner) == Some(0.0) {
                        continue;
                    }
                    let mut all: Vec<_> = factors.iter().map(|&(base, e)| (base, e.get())).collect();
                    all[position].1 -= 1.0;
                    all.push((inner, 1.0));
                    terms.push((self.powers(&all), exponent.get()));
                }
                self.combine(&terms)
            }
            Node::Power(base, exponent) => {
                // (b^e)' = e b^(e-1) b' + b^e log(b) e'
                let (base_slope, exponent_slope) = (slope(self, base), slope(self, exponent));
                let one = self.number(1.0);
                let lowered = self.subtract(exponent, one);
                let lowered = self.power(base, lowered);
                let first = self.product(&[exponent, lowered, base_slope]);
                if self.as_number(exponent_slope) == Some(0.0) {
                    return first;
                }
                let logarithm = self.apply(super::Function::Log, base);
                let second = self.product(&[expression, logarithm, exponent_slope]);
                self.add(first, second)
            }
            Node::Apply(function, argument) => {
                let inner = slope(self, argument);
                if self.as_number(inner) == Some(0.0) {
                    return inner;
                }
                let outer = function.derivative(self, argument);
                self.multiply(outer, inner)
            }
            Node::Min(left, right) => self.differentiate_choice(Comparison::Less, left, right, variable),
            Node::Max(left, right) => self.differentiate_choice(Comparison::Greater, left, right, variable),
            Node::Where(condition, then, otherwise) => {
                let (then, otherwise) = (slope(self, then), slope(self, otherwise));
                self.choose(condition, then, otherwise)
            }
        }
    }

    fn differentiate_choice(
        &mut self,
        comparison: Comparison,
        left: Expression,
        right: Expression,
        variable: Leaf,
    ) -> Expression {
        let condition = self.compare(comparison, left, right);
        let (left, right) = (self.derivatives[&(left, variable)], self.derivatives[&(right, variable)]);
        self.choose(condition, left, right)
    }

    fn differentiate_leaf(&mut self, leaf: Leaf, variable: Leaf) -> Expression {
        match (leaf, variable) {
            _ if leaf == variable => self.number(1.0),
            (Leaf::Field(field), Leaf::Coordinate(axis)) => match field.derivative.along(usize::from(axis)) {
                Some(derivative) => self.leaf(Leaf::Field(Field { derivative, ..field })),
                None => {
                    self.overflow.get_or_insert(Overflow::Order);
                    self.refused()
                }
            },
            (Leaf::Given(given), Leaf::Coordinate(axis)) => match given.derivative.along(usize::from(axis)) {
                Some(derivative) => self.leaf(Leaf::Given(GivenField { derivative, ..given })),
                None => {
                    self.overflow.get_or_insert(Overflow::Order);
                    self.refused()
                }
            },
            _ => self.number(0.0),
        }
    }
}
