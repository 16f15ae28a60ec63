//! What the primitives of a shape are called.

use crate::GeometryError;
use crate::shape::{Node, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// The name of one primitive as it was written, before it was repeated.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The given name, or the kind with a number.
    pub(crate) base: String,
    /// Counted from one among the primitives that share a given name; `None` for the only one.
    pub(crate) number: Option<usize>,
}

impl Label {
    /// The name of a copy's piece: `base.number.copies.piece`, without what there is none of.
    pub(crate) fn piece(&self, copies: &[usize], piece: &str) -> String {
        let mut name = self.base.clone();
        for number in self.number.iter().chain(copies) {
            name.push_str(&format!(".{number}"));
        }
        if !piece.is_empty() {
            name.push('.');
            name.push_str(piece);
        }
        name
    }
}

/// One label per primitive, in the order they are written.
pub(crate) fn labels(shape: &Shape) -> Result<Vec<Label>, GeometryError> {
    let mut found = Found::default();
    found.visit(shape, None);
    let mut owners: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut sharing: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, scope) in &found.primitives {
        if let Some(scope) = scope {
            owners.entry(found.scopes[*scope]).or_default().insert(*scope);
            *sharing.entry(*scope).or_default() += 1;
        }
    }
    if let Some((name, _)) = owners.iter().find(|(_, scopes)| scopes.len() > 1) {
        return Err(GeometryError::SameName { name: (*name).to_owned() });
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let label = |(kind, scope): &(&'static str, Option<usize>)| match scope {
        Some(scope) => {
            let number = numbers.entry(*scope).or_default();
            *number += 1;
            let number = (sharing[scope] > 1).then_some(*number);
            Label { base: found.scopes[*scope].to_owned(), number }
        }
        None => {
            let count = counts.entry(*kind).or_default();
            // A name that somebody gave is not made a second time.
            let base = loop {
                *count += 1;
                let base = format!("{kind}{count}");
                if !owners.contains_key(base.as_str()) {
                    break base;
                }
            };
            Label { base, number: None }
        }
    };
    Ok(found.primitives.iter().map(label).collect())
}

#[derive(Default)]
struct Found<'shape> {
    /// Given names, by the places where they are given.
    scopes: Vec<&'shape str>,
    /// Kinds, and the innermost name around each.
    primitives: Vec<(&'static str, Option<usize>)>,
}

impl<'shape> Found<'shape> {
    fn visit(&mut self, shape: &'shape Shape, scope: Option<usize>) {
        match &shape.node {
            Node::Primitive { kind, .. } => self.primitives.push((kind, scope)),
            Node::Union(shapes) | Node::Intersection(shapes) => {
                shapes.iter().for_each(|shape| self.visit(shape, scope));
            }
            Node::Difference(first, others) => {
                self.visit(first, scope);
                others.iter().for_each(|shape| self.visit(shape, scope));
            }
            Node::Moved(_, shape) | Node::Repeated { shape, .. } => self.visit(shape, scope),
            Node::Named(name, shape) => {
                self.scopes.push(name);
                self.visit(shape, Some(self.scopes.len() - 1));
            }
        }
    }
}
