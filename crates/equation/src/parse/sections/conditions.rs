//! `[conditions]`: what holds at special places.

use super::equations::{MAX_EQUATIONS, named, points, weight};
use super::place;
use super::regions::INTERFACE;
use crate::expression::{Derivative, Expression, Field, GivenField, Leaf};
use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{Text, TomlEntry, TomlTable, TomlValue};
use crate::parse::expression::{Context, Integrals, Meaning, Normals, Parser, Workshop};
use crate::parse::reader;
use crate::parse::source::Span;
use crate::parse::suggest::clipped;
use crate::problem::{Condition, Equation, Geometry, Piece, Place, Subdomain, Unknown};

/// What conditions need to know of the rest of the file.
pub(in crate::parse) struct ConditionInputs<'s> {
    pub(in crate::parse) ranges: &'s [Option<(f64, f64)>],
    pub(in crate::parse) geometry: Option<&'s Geometry>,
    /// Of a shape that is wrong it cannot be said which pieces it has.
    pub(in crate::parse) is_shapeless: bool,
    pub(in crate::parse) unknowns: &'s [Unknown],
    pub(in crate::parse) equations: &'s [Expression],
    pub(in crate::parse) regions: &'s TomlTable,
    pub(in crate::parse) subdomains: &'s [Subdomain],
}

/// A condition and its key.
pub(in crate::parse) type StatedCondition = (Condition, Span);

/// Reads the section.
pub(in crate::parse) fn read(
    section: &TomlTable,
    inputs: &ConditionInputs<'_>,
    workshop: &mut Workshop,
) -> Vec<StatedCondition> {
    let mut conditions = Vec::new();
    let mut equations = 0;
    for entry in &section.entries {
        let known = ["on", "equation", "equations", "periodic", "fields", "weight", "points", "exact"];
        if let TomlValue::Text(text) = &entry.node.value {
            let message = "a condition says where and what";
            let hint = format!("write `{{ on = \"boundary\", equation = \"{}\" }}`", clipped(&text.content));
            workshop.mistakes.report_with(entry.node.span, message, hint);
            continue;
        }
        let Some(table) = reader::record(&entry.node, &known, &mut workshop.mistakes) else { continue };
        workshop.elsewhere.clear();
        let weight = weight(table, workshop);
        let points = table.get("points").and_then(|entry| points(&entry.node, workshop));
        let condition = match (table.get("on"), table.get("periodic")) {
            (Some(on), None) => match interface(on, inputs) {
                Some(subdomains) => on_interface(entry, table, subdomains, weight, workshop),
                None => on_pieces(entry, table, Some(on), weight, inputs, workshop),
            },
            (None, Some(periodic)) => wrap(entry, table, periodic, weight, inputs, workshop),
            (Some(_), Some(periodic)) => {
                let message = "a condition has either `on` or `periodic`";
                workshop.mistakes.report(periodic.key_span, message);
                None
            }
            (None, None) => on_pieces(entry, table, None, weight, inputs, workshop),
        };
        let Some((place, all)) = condition else { continue };
        equations += all.len();
        if equations > MAX_EQUATIONS {
            workshop.mistakes.report(entry.key_span, format!("more than {MAX_EQUATIONS} equations"));
            break;
        }
        let exact = exact(table, all.len(), &mut workshop.mistakes);
        let elsewhere = std::mem::take(&mut workshop.elsewhere);
        let name = entry.key.clone();
        let condition = Condition { name, place, equations: all, elsewhere, points, exact };
        conditions.push((condition, entry.key_span));
    }
    conditions
}

/// Which equations of a condition are to be exact: all, none, or one answer for each.
fn exact(table: &TomlTable, equations: usize, mistakes: &mut Mistakes) -> Option<Vec<bool>> {
    let node = &table.get("exact")?.node;
    let TomlValue::Array(items) = &node.value else {
        return reader::boolean(node, mistakes).map(|exact| vec![exact; equations]);
    };
    if items.len() != equations {
        let hint = "a list has one `true` or `false` for each equation";
        let message = format!("expected {equations} of them, found {}", items.len());
        mistakes.report_with(node.span, message, hint);
        return None;
    }
    items.iter().map(|item| reader::boolean(item, mistakes)).collect()
}

