//! `[domain]`: coordinates.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::expression::{Meaning, Workshop};
use crate::parse::other_notations;
use crate::parse::reader;
use crate::parse::suggest::clipped;
use crate::problem::{Coordinate, CoordinateSystem, Open, Role};
use std::ops::RangeInclusive;

/// Coordinates that a problem may have.
const MAX_COORDINATES: usize = 100;

/// Lengths of intervals. Fourth derivatives have fourth powers of them, which are still numbers then.
const LENGTHS: RangeInclusive<f64> = 1e-60..=1e60;

/// A coordinate whose interval has not been read yet.
pub(in crate::parse) struct Declared<'d> {
    name: String,
    role: Role,
    open: Open,
    range: Option<&'d TomlNode>,
    /// Further members of a family share the first one's interval.
    shares: bool,
}

/// Declares the names; intervals may use constants and are read later.
pub(in crate::parse) fn declare<'d>(section: &'d TomlTable, workshop: &mut Workshop) -> Vec<Declared<'d>> {
    let mut declared = Vec::new();
    // There is one time at most; beside a `t`, what is called `time` must be something else.
    let time = if section.get("t").is_some() { "t" } else { "time" };
    for entry in section.entries.iter().filter(|entry| !is_system(entry)) {
        if declared.len() >= MAX_COORDINATES {
            let message = format!("more than {MAX_COORDINATES} coordinates");
            workshop.mistakes.report(entry.key_span, message);
            break;
        }
        declare_one(entry, time, workshop, &mut declared);
    }
    let names = declared.iter().map(|coordinate| (coordinate.name.clone(), coordinate.role));
    workshop.scope.coordinates = names.collect();
    declared
}

/// Whether an entry says what kind of coordinates there are.
fn is_system(entry: &TomlEntry) -> bool {
    entry.key == "system" && matches!(entry.node.value, TomlValue::Text(_))
}

/// What the space coordinates are.
pub(in crate::parse) fn system(
    section: &TomlTable,
    ranges: &[Option<(f64, f64)>],
    has_shape: bool,
    workshop: &mut Workshop,
) -> CoordinateSystem {
    let Some(entry) = section.entries.iter().find(|entry| is_system(entry)) else {
        return CoordinateSystem::default();
    };
    let Some(system) = reader::choice(&entry.node, &CoordinateSystem::ALL, &mut workshop.mistakes) else {
        return CoordinateSystem::default();
    };
    let space = workshop.scope.space();
    let (counts, what) = system.coordinates();
    if !counts.contains(&space.len()) {
        let message = format!("{} coordinates are {what}: there are {}", system.name(), space.len());
        workshop.mistakes.report(entry.node.span, message);
        return CoordinateSystem::default();
    }
    let radius = space.first().and_then(|&axis| Some((axis, (*ranges.get(axis)?)?)));
    if let (true, Some((axis, (low, _)))) = (system != CoordinateSystem::Cartesian, radius)
        && low < 0.0
    {
        let name = workshop.scope.coordinates[axis].0.clone();
        let message = format!("`{name}` is a radius of {} coordinates, and begins at {low}", system.name());
        workshop.mistakes.report_with(entry.node.span, message, "a radius is not negative");
    }
    if has_shape && !matches!(system, CoordinateSystem::Cartesian | CoordinateSystem::Axisymmetric) {
        let message = format!("a shape has straight coordinates, not {} ones", system.name());
        let hint = "state the interval of each coordinate instead, or use `axisymmetric`";
        workshop.mistakes.report_with(entry.node.span, message, hint);
    }
    workshop.system = system;
    system
}

/// Refuses unknown keys of a coordinate, and says where periodicity belongs.
fn check_keys(name: &str, table: &TomlTable, mistakes: &mut Mistakes) {
    let known = ["range", "count", "parameter", "open"];
    for entry in table.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        if entry.key == "periodic" {
            let hint = format!("add to [conditions]: `wrap = {{ periodic = \"{}\" }}`", clipped(name));
            mistakes.report_with(entry.key_span, "periodicity is a condition", hint);
        } else {
            reader::unknown(entry, &known, "key", mistakes);
        }
    }
}

/// Which ends need no condition.
fn open_ends(node: &TomlNode, mistakes: &mut Mistakes) -> Open {
    let both = |open| Open { low: open, high: open };
    match &node.value {
        TomlValue::Boolean(open) => both(*open),
        TomlValue::Text(_) => {
            let ends = [("low", Open { low: true, high: false }), ("high", Open { low: false, high: true })];
            reader::choice(node, &ends, mistakes).unwrap_or_default()
        }
        _ => {
            reader::expected("true, false, \"low\" or \"high\"", node, mistakes);
            Open::default()
        }
    }
}

/// Whether an entry states a shape and no coordinate; told of, if so.
fn is_shape(entry: &TomlEntry, workshop: &mut Workshop) -> bool {
    let interval = match &entry.node.value {
        TomlValue::Array(ends) => ends.len() == 2,
        TomlValue::Table(table) => table.get("range").is_some(),
        _ => false,
    };
    let Some(hint) = other_notations::shape(&entry.key).filter(|_| !interval) else { return false };
    let message = format!("`{}`: a domain is a box, an interval for each coordinate", entry.key);
    workshop.mistakes.report_with(entry.key_span, message, hint);
    workshop.scope.declare(&entry.key, Meaning::Broken, "domain", entry.key_span, &mut workshop.mistakes);
    true
}

