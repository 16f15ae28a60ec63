//! Names to what they stand for.

use super::names::{NameSplit, signature};
use super::{Broken, Meaning, Resolver, Syntax, Uses, Value};
use crate::expression::{Derivative, Leaf};
use crate::parse::other_notations;
use crate::parse::suggest::{clipped, listed, nearest};
use std::ops::Range;

impl Resolver<'_> {
    pub(super) fn name(&mut self, name: &str, range: &Range<usize>) -> Result<Value, Broken> {
        if let Some((_, value)) = self.locals.iter().rev().find(|(local, _)| local == name) {
            let value = *value;
            return Ok(Value::Scalar(self.workshop.pool.number(value)));
        }
        match name {
            "pi" => return Ok(Value::Scalar(self.workshop.pool.number(std::f64::consts::PI))),
            "e" => return Ok(Value::Scalar(self.workshop.pool.number(std::f64::consts::E))),
            "N" => return self.raw(range),
            _ => {}
        }
        if self.workshop.scope.get(name).is_some() {
            return self.declared(name, range);
        }
        match self.workshop.scope.split(name) {
            NameSplit::Derivative { base, axes } => {
                let value = self.differentiable(base, name, range)?;
                if axes.len() > Derivative::MAX_ORDER {
                    let message = format!("`{}` is a derivative of order {}", clipped(name), axes.len());
                    return Err(self.fail_with(range, message, "derivatives go up to order 4"));
                }
                axes.iter().try_fold(value, |value, &axis| self.differentiate(value, axis, range))
            }
            NameSplit::NotCoordinates { base, suffix } => {
                if matches!(self.workshop.scope.get(base), Some(Meaning::Broken)) {
                    return Err(Broken);
                }
                let message =
                    format!("unknown name `{}`: `{}` is not a coordinate", clipped(name), clipped(suffix));
                let scope = &self.workshop.scope;
                let meant = if self.workshop.mistakes.few() { nearest(name, scope.names()) } else { None };
                let hint = match meant {
                    _ if suffix == "n" => {
                        format!("the derivative along the normal is written `dn({})`", clipped(base))
                    }
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => {
                        let coordinates = scope.coordinates.iter().map(|(name, _)| name.as_str());
                        format!("the coordinates are {}", listed(coordinates))
                    }
                };
                Err(self.fail_with(range, message, hint))
            }
            NameSplit::Nothing => Err(self.unknown(name, range)),
        }
    }

    fn unknown(&mut self, name: &str, range: &Range<usize>) -> Broken {
        let shown = clipped(name);
        if let Some(signature) = signature(name) {
            return self.fail_with(
                range,
                format!("`{shown}` is a function"),
                format!("call it: {signature}"),
            );
        }
        let hint = match self.workshop.mistakes.few() {
            true => {
                let raw = self.context.raw.map(|_| "N");
                let locals = self.locals.iter().map(|(local, _)| local.as_str()).chain(raw);
                let known = || self.workshop.scope.names().chain(locals.clone());
                let scope = &self.workshop.scope;
                let unknowns: Vec<&str> = scope.unknowns().collect();
                let coordinates: Vec<&str> =
                    scope.coordinates.iter().map(|(name, _)| name.as_str()).collect();
                let notation = other_notations::name(name, &unknowns, &coordinates);
                let meant =
                    self.nearest_derivative(name).or_else(|| nearest(name, known()).map(str::to_owned));
                match (notation, meant) {
                    (Some(instead), _) => instead,
                    (None, Some(meant)) => format!("did you mean `{meant}`?"),
                    (None, None) => format!("declared: {}", listed(known())),
                }
            }
            false => String::new(),
        };
        let hint = Some(hint).filter(|hint| !hint.is_empty());
        self.workshop.mistakes.add(self.text.place(range.clone()), format!("unknown name `{shown}`"), hint);
        Broken
    }

    /// `U_xx` or `w_xx` for a misspelt base, keeping the derivative.
    fn nearest_derivative(&self, name: &str) -> Option<String> {
        let (base, suffix) = name.rsplit_once('_')?;
        let scope = &self.workshop.scope;
        let meant = nearest(base, scope.names())?;
        matches!(scope.split(&format!("{meant}_{suffix}")), NameSplit::Derivative { .. })
            .then(|| format!("{meant}_{suffix}"))
    }

    fn raw(&mut self, range: &Range<usize>) -> Result<Value, Broken> {
        match self.context.raw {
            Some(unknown) => Ok(Value::Scalar(self.workshop.pool.leaf(Leaf::Raw(unknown as u16)))),
            None => {
                let message = "`N` is the network's raw output and has a meaning in [ansatz] only";
                Err(self.fail_with(range, message, "name the unknown instead"))
            }
        }
    }

    /// A name that is declared as it stands.
    pub(super) fn declared(&mut self, name: &str, range: &Range<usize>) -> Result<Value, Broken> {
        let Some(meaning) = self.workshop.scope.get(name) else { return Err(Broken) };
        let uses = match meaning {
            Meaning::Broken => return Err(Broken),
            Meaning::Coordinate(_) | Meaning::Family(_) => Uses { coordinates: true, ..Uses::default() },
            Meaning::Parameter(_) => Uses { parameters: true, ..Uses::default() },
            Meaning::Unknown(_) => Uses { unknowns: true, ..Uses::default() },
            Meaning::Constant(_) => Uses::default(),
            Meaning::Function(_, uses) => *uses,
        };
        let forbidden = [
            (uses.unknowns && !self.context.unknowns, "unknowns"),
            (uses.parameters && !self.context.parameters, "parameters"),
            (uses.coordinates && !self.context.coordinates, "coordinates"),
            // Known at the points of equations, conditions and data, and nowhere else.
            (uses.files && !self.context.unknowns, "values of files"),
        ];
        if let Some((_, what)) = forbidden.iter().find(|(forbidden, _)| *forbidden) {
            let indirect = matches!(meaning, Meaning::Function(..));
            let kind = meaning.kind();
            let through = if indirect { format!(" of {what}") } else { String::new() };
            let subject = self.context.subject;
            let message = format!("`{}` is {kind}{through}: {subject} may not use {what}", clipped(name));
            return Err(match self.context.raw {
                Some(_) if uses.unknowns => {
                    self.fail_with(range, message, "the network's output is called `N` here")
                }
                Some(_) | None => self.fail(range, message),
            });
        }
        self.uses.add(uses);
        let pool = &mut self.workshop.pool;
        let value = match meaning {
            Meaning::Coordinate(axis) => Value::Scalar(pool.leaf(Leaf::Coordinate(*axis as u16))),
            Meaning::Family(axes) => {
                Value::Vector(axes.iter().map(|&axis| pool.leaf(Leaf::Coordinate(axis as u16))).collect())
            }
            Meaning::Constant(value) => Value::Scalar(pool.number(*value)),
            Meaning::Parameter(index) => Value::Scalar(pool.leaf(Leaf::Parameter(*index as u16))),
            Meaning::Unknown(index) => Value::Scalar(pool.field(*index, Derivative::NONE)),
            Meaning::Function(value, _) => value.clone(),
            Meaning::Broken => return Err(Broken),
        };
        if let Value::Vector(components) = &value {
            self.spend(components.len(), range)?;
        }
        Ok(value)
    }

    /// The base of a name such as `u_x`.
    fn differentiable(&mut self, base: &str, name: &str, range: &Range<usize>) -> Result<Value, Broken> {
        match self.workshop.scope.get(base) {
            Some(Meaning::Unknown(_) | Meaning::Function(..) | Meaning::Broken) => self.declared(base, range),
            Some(other) => {
                let message =
                    format!("unknown name `{}`: `{}` is {}", clipped(name), clipped(base), other.kind());
                Err(self.fail_with(range, message, "only unknowns and functions have derivatives"))
            }
            None => Err(Broken),
        }
    }

    /// `name[index]`
    pub(super) fn indexed(
        &mut self,
        name: &str,
        index: &Syntax,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let position = self.integer(index);
        if self.workshop.scope.get(name).is_none() {
            return Err(self.unknown(name, &(range.start..range.start + name.len())));
        }
        let value = self.declared(name, range)?;
        let position = position?;
        match value {
            Value::Vector(components) => {
                let found = usize::try_from(position).ok().and_then(|p| components.get(p.checked_sub(1)?));
                found.map(|&component| Value::Scalar(component)).ok_or_else(|| {
                    let message = format!("`{}` has no member {position}", clipped(name));
                    self.fail_with(
                        &index.range,
                        message,
                        format!("members count from 1 to {}", components.len()),
                    )
                })
            }
            Value::Scalar(_) => {
                let message = format!("`{}` is not a vector", clipped(name));
                let hint = "coordinates declared with `count` and vector functions have members";
                Err(self.fail_with(range, message, hint))
            }
        }
    }
}