/// The subdomains whose edges a place names, if it names nothing else.
fn interface(on: &TomlEntry, inputs: &ConditionInputs<'_>) -> Option<Vec<usize>> {
    let TomlValue::Text(text) = &on.node.value else { return None };
    let mut found = Vec::new();
    for name in text.content.split(',').map(str::trim) {
        match inputs.subdomains.iter().position(|subdomain| subdomain.name == name) {
            Some(subdomain) => found.push(subdomain),
            // Of a region that is wrong nothing can be said; that has been reported.
            None if inputs.regions.get(name).is_some() => {}
            None if name == INTERFACE && !inputs.regions.entries.is_empty() => {
                found.extend(0..inputs.subdomains.len())
            }
            None => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

fn on_interface(
    entry: &TomlEntry,
    table: &TomlTable,
    subdomains: Vec<usize>,
    weight: Option<f64>,
    workshop: &mut Workshop,
) -> Option<(Place, Vec<Equation>)> {
    let space = workshop.scope.space();
    let context =
        Context { normals: Normals::Along(&space), sides: true, ..Context::everything("a condition") };
    let all = stated_equations(entry, table, &context, workshop)?;
    Some((Place::Interface { subdomains }, named(&entry.key, all, weight)))
}

fn on_pieces(
    entry: &TomlEntry,
    table: &TomlTable,
    on: Option<&TomlEntry>,
    weight: Option<f64>,
    inputs: &ConditionInputs<'_>,
    workshop: &mut Workshop,
) -> Option<(Place, Vec<Equation>)> {
    if let Some(fields) = table.get("fields") {
        workshop.mistakes.report(fields.key_span, "`fields` belongs to a `periodic` condition");
    }
    if inputs.is_shapeless {
        return None;
    }
    let pieces = match on {
        Some(on) => reader::text(&on.node, &mut workshop.mistakes)
            .and_then(|text| place::read(text, inputs.ranges, inputs.geometry, workshop)),
        None => Some(Vec::new()),
    };
    let mut axes: Vec<usize> = Vec::new();
    let mut faces = on.is_some();
    for piece in pieces.iter().flatten() {
        match (piece.normal, piece.surface) {
            (Some((axis, _)), _) => axes.push(axis),
            (None, Some(_)) => axes.extend(workshop.scope.space()),
            (None, None) => faces = false,
        }
    }
    axes.sort_unstable();
    axes.dedup();
    // Where the place itself is wrong, `dn` is no mistake of its own.
    let space = workshop.scope.space();
    let normals = match (&pieces, faces) {
        (None, _) => Normals::Along(&space),
        (Some(_), true) => Normals::Along(&axes),
        (Some(_), false) => Normals::Absent,
    };
    let integrals = Integrals::Summed;
    let context = Context { normals, integrals, ..Context::everything("a condition") };
    let all = stated_equations(entry, table, &context, workshop)?;
    let mut pieces = pieces?;
    if on.is_none() {
        pieces.push(anywhere(entry, &all, workshop)?);
    }
    Some((Place::Pieces(pieces), named(&entry.key, all, weight)))
}

/// The equations of a condition, each with its residuals.
fn stated_equations(
    entry: &TomlEntry,
    table: &TomlTable,
    context: &Context<'_>,
    workshop: &mut Workshop,
) -> Option<Vec<(String, Vec<Expression>)>> {
    let ((Some(written), None) | (None, Some(written))) = (table.get("equation"), table.get("equations"))
    else {
        let hint = "add `equation = \"u = 0\"`";
        workshop.mistakes.report_with(entry.key_span, "a condition has one `equation` key", hint);
        return None;
    };
    let texts = reader::texts(&written.node, &mut workshop.mistakes)?;
    if texts.is_empty() {
        workshop.mistakes.report(written.node.span, "this condition has no equation");
        return None;
    }
    let mut all = Vec::with_capacity(texts.len());
    let mut fine = true;
    for text in texts {
        if text.content.trim() == "periodic" {
            let hint = "write `{ periodic = \"x\" }`, with the periodic coordinate";
            workshop.mistakes.report_with(text.span, "periodicity has a key of its own", hint);
            fine = false;
            continue;
        }
        match workshop.residuals(text, context) {
            Some(residuals) => all.push((text.content.clone(), residuals)),
            None => fine = false,
        }
    }
    fine.then_some(all)
}

/// The place of a condition that says nothing of where it holds, and need not: all its fields are elsewhere.
fn anywhere(
    entry: &TomlEntry,
    equations: &[(String, Vec<Expression>)],
    workshop: &mut Workshop,
) -> Option<Piece> {
    let all: Vec<Expression> =
        equations.iter().flat_map(|(_, residuals)| residuals.iter().copied()).collect();
    let leaves = workshop.pool.leaves(&all);
    let is_here = |leaf: &Leaf| matches!(leaf, Leaf::Field(Field { site: 0, .. }));
    match workshop.elsewhere.first() {
        Some(fixed) if !leaves.iter().any(is_here) => {
            let mut fixed = fixed.clone();
            fixed.sort_by_key(|(axis, _)| *axis);
            Some(Piece { fixed, filter: None, normal: None, surface: None })
        }
        _ => {
            let message = "this condition does not say where it holds";
            let hint = "add `on = \"x = 0\"`, `on = \"boundary\"` or `periodic = \"x\"`";
            workshop.mistakes.report_with(entry.key_span, message, hint);
            None
        }
    }
}

fn wrap(
    entry: &TomlEntry,
    table: &TomlTable,
    periodic: &TomlEntry,
    weight: Option<f64>,
    inputs: &ConditionInputs<'_>,
    workshop: &mut Workshop,
) -> Option<(Place, Vec<Equation>)> {
    for key in ["equation", "equations"] {
        if let Some(extra) = table.get(key) {
            let hint = "name what is equal at both ends: `fields = \"u, u_x\"`";
            workshop.mistakes.report_with(extra.key_span, "a `periodic` condition has no equation", hint);
        }
    }
    let name = reader::text(&periodic.node, &mut workshop.mistakes)?;
    let Some(&Meaning::Coordinate(axis)) = workshop.scope.get(&name.content) else {
        super::reference::not_a_coordinate(&name.content, periodic.node.span, workshop);
        return None;
    };
    let fields = match table.get("fields") {
        Some(entry) => stated_fields(entry, workshop)?,
        None => default_fields(axis, inputs, workshop),
    };
    let range = *inputs.ranges.get(axis)?;
    let (low, high) = range?;
    let mut all = Vec::with_capacity(fields.len());
    for (text, field) in fields {
        let near = at_site(field, 0, axis, low, workshop);
        let far = at_site(field, 1, axis, high, workshop);
        let residual = workshop.pool.subtract(near, far);
        let name = &name.content;
        all.push((format!("{text} at {name} = {low} equals {text} at {name} = {high}"), vec![residual]));
    }
    Some((Place::Wrap { axis }, named(&entry.key, all, weight)))
}

/// The expression at one end: its fields there, and the coordinate itself replaced by its value.
fn at_site(field: Expression, site: u16, axis: usize, value: f64, workshop: &mut Workshop) -> Expression {
    workshop.pool.substitute(field, &mut |pool, leaf| match leaf {
        Leaf::Field(field) => Some(pool.leaf(Leaf::Field(Field { site, ..field }))),
        Leaf::Given(given) => Some(pool.leaf(Leaf::Given(GivenField { site, ..given }))),
        Leaf::Coordinate(other) if usize::from(other) == axis => Some(pool.number(value)),
        _ => None,
    })
}

fn stated_fields(entry: &TomlEntry, workshop: &mut Workshop) -> Option<Vec<(String, Expression)>> {
    let texts: Vec<&Text> = reader::texts(&entry.node, &mut workshop.mistakes)?;
    let context = Context::everything("a periodic field");
    let mut fields = Vec::new();
    let mut fine = true;
    for text in texts {
        let parts = match Parser::expressions(&text.content) {
            Ok(parts) => parts,
            Err(error) => {
                workshop.misread(text, error);
                fine = false;
                continue;
            }
        };
        for part in parts {
            match workshop.scalar_of(text, &part, &context) {
                Some(field) => fields.push((text.content[part.range].to_owned(), field)),
                None => fine = false,
            }
        }
    }
    if fine && (fields.is_empty() || fields.len() > MAX_EQUATIONS) {
        workshop.mistakes.report(entry.node.span, "expected fields such as \"u, u_x\"");
        return None;
    }
    fine.then_some(fields)
}

/// Every unknown with its derivatives along the axis below the highest one in the equations.
fn default_fields(
    axis: usize,
    inputs: &ConditionInputs<'_>,
    workshop: &mut Workshop,
) -> Vec<(String, Expression)> {
    let leaves = workshop.pool.leaves(inputs.equations);
    let mut fields = Vec::new();
    let coordinate = workshop.scope.coordinates[axis].0.clone();
    for (unknown, Unknown { name, .. }) in inputs.unknowns.iter().enumerate() {
        let orders = leaves.iter().map(|leaf| match leaf {
            Leaf::Field(field) if usize::from(field.unknown) == unknown => {
                field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count()
            }
            _ => 0,
        });
        let order = orders.max().unwrap_or(0);
        for times in 0..order.max(1) {
            let Some(derivative) = Derivative::new(&vec![axis; times]) else { continue };
            let text = match times {
                0 => name.clone(),
                _ => format!("{name}_{}", coordinate.repeat(times)),
            };
            fields.push((text, workshop.pool.field(unknown, derivative)));
        }
    }
    fields
}
