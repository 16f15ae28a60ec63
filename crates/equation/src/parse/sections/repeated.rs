//! What a file says twice: names that reports could not tell apart, and conditions stated again.

use super::conditions::StatedCondition;
use crate::expression::Expression;
use crate::parse::document::TomlTable;
use crate::parse::expression::Workshop;
use crate::problem::{INTERIOR, Place};
use std::collections::{BTreeSet, HashMap};

/// Reports conditions and data with a name that another term has, and conditions that hold twice.
pub(in crate::parse) fn report(conditions: &[StatedCondition], data: &TomlTable, workshop: &mut Workshop) {
    let names = conditions.iter().map(|(condition, span)| (condition.name.as_str(), *span));
    let tables = data.entries.iter().map(|entry| (entry.key.as_str(), entry.key_span));
    for (name, span) in names.chain(tables.clone()).filter(|(name, _)| *name == INTERIOR) {
        let message = format!("`{name}` is reserved for the points inside the domain");
        workshop.mistakes.report_with(span, message, "choose another name");
    }
    for (name, span) in tables {
        if conditions.iter().any(|(condition, _)| condition.name == name) {
            let message = format!("`{name}` is also the name of a condition");
            workshop.mistakes.report_with(span, message, "reports could not tell them apart: rename one");
        }
    }
    let mut places: HashMap<Site, usize> = HashMap::new();
    let mut stated: HashMap<(usize, Expression), &str> = HashMap::new();
    for (condition, span) in conditions {
        let fresh = places.len();
        let place = *places.entry(site(&condition.place)).or_insert(fresh);
        // Expressions are canonical, so equal ones are the same however they are written.
        let again = condition
            .equations
            .iter()
            .filter_map(|equation| stated.insert((place, equation.residual), &condition.name));
        if let Some(first) = again.last() {
            let message = match first == condition.name {
                true => "this condition states an equation twice".to_owned(),
                false => format!("`{first}` states the same at the same place"),
            };
            let hint = "remove one; a `weight` makes a condition count more";
            workshop.mistakes.report_with(*span, message, hint);
        }
    }
}

/// A place in a form that can be compared at once, whatever the number of places before it.
#[derive(PartialEq, Eq, Hash)]
enum Site {
    Wrap(usize),
    Interface(Vec<usize>),
    Pieces(BTreeSet<(Fixed, Option<usize>, Option<Expression>)>),
}

/// Fixed coordinates with the bits of their values.
type Fixed = Vec<(usize, u64)>;

fn site(place: &Place) -> Site {
    match place {
        Place::Wrap { axis } => Site::Wrap(*axis),
        Place::Interface { subdomains } => Site::Interface(subdomains.clone()),
        Place::Pieces(pieces) => Site::Pieces(
            pieces
                .iter()
                .map(|piece| {
                    let fixed = piece.fixed.iter().map(|&(axis, value)| (axis, (value + 0.0).to_bits()));
                    (fixed.collect(), piece.surface, piece.filter)
                })
                .collect(),
        ),
    }
}
