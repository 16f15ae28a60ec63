//! Functions of `[functions]` whose values are in a file: `a = { file = "k.npy" }`.

use crate::expression::{Derivative, GivenField, Leaf};
use crate::parse::document::{TomlEntry, TomlTable, TomlValue};
use crate::parse::expression::{Meaning, Uses, Value, Workshop};
use crate::parse::files::{FileGrid, FileReader};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::parse::suggest::clipped;
use crate::problem::{GivenFunction, GivenSource};
use crate::tabulated::{GridAxis, Interpolant, Interpolation, MOST_GRID_AXES};
use std::sync::Arc;

/// How far the box may reach beyond a grid, as a share of the interval: rounding.
const SLACK: f64 = 1e-9;

/// Files that a problem may name for its coefficients: each may be large.
const MOST_TABLES: usize = 64;

/// What else a table is read with.
#[derive(Clone, Copy)]
pub(super) struct TableInputs<'i> {
    pub(super) ranges: &'i [Option<(f64, f64)>],
    pub(super) files: &'i dyn FileReader,
}

/// Reads a table and gives the function its meaning; what is wrong with it is reported.
pub(super) fn read(entry: &TomlEntry, table: &TomlTable, inputs: TableInputs<'_>, workshop: &mut Workshop) {
    let Some((file, values)) = interpolant(entry, table, inputs, workshop) else { return };
    if workshop.scope.section(&entry.key) != Some("functions") {
        return;
    }
    let function = workshop.given.len() as u16;
    let source = GivenSource::Table { file, values: Arc::new(values) };
    workshop.given.push(GivenFunction { name: entry.key.clone(), source });
    let leaf = GivenField { function, derivative: Derivative::NONE, site: 0 };
    let value = Value::Scalar(workshop.pool.leaf(Leaf::Given(leaf)));
    let uses = Uses { coordinates: true, files: true, ..Uses::default() };
    workshop.scope.define(&entry.key, Meaning::Function(value, uses));
}

fn interpolant(
    entry: &TomlEntry,
    table: &TomlTable,
    inputs: TableInputs<'_>,
    workshop: &mut Workshop,
) -> Option<(String, Interpolant)> {
    let known = ["file", "axes", "range", "interpolation", "low", "high"];
    reader::only(table, &known, "key", &mut workshop.mistakes);
    let Some(named) = table.get("file") else {
        let hint = "as in `{ file = \"conductivity.npy\" }`; a formula is written in quotes";
        workshop.mistakes.report_with(entry.key_span, "this function has no `file`", hint);
        return None;
    };
    let file = reader::text(&named.node, &mut workshop.mistakes)?;
    let kinds = [("linear", Interpolation::Linear), ("cubic", Interpolation::Cubic)];
    let kind = match table.get("interpolation") {
        Some(stated) => reader::choice(&stated.node, &kinds, &mut workshop.mistakes)?,
        None => Interpolation::Linear,
    };
    let choices = axes(table, workshop)?;
    let names: Vec<Vec<&str>> = choices
        .iter()
        .map(|axes| axes.iter().map(|&axis| workshop.scope.coordinates[axis].0.as_str()).collect())
        .collect();
    if workshop.given.len() >= MOST_TABLES {
        workshop.mistakes.report(named.node.span, format!("more than {MOST_TABLES} functions from files"));
        return None;
    }
    let grid = match inputs.files.grid(&file.content, &names) {
        Ok(grid) => grid,
        Err(fault) => {
            let message = format!("{}: {fault}", clipped(&file.content));
            workshop.mistakes.report_with(named.node.span, message, fault.hint());
            return None;
        }
    };
    let axes = &choices[grid.choice];
    let values = mapped(&grid, table, workshop)?;
    let places = places(axes, &grid, table, inputs, workshop)?;
    covers_domain(&places, &file.content, named.node.span, inputs, workshop)?;
    Some((file.content.clone(), Interpolant::new(places, kind, values)))
}

