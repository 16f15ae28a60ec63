//! `guard` and `clip` of `[training]` and its phases: what happens where training goes wrong, and to gradients that are too long.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::reader;
use crate::problem::{Clip, Guard, Policy, Spikes};

/// Longer windows remember more norms than a run has steps of one kind.
const LONGEST_WINDOW: i64 = 10_000;

/// More tries than these are no tries.
const MOST_TRIES: i64 = 1000;

/// A policy by its name, or a table with more.
pub(super) fn guard(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Guard> {
    let policies = Policy::ALL.map(|policy| (policy.name(), policy));
    let table = match &node.value {
        TomlValue::Table(table) => table,
        TomlValue::Text(_) => return reader::choice(node, &policies, mistakes).map(Guard::new),
        other => {
            let message = format!("expected a policy or a table, found {}", other.kind());
            let hint = "such as \"restore\", or `{ policy = \"restore\", back_off = 0.5, tries = 10, spikes = \"tell\" }`";
            mistakes.report_with(node.span, message, hint);
            return None;
        }
    };
    reader::only(table, &["policy", "spikes", "back_off", "tries"], "key", mistakes);
    let policy = match table.get("policy") {
        Some(entry) => reader::choice(&entry.node, &policies, mistakes)?,
        None => Policy::Adaptive,
    };
    let mut guard = Guard::new(policy);
    if let Some(entry) = table.get("spikes") {
        guard.spikes = reader::choice(&entry.node, &Spikes::ALL.map(|it| (it.name(), it)), mistakes)?;
    }
    if let Some(entry) = table.get("back_off") {
        guard.back_off = share(entry, 1.0, mistakes)?;
    }
    if let Some(entry) = table.get("tries") {
        guard.tries = reader::count(&entry.node, 1..=MOST_TRIES, mistakes)? as u64;
    }
    Some(guard)
}

/// A number above 0 and at most `most`.
fn share(entry: &TomlEntry, most: f64, mistakes: &mut Mistakes) -> Option<f64> {
    let number = reader::positive(&entry.node, mistakes)?;
    if number > most {
        mistakes.report(entry.node.span, format!("`{}` must be at most {most}", entry.key));
        return None;
    }
    Some(number)
}

/// One rule, or several that apply one after the other; none where it is `false`.
pub(super) fn clip(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Vec<Clip>> {
    match &node.value {
        TomlValue::Boolean(false) => Some(Vec::new()),
        TomlValue::Array(items) => {
            let rules: Vec<_> = items.iter().map(|item| rule(item, mistakes)).collect();
            rules.into_iter().collect()
        }
        _ => rule(node, mistakes).map(|rule| vec![rule]),
    }
}

fn rule(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Clip> {
    let table = match &node.value {
        TomlValue::Text(_) => return reader::choice(node, &Clip::USUAL, mistakes),
        TomlValue::Table(table) => table,
        other => {
            let message = format!("expected a rule for gradients that are too long, found {}", other.kind());
            let hint = "such as \"global-norm\", `{ kind = \"global-norm\", limit = 1 }`, or a list of those";
            mistakes.report_with(node.span, message, hint);
            return None;
        }
    };
    let Some(kind) = table.get("kind") else {
        mistakes.report_with(node.span, "this rule has no `kind`", "such as `kind = \"global-norm\"`");
        return None;
    };
    let usual = reader::choice(&kind.node, &Clip::USUAL, mistakes)?;
    let numbers = usual.numbers();
    let keys: Vec<&str> = std::iter::once("kind").chain(numbers.iter().map(|(key, _)| *key)).collect();
    reader::only(table, &keys, "key", mistakes);
    with_numbers(usual, table, mistakes)
}

/// A rule with the numbers that a table states.
fn with_numbers(usual: Clip, table: &TomlTable, mistakes: &mut Mistakes) -> Option<Clip> {
    let positive = |key: &str, usual: f64, mistakes: &mut Mistakes| match table.get(key) {
        Some(entry) => reader::positive(&entry.node, mistakes),
        None => Some(usual),
    };
    let up_to = |key: &str, usual: f64, most: f64, mistakes: &mut Mistakes| match table.get(key) {
        Some(entry) => share(entry, most, mistakes),
        None => Some(usual),
    };
    let steps = |usual: usize, mistakes: &mut Mistakes| match table.get("window") {
        Some(entry) => reader::count(&entry.node, 1..=LONGEST_WINDOW, mistakes),
        None => Some(usual),
    };
    Some(match usual {
        Clip::Value { limit } => Clip::Value { limit: positive("limit", limit, mistakes)? },
        Clip::Norm { limit } => Clip::Norm { limit: positive("limit", limit, mistakes)? },
        Clip::Layer { limit } => Clip::Layer { limit: positive("limit", limit, mistakes)? },
        Clip::GlobalNorm { limit } => Clip::GlobalNorm { limit: positive("limit", limit, mistakes)? },
        Clip::Relative { ratio } => Clip::Relative { ratio: positive("ratio", ratio, mistakes)? },
        Clip::Adaptive { factor, window } => {
            Clip::Adaptive { factor: positive("factor", factor, mistakes)?, window: steps(window, mistakes)? }
        }
        Clip::Percentile { percentile, window } => Clip::Percentile {
            percentile: up_to("percentile", percentile, 100.0, mistakes)?,
            window: steps(window, mistakes)?,
        },
        Clip::Average { decay, factor, floor } => Clip::Average {
            decay: up_to("decay", decay, 1.0, mistakes)?,
            factor: positive("factor", factor, mistakes)?,
            floor: positive("floor", floor, mistakes)?,
        },
    })
}
