//! Syntax trees to expressions of the pool.

use super::{Scope, Syntax, SyntaxKind, Uses, shape};
use crate::expression::{Expression, Function, Leaf, Node, Overflow, Pool};
use crate::parse::diagnostic::Mistakes;
use crate::parse::document::Text;
use crate::problem::ShapeStep;
use crate::problem::{CoordinateSystem, Domain, Elsewhere, GivenFunction, Integral};
use geometry::Shape;
use std::ops::Range;

/// A number or several.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::parse) enum Value {
    Scalar(Expression),
    Vector(Vec<Expression>),
}

/// Something is wrong and has been reported.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) struct Broken;

/// A part of a shape: its name, what it is, and the steps that make it. `None` where it is wrong.
pub(in crate::parse) type NamedShape = (String, Option<(Shape, Vec<ShapeStep>)>);

/// What expressions are made with, over a whole file.
#[derive(Default)]
pub(in crate::parse) struct Workshop {
    pub(in crate::parse) pool: Pool,
    pub(in crate::parse) scope: Scope,
    pub(in crate::parse) mistakes: Mistakes,
    /// Functions that files hold.
    pub(in crate::parse) given: Vec<GivenFunction>,
    /// Operands handled so far.
    effort: usize,
    /// Derivatives of composed expressions taken so far: each walks the expression.
    derivatives: usize,
    /// Expressions finished so far: each is walked once more.
    pub(in crate::parse) formulas: usize,
    /// Named parts of [geometry]; `None` where they are wrong.
    pub(in crate::parse) parts: Vec<NamedShape>,
    /// What the space coordinates are.
    pub(in crate::parse) system: CoordinateSystem,
    /// Where integrals are taken, once that is known.
    pub(in crate::parse) territory: Option<Domain>,
    /// Places that integrals of the equations at hand read fields at.
    pub(in crate::parse) elsewhere: Elsewhere,
    /// Integrals of the quantity at hand.
    pub(in crate::parse) integrals: Vec<Integral>,
    /// A limit of the whole file was passed and reported: nothing more is built.
    pub(in crate::parse) exhausted: bool,
}

impl Workshop {
    /// Operands that the expressions of a file may handle: about a second.
    const MAX_EFFORT: usize = 8_000_000;
    /// Derivatives of composed expressions per file: about a second in the fullest pool.
    const MAX_DERIVATIVES: usize = 10_000;
    /// Expressions per file: about a second in the fullest pool.
    pub(in crate::parse) const MAX_FORMULAS: usize = 16_384;
}

/// What an expression at some place of the file may use.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) struct Context<'c> {
    /// For "… may not use unknowns".
    pub(in crate::parse) subject: &'static str,
    pub(in crate::parse) coordinates: bool,
    pub(in crate::parse) parameters: bool,
    pub(in crate::parse) unknowns: bool,
    /// The unknown whose raw output `N` is.
    pub(in crate::parse) raw: Option<usize>,
    pub(in crate::parse) normals: Normals<'c>,
    pub(in crate::parse) integrals: Integrals,
    /// Whether there are two sides.
    pub(in crate::parse) sides: bool,
}

/// What becomes of integrals and values at places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::parse) enum Integrals {
    /// There may be none.
    Absent,
    /// They are listed, to be found when training is over.
    Listed,
    /// They are sums over other places of the point: training reads fields there.
    Summed,
}

/// Whether there is an outward normal.
#[derive(Clone, Copy, Debug)]
pub(in crate::parse) enum Normals<'c> {
    /// There is none.
    Absent,
    /// It points along one of these axes.
    Along(&'c [usize]),
}