fn declare_one<'d>(
    entry: &'d TomlEntry,
    time: &str,
    workshop: &mut Workshop,
    declared: &mut Vec<Declared<'d>>,
) {
    if is_shape(entry, workshop) {
        return;
    }
    let mistakes = &mut workshop.mistakes;
    let mut role = if entry.key == time { Role::Time } else { Role::Space };
    let (mut open, mut range, mut count) = (Open::default(), None, Some(None));
    match &entry.node.value {
        TomlValue::Array(_) => range = Some(&entry.node),
        TomlValue::Table(table) => {
            check_keys(&entry.key, table, mistakes);
            range = table.get("range").map(|entry| &entry.node);
            if range.is_none() {
                let hint = "as in `{ range = [0, 1] }`";
                mistakes.report_with(entry.key_span, "this coordinate has no `range`", hint);
            }
            if let Some(entry) = table.get("open") {
                open = open_ends(&entry.node, mistakes);
            }
            if let Some(entry) = table.get("parameter")
                && reader::boolean(&entry.node, mistakes) == Some(true)
            {
                role = Role::Parameter;
            }
            if let Some(entry) = table.get("count") {
                count = reader::count(&entry.node, 1..=MAX_COORDINATES as i64, mistakes).map(Some);
            }
        }
        _ => {
            let wanted = "an interval `[low, high]` or a table";
            reader::expected(wanted, &entry.node, mistakes);
        }
    }
    let name = entry.key.as_str();
    let span = entry.key_span;
    let Some(count) = count else {
        workshop.scope.declare(name, Meaning::Broken, "domain", span, &mut workshop.mistakes);
        workshop.scope.broken_families.push(name.to_owned());
        return;
    };
    let first = declared.len();
    let members: Vec<String> = match count {
        None => vec![name.to_owned()],
        Some(count) => (1..=count).map(|number| format!("{name}{number}")).collect(),
    };
    if first + members.len() > MAX_COORDINATES {
        let message = format!("more than {MAX_COORDINATES} coordinates");
        workshop.mistakes.report(span, message);
        workshop.scope.declare(name, Meaning::Broken, "domain", span, &mut workshop.mistakes);
        workshop.scope.broken_families.push(name.to_owned());
        return;
    }
    if count.is_some() {
        let family = Meaning::Family((first..first + members.len()).collect());
        if !workshop.scope.declare(name, family, "domain", span, &mut workshop.mistakes) {
            return;
        }
    }
    for (number, name) in members.into_iter().enumerate() {
        let axis = Meaning::Coordinate(declared.len());
        if workshop.scope.declare(&name, axis, "domain", span, &mut workshop.mistakes) {
            declared.push(Declared { name, role, open, range, shares: number > 0 });
        }
    }
}

/// Reads the intervals. `None` marks a coordinate whose interval is wrong.
pub(in crate::parse) fn ranges(
    declared: &[Declared<'_>],
    workshop: &mut Workshop,
) -> Vec<Option<(f64, f64)>> {
    let mut ranges: Vec<Option<(f64, f64)>> = Vec::with_capacity(declared.len());
    for coordinate in declared {
        let range = match (coordinate.shares, ranges.last()) {
            (true, Some(&range)) => range,
            _ => coordinate.range.and_then(|node| interval(node, workshop)),
        };
        ranges.push(range);
    }
    ranges
}

fn interval(node: &TomlNode, workshop: &mut Workshop) -> Option<(f64, f64)> {
    let TomlValue::Array(ends) = &node.value else {
        reader::expected("an interval `[low, high]`", node, &mut workshop.mistakes);
        return None;
    };
    let [low, high] = &ends[..] else {
        let message = format!("an interval has two ends, found {}", ends.len());
        workshop.mistakes.report_with(node.span, message, "write `[low, high]`");
        return None;
    };
    let (low, high) = (workshop.constant(low, "an interval"), workshop.constant(high, "an interval"));
    let (low, high) = (low?, high?);
    if low >= high {
        let hint = if low > high {
            format!("did you mean `[{high}, {low}]`?")
        } else {
            "the ends must differ".to_owned()
        };
        workshop.mistakes.report_with(node.span, format!("the interval from {low} to {high} is empty"), hint);
        return None;
    }
    let length = high - low;
    if !LENGTHS.contains(&length) {
        let (is, bound) = if length > *LENGTHS.end() {
            ("long", format!("at most {:e}", LENGTHS.end()))
        } else {
            ("short", format!("at least {:e}", LENGTHS.start()))
        };
        let message = format!("this interval is too {is}: its length must be {bound}");
        let hint = "measure this coordinate in other units: lengths near 1 are best";
        workshop.mistakes.report_with(node.span, message, hint);
        return None;
    }
    Some((low, high))
}

/// The coordinates as the problem keeps them; wrong intervals stand as the unit interval, the file
/// being refused anyway.
pub(in crate::parse) fn coordinates(
    declared: Vec<Declared<'_>>,
    ranges: &[Option<(f64, f64)>],
) -> Vec<Coordinate> {
    let whole = declared.into_iter().zip(ranges);
    whole
        .map(|(Declared { name, role, open, .. }, range)| {
            let (low, high) = range.unwrap_or((0.0, 1.0));
            Coordinate { name, low, high, role, open }
        })
        .collect()
}
