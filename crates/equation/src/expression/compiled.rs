//! Formulas of the coordinates, ready to be evaluated at many places.

use super::{Expression, Leaf, Node, Number, Pool};
use std::collections::HashMap;

/// What some expressions come down to, in the order of evaluation.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Nodes whose operands are the positions of earlier ones.
    steps: Vec<Node>,
    outputs: Vec<usize>,
}

impl Compiled {
    /// Formulas that mention coordinates and nothing else: other leaves are no numbers.
    pub fn new(pool: &Pool, roots: &[Expression]) -> Self {
        let mut places: HashMap<Expression, usize> = HashMap::new();
        let mut steps = Vec::new();
        pool.visit(roots, |expression, node| {
            let place = |operand: &Expression| Expression(places[operand] as u32);
            steps.push(match node {
                Node::Number(_) | Node::Leaf(_) => node.clone(),
                Node::Sum(constant, terms) => {
                    Node::Sum(*constant, terms.iter().map(|(term, factor)| (place(term), *factor)).collect())
                }
                Node::Product(factors) => {
                    Node::Product(factors.iter().map(|(base, power)| (place(base), *power)).collect())
                }
                Node::Power(base, exponent) => Node::Power(place(base), place(exponent)),
                Node::Apply(function, argument) => Node::Apply(*function, place(argument)),
                Node::Min(left, right) => Node::Min(place(left), place(right)),
                Node::Max(left, right) => Node::Max(place(left), place(right)),
                Node::Compare(comparison, left, right) => {
                    Node::Compare(*comparison, place(left), place(right))
                }
                Node::Where(condition, then, otherwise) => {
                    Node::Where(place(condition), place(then), place(otherwise))
                }
            });
            places.insert(expression, steps.len() - 1);
        });
        Compiled { steps, outputs: roots.iter().map(|root| places[root]).collect() }
    }

    /// The values at a place, into `found`; `scratch` is memory that may be used again.
    pub fn run(&self, place: &[f64], scratch: &mut Vec<f64>, found: &mut Vec<f64>) {
        scratch.clear();
        for step in &self.steps {
            let value = |operand: &Expression| scratch[operand.0 as usize];
            let result = match step {
                Node::Number(number) => number.get(),
                Node::Leaf(Leaf::Coordinate(axis)) => place[usize::from(*axis)],
                Node::Leaf(_) => f64::NAN,
                Node::Sum(constant, terms) => {
                    terms.iter().fold(constant.get(), |sum, (term, factor)| sum + value(term) * factor.get())
                }
                Node::Product(factors) => factors.iter().fold(1.0, |product, (base, exponent)| {
                    product * Number::power(value(base), exponent.get())
                }),
                Node::Power(base, exponent) => value(base).powf(value(exponent)),
                Node::Apply(function, argument) => Number::apply(value(argument), *function),
                Node::Min(left, right) => value(left).min(value(right)),
                Node::Max(left, right) => value(left).max(value(right)),
                Node::Compare(comparison, left, right) => {
                    f64::from(u8::from(comparison.holds(value(left), value(right))))
                }
                Node::Where(condition, then, otherwise) => {
                    if value(condition) != 0.0 {
                        value(then)
                    } else {
                        value(otherwise)
                    }
                }
            };
            scratch.push(result);
        }
        found.clear();
        found.extend(self.outputs.iter().map(|&output| scratch[output]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Comparison, Function, evaluate};

    #[test]
    fn compiled_formulas_have_the_values_of_the_formulas() {
        let mut pool = Pool::default();
        let [x, y] = [0, 1].map(|axis| pool.leaf(Leaf::Coordinate(axis)));
        let sum = pool.combine(&[(x, 2.0), (y, -0.5)]);
        let quotient = pool.divide(sum, y);
        let sine = pool.apply(Function::Sin, quotient);
        let (least, most) = (pool.min(sine, x), pool.max(quotient, y));
        let less = pool.compare(Comparison::Less, x, y);
        let chosen = pool.choose(less, least, most);
        let roots = [chosen, sine, pool.number(3.0)];
        let compiled = Compiled::new(&pool, &roots);
        let (mut scratch, mut found) = (Vec::new(), Vec::new());
        for place in [[0.3, 0.7], [2.0, -1.5]] {
            compiled.run(&place, &mut scratch, &mut found);
            for (root, found) in roots.iter().zip(&found) {
                let wanted: f64 = evaluate(&pool, *root, &|leaf| match leaf {
                    Leaf::Coordinate(axis) => place[usize::from(axis)],
                    _ => f64::NAN,
                });
                assert_eq!(*found, wanted);
            }
        }
    }
}
