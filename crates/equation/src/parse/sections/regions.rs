//! `[regions]`: parts of space with solutions of their own.

use super::geometry;
use crate::expression::{Leaf, Membership};
use crate::parse::document::TomlTable;
use crate::parse::expression::{Meaning, Uses, Value, Workshop};
use crate::parse::files::FileReader;
use crate::problem::{Subdomain, indicator, without};
use ::geometry::Solid;
use std::sync::Arc;

/// Regions that a file may state.
const MAX_REGIONS: usize = 16;

/// Reads the section. Names of regions stand for 1 inside and 0 elsewhere.
pub(in crate::parse) fn read(
    section: &TomlTable,
    files: &dyn FileReader,
    workshop: &mut Workshop,
) -> Vec<Subdomain> {
    let mut found: Vec<Subdomain> = Vec::new();
    if let Some(entry) = section.entries.get(MAX_REGIONS) {
        workshop.mistakes.report(entry.key_span, format!("more than {MAX_REGIONS} regions"));
    }
    let axes = workshop.scope.space();
    for entry in section.entries.iter().take(MAX_REGIONS) {
        let mistakes = &mut workshop.mistakes;
        let is_new = workshop.scope.declare(&entry.key, Meaning::Broken, "regions", entry.key_span, mistakes);
        if entry.key == INTERFACE {
            let message = format!("`{INTERFACE}` means where regions meet");
            workshop.mistakes.report_with(entry.key_span, message, "choose another name");
            continue;
        }
        let Some(shape) = geometry::region(&entry.node, files, workshop) else {
            continue;
        };
        if shape.dimension() != axes.len() {
            let (own, wanted) = (shape.dimension(), axes.len());
            let message = format!("this region has {own} dimensions, and space has {wanted}");
            workshop.mistakes.report(entry.node.span, message);
            continue;
        }
        let solid = match Solid::new(shape) {
            Ok(solid) => solid,
            Err(error) => {
                workshop.mistakes.report(entry.node.span, error.to_string());
                continue;
            }
        };
        let Some(set) = solid.inside() else {
            let message = "a region is made of parts whose insides are inequalities";
            let hint = "join, cut and intersect rectangles, disks, ellipses, polygons without notches, boxes, spheres, cylinders";
            workshop.mistakes.report_with(entry.node.span, message, hint);
            continue;
        };
        let own = indicator(&mut workshop.pool, &set, &axes);
        let pool = &mut workshop.pool;
        let inside = found.iter().fold(own, |own, earlier| without(pool, own, earlier.inside));
        let subdomain = found.len() as u16;
        let leaf = pool.leaf(Leaf::Inside(Membership { subdomain, site: 0 }));
        if is_new {
            let uses = Uses { coordinates: true, ..Uses::default() };
            workshop.scope.define(&entry.key, Meaning::Function(Value::Scalar(leaf), uses));
        }
        found.push(Subdomain { name: entry.key.clone(), solid: Arc::new(solid), inside });
    }
    found
}

/// The place at which all regions meet others.
pub(super) const INTERFACE: &str = "interface";
