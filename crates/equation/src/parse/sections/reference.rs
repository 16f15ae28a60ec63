//! `[reference]`: what the error is measured against.

use super::data::{columns_of, file};
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::expression::{Context, Meaning, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::parse::suggest::{clipped, listed, nearest};
use crate::problem::{Column, Reference, Solution, Unknown};

/// Reads the section.
pub(in crate::parse) fn read(
    section: &TomlTable,
    unknowns: &[Unknown],
    workshop: &mut Workshop,
) -> Reference {
    let mut reference = Reference { solutions: vec![None; unknowns.len()], grid: Vec::new() };
    for entry in &section.entries {
        if let Some(index) = unknowns.iter().position(|unknown| unknown.name == entry.key) {
            reference.solutions[index] = solution(entry, workshop);
        } else if entry.key == "grid" {
            reference.grid = grid(entry, workshop);
        } else if !matches!(workshop.scope.get(&entry.key), Some(Meaning::Broken)) {
            let mut names: Vec<&str> = unknowns.iter().map(|unknown| unknown.name.as_str()).collect();
            names.push("grid");
            reader::absent(entry, &names, "there is no unknown", &mut workshop.mistakes);
        }
    }
    reference
}

fn solution(entry: &TomlEntry, workshop: &mut Workshop) -> Option<Solution> {
    let TomlValue::Table(table) = &entry.node.value else { return formula(&entry.node, workshop) };
    reader::only(
        table,
        &["formula", "solution", "tolerance", "file", "columns"],
        "key",
        &mut workshop.mistakes,
    );
    if let (Some(columns), None) = (table.get("columns"), table.get("file")) {
        workshop.mistakes.report(columns.key_span, "`columns` belongs to a `file`");
    }
    if let (Some(tolerance), None) = (table.get("tolerance"), table.get("solution")) {
        workshop.mistakes.report(tolerance.key_span, "`tolerance` belongs to a `solution` by name");
    }
    match (table.get("formula"), table.get("solution"), table.get("file")) {
        (Some(written), None, None) => formula(&written.node, workshop),
        (None, Some(named), None) => {
            let text = reader::text(&named.node, &mut workshop.mistakes)?;
            let stated = table.get("tolerance");
            let tolerance = stated.and_then(|entry| reader::positive(&entry.node, &mut workshop.mistakes));
            Some(Solution::Named { name: text.content.clone(), tolerance })
        }
        (None, None, Some(named)) => {
            let path = file(named, workshop);
            let columns = columns(entry, table, workshop)?;
            Some(Solution::File { file: path?.to_owned(), columns })
        }
        _ => {
            let message = "a reference is one of `formula`, `solution` and `file`";
            workshop.mistakes.report_with(entry.key_span, message, "as in `u = { formula = \"sin(pi*x)\" }`");
            None
        }
    }
}

/// A closed form, or one number for everywhere.
fn formula(node: &TomlNode, workshop: &mut Workshop) -> Option<Solution> {
    let expression = match &node.value {
        TomlValue::Text(text) => workshop.scalar(text, &Context::coordinates("a reference"))?,
        TomlValue::Integer(_) | TomlValue::Float(_) => {
            let value = reader::number(node, &mut workshop.mistakes)?;
            workshop.pool.number(value)
        }
        TomlValue::Boolean(_) | TomlValue::Array(_) | TomlValue::Table(_) | TomlValue::Strange(_) => {
            reader::expected_formula("a formula, a number or a table", node, &mut workshop.mistakes);
            return None;
        }
    };
    Some(Solution::Formula(expression))
}

fn columns(entry: &TomlEntry, table: &TomlTable, workshop: &mut Workshop) -> Option<Vec<Column>> {
    let Some(columns) = table.get("columns") else {
        let coordinates = (0..workshop.scope.coordinates.len()).map(Column::Coordinate);
        return Some(coordinates.chain([Column::Measured(0)]).collect());
    };
    let texts = reader::texts(&columns.node, &mut workshop.mistakes)?;
    let mut found = false;
    columns_of(&texts, columns.node.span, workshop, |text, workshop| {
        if text.content == entry.key && !found {
            found = true;
            return Some(0);
        }
        let message = format!("unknown column `{}`", clipped(&text.content));
        let hint = format!("columns are coordinates, `{}` once, and `_` for those not used", entry.key);
        workshop.mistakes.report_with(text.span, message, hint);
        None
    })
}

fn grid(entry: &TomlEntry, workshop: &mut Workshop) -> Vec<(usize, usize)> {
    let Some(table) = reader::table(&entry.node, &mut workshop.mistakes) else { return Vec::new() };
    let mut grid = Vec::new();
    for item in &table.entries {
        let axes = coordinates(&item.key, item.key_span, workshop);
        if let Some(count) = reader::count(&item.node, 1..=1_000_000, &mut workshop.mistakes) {
            grid.extend(axes.into_iter().map(|axis| (axis, count)));
        }
    }
    grid
}

/// The coordinate of this name, or the members of this family; reported when there is none.
pub(in crate::parse) fn coordinates(name: &str, span: Span, workshop: &mut Workshop) -> Vec<usize> {
    match workshop.scope.get(name) {
        Some(Meaning::Coordinate(axis)) => vec![*axis],
        Some(Meaning::Family(axes)) => axes.clone(),
        Some(Meaning::Broken) => Vec::new(),
        Some(Meaning::Constant(_) | Meaning::Parameter(_) | Meaning::Unknown(_) | Meaning::Function(..))
        | None => {
            not_a_coordinate(name, span, workshop);
            Vec::new()
        }
    }
}

/// Reports a name that should be a coordinate.
pub(in crate::parse) fn not_a_coordinate(name: &str, span: Span, workshop: &mut Workshop) {
    if matches!(workshop.scope.get(name), Some(Meaning::Broken)) {
        return;
    }
    let names = || workshop.scope.coordinates.iter().map(|(name, _)| name.as_str());
    let hint = match nearest(name, names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the coordinates are {}", listed(names())),
    };
    workshop.mistakes.report_with(span, format!("`{}` is not a coordinate", clipped(name)), hint);
}
