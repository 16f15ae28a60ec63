//! Calls: functions, derivatives and the operators of vector calculus.

use super::names::{OPERATORS, signature};
use super::{Broken, Kind, Meaning, Normals, Resolver, Syntax, Value};
use crate::expression::{Expression, Function, Leaf, Node, Pool};
use crate::parse::suggest::{clipped, nearest};
use std::ops::Range;

/// Terms that `sum(i, from, to, …)` may have.
const MAX_TERMS: i64 = 10_000;

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

    fn wrong_count(&mut self, name: &str, at: &Range<usize>, found: usize, wanted: &str) -> Broken {
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
            "diff" => Some("d"),
            "gradient" | "nabla" => Some("grad"),
            "divergence" => Some("div"),
            "if" | "piecewise" => Some("where"),
            _ => None,
        };
        let hint = match alias.or_else(|| nearest(name, known())) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("functions: {}", known().collect::<Vec<_>>().join(", ")),
        };
        self.fail_with(at, format!("unknown function `{shown}`"), hint)
    }

    /// A coordinate as an argument: `x`, or `x[i]` of a family.
    fn axis(&mut self, syntax: &Syntax) -> Result<usize, Broken> {
        let names_it = matches!(syntax.kind, Kind::Name(_) | Kind::Index(..));
        if names_it && let Ok(value) = self.value(syntax) {
            match value {
                Value::Scalar(expression) => {
                    let leaf = self.workshop.pool.node(expression);
                    if let Node::Leaf(Leaf::Coordinate(axis)) = leaf {
                        return Ok(usize::from(*axis));
                    }
                }
                Value::Vector(_) => {
                    let hint = "take its members one by one as in `x[1]`, or use `grad`";
                    return Err(self.fail_with(
                        &syntax.range,
                        "expected one coordinate, found several",
                        hint,
                    ));
                }
            }
        } else if names_it {
            return Err(Broken);
        }
        Err(self.fail_with(&syntax.range, "expected a coordinate", "as in `d(u, x)`"))
    }

    fn derivative(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let [expression, axes @ ..] = arguments else {
            return Err(self.wrong_count("d", at, 0, "2 or more"));
        };
        if axes.is_empty() {
            return Err(self.wrong_count("d", at, 1, "2 or more"));
        }
        let value = self.value(expression);
        let axes: Vec<_> = axes.iter().map(|axis| self.axis(axis)).collect();
        let axes = axes.into_iter().collect::<Result<Vec<_>, _>>()?;
        axes.into_iter().try_fold(value?, |value, axis| self.differentiate(value, axis, range))
    }

    fn normal_derivative(&mut self, argument: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        let value = self.value(argument)?;
        let Normals::Along(axes) = self.context.normals else {
            let message = "`dn` needs an outward normal";
            let hint =
                "use it in conditions that hold on faces, such as `on = \"x = 0\"` or `on = \"boundary\"`";
            return Err(self.fail_with(range, message, hint));
        };
        let mut along = |expression: Expression| -> Result<Expression, Broken> {
            let mut terms = Vec::with_capacity(axes.len());
            for &axis in axes {
                let slope = self.slope(expression, axis, range)?;
                let normal = self.workshop.pool.leaf(Leaf::Normal(axis as u16));
                terms.push((self.powers(&[(slope, 1.0), (normal, 1.0)], range)?, 1.0));
            }
            self.combine(&terms, range)
        };
        match value {
            Value::Scalar(expression) => along(expression).map(Value::Scalar),
            Value::Vector(components) => {
                components.into_iter().map(along).collect::<Result<Vec<_>, _>>().map(Value::Vector)
            }
        }
    }

    /// The space coordinates, of which there must be some.
    fn space(&mut self, range: &Range<usize>) -> Result<Vec<usize>, Broken> {
        let space = self.workshop.scope.space();
        if self.workshop.scope.lacks_coordinates() {
            return Err(Broken);
        }
        if space.is_empty() {
            let hint = "`t` and parameters do not count; write `d(…, t)`";
            return Err(self.fail_with(range, "this problem has no space coordinates", hint));
        }
        Ok(space)
    }

    fn gradient(&mut self, expression: Expression, range: &Range<usize>) -> Result<Vec<Expression>, Broken> {
        self.space(range)?.into_iter().map(|axis| self.slope(expression, axis, range)).collect()
    }

    /// The components of a vector, given as one vector or as several scalars.
    fn components(&mut self, arguments: &[Syntax]) -> Result<Vec<Expression>, Broken> {
        if let [argument] = arguments {
            return Ok(match self.value(argument)? {
                Value::Scalar(expression) => vec![expression],
                Value::Vector(components) => components,
            });
        }
        let all: Vec<_> = arguments.iter().map(|argument| self.scalar(argument)).collect();
        all.into_iter().collect()
    }

    fn divergence(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        if arguments.is_empty() {
            return Err(self.wrong_count("div", at, 0, "1 or more"));
        }
        let components = self.components(arguments)?;
        let space = self.space(range)?;
        if components.len() != space.len() {
            let message =
                format!("`div` of {} components in {} space coordinates", components.len(), space.len());
            return Err(self.fail_with(range, message, "it takes one component per space coordinate"));
        }
        let mut terms = Vec::with_capacity(space.len());
        for (component, axis) in components.into_iter().zip(space) {
            terms.push((self.slope(component, axis, range)?, 1.0));
        }
        self.combine(&terms, range).map(Value::Scalar)
    }

    fn curl(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        if arguments.is_empty() {
            return Err(self.wrong_count("curl", at, 0, "1 or more"));
        }
        let components = self.components(arguments)?;
        let space = self.space(range)?;
        match (&components[..], &space[..]) {
            (&[a, b, c], &[x, y, z]) => {
                let all = [(c, y, b, z), (a, z, c, x), (b, x, a, y)];
                let all: Result<Vec<_>, _> = all
                    .into_iter()
                    .map(|(first, along, second, across)| {
                        let (first, second) =
                            (self.slope(first, along, range)?, self.slope(second, across, range)?);
                        self.combine(&[(first, 1.0), (second, -1.0)], range)
                    })
                    .collect();
                all.map(Value::Vector)
            }
            (&[a, b], &[x, y]) => {
                let (first, second) = (self.slope(b, x, range)?, self.slope(a, y, range)?);
                self.combine(&[(first, 1.0), (second, -1.0)], range).map(Value::Scalar)
            }
            (&[scalar], &[x, y]) => {
                let (first, second) = (self.slope(scalar, y, range)?, self.slope(scalar, x, range)?);
                Ok(Value::Vector(vec![first, self.combine(&[(second, -1.0)], range)?]))
            }
            (components, space) => {
                let message =
                    format!("`curl` of {} components in {} space coordinates", components.len(), space.len());
                let hint = "in 3 dimensions it takes 3 components, in 2 dimensions 1 or 2";
                Err(self.fail_with(range, message, hint))
            }
        }
    }

    fn laplacian(&mut self, argument: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        let value = self.value(argument)?;
        let space = self.space(range)?;
        let mut laplacian = |expression: Expression| {
            let mut terms = Vec::with_capacity(space.len());
            for &axis in &space {
                let slope = self.slope(expression, axis, range)?;
                terms.push((self.slope(slope, axis, range)?, 1.0));
            }
            self.combine(&terms, range)
        };
        match value {
            Value::Scalar(expression) => laplacian(expression).map(Value::Scalar),
            Value::Vector(components) => {
                components.into_iter().map(laplacian).collect::<Result<Vec<_>, _>>().map(Value::Vector)
            }
        }
    }

    fn dot(&mut self, left: &Syntax, right: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        let (first, second) = (self.value(left), self.value(right));
        let (Value::Vector(first), Value::Vector(second)) = (first?, second?) else {
            return Err(self.fail_with(range, "`dot` takes two vectors", "a vector is written `[a, b]`"));
        };
        if first.len() != second.len() {
            let message = format!("`dot` of vectors of {} and {} components", first.len(), second.len());
            return Err(self.fail(range, message));
        }
        let mut terms = Vec::with_capacity(first.len());
        for (first, second) in first.into_iter().zip(second) {
            terms.push((self.powers(&[(first, 1.0), (second, 1.0)], range)?, 1.0));
        }
        self.combine(&terms, range).map(Value::Scalar)
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

    fn summation(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let (index, bounds, body) = match arguments {
            [vector] => return self.total(vector, range),
            [index, body] => (index, None, body),
            [index, from, to, body] => (index, Some((from, to)), body),
            _ => return Err(self.wrong_count("sum", at, arguments.len(), "1, 2 or 4")),
        };
        let Kind::Name(name) = &index.kind else {
            return Err(self.fail_with(
                &index.range,
                "expected the name of an index",
                "as in `sum(i, x[i]^2)`",
            ));
        };
        if self.workshop.scope.get(name).is_some() || self.locals.iter().any(|(local, _)| local == name) {
            let message = format!("`{}` already has a meaning", clipped(name));
            return Err(self.fail_with(&index.range, message, "choose another name for the index"));
        }
        let (from, to) = match bounds {
            Some((from, to)) => {
                let (from, to) = (self.integer(from), self.integer(to));
                (from?, to?)
            }
            None => (1, self.family_size(name, body, range)?),
        };
        if to.saturating_sub(from) >= MAX_TERMS {
            return Err(self.fail(range, format!("this sum has more than {MAX_TERMS} terms")));
        }
        let mut terms = Vec::new();
        for value in from..=to {
            self.locals.push((name.clone(), value as f64));
            let term = self.scalar(body);
            self.locals.pop();
            terms.push((term?, 1.0));
        }
        self.combine(&terms, range).map(Value::Scalar)
    }

    /// The sum of a vector's components.
    fn total(&mut self, vector: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        match self.value(vector)? {
            Value::Scalar(_) => {
                let hint = "or `sum(i, expression)` over coordinates declared with `count`";
                Err(self.fail_with(&vector.range, "expected a vector to sum up", hint))
            }
            Value::Vector(components) => {
                let terms: Vec<_> = components.into_iter().map(|component| (component, 1.0)).collect();
                self.combine(&terms, range).map(Value::Scalar)
            }
        }
    }

    /// How far an index runs: over the family that the body indexes with it, or the only one.
    fn family_size(&mut self, index: &str, body: &Syntax, range: &Range<usize>) -> Result<i64, Broken> {
        let mut sizes = Vec::new();
        let mut families = Vec::new();
        indexed_by(body, index, &mut families);
        for family in &families {
            match self.workshop.scope.get(family) {
                Some(Meaning::Family(axes)) => sizes.push(axes.len()),
                Some(Meaning::Broken) => return Err(Broken),
                Some(Meaning::Function(Value::Vector(components), _)) => sizes.push(components.len()),
                _ => {}
            }
        }
        if sizes.is_empty() {
            let scope = &self.workshop.scope;
            sizes.extend(scope.names().filter_map(|name| match scope.get(name) {
                Some(Meaning::Family(axes)) => Some(axes.len()),
                _ => None,
            }));
            if sizes.is_empty() && scope.lacks_coordinates() {
                return Err(Broken);
            }
        }
        sizes.dedup();
        match sizes[..] {
            [size] => Ok(size as i64),
            [] => {
                let hint =
                    "declare them as `x = { range = [0, 1], count = 10 }`, or write `sum(i, 1, 10, …)`";
                Err(self.fail_with(range, "there are no indexed coordinates to sum over", hint))
            }
            _ => {
                let hint = "write the bounds: `sum(i, 1, 10, …)`";
                Err(self.fail_with(range, format!("it is not clear how far `{}` runs", clipped(index)), hint))
            }
        }
    }
}

/// The names that are indexed with an expression of `index`.
fn indexed_by<'s>(syntax: &'s Syntax, index: &str, found: &mut Vec<&'s str>) {
    match &syntax.kind {
        Kind::Number(_) | Kind::Name(_) => {}
        Kind::Index(name, inner) => {
            if mentions(inner, index) {
                found.push(name);
            }
        }
        Kind::Call(_, _, parts) | Kind::Vector(parts) | Kind::All(parts) | Kind::Any(parts) => {
            parts.iter().for_each(|part| indexed_by(part, index, found));
        }
        Kind::Sum(parts) | Kind::Product(parts) => {
            parts.iter().for_each(|(_, part)| indexed_by(part, index, found));
        }
        Kind::Power(left, right) | Kind::Compare(_, left, right) => {
            indexed_by(left, index, found);
            indexed_by(right, index, found);
        }
        Kind::Not(inner) => indexed_by(inner, index, found),
    }
}

fn mentions(syntax: &Syntax, index: &str) -> bool {
    let mut found = false;
    syntax.names(&mut |name, _| found |= name == index);
    found
}
