//! Calls: functions of one argument, choices, and the way to the other operators.

use super::names::{OPERATORS, signature};
use super::{Broken, Meaning, Resolver, Syntax, Value};
use crate::expression::{Expression, Function, Pool};
use crate::parse::other_notations;
use crate::parse::suggest::{clipped, nearest};
use std::ops::Range;

impl Resolver<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        if let Some(function) = Function::ALL.iter().find(|function| function.name() == name) {
            let [argument] = self.arguments(name, at, arguments)?;
            let argument = self.scalar(argument)?;
            return Ok(Value::Scalar(self.apply(*function, argument)));
        }
        match name {
            "d" => self.derivative(at, arguments, range),
            "dn" => {
                let [argument] = self.arguments(name, at, arguments)?;
                self.normal_derivative(argument, range)
            }
            "grad" => {
                let [argument] = self.arguments(name, at, arguments)?;
                let expression = self.scalar(argument)?;
                self.gradient(expression, range).map(Value::Vector)
            }
            "div" => self.divergence(at, arguments, range),
            "curl" => self.curl(at, arguments, range),
            "laplacian" => {
                let [argument] = self.arguments(name, at, arguments)?;
                self.laplacian(argument, range)
            }
            "dot" => {
                let [left, right] = self.arguments(name, at, arguments)?;
                self.dot(left, right, range)
            }
            "sum" => self.summation(at, arguments, range),
            "integral" => self.integral(at, arguments, range),
            "at" => {
                let [argument, place] = self.arguments(name, at, arguments)?;
                self.value_at(argument, place, range)
            }
            "dirac" => {
                let [argument, width] = self.arguments(name, at, arguments)?;
                self.point_source(argument, width, range)
            }
            "jump" => {
                let [argument] = self.arguments(name, at, arguments)?;
                self.jump(argument, range)
            }
            "min" | "max" => self.extreme(name, at, arguments),
            "where" => {
                let [condition, then, otherwise] = self.arguments(name, at, arguments)?;
                self.choice(condition, then, otherwise)
            }
            _ => Err(self.not_callable(name, at, arguments)),
        }
    }

    /// Exactly as many arguments as the operator takes.
    fn arguments<'s, const COUNT: usize>(
        &mut self,
        name: &str,
        at: &Range<usize>,
        arguments: &'s [Syntax],
    ) -> Result<&'s [Syntax; COUNT], Broken> {
        arguments.try_into().map_err(|_| self.wrong_count(name, at, arguments.len(), &COUNT.to_string()))
    }

    pub(super) fn wrong_count(
        &mut self,
        name: &str,
        at: &Range<usize>,
        found: usize,
        wanted: &str,
    ) -> Broken {
        let plural = if wanted == "1" { "" } else { "s" };
        let message = format!("`{name}` takes {wanted} argument{plural}, found {found}");
        let hint = format!("write {}", signature(name).unwrap_or_default());
        self.fail_with(at, message, hint)
    }

    fn not_callable(&mut self, name: &str, at: &Range<usize>, arguments: &[Syntax]) -> Broken {
        let shown = clipped(name);
        // The arguments may hold mistakes of their own.
        let arguments_fine = self.values(arguments).is_ok();
        if let Some(meaning) = self.workshop.scope.get(name) {
            if matches!(meaning, Meaning::Broken) {
                return Broken;
            }
            let message = format!("`{shown}` is {}, not something to call", meaning.kind());
            let hint = match (meaning, arguments_fine) {
                (Meaning::Unknown(_) | Meaning::Function(..), _) => {
                    format!(
                        "it depends on all coordinates: write `{shown}` alone, or `{shown}*(…)` for a product"
                    )
                }
                _ => format!("a product needs its `*`: `{shown}*(…)`"),
            };
            return self.fail_with(at, message, hint);
        }
        let known = || Function::ALL.iter().map(|f| f.name()).chain(OPERATORS.iter().map(|(name, _)| *name));
        let alias = match name {
            "ln" => Some("log"),
            "arcsin" => Some("asin"),
            "arccos" => Some("acos"),
            "arctan" => Some("atan"),
            "laplace" | "lap" | "Laplacian" => Some("laplacian"),
            "gradient" | "nabla" => Some("grad"),
            "divergence" => Some("div"),
            "if" | "piecewise" => Some("where"),
            _ => None,
        };
        let hint = match (other_notations::function(name), alias.or_else(|| nearest(name, known()))) {
            (Some(instead), _) => instead.to_owned(),
            (None, Some(meant)) => format!("did you mean `{meant}`?"),
            (None, None) => format!("functions: {}", known().collect::<Vec<_>>().join(", ")),
        };
        self.fail_with(at, format!("unknown function `{shown}`"), hint)
    }

    fn extreme(&mut self, name: &str, at: &Range<usize>, arguments: &[Syntax]) -> Result<Value, Broken> {
        if arguments.len() < 2 {
            return Err(self.wrong_count(name, at, arguments.len(), "2 or more"));
        }
        let all: Vec<_> = arguments.iter().map(|argument| self.scalar(argument)).collect();
        let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
        let pair = if name == "min" { Pool::min } else { Pool::max };
        Ok(Value::Scalar(self.pairwise(all, pair)))
    }

    /// Folds pairs of pairs, so that many operands do not nest deeply. There must be one operand.
    pub(super) fn pairwise(
        &mut self,
        mut all: Vec<Expression>,
        pair: fn(&mut Pool, Expression, Expression) -> Expression,
    ) -> Expression {
        while all.len() > 1 {
            let pool = &mut self.workshop.pool;
            let fold = |chunk: &[Expression]| match *chunk {
                [left, right] => pair(pool, left, right),
                _ => chunk[0],
            };
            all = all.chunks(2).map(fold).collect();
        }
        all[0]
    }

    /// A bell of unit integral around the place where its argument vanishes: a point source, or a line source.
    fn point_source(
        &mut self,
        argument: &Syntax,
        width: &Syntax,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let (distance, width_value) = (self.value(argument), self.scalar(width));
        let components = match distance? {
            Value::Scalar(one) => vec![one],
            Value::Vector(all) => all,
        };
        let width_value = self.workshop.pool.as_number(width_value?).filter(|width| *width > 0.0);
        let Some(size) = width_value else {
            let hint = "a few hundredths of the domain: small enough to be a point, large enough to be seen";
            return Err(self.fail_with(&width.range, "the width of a source is a positive number", hint));
        };
        let squares: Vec<(Expression, f64)> = components
            .iter()
            .map(|&component| Ok((self.powers(&[(component, 2.0)], range)?, -0.5 / (size * size))))
            .collect::<Result<_, Broken>>()?;
        let exponent = self.combine(&squares, range)?;
        let bell = self.apply(Function::Exp, exponent);
        let height = ((2.0 * std::f64::consts::PI).sqrt() * size).powi(-(components.len() as i32));
        self.combine(&[(bell, height)], range).map(Value::Scalar)
    }

    fn choice(&mut self, condition: &Syntax, then: &Syntax, otherwise: &Syntax) -> Result<Value, Broken> {
        let (holds, first, second) = (self.scalar(condition), self.value(then), self.value(otherwise));
        let holds = holds?;
        match (first?, second?) {
            (Value::Scalar(first), Value::Scalar(second)) => {
                Ok(Value::Scalar(self.workshop.pool.choose(holds, first, second)))
            }
            (Value::Vector(first), Value::Vector(second)) if first.len() == second.len() => {
                let pool = &mut self.workshop.pool;
                let pairs = first.into_iter().zip(second);
                Ok(Value::Vector(pairs.map(|(first, second)| pool.choose(holds, first, second)).collect()))
            }
            _ => Err(self.fail(&otherwise.range, "both values of `where` must have the same shape")),
        }
    }
}
