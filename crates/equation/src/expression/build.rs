//! Smart constructors: every node is canonical when it enters the pool.

use super::{Comparison, Expression, Field, Function, Leaf, Node, Pool, Real};
use std::collections::HashMap;

impl Pool {
    /// A number.
    pub fn number(&mut self, value: f64) -> Expression {
        self.intern(Node::Number(Real::new(value)))
    }

    /// A name.
    pub fn leaf(&mut self, leaf: Leaf) -> Expression {
        self.intern(Node::Leaf(leaf))
    }

    /// An unknown or its derivative at the point itself.
    pub fn field(&mut self, unknown: usize, derivative: super::Derivative) -> Expression {
        self.leaf(Leaf::Field(Field { unknown: unknown as u16, derivative, site: 0 }))
    }

    /// The value of an expression that is a plain number.
    pub fn as_number(&self, expression: Expression) -> Option<f64> {
        match self.node(expression) {
            Node::Number(value) => Some(value.get()),
            _ => None,
        }
    }

    /// `Σ coefficient·term`.
    pub fn combine(&mut self, terms: &[(Expression, f64)]) -> Expression {
        let mut constant = 0.0;
        let mut flat: Vec<(Expression, f64)> = Vec::with_capacity(terms.len());
        for &(term, coefficient) in terms {
            match self.node(term) {
                Node::Number(value) => constant += coefficient * value.get(),
                Node::Sum(inner, terms) => {
                    constant += coefficient * inner.get();
                    flat.extend(terms.iter().map(|&(term, c)| (term, coefficient * c.get())));
                }
                _ => flat.push((term, coefficient)),
            }
        }
        collect(&mut flat);
        match flat[..] {
            [] => self.number(constant),
            [(term, 1.0)] if constant == 0.0 => term,
            _ => {
                let terms = flat.iter().map(|&(term, c)| (term, Real::new(c))).collect();
                self.intern(Node::Sum(Real::new(constant), terms))
            }
        }
    }

    /// The sum of all.
    pub fn sum(&mut self, terms: &[Expression]) -> Expression {
        let terms: Vec<_> = terms.iter().map(|&term| (term, 1.0)).collect();
        self.combine(&terms)
    }

    /// `left + right`
    pub fn add(&mut self, left: Expression, right: Expression) -> Expression {
        self.combine(&[(left, 1.0), (right, 1.0)])
    }

    /// `left - right`
    pub fn subtract(&mut self, left: Expression, right: Expression) -> Expression {
        self.combine(&[(left, 1.0), (right, -1.0)])
    }

    /// `factor * expression`
    pub fn scale(&mut self, expression: Expression, factor: f64) -> Expression {
        self.combine(&[(expression, factor)])
    }

    /// `-expression`
    pub fn negate(&mut self, expression: Expression) -> Expression {
        self.scale(expression, -1.0)
    }

    /// `Π base^exponent`. Equal bases merge, numeric coefficients move outside.
    pub fn powers(&mut self, factors: &[(Expression, f64)]) -> Expression {
        let mut coefficient = 1.0;
        let mut flat: Vec<(Expression, f64)> = Vec::with_capacity(factors.len());
        for &(original, exponent) in factors {
            let (number, base) = self.split_coefficient(original);
            if exponent.fract() != 0.0 && number <= 0.0 {
                // (-2x)^0.5 has no real square root of its coefficient: the base stays whole.
                flat.push((original, exponent));
                continue;
            }
            coefficient *= number.powf(exponent);
            let Some(base) = base else { continue };
            match self.node(base) {
                Node::Product(inner) if exponent.fract() == 0.0 => {
                    flat.extend(inner.iter().map(|&(base, e)| (base, exponent * e.get())));
                }
                _ => flat.push((base, exponent)),
            }
        }
        collect(&mut flat);
        if coefficient == 0.0 {
            return self.number(0.0);
        }
        // Roots that met and became whole powers open up again: sqrt(x*y)*sqrt(x*y)*z is x*y*z.
        let opens = |&(base, exponent): &(Expression, f64)| {
            let product =
                matches!(self.node(base), Node::Product(_)) || self.split_coefficient(base).0 != 1.0;
            product && exponent.fract() == 0.0
        };
        if flat.iter().any(opens) {
            let product = self.powers(&flat);
            return self.scale(product, coefficient);
        }
        let product = match flat[..] {
            [] => return self.number(coefficient),
            [(base, 1.0)] => base,
            _ => {
                let factors = flat.iter().map(|&(base, e)| (base, Real::new(e))).collect();
                self.intern(Node::Product(factors))
            }
        };
        self.scale(product, coefficient)
    }

    /// The product of all.
    pub fn product(&mut self, factors: &[Expression]) -> Expression {
        let factors: Vec<_> = factors.iter().map(|&factor| (factor, 1.0)).collect();
        self.powers(&factors)
    }

    /// `left * right`
    pub fn multiply(&mut self, left: Expression, right: Expression) -> Expression {
        self.powers(&[(left, 1.0), (right, 1.0)])
    }

    /// `left / right`
    pub fn divide(&mut self, left: Expression, right: Expression) -> Expression {
        self.powers(&[(left, 1.0), (right, -1.0)])
    }

