//! `[data]`: measurements.

use super::equations::{named, points, weight};
use crate::expression::Leaf;
use crate::parse::document::{Text, TomlEntry, TomlTable};
use crate::parse::expression::{Context, Meaning, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::problem::{Column, Data, Unknown};

/// Columns that one file may have.
const MAX_COLUMNS: usize = 256;

/// Tables that a problem may have.
const MAX_TABLES: usize = 256;

/// A file name with an extension that can be read.
pub(in crate::parse) fn file<'d>(entry: &'d TomlEntry, workshop: &mut Workshop) -> Option<&'d str> {
    let text = reader::text(&entry.node, &mut workshop.mistakes)?;
    let extension = text.content.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("csv" | "npy" | "npz" | "vtu" | "vtp") => Some(&text.content),
        _ => {
            let message = "this file is none of .csv, .npy, .npz, .vtu and .vtp";
            workshop.mistakes.report_with(entry.node.span, message, "convert it to one of these");
            None
        }
    }
}

/// Reads the section.
pub(in crate::parse) fn read(
    section: &TomlTable,
    unknowns: &[Unknown],
    workshop: &mut Workshop,
) -> Vec<Data> {
    if let Some(entry) = section.entries.get(MAX_TABLES) {
        workshop.mistakes.report(entry.key_span, format!("more than {MAX_TABLES} data files"));
    }
    section.entries.iter().take(MAX_TABLES).filter_map(|entry| read_one(entry, unknowns, workshop)).collect()
}

fn read_one(entry: &TomlEntry, unknowns: &[Unknown], workshop: &mut Workshop) -> Option<Data> {
    let known = ["file", "columns", "noise", "weight", "scale", "names", "validation", "batch"];
    let table = reader::record(&entry.node, &known, &mut workshop.mistakes)?;
    let weight = weight(table, workshop);
    let noise = table.get("noise").and_then(|entry| reader::positive(&entry.node, &mut workshop.mistakes));
    let file = match table.get("file") {
        Some(entry) => file(entry, workshop),
        None => {
            let hint = "as in `{ file = \"measured.csv\" }`";
            workshop.mistakes.report_with(entry.key_span, "this data has no `file`", hint);
            None
        }
    };
    let validation = table.get("validation").and_then(|entry| share(entry, workshop));
    let batch = table.get("batch").and_then(|entry| points(&entry.node, workshop));
    let mut measured = Vec::new();
    let columns = match table.get("columns") {
        Some(columns) => {
            let texts = reader::texts(&columns.node, &mut workshop.mistakes)?;
            columns_of(&texts, columns.node.span, workshop, |text, workshop| {
                let context = Context::everything("a measured column");
                let expression = workshop.scalar(text, &context)?;
                if !workshop.pool.mentions(expression, |leaf| matches!(leaf, Leaf::Field(_))) {
                    let message = format!("column `{}` measures no unknown", text.content);
                    let hint = "columns that are not used are named `_`";
                    workshop.mistakes.report_with(text.span, message, hint);
                    return None;
                }
                measured.push((text.content.clone(), expression));
                Some(measured.len() - 1)
            })?
        }
        None => {
            let coordinates = (0..workshop.scope.coordinates.len()).map(Column::Coordinate);
            for (position, unknown) in unknowns.iter().enumerate() {
                let value = workshop.pool.field(position, crate::expression::Derivative::NONE);
                measured.push((unknown.name.clone(), value));
            }
            coordinates.chain((0..unknowns.len()).map(Column::Measured)).collect()
        }
    };
    let called: Vec<String> = columns
        .iter()
        .map(|column| match *column {
            Column::Coordinate(axis) => workshop.scope.coordinates[axis].0.clone(),
            Column::Measured(position) => measured[position].0.clone(),
            Column::Ignored => "_".to_owned(),
        })
        .collect();
    let scales = scales(table, &called, workshop);
    let names = names(table, &called, workshop);
    let mut all = Vec::with_capacity(measured.len());
    for (position, (text, expression)) in measured.into_iter().enumerate() {
        let column = workshop.pool.leaf(Leaf::Column(position as u16));
        all.push((format!("{text} = measured"), vec![workshop.pool.subtract(expression, column)]));
    }
    let equations = named(&entry.key, all, weight);
    let (name, file, scales, names) = (entry.key.clone(), file?.to_owned(), scales?, names?);
    Some(Data { name, file, columns, equations, noise, scales, names, validation, batch })
}

