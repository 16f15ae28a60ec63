//! All channels of a composed expression, symbolically: this is how an ansatz such as
//! `-sin(pi*x) + t*(1 - x^2)*N` is applied after the network without extra channels.

use super::channels::{ChannelKind, Channels, Weight};
use super::rules::Rules;
use crate::expression::{Channel, Derivative, Expression, Function, Leaf, Node, Pool};
use std::collections::HashMap;

/// One expression per channel.
type Jet = Vec<Expression>;

/// Computes jets over one set of channels.
pub(super) struct Jets<'a> {
    pool: &'a mut Pool,
    channels: &'a Channels,
    rules: &'a Rules,
    done: HashMap<Expression, Jet>,
}

impl<'a> Jets<'a> {
    /// Jets in which [`Leaf::Raw`] stands for a network output at site 0.
    pub(super) fn new(pool: &'a mut Pool, channels: &'a Channels, rules: &'a Rules) -> Self {
        Jets { pool, channels, rules, done: HashMap::new() }
    }

    /// All channels of `root`.
    pub(super) fn of(&mut self, root: Expression) -> Jet {
        let mut order = Vec::new();
        self.pool.visit(&[root], |expression, _| order.push(expression));
        for expression in order {
            let raw = self.pool.mentions(expression, |leaf| matches!(leaf, Leaf::Raw(_)));
            let jet = if raw { self.composed(expression) } else { self.known(expression) };
            self.done.insert(expression, jet);
        }
        self.done[&root].clone()
    }

    /// A function of the coordinates alone: apply the operators symbolically.
    fn known(&mut self, expression: Expression) -> Jet {
        let mut derivatives: HashMap<Derivative, Expression> = HashMap::new();
        let kinds = self.channels.kinds.clone();
        kinds.iter().map(|kind| self.apply_operator(kind, expression, &mut derivatives)).collect()
    }

    fn apply_operator(
        &mut self,
        kind: &ChannelKind,
        expression: Expression,
        derivatives: &mut HashMap<Derivative, Expression>,
    ) -> Expression {
        let mut terms = Vec::new();
        for derivative in kind.derivatives() {
            let Some(weight) = kind.weight(derivative) else { continue };
            let known = derivatives.get(&derivative).copied();
            let value = known.unwrap_or_else(|| {
                let axes = derivative.axes();
                axes.iter().fold(expression, |value, &axis| self.pool.differentiate(value, usize::from(axis)))
            });
            derivatives.insert(derivative, value);
            terms.push(self.weighted(weight, &[value]));
        }
        self.pool.sum(&terms)
    }

    fn composed(&mut self, expression: Expression) -> Jet {
        match self.pool.node(expression).clone() {
            Node::Number(_) => unreachable!("a number mentions no network output"),
            Node::Leaf(leaf) => (0..self.channels.len())
                .map(|channel| {
                    let Leaf::Raw(output) = leaf else { unreachable!("no other leaf is an output") };
                    let channel = channel as u16;
                    self.pool.leaf(Leaf::Channel(Channel { output, channel, site: 0 }))
                })
                .collect(),
            Node::Sum(constant, terms) => {
                let mut jet = self.zeros();
                for (channel, entry) in jet.iter_mut().enumerate() {
                    let mut all: Vec<_> =
                        terms.iter().map(|(term, c)| (self.done[term][channel], c.get())).collect();
                    if channel == 0 {
                        all.push((self.pool.number(constant.get()), 1.0));
                    }
                    *entry = self.pool.combine(&all);
                }
                jet
            }
            Node::Product(factors) => {
                let mut product: Option<Jet> = None;
                for (base, exponent) in factors {
                    let jet = self.done[&base].clone();
                    let jet = if exponent.get() == 1.0 {
                        jet
                    } else {
                        self.chain(&jet, |pool, z| pool.powers(&[(z, exponent.get())]))
                    };
                    product = Some(match product {
                        Some(left) => self.product(&left, &jet),
                        None => jet,
                    });
                }
                product.expect("a product has factors")
            }
            Node::Power(base, exponent) => {
                let (base, exponent) = (self.done[&base].clone(), self.done[&exponent].clone());
                let logarithm = self.chain(&base, |pool, z| pool.apply(Function::Log, z));
                let product = self.product(&exponent, &logarithm);
                self.chain(&product, |pool, z| pool.apply(Function::Exp, z))
            }
            Node::Apply(function, argument) => {
                let argument = self.done[&argument].clone();
                self.chain(&argument, |pool, z| pool.apply(function, z))
            }
            Node::Min(left, right) => self.choose(crate::expression::Comparison::Less, left, right),
            Node::Max(left, right) => self.choose(crate::expression::Comparison::Greater, left, right),
            Node::Compare(..) => {
                let mut jet = self.zeros();
                jet[0] = self.at_values(expression);
                jet
            }
            Node::Where(condition, then, otherwise) => {
                let condition = self.done[&condition][0];
                let (then, otherwise) = (self.done[&then].clone(), self.done[&otherwise].clone());
                self.select(condition, &then, &otherwise)
            }
        }
    }