/// The coordinates that a grid may be over: as stated, or else those of space, or all.
fn axes(table: &TomlTable, workshop: &mut Workshop) -> Option<Vec<Vec<usize>>> {
    let Some(stated) = table.get("axes") else {
        let all: Vec<usize> = (0..workshop.scope.coordinates.len()).collect();
        let mut choices = vec![workshop.scope.space(), all];
        choices.dedup();
        choices.retain(|axes| (1..=MOST_GRID_AXES).contains(&axes.len()));
        if choices.is_empty() {
            choices.push(vec![0]);
        }
        return Some(choices);
    };
    let texts = reader::texts(&stated.node, &mut workshop.mistakes)?;
    let mut axes = Vec::new();
    for text in texts {
        match workshop.scope.get(text.content.trim()) {
            Some(Meaning::Coordinate(axis)) if !axes.contains(axis) => axes.push(*axis),
            Some(Meaning::Coordinate(_)) => {
                workshop.mistakes.report(text.span, format!("`{}` occurs twice", clipped(&text.content)));
                return None;
            }
            _ => {
                super::reference::not_a_coordinate(&text.content, text.span, workshop);
                return None;
            }
        }
    }
    if axes.is_empty() || axes.len() > MOST_GRID_AXES {
        let message = format!("expected 1 to {MOST_GRID_AXES} coordinates, found {}", axes.len());
        workshop.mistakes.report(stated.node.span, message);
        return None;
    }
    Some(vec![axes])
}

/// Values of the file, or for images those that shades stand for.
fn mapped(grid: &FileGrid, table: &TomlTable, workshop: &mut Workshop) -> Option<Vec<f64>> {
    if !grid.is_image {
        if let Some(entry) = ["low", "high"].iter().find_map(|key| table.get(key)) {
            let hint = "multiply the function in a formula instead";
            let message = format!("`{}` is for images, whose shades stand for values", entry.key);
            workshop.mistakes.report_with(entry.key_span, message, hint);
            return None;
        }
        return Some(grid.values.clone());
    }
    let mut end = |key: &str, otherwise: f64| match table.get(key) {
        Some(entry) => workshop.constant(&entry.node, "the value of a shade"),
        None => Some(otherwise),
    };
    let (low, high) = (end("low", 0.0)?, end("high", 1.0)?);
    Some(grid.values.iter().map(|shade| low + shade * (high - low)).collect())
}

/// Where values lie: as stated, or as the file says, or else from end to end of the box.
fn places(
    axes: &[usize],
    grid: &FileGrid,
    table: &TomlTable,
    inputs: TableInputs<'_>,
    workshop: &mut Workshop,
) -> Option<Vec<GridAxis>> {
    let mut stated: Vec<Option<(f64, f64)>> = vec![None; axes.len()];
    if let Some(range) = table.get("range") {
        if grid.ranges.is_some() {
            let message = "the file has coordinates of its own: `range` has no effect";
            workshop.mistakes.report_with(range.key_span, message, "remove it");
            return None;
        }
        for item in &reader::table(&range.node, &mut workshop.mistakes)?.entries {
            let own = axes.iter().position(|&axis| workshop.scope.coordinates[axis].0 == item.key);
            let Some(own) = own else {
                let message = format!("this table is not over `{}`", clipped(&item.key));
                workshop.mistakes.report_with(item.key_span, message, "name its coordinates with `axes`");
                return None;
            };
            let TomlValue::Array(ends) = &item.node.value else {
                reader::expected("two numbers, as in `[0, 1]`", &item.node, &mut workshop.mistakes);
                return None;
            };
            let ends: Vec<f64> =
                ends.iter().map(|end| workshop.constant(end, "an end of a range")).collect::<Option<_>>()?;
            let &[low, high] = &ends[..] else {
                reader::expected("two numbers, as in `[0, 1]`", &item.node, &mut workshop.mistakes);
                return None;
            };
            if low >= high {
                let message = format!("the range goes from {low} to {high}");
                workshop.mistakes.report_with(item.node.span, message, "the lower end comes first");
                return None;
            }
            stated[own] = Some((low, high));
        }
    }
    let mut places = Vec::with_capacity(axes.len());
    for (position, (&axis, &count)) in axes.iter().zip(&grid.counts).enumerate() {
        let own = grid.ranges.as_ref().map(|ranges| ranges[position]);
        let (low, high) = own.or(stated[position]).or(inputs.ranges.get(axis).copied().flatten())?;
        places.push(GridAxis { axis, low, high, count });
    }
    Some(places)
}

/// Whether values are known all over the box; reported where they are not.
fn covers_domain(
    places: &[GridAxis],
    file: &str,
    span: Span,
    inputs: TableInputs<'_>,
    workshop: &mut Workshop,
) -> Option<()> {
    for &GridAxis { axis, low, high, .. } in places {
        let (start, end) = inputs.ranges.get(axis).copied().flatten()?;
        let slack = SLACK * (end - start);
        if low > start + slack || high < end - slack {
            let name = &workshop.scope.coordinates[axis].0;
            let message = format!(
                "{}: its values are between {name} = {low} and {name} = {high}, [domain] reaches from {start} to {end}",
                clipped(file)
            );
            let hint = "values are needed all over [domain]: make one of them smaller or the other larger";
            workshop.mistakes.report_with(span, message, hint);
            return None;
        }
    }
    Some(())
}