/// A share of the rows: more than none, less than all.
fn share(entry: &TomlEntry, workshop: &mut Workshop) -> Option<f64> {
    let share = reader::number(&entry.node, &mut workshop.mistakes)?;
    if 0.0 < share && share < 1.0 {
        return Some(share);
    }
    let hint = "a fifth is `validation = 0.2`";
    workshop.mistakes.report_with(entry.node.span, "expected a number between 0 and 1", hint);
    None
}

/// The place of the column that an entry is about; reported where there is none.
fn column_of(entry: &TomlEntry, called: &[String], workshop: &mut Workshop) -> Option<usize> {
    let own = called.iter().position(|name| name == entry.key.trim() && name != "_");
    if own.is_none() {
        let known: Vec<&str> = called.iter().map(String::as_str).filter(|name| *name != "_").collect();
        reader::absent(entry, &known, "there is no column", &mut workshop.mistakes);
    }
    own
}

/// `scale = { u = 0.001 }`: one factor per column.
fn scales(table: &TomlTable, called: &[String], workshop: &mut Workshop) -> Option<Vec<f64>> {
    let mut scales = vec![1.0; called.len()];
    let Some(stated) = table.get("scale") else { return Some(scales) };
    for entry in &reader::table(&stated.node, &mut workshop.mistakes)?.entries {
        let column = column_of(entry, called, workshop)?;
        let scale = workshop.constant(&entry.node, "a scale")?;
        if scale == 0.0 {
            let hint = "the factor that makes the unit of the problem from that of the file";
            workshop.mistakes.report_with(entry.node.span, "expected a number other than 0", hint);
            return None;
        }
        scales[column] = scale;
    }
    Some(scales)
}

/// `names = { u = "temperature" }`: what columns are called in the file.
fn names(table: &TomlTable, called: &[String], workshop: &mut Workshop) -> Option<Vec<String>> {
    let mut names = called.to_vec();
    let Some(stated) = table.get("names") else { return Some(names) };
    let named = table.get("file").map(|entry| &entry.node.value);
    if let Some(crate::parse::document::TomlValue::Text(text)) = named
        && [".csv", ".npy"].iter().any(|ending| text.content.to_ascii_lowercase().ends_with(ending))
    {
        let message = "`names` is for files whose columns have names: .npz, .vtu and .vtp";
        workshop.mistakes.report_with(stated.key_span, message, "here `columns` says what each column holds");
        return None;
    }
    for entry in &reader::table(&stated.node, &mut workshop.mistakes)?.entries {
        let column = column_of(entry, called, workshop)?;
        names[column].clone_from(&reader::text(&entry.node, &mut workshop.mistakes)?.content);
    }
    Some(names)
}

/// What columns hold: each coordinate exactly once, and at least one column that `measure` takes.
pub(in crate::parse) fn columns_of(
    texts: &[&Text],
    span: Span,
    workshop: &mut Workshop,
    mut measure: impl FnMut(&Text, &mut Workshop) -> Option<usize>,
) -> Option<Vec<Column>> {
    if texts.len() > MAX_COLUMNS {
        workshop.mistakes.report(span, format!("more than {MAX_COLUMNS} columns"));
        return None;
    }
    let mut columns = Vec::with_capacity(texts.len());
    let mut fine = true;
    for text in texts {
        let column = match (text.content.trim(), workshop.scope.get(text.content.trim())) {
            ("_", _) => Some(Column::Ignored),
            (_, Some(&Meaning::Coordinate(axis))) => {
                let again = columns.contains(&Column::Coordinate(axis));
                if again {
                    workshop.mistakes.report(text.span, format!("column `{}` occurs twice", text.content));
                }
                (!again).then_some(Column::Coordinate(axis))
            }
            _ => measure(text, workshop).map(Column::Measured),
        };
        match column {
            Some(column) => columns.push(column),
            None => fine = false,
        }
    }
    for (axis, (name, _)) in workshop.scope.coordinates.iter().enumerate() {
        if fine && !columns.contains(&Column::Coordinate(axis)) {
            let message = format!("no column holds the coordinate `{name}`");
            workshop.mistakes.report_with(span, message, "every coordinate has its column");
            return None;
        }
    }
    if fine && !columns.iter().any(|column| matches!(column, Column::Measured(_))) {
        workshop.mistakes.report_with(span, "no column is measured", "name an unknown, such as `u`");
        return None;
    }
    fine.then_some(columns)
}
