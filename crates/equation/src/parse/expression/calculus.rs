//! Derivatives and the operators of vector calculus.

use super::{Broken, Normals, Resolver, Syntax, SyntaxKind, Value};
use crate::expression::{Expression, Leaf, Node};
use crate::problem::CoordinateSystem;
use std::ops::Range;

impl Resolver<'_> {
    /// A coordinate as an argument: `x`, or `x[i]` of a family.
    pub(super) fn axis(&mut self, syntax: &Syntax) -> Result<usize, Broken> {
        let names_it = matches!(syntax.kind, SyntaxKind::Name(_) | SyntaxKind::Index(..));
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

    pub(super) fn derivative(
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

    pub(super) fn normal_derivative(
        &mut self,
        argument: &Syntax,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let value = self.value(argument)?;
        let Normals::Along(axes) = self.context.normals else {
            let message = "`dn` needs an outward normal";
            let hint =
                "use it in conditions that hold on faces, such as `on = \"x = 0\"` or `on = \"boundary\"`";
            return Err(self.fail_with(range, message, hint));
        };
        let space = self.workshop.scope.space();
        let lengths = self.workshop.system.inverse_lengths(&mut self.workshop.pool, &space);
        let mut along = |expression: Expression| -> Result<Expression, Broken> {
            let mut terms = Vec::with_capacity(axes.len());
            for &axis in axes {
                let slope = self.slope(expression, axis, range)?;
                let length = space.iter().position(|&own| own == axis).and_then(|place| lengths.get(place));
                let slope = match length {
                    Some(&length) => self.powers(&[(slope, 1.0), (length, 1.0)], range)?,
                    None => slope,
                };
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

    pub(super) fn gradient(
        &mut self,
        expression: Expression,
        range: &Range<usize>,
    ) -> Result<Vec<Expression>, Broken> {
        let space = self.space(range)?;
        let lengths = self.workshop.system.inverse_lengths(&mut self.workshop.pool, &space);
        let mut along = |(axis, length): (usize, Expression)| {
            let slope = self.slope(expression, axis, range)?;
            self.powers(&[(slope, 1.0), (length, 1.0)], range)
        };
        space.into_iter().zip(lengths).map(&mut along).collect()
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

    pub(super) fn divergence(
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
        let (system, pool) = (self.workshop.system, &mut self.workshop.pool);
        let (lengths, spread) = (system.inverse_lengths(pool, &space), system.spread(pool, &space, 1));
        let mut terms = Vec::with_capacity(2 * space.len());
        for (place, (component, axis)) in components.into_iter().zip(space).enumerate() {
            let slope = self.slope(component, axis, range)?;
            terms.push((self.powers(&[(slope, 1.0), (lengths[place], 1.0)], range)?, 1.0));
            terms.push((self.powers(&[(component, 1.0), (spread[place], 1.0)], range)?, 1.0));
        }
        self.combine(&terms, range).map(Value::Scalar)
    }

    /// Refuses what is written for straight coordinates only.
    fn straight(&mut self, what: &str, range: &Range<usize>) -> Result<(), Broken> {
        match self.workshop.system {
            CoordinateSystem::Cartesian => Ok(()),
            system => {
                let message = format!("{what} in {} coordinates", system.name());
                Err(self.fail_with(range, message, "write its components out by derivatives"))
            }
        }
    }

    pub(super) fn curl(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        if arguments.is_empty() {
            return Err(self.wrong_count("curl", at, 0, "1 or more"));
        }
        self.straight("`curl`", range)?;
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

    pub(super) fn laplacian(&mut self, argument: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        let value = self.value(argument)?;
        let space = self.space(range)?;
        if matches!(value, Value::Vector(_)) {
            self.straight("`laplacian` of a vector", range)?;
        }
        let (system, pool) = (self.workshop.system, &mut self.workshop.pool);
        let (lengths, spread) = (system.inverse_lengths(pool, &space), system.spread(pool, &space, 2));
        let mut laplacian = |expression: Expression| {
            let mut terms = Vec::with_capacity(2 * space.len());
            for (place, &axis) in space.iter().enumerate() {
                let slope = self.slope(expression, axis, range)?;
                let second = self.slope(slope, axis, range)?;
                terms.push((self.powers(&[(second, 1.0), (lengths[place], 2.0)], range)?, 1.0));
                terms.push((self.powers(&[(slope, 1.0), (spread[place], 1.0)], range)?, 1.0));
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

    pub(super) fn dot(
        &mut self,
        left: &Syntax,
        right: &Syntax,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
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
}
