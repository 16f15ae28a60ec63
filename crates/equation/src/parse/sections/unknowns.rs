//! `[unknowns]` and `[parameters]`: what training determines.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlTable, TomlValue};
use crate::parse::expression::{Meaning, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::problem::{HardConstraints, Parameter, Unknown};

/// Network outputs that a problem may have.
const MAX_UNKNOWNS: usize = 64;

/// Trainable scalars that a problem may have.
const MAX_PARAMETERS: usize = 256;

/// Fields, and where their units are stated, if they are.
type DeclaredUnknowns = (Vec<Unknown>, Vec<Option<Span>>);

/// Declares the fields.
pub(in crate::parse) fn declare_unknowns(section: &TomlTable, workshop: &mut Workshop) -> DeclaredUnknowns {
    let mut unknowns = Vec::new();
    let mut units = Vec::new();
    for entry in &section.entries {
        let mistakes = &mut workshop.mistakes;
        if unknowns.len() == MAX_UNKNOWNS {
            mistakes.report(entry.key_span, format!("more than {MAX_UNKNOWNS} unknowns"));
            break;
        }
        let mut hard = HardConstraints::Auto;
        let mut unit = None;
        match &entry.node.value {
            TomlValue::Table(table) => {
                reader::only(table, &["hard_constraints", "unit"], "key", mistakes);
                hard = hard_constraints(table, mistakes);
                unit =
                    table.get("unit").map(|entry| (reader::positive(&entry.node, mistakes), entry.key_span));
            }
            other => mistakes.report_with(
                entry.node.span,
                format!("expected a table, found {}", other.kind()),
                format!("write `{} = {{}}`", entry.key),
            ),
        }
        let unknown = Meaning::Unknown(unknowns.len());
        if workshop.scope.declare(&entry.key, unknown, "unknowns", entry.key_span, mistakes) {
            units.push(unit.map(|(_, span)| span));
            unknowns.push(Unknown {
                name: entry.key.clone(),
                ansatz: None,
                unit: unit.and_then(|(unit, _)| unit).unwrap_or(1.0),
                hard_constraints: hard,
            });
        }
    }
    (unknowns, units)
}

/// The unknowns whose units are open. A unit beside an ansatz of its own is a mistake: it would do nothing.
pub(in crate::parse) fn open_units(
    unknowns: &[Unknown],
    units: &[Option<Span>],
    mistakes: &mut Mistakes,
) -> Vec<usize> {
    for (unknown, span) in unknowns.iter().zip(units) {
        if let (Some(_), Some(span)) = (unknown.ansatz, span) {
            let message = format!("the ansatz of `{}` states its size", unknown.name);
            mistakes.report_with(*span, message, "multiply `N` by the unit there, or leave the ansatz out");
        }
    }
    let open = |position: &usize| units[*position].is_none() && unknowns[*position].ansatz.is_none();
    (0..unknowns.len()).filter(open).collect()
}

/// The `hard_constraints` of a table; `auto` unless stated.
pub(super) fn hard_constraints(table: &TomlTable, mistakes: &mut Mistakes) -> HardConstraints {
    let choices = [("auto", HardConstraints::Auto), ("off", HardConstraints::Off)];
    let stated = table.get("hard_constraints");
    let stated = stated.and_then(|entry| reader::choice(&entry.node, &choices, mistakes));
    stated.unwrap_or(HardConstraints::Auto)
}

/// Declares the names of the trainable scalars; their values may use constants and are read later.
pub(in crate::parse) fn declare_parameters<'d>(
    section: &'d TomlTable,
    workshop: &mut Workshop,
) -> Vec<&'d TomlEntry> {
    let mut declared = Vec::new();
    for entry in &section.entries {
        let mistakes = &mut workshop.mistakes;
        if declared.len() == MAX_PARAMETERS {
            mistakes.report(entry.key_span, format!("more than {MAX_PARAMETERS} parameters"));
            break;
        }
        let meaning = Meaning::Parameter(declared.len());
        if workshop.scope.declare(&entry.key, meaning, "parameters", entry.key_span, mistakes) {
            declared.push(entry);
        }
    }
    declared
}

/// Reads start values and bounds.
pub(in crate::parse) fn parameters(declared: &[&TomlEntry], workshop: &mut Workshop) -> Vec<Parameter> {
    declared.iter().filter_map(|entry| parameter(entry, workshop)).collect()
}

fn parameter(entry: &TomlEntry, workshop: &mut Workshop) -> Option<Parameter> {
    let name = entry.key.clone();
    let TomlValue::Table(table) = &entry.node.value else {
        let start = workshop.constant(&entry.node, "a start value")?;
        return Some(Parameter { name, start, lower: None, upper: None, truth: None });
    };
    reader::only(table, &["start", "min", "max", "truth"], "key", &mut workshop.mistakes);
    let mut value =
        |key: &str| table.get(key).map(|entry| workshop.constant(&entry.node, "a parameter's table"));
    let (start, lower, upper, truth) = (value("start"), value("min"), value("max"), value("truth"));
    let Some(start) = start else {
        let hint = "as in `{ start = 0.1 }`";
        workshop.mistakes.report_with(entry.key_span, "this parameter has no `start`", hint);
        return None;
    };
    let (start, lower, upper, truth) = (start?, lower, upper, truth.flatten());
    let (lower, upper) = (lower.flatten(), upper.flatten());
    let span = |key: &str| table.get(key).map_or(entry.key_span, |entry| entry.node.span);
    if let (Some(lower), Some(upper)) = (lower, upper)
        && lower >= upper
    {
        workshop.mistakes.report(span("max"), format!("`max` must be above `min`, which is {lower}"));
        return None;
    }
    let outside =
        |value: f64| lower.is_some_and(|lower| value <= lower) || upper.is_some_and(|upper| value >= upper);
    if outside(start) {
        workshop.mistakes.report(span("start"), "`start` must lie strictly between `min` and `max`");
    }
    Some(Parameter { name, start, lower, upper, truth })
}
