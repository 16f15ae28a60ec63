//! Sums over indices and over the components of vectors.

use super::names::reserved;
use super::{Broken, Meaning, Resolver, Syntax, SyntaxKind, Value};
use crate::parse::suggest::clipped;
use std::ops::Range;

/// Terms that `sum(i, from, to, …)` may have.
const MAX_TERMS: i64 = 10_000;

impl Resolver<'_> {
    pub(super) fn summation(
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
        let SyntaxKind::Name(name) = &index.kind else {
            return Err(self.fail_with(
                &index.range,
                "expected the name of an index",
                "as in `sum(i, x[i]^2)`",
            ));
        };
        if reserved(name).is_some()
            || self.workshop.scope.get(name).is_some()
            || self.locals.iter().any(|(local, _)| local == name)
        {
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
        SyntaxKind::Number(_) | SyntaxKind::Name(_) | SyntaxKind::Text(_) => {}
        SyntaxKind::Index(name, inner) => {
            if mentions(inner, index) {
                found.push(name);
            }
        }
        SyntaxKind::Call(_, _, parts)
        | SyntaxKind::Vector(parts)
        | SyntaxKind::All(parts)
        | SyntaxKind::Any(parts) => {
            parts.iter().for_each(|part| indexed_by(part, index, found));
        }
        SyntaxKind::Sum(parts) | SyntaxKind::Product(parts) => {
            parts.iter().for_each(|(_, part)| indexed_by(part, index, found));
        }
        SyntaxKind::Power(left, right) | SyntaxKind::Compare(_, left, right) => {
            indexed_by(left, index, found);
            indexed_by(right, index, found);
        }
        SyntaxKind::Not(inner) => indexed_by(inner, index, found),
    }
}

fn mentions(syntax: &Syntax, index: &str) -> bool {
    let mut found = false;
    syntax.names(&mut |name, _| found |= name == index);
    found
}