impl Context<'_> {
    /// Numbers and constants only.
    pub(in crate::parse) fn numbers(subject: &'static str) -> Context<'static> {
        Context { coordinates: false, parameters: false, unknowns: false, ..Context::everything(subject) }
    }

    /// Everything but normals and raw outputs.
    pub(in crate::parse) fn everything(subject: &'static str) -> Context<'static> {
        let normals = Normals::Absent;
        let integrals = Integrals::Absent;
        Context {
            subject,
            coordinates: true,
            parameters: true,
            unknowns: true,
            raw: None,
            normals,
            integrals,
            sides: false,
        }
    }

    /// Numbers, constants and coordinates.
    pub(in crate::parse) fn coordinates(subject: &'static str) -> Context<'static> {
        Context { parameters: false, unknowns: false, ..Context::everything(subject) }
    }
}

/// Turns the syntax tree of one text into an expression.
pub(in crate::parse) struct Resolver<'w> {
    pub(super) workshop: &'w mut Workshop,
    pub(super) text: &'w Text,
    pub(super) context: &'w Context<'w>,
    /// Indices of the sums around the current place.
    pub(super) locals: Vec<(String, f64)>,
    pub(in crate::parse) uses: Uses,
}

impl<'w> Resolver<'w> {
    pub(in crate::parse) fn new(
        workshop: &'w mut Workshop,
        text: &'w Text,
        context: &'w Context<'w>,
    ) -> Self {
        Resolver { workshop, text, context, locals: Vec::new(), uses: Uses::default() }
    }

    /// The value of a whole text, which was parsed to `syntax`. Limits of the pool are reported here.
    pub(in crate::parse) fn finish(&mut self, syntax: &Syntax) -> Result<Value, Broken> {
        if self.workshop.exhausted {
            return Err(Broken);
        }
        let value = self.value(syntax);
        self.settle(&syntax.range)?;
        value
    }

    /// As [`Self::finish`], for a text that must be a scalar.
    pub(in crate::parse) fn finish_scalar(&mut self, syntax: &Syntax) -> Result<Expression, Broken> {
        let value = self.finish(syntax)?;
        self.expect_scalar(value, &syntax.range, "a scalar")
    }

    /// Reports a limit that the pool has passed.
    pub(in crate::parse) fn settle(&mut self, range: &Range<usize>) -> Result<(), Broken> {
        let Some(overflow) = self.workshop.pool.take_overflow() else { return Ok(()) };
        self.workshop.exhausted |= overflow == Overflow::Size;
        let hint = match overflow {
            Overflow::Size | Overflow::Depth => "write it with fewer nested products and derivatives",
            Overflow::Order => "introduce an unknown for an inner derivative, as in `w = u_xx`",
        };
        Err(self.fail_with(range, overflow.to_string(), hint))
    }

    pub(super) fn fail(&mut self, range: &Range<usize>, message: impl Into<String>) -> Broken {
        self.workshop.mistakes.report(self.text.place(range.clone()), message);
        Broken
    }

    pub(super) fn fail_with(
        &mut self,
        range: &Range<usize>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Broken {
        self.workshop.mistakes.report_with(self.text.place(range.clone()), message, hint);
        Broken
    }

    /// Counts work against the file's limit.
    pub(super) fn spend(&mut self, operands: usize, range: &Range<usize>) -> Result<(), Broken> {
        self.workshop.effort = self.workshop.effort.saturating_add(operands);
        if self.workshop.exhausted {
            return Err(Broken);
        }
        if self.workshop.effort > Workshop::MAX_EFFORT {
            self.workshop.exhausted = true;
            return Err(self.fail(range, "the expressions of this file are too large when written out"));
        }
        Ok(())
    }

    /// The value of a part.
    pub(super) fn value(&mut self, syntax: &Syntax) -> Result<Value, Broken> {
        self.spend(1, &syntax.range)?;
        let value = match &syntax.kind {
            SyntaxKind::Number(value) => Value::Scalar(self.workshop.pool.number(*value)),
            SyntaxKind::Name(name) => self.name(name, &syntax.range)?,
            SyntaxKind::Text(_) => {
                let hint = "quotes are for regions of integrals, as in `integral(u, \"boundary\")`, and for names of files in [geometry]";
                return Err(self.fail_with(&syntax.range, "a text in quotes has no value", hint));
            }
            SyntaxKind::Index(name, index) => self.indexed(name, index, &syntax.range)?,
            SyntaxKind::Call(name, at, arguments) => self.call(name, at, arguments, &syntax.range)?,
            SyntaxKind::Vector(components) => self.vector(components, &syntax.range)?,
            SyntaxKind::Sum(terms) => self.sum(terms, &syntax.range)?,
            SyntaxKind::Product(factors) => self.product(factors, &syntax.range)?,
            SyntaxKind::Power(base, exponent) => self.power(base, exponent)?,
            SyntaxKind::Compare(comparison, left, right) => {
                let (left, right) = (self.scalar(left), self.scalar(right));
                Value::Scalar(self.workshop.pool.compare(*comparison, left?, right?))
            }
            SyntaxKind::All(conditions) => {
                let all = self.conditions(conditions)?;
                Value::Scalar(self.workshop.pool.product(&all))
            }
            SyntaxKind::Any(conditions) => {
                let all = self.conditions(conditions)?;
                Value::Scalar(self.pairwise(all, Pool::max))
            }
            SyntaxKind::Not(condition) => {
                let holds = self.conditions(std::slice::from_ref(condition))?;
                let one = self.workshop.pool.number(1.0);
                Value::Scalar(self.workshop.pool.subtract(one, holds[0]))
            }
        };
        if let Value::Scalar(expression) = value {
            self.expect_finite(expression, &syntax.range)?;
        }
        Ok(value)
    }

    /// The value of a part that must be a scalar.
    pub(super) fn scalar(&mut self, syntax: &Syntax) -> Result<Expression, Broken> {
        let value = self.value(syntax)?;
        self.expect_scalar(value, &syntax.range, "a scalar")
    }

    pub(super) fn expect_scalar(
        &mut self,
        value: Value,
        range: &Range<usize>,
        wanted: &str,
    ) -> Result<Expression, Broken> {
        match value {
            Value::Scalar(expression) => Ok(expression),
            Value::Vector(components) => {
                let found = shape(Some(components.len()));
                Err(self.fail(range, format!("expected {wanted}, found {found}")))
            }
        }
    }

    fn expect_finite(&mut self, expression: Expression, range: &Range<usize>) -> Result<(), Broken> {
        match self.workshop.pool.as_number(expression) {
            // What a limit refused is reported as that, at the end of the text.
            Some(value) if !value.is_finite() && self.workshop.pool.overflow().is_none() => {
                Err(self.fail(range, "this value is not a finite number"))
            }
            _ => Ok(()),
        }
    }

    fn conditions(&mut self, all: &[Syntax]) -> Result<Vec<Expression>, Broken> {
        let mut values = Vec::new();
        let mut broken = false;
        for condition in all {
            let compares = matches!(
                condition.kind,
                SyntaxKind::Compare(..) | SyntaxKind::All(_) | SyntaxKind::Any(_) | SyntaxKind::Not(_)
            );
            if !compares {
                self.fail_with(&condition.range, "expected a comparison", "such as `x < 0.5`");
                broken = true;
            }
            match self.scalar(condition) {
                Ok(value) => values.push(value),
                Err(Broken) => broken = true,
            }
        }
        if broken { Err(Broken) } else { Ok(values) }
    }

    /// A part that must be a whole number.
    pub(super) fn integer(&mut self, syntax: &Syntax) -> Result<i64, Broken> {
        let expression = self.scalar(syntax)?;
        match self.workshop.pool.as_number(expression) {
            Some(value) if value.fract() == 0.0 && value.abs() < 1e9 => Ok(value as i64),
            _ => Err(self.fail_with(
                &syntax.range,
                "expected a whole number",
                "such as `3`, or the index of a sum",
            )),
        }
    }

    /// The derivative along a coordinate.
    pub(super) fn differentiate(
        &mut self,
        value: Value,
        axis: usize,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        match value {
            Value::Scalar(expression) => self.slope(expression, axis, range).map(Value::Scalar),
            Value::Vector(components) => {
                let all: Result<Vec<_>, _> =
                    components.into_iter().map(|component| self.slope(component, axis, range)).collect();
                all.map(Value::Vector)
            }
        }
    }

    /// The derivative of a scalar along a coordinate.
    pub(super) fn slope(
        &mut self,
        expression: Expression,
        axis: usize,
        range: &Range<usize>,
    ) -> Result<Expression, Broken> {
        self.spend(1, range)?;
        if let Node::Number(_) = self.workshop.pool.node(expression) {
            return Ok(self.workshop.pool.number(0.0));
        }
        // Leaves are the common case and cost nothing; anything else walks its expression.
        if !matches!(self.workshop.pool.node(expression), Node::Leaf(_)) {
            self.workshop.derivatives += 1;
            if self.workshop.derivatives > Workshop::MAX_DERIVATIVES {
                self.workshop.exhausted = true;
                return Err(self.fail(range, "this file takes too many derivatives"));
            }
        }
        if self.context.raw.is_some()
            && self.workshop.pool.mentions(expression, |leaf| matches!(leaf, Leaf::Raw(_)))
        {
            return Err(self.fail(range, "an ansatz may not use derivatives of `N`"));
        }
        if self
            .workshop
            .pool
            .mentions(expression, |leaf| matches!(leaf, Leaf::Field(field) if field.site > 0))
        {
            let hint = "differentiate what is inside of the integral";
            return Err(self.fail_with(
                range,
                "integrals and values at places cannot be differentiated",
                hint,
            ));
        }
        let slope = self.workshop.pool.differentiate(expression, axis);
        self.settle(range)?;
        Ok(slope)
    }

    /// Applies a function of one argument.
    pub(super) fn apply(&mut self, function: Function, argument: Expression) -> Expression {
        self.workshop.pool.apply(function, argument)
    }
}
