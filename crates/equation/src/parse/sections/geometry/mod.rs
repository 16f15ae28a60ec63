//! `[geometry]`: the part of space that the problem is about, where that is not the whole box.

mod family;
mod imported;
mod shape;

use crate::parse::document::{TomlNode, TomlTable};
use crate::parse::expression::Workshop;
use crate::parse::files::FileReader;
use crate::parse::source::Span;
use crate::problem::Geometry;
use geometry::{GeometryError, Shape, Solid};
use shape::ShapeReader;
use std::sync::Arc;

/// The key of the whole; all others name parts of it.
const WHOLE: &str = "shape";

/// How far a shape may reach beyond the box, as a share of the interval: rounding.
const SLACK: f64 = 1e-9;

/// Reads the section. `None` where there is none, or where something is wrong with it, which has been reported.
pub(in crate::parse) fn read(
    section: &TomlTable,
    ranges: &[Option<(f64, f64)>],
    files: &dyn FileReader,
    workshop: &mut Workshop,
) -> Option<Geometry> {
    let whole = section.get(WHOLE);
    if whole.is_none() {
        if let Some(first) = section.entries.first() {
            let hint = "add `shape = \"rectangle([0, 0], [2, 1]) - disk([0.5, 0.5], 0.2)\"`";
            workshop.mistakes.report_with(first.key_span, "[geometry] has no `shape`", hint);
        }
        return None;
    }
    let mut shapes = ShapeReader::new(files, ranges, workshop);
    for entry in section.entries.iter().filter(|entry| entry.key != WHOLE) {
        shapes.name_part(entry);
    }
    shapes.keep_parts();
    let entry = whole?;
    let (shape, steps) = shapes.read(&entry.node)?;
    let imported = shapes.imported;
    let axes = workshop.scope.space();
    if shape.dimension() != axes.len() {
        let names: Vec<&str> = axes.iter().map(|&axis| workshop.scope.coordinates[axis].0.as_str()).collect();
        let message = format!("this shape has {} dimension{}", shape.dimension(), plural(shape.dimension()));
        let hint = match names.len() {
            0 => "[domain] has no space coordinate".to_owned(),
            count => format!("[domain] has {count} space coordinate{}: {}", plural(count), names.join(", ")),
        };
        workshop.mistakes.report_with(entry.node.span, message, hint);
        return None;
    }
    let solid = match Solid::new(shape) {
        Ok(solid) => solid,
        Err(error) => {
            refuse(&error, entry.node.span, workshop);
            return None;
        }
    };
    if let Some((axis, [low, high])) = beyond(&solid, &axes, ranges)? {
        let name = workshop.scope.coordinates[axis].0.clone();
        let message =
            format!("the shape lies between {name} = {low} and {name} = {high}, outside of [domain]");
        let hint = imported::other_unit(&imported, &sizes(&axes, ranges))
            .unwrap_or_else(|| format!("write `{name} = [{low}, {high}]` in [domain], or move the shape"));
        workshop.mistakes.report_with(entry.node.span, message, hint);
        return None;
    }
    let mut notes: Vec<String> = imported.iter().flat_map(|own| own.notes.iter().cloned()).collect();
    notes.extend(imported::other_unit(&imported, &sizes(&axes, ranges)));
    let family = family::read(&solid, &steps, (&axes, ranges), entry.node.span, workshop)?;
    Some(Geometry { solid: Arc::new(solid), axes, notes, family: family.map(Arc::new) })
}

/// Where a solid reaches beyond the box: the coordinate, and how far it reaches.
fn beyond(solid: &Solid, axes: &[usize], ranges: &[Option<(f64, f64)>]) -> Option<Option<(usize, [f64; 2])>> {
    for (&axis, [low, high]) in axes.iter().zip(solid.bounds()) {
        let (start, end) = (*ranges.get(axis)?)?;
        let slack = SLACK * (end - start);
        if *low < start - slack || *high > end + slack {
            // No negative zeros for people.
            return Some(Some((axis, [low + 0.0, high + 0.0])));
        }
    }
    Some(None)
}

/// The shape of a region, which may use parts of the whole by their names.
pub(super) fn region(node: &TomlNode, files: &dyn FileReader, workshop: &mut Workshop) -> Option<Shape> {
    let (shape, steps) = ShapeReader::of_parts(files, workshop).read(node)?;
    if family::depends(&workshop.pool, &steps) {
        let message = "a region may not depend on parameters of the family";
        workshop.mistakes.report_with(node.span, message, "write its numbers as constants");
        return None;
    }
    Some(shape)
}

/// Lengths of the sides of the box.
fn sizes(axes: &[usize], ranges: &[Option<(f64, f64)>]) -> Vec<f64> {
    let range = |&axis: &usize| ranges.get(axis).copied().flatten();
    axes.iter().filter_map(range).map(|(low, high)| high - low).collect()
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn refuse(error: &GeometryError, span: Span, workshop: &mut Workshop) {
    workshop.mistakes.report(span, error.to_string());
}
