//! What an expression sums.

use super::{Expression, Leaf, Node, Pool};

impl Pool {
    /// What an expression sums: the terms of a sum; of a product with a sum of fields, as `c·(u_t - u_xx)`, what
    /// multiplying out gives; of anything else the expression itself, and of zero nothing.
    pub fn summands(&mut self, expression: Expression) -> Vec<Expression> {
        let before = self.overflow;
        let summands = self.multiplied_out(expression);
        if before.is_none() && self.take_overflow().is_some() {
            return vec![expression];
        }
        summands
    }

    fn multiplied_out(&mut self, expression: Expression) -> Vec<Expression> {
        match self.node(expression).clone() {
            Node::Number(number) if number.get() == 0.0 => Vec::new(),
            Node::Sum(constant, terms) => match (constant.get(), &terms[..]) {
                // A product with a factor, as in `-c·(u_t - u_xx)`.
                (0.0, &[(term, factor)]) => {
                    let inner = self.multiplied_out(term);
                    inner.into_iter().map(|summand| self.scale(summand, factor.get())).collect()
                }
                (constant, terms) => self.scaled(None, constant, terms),
            },
            Node::Product(factors) => {
                let sum = factors.iter().position(|&(base, exponent)| {
                    let adds = exponent.get() == 1.0 && matches!(self.node(base), Node::Sum(..));
                    adds && self.mentions(base, |leaf| matches!(leaf, Leaf::Field(_)))
                });
                let Some(sum) = sum else { return vec![expression] };
                let others = factors.iter().enumerate().filter(|(position, _)| *position != sum);
                let others: Vec<_> = others.map(|(_, &(base, exponent))| (base, exponent.get())).collect();
                let others = self.powers(&others);
                match self.node(factors[sum].0).clone() {
                    Node::Sum(constant, terms) => self.scaled(Some(others), constant.get(), &terms),
                    _ => vec![expression],
                }
            }
            Node::Number(_)
            | Node::Leaf(_)
            | Node::Power(..)
            | Node::Apply(..)
            | Node::Min(..)
            | Node::Max(..)
            | Node::Compare(..)
            | Node::Where(..) => vec![expression],
        }
    }

    /// The terms of a sum, each with its coefficient and with what multiplies them all; the constant comes last.
    fn scaled(
        &mut self,
        common: Option<Expression>,
        constant: f64,
        terms: &[(Expression, super::Real)],
    ) -> Vec<Expression> {
        let one = self.number(1.0);
        let constant = (constant != 0.0).then_some((one, constant));
        let terms = terms.iter().map(|&(term, coefficient)| (term, coefficient.get())).chain(constant);
        let scaled = |(term, coefficient): (Expression, f64)| {
            let term = common.map_or(term, |common| self.multiply(common, term));
            self.scale(term, coefficient)
        };
        terms.map(scaled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Derivative, Names};

    struct Plain;

    impl Names for Plain {
        fn leaf(&self, leaf: Leaf) -> String {
            match leaf {
                Leaf::Field(field) => "u".repeat(usize::from(field.unknown) + 1),
                _ => "x".to_owned(),
            }
        }
    }

    /// What is summed, printed, in alphabetical order.
    fn printed(pool: &mut Pool, expression: Expression) -> Vec<String> {
        let summands = pool.summands(expression);
        let mut texts: Vec<String> = summands.iter().map(|&summand| pool.print(summand, &Plain)).collect();
        texts.sort();
        texts
    }

    #[test]
    fn sums_come_apart_and_products_with_a_sum_of_fields_are_multiplied_out() {
        let mut pool = Pool::default();
        let (u, v) = (pool.field(0, Derivative::NONE), pool.field(1, Derivative::NONE));
        let x = pool.leaf(Leaf::Coordinate(0));
        let two = pool.scale(v, -2.0);
        let sum = pool.add(u, two);
        assert_eq!(printed(&mut pool, sum), ["-2*uu", "u"]);
        let product = pool.multiply(x, sum);
        let negative = pool.negate(product);
        assert_eq!(printed(&mut pool, negative), ["-u*x", "2*uu*x"]);
        // A factor without fields is no reason: (x - 1)·u is one term, however large x is.
        let one = pool.number(1.0);
        let shifted = pool.subtract(x, one);
        let term = pool.multiply(shifted, u);
        assert_eq!(pool.summands(term), [term]);
        let zero = pool.number(0.0);
        assert!(pool.summands(zero).is_empty());
    }
}