    fn choose(
        &mut self,
        comparison: crate::expression::Comparison,
        left: Expression,
        right: Expression,
    ) -> Jet {
        let (left, right) = (self.done[&left].clone(), self.done[&right].clone());
        let condition = self.pool.compare(comparison, left[0], right[0]);
        self.select(condition, &left, &right)
    }

    fn select(&mut self, condition: Expression, then: &Jet, otherwise: &Jet) -> Jet {
        then.iter().zip(otherwise).map(|(&then, &other)| self.pool.choose(condition, then, other)).collect()
    }

    /// A comparison of values: its operands' value channels in place of the operands.
    fn at_values(&mut self, expression: Expression) -> Expression {
        let node = self.pool.node(expression).clone();
        let done = &self.done;
        self.pool.rebuild(expression, &node, |operand| done[&operand][0])
    }

    fn zeros(&mut self) -> Jet {
        vec![self.pool.number(0.0); self.channels.len()]
    }

    fn product(&mut self, left: &Jet, right: &Jet) -> Jet {
        let mut sums: Vec<Vec<Expression>> = Vec::with_capacity(left.len());
        for channel in 0..left.len() {
            let mut terms = vec![self.pool.multiply(left[0], right[channel])];
            if channel > 0 {
                terms.push(self.pool.multiply(left[channel], right[0]));
            }
            sums.push(terms);
        }
        for term in &self.rules.product {
            let product = self.weighted(term.weight, &[left[term.left], right[term.right]]);
            sums[term.channel].push(product);
        }
        sums.iter().map(|terms| self.pool.sum(terms)).collect()
    }

    /// `function` of a jet, by the chain rule.
    fn chain(&mut self, inner: &Jet, function: impl Fn(&mut Pool, Expression) -> Expression) -> Jet {
        let placeholder = self.pool.leaf(Leaf::Placeholder);
        let mut symbolic = vec![function(self.pool, placeholder)];
        for order in 0..self.rules.highest_order() {
            symbolic.push(self.pool.derivative(symbolic[order], Leaf::Placeholder));
        }
        let value = inner[0];
        let slopes: Vec<Expression> = symbolic
            .into_iter()
            .map(|slope| {
                self.pool.substitute(slope, &mut |_, leaf| (leaf == Leaf::Placeholder).then_some(value))
            })
            .collect();
        let mut sums = vec![vec![slopes[0]]];
        sums.extend(inner[1..].iter().map(|&entry| vec![self.pool.multiply(slopes[1], entry)]));
        for term in &self.rules.chain {
            let mut factors = vec![slopes[term.order]];
            factors.extend(term.factors.iter().map(|&factor| inner[factor]));
            let product = self.weighted(term.weight, &factors);
            sums[term.channel].push(product);
        }
        sums.iter().map(|terms| self.pool.sum(terms)).collect()
    }

    fn weighted(&mut self, weight: Weight, factors: &[Expression]) -> Expression {
        let mut all = vec![self.pool.number(weight.factor)];
        all.extend(weight.coefficient.map(|place| self.channels.coefficients[place]));
        all.extend(factors);
        self.pool.product(&all)
    }
}
