//! Expressions as text, in the language of problem files.

use super::{Expression, Leaf, Node, Pool};
use std::fmt::Write;

/// How leaves are called. [`crate::problem::Problem`] and the planner's terms implement it.
pub trait Names {
    /// The name of a leaf.
    fn leaf(&self, leaf: Leaf) -> String;
}

impl<F: Fn(Leaf) -> String> Names for F {
    fn leaf(&self, leaf: Leaf) -> String {
        self(leaf)
    }
}

/// How tightly an operator binds: what stands inside a tighter one needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Compare,
    Sum,
    Product,
    Power,
}

impl Pool {
    /// The expression as a person would write it.
    pub fn print(&self, expression: Expression, names: &impl Names) -> String {
        let mut text = String::new();
        self.write(expression, names, Binding::Compare, &mut text);
        text
    }

    fn write(&self, expression: Expression, names: &impl Names, outside: Binding, text: &mut String) {
        let inside = self.binding(expression);
        let parentheses = inside < outside;
        if parentheses {
            text.push('(');
        }
        match self.node(expression) {
            Node::Number(value) => write_number(value.get(), text),
            Node::Leaf(leaf) => text.push_str(&names.leaf(*leaf)),
            Node::Sum(constant, terms) => self.write_sum(constant.get(), terms, names, text),
            Node::Product(factors) => self.write_product(factors, names, text),
            Node::Power(base, exponent) => {
                self.write(*base, names, Binding::Power, text);
                text.push('^');
                self.write(*exponent, names, Binding::Power, text);
            }
            Node::Apply(function, argument) => self.write_call(function.name(), &[*argument], names, text),
            Node::Min(left, right) => self.write_call("min", &[*left, *right], names, text),
            Node::Max(left, right) => self.write_call("max", &[*left, *right], names, text),
            Node::Compare(comparison, left, right) => {
                self.write(*left, names, Binding::Sum, text);
                _ = write!(text, " {} ", comparison.symbol());
                self.write(*right, names, Binding::Sum, text);
            }
            Node::Where(condition, then, otherwise) => {
                self.write_call("where", &[*condition, *then, *otherwise], names, text);
            }
        }
        if parentheses {
            text.push(')');
        }
    }

    fn write_sum(
        &self,
        constant: f64,
        terms: &[(Expression, super::Real)],
        names: &impl Names,
        text: &mut String,
    ) {
        for (position, (term, coefficient)) in terms.iter().enumerate() {
            let coefficient = coefficient.get();
            text.push_str(match (position, coefficient < 0.0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            if coefficient.abs() != 1.0 {
                write_number(coefficient.abs(), text);
                text.push('*');
            }
            self.write(*term, names, Binding::Product, text);
        }
        if constant != 0.0 {
            text.push_str(if constant < 0.0 { " - " } else { " + " });
            write_number(constant.abs(), text);
        }
    }

    fn write_product(&self, factors: &[(Expression, super::Real)], names: &impl Names, text: &mut String) {
        let (above, below): (Vec<_>, Vec<_>) = factors.iter().partition(|(_, exponent)| exponent.get() > 0.0);
        if above.is_empty() {
            text.push('1');
        }
        for (position, &(base, exponent)) in above.iter().enumerate() {
            if position > 0 {
                text.push('*');
            }
            self.write_factor(base, exponent.get(), names, text);
        }
        for &(base, exponent) in &below {
            text.push('/');
            self.write_factor(base, -exponent.get(), names, text);
        }
    }

    fn write_factor(&self, base: Expression, exponent: f64, names: &impl Names, text: &mut String) {
        if exponent == 0.5 {
            return self.write_call("sqrt", &[base], names, text);
        }
        self.write(base, names, Binding::Power, text);
        if exponent != 1.0 {
            text.push('^');
            write_number(exponent, text);
        }
    }

    fn write_call(&self, name: &str, arguments: &[Expression], names: &impl Names, text: &mut String) {
        text.push_str(name);
        text.push('(');
        for (position, argument) in arguments.iter().enumerate() {
            if position > 0 {
                text.push_str(", ");
            }
            self.write(*argument, names, Binding::Compare, text);
        }
        text.push(')');
    }

    fn binding(&self, expression: Expression) -> Binding {
        match self.node(expression) {
            Node::Number(value) if value.get() < 0.0 => Binding::Sum,
            Node::Number(_) | Node::Leaf(_) | Node::Apply(..) | Node::Min(..) | Node::Max(..) => {
                Binding::Power
            }
            Node::Where(..) => Binding::Power,
            Node::Sum(..) => Binding::Sum,
            Node::Product(_) => Binding::Product,
            // Powers associate to the right; parenthesise nested ones rather than rely on it.
            Node::Power(..) => Binding::Product,
            Node::Compare(..) => Binding::Compare,
        }
    }
}

/// Shortest text that reads back as the same number.
fn write_number(value: f64, text: &mut String) {
    let magnitude = value.abs();
    let plain = magnitude == 0.0 || (1e-4..1e15).contains(&magnitude);
    _ = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
}