    /// `base ^ exponent`
    pub fn power(&mut self, base: Expression, exponent: Expression) -> Expression {
        match (self.as_number(base), self.as_number(exponent)) {
            (Some(base), Some(exponent)) => self.number(base.powf(exponent)),
            (_, Some(0.0)) => self.number(1.0),
            (_, Some(exponent)) => self.powers(&[(base, exponent)]),
            (_, None) => self.intern(Node::Power(base, exponent)),
        }
    }

    /// `function(argument)`
    pub fn apply(&mut self, function: Function, argument: Expression) -> Expression {
        match (function, self.as_number(argument)) {
            (_, Some(value)) => self.number(function.value(value)),
            (Function::Sqrt, None) => self.powers(&[(argument, 0.5)]),
            (_, None) => self.intern(Node::Apply(function, argument)),
        }
    }

    /// `min(left, right)`
    pub fn min(&mut self, left: Expression, right: Expression) -> Expression {
        match (self.as_number(left), self.as_number(right)) {
            (Some(left), Some(right)) => self.number(left.min(right)),
            _ if left == right => left,
            _ => self.intern(Node::Min(left, right)),
        }
    }

    /// `max(left, right)`
    pub fn max(&mut self, left: Expression, right: Expression) -> Expression {
        match (self.as_number(left), self.as_number(right)) {
            (Some(left), Some(right)) => self.number(left.max(right)),
            _ if left == right => left,
            _ => self.intern(Node::Max(left, right)),
        }
    }

    /// 1 where the comparison holds, else 0.
    pub fn compare(&mut self, comparison: Comparison, left: Expression, right: Expression) -> Expression {
        match (self.as_number(left), self.as_number(right)) {
            (Some(left), Some(right)) => self.number(f64::from(u8::from(comparison.holds(left, right)))),
            _ => self.intern(Node::Compare(comparison, left, right)),
        }
    }

    /// `where(condition, then, otherwise)`
    pub fn choose(&mut self, condition: Expression, then: Expression, otherwise: Expression) -> Expression {
        match self.as_number(condition) {
            Some(0.0) => otherwise,
            Some(_) => then,
            None if then == otherwise => then,
            None => self.intern(Node::Where(condition, then, otherwise)),
        }
    }

    /// Rebuilds an expression with its leaves replaced; `replace` returns `None` to keep a leaf.
    pub fn substitute(
        &mut self,
        root: Expression,
        replace: &mut impl FnMut(&mut Pool, Leaf) -> Option<Expression>,
    ) -> Expression {
        let mut order = Vec::new();
        self.visit(&[root], |expression, _| order.push(expression));
        let mut rebuilt: HashMap<Expression, Expression> = HashMap::with_capacity(order.len());
        for expression in order {
            let node = self.node(expression).clone();
            let result = match node {
                Node::Leaf(leaf) => replace(self, leaf).unwrap_or(expression),
                node => self.rebuild(expression, &node, |operand| rebuilt[&operand]),
            };
            rebuilt.insert(expression, result);
        }
        rebuilt[&root]
    }

    /// The same node over other operands.
    pub(crate) fn rebuild(
        &mut self,
        expression: Expression,
        node: &Node,
        operand: impl Fn(Expression) -> Expression,
    ) -> Expression {
        match node {
            Node::Number(_) | Node::Leaf(_) => expression,
            Node::Sum(constant, terms) => {
                let constant = self.number(constant.get());
                let mut all = vec![(constant, 1.0)];
                all.extend(terms.iter().map(|&(term, c)| (operand(term), c.get())));
                self.combine(&all)
            }
            Node::Product(factors) => {
                let all: Vec<_> = factors.iter().map(|&(base, e)| (operand(base), e.get())).collect();
                self.powers(&all)
            }
            &Node::Power(base, exponent) => self.power(operand(base), operand(exponent)),
            &Node::Apply(function, argument) => self.apply(function, operand(argument)),
            &Node::Min(left, right) => self.min(operand(left), operand(right)),
            &Node::Max(left, right) => self.max(operand(left), operand(right)),
            &Node::Compare(comparison, left, right) => {
                self.compare(comparison, operand(left), operand(right))
            }
            &Node::Where(condition, then, otherwise) => {
                self.choose(operand(condition), operand(then), operand(otherwise))
            }
        }
    }

    /// Splits `c*rest` into its number and the rest; a plain number has no rest.
    fn split_coefficient(&self, expression: Expression) -> (f64, Option<Expression>) {
        match self.node(expression) {
            Node::Number(value) => (value.get(), None),
            Node::Sum(constant, terms) if constant.get() == 0.0 && terms.len() == 1 => {
                (terms[0].1.get(), Some(terms[0].0))
            }
            _ => (1.0, Some(expression)),
        }
    }
}

/// Sorts by expression, adds the weights of equal ones and drops those that cancel.
fn collect(weighted: &mut Vec<(Expression, f64)>) {
    weighted.sort_by_key(|&(expression, _)| expression);
    weighted.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
    weighted.retain(|&(_, weight)| weight != 0.0);
}
