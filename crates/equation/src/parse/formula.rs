//! Strings of the file as expressions and equations.

use super::document::{Text, TomlNode, TomlValue};
use super::expression::{Broken, Context, Parser, Resolver, Syntax, SyntaxError, Value, Workshop, shape};
use super::reader;
use crate::expression::{Expression, Node};

impl Workshop {
    /// Reports why a text is not an expression.
    pub(super) fn misread(&mut self, text: &Text, error: SyntaxError) {
        self.mistakes.add(text.place(error.range), error.message, error.hint);
    }

    /// The syntax tree of a text.
    pub(super) fn syntax(&mut self, text: &Text) -> Option<Syntax> {
        Parser::expression_only(&text.content).map_err(|error| self.misread(text, error)).ok()
    }

    /// A text as a scalar.
    pub(super) fn scalar(&mut self, text: &Text, context: &Context<'_>) -> Option<Expression> {
        let syntax = self.syntax(text)?;
        self.scalar_of(text, &syntax, context)
    }

    /// A part of a text as a scalar.
    pub(super) fn scalar_of(
        &mut self,
        text: &Text,
        syntax: &Syntax,
        context: &Context<'_>,
    ) -> Option<Expression> {
        let expression = Resolver::new(self, text, context).finish_scalar(syntax).ok()?;
        self.finite(text, &[expression]).then_some(expression)
    }

    /// A number, or a text that comes down to one.
    pub(super) fn constant(&mut self, node: &TomlNode, subject: &'static str) -> Option<f64> {
        match &node.value {
            TomlValue::Text(text) => {
                let syntax = self.syntax(text)?;
                self.constant_of(text, &syntax, subject)
            }
            TomlValue::Integer(_) | TomlValue::Float(_) => reader::number(node, &mut self.mistakes),
            _ => {
                reader::expected_formula("a number or an expression in quotes", node, &mut self.mistakes);
                None
            }
        }
    }

    /// A part of a text that comes down to a number.
    pub(super) fn constant_of(&mut self, text: &Text, syntax: &Syntax, subject: &'static str) -> Option<f64> {
        let context = Context::numbers(subject);
        let expression = Resolver::new(self, text, &context).finish_scalar(syntax).ok()?;
        self.pool.as_number(expression)
    }

    /// The residuals of `left = right`: one, or one per component of a vector.
    pub(super) fn residuals(&mut self, text: &Text, context: &Context<'_>) -> Option<Vec<Expression>> {
        let (left, right) =
            Parser::equation(&text.content).map_err(|error| self.misread(text, error)).ok()?;
        let mut resolver = Resolver::new(self, text, context);
        let (first, second) = (resolver.finish(&left), resolver.finish(&right));
        let pairs = match (first.ok()?, second.ok()?) {
            (Value::Scalar(first), Value::Scalar(second)) => vec![(first, second)],
            (Value::Vector(first), Value::Vector(second)) if first.len() == second.len() => {
                first.into_iter().zip(second).collect()
            }
            (Value::Vector(first), Value::Scalar(zero)) if self.pool.as_number(zero) == Some(0.0) => {
                first.into_iter().map(|component| (component, zero)).collect()
            }
            (first, second) => {
                let (first, second) = (shape(length(&first)), shape(length(&second)));
                let message = format!("the left side is {first}, the right side {second}");
                self.mistakes.report(text.place(0..text.content.len()), message);
                return None;
            }
        };
        let mut residuals = Vec::with_capacity(pairs.len());
        for (left, right) in pairs {
            residuals.push(self.pool.subtract(left, right));
        }
        let range = 0..text.content.len();
        if let Err(Broken) = Resolver::new(self, text, context).settle(&range) {
            return None;
        }
        self.finite(text, &residuals).then_some(residuals)
    }

    /// Reports coefficients that overflowed although no part of the text did.
    fn finite(&mut self, text: &Text, expressions: &[Expression]) -> bool {
        self.formulas += 1;
        if self.formulas > Self::MAX_FORMULAS && !self.exhausted {
            self.exhausted = true;
            let message = format!("this file has more than {} expressions", Self::MAX_FORMULAS);
            self.mistakes.report(text.span, message);
        }
        if self.exhausted {
            return false;
        }
        let mut finite = true;
        self.pool.visit(expressions, |_, node| match node {
            Node::Number(value) => finite &= value.get().is_finite(),
            Node::Sum(constant, terms) => {
                finite &= constant.get().is_finite() && terms.iter().all(|(_, c)| c.get().is_finite());
            }
            Node::Product(factors) => finite &= factors.iter().all(|(_, e)| e.get().is_finite()),
            Node::Leaf(_)
            | Node::Power(..)
            | Node::Apply(..)
            | Node::Min(..)
            | Node::Max(..)
            | Node::Compare(..)
            | Node::Where(..) => {}
        });
        if !finite {
            let range = 0..text.content.len();
            self.mistakes.report(text.place(range), "a number in this expression is not finite");
        }
        finite
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Scalar(_) => None,
        Value::Vector(components) => Some(components.len()),
    }
}
