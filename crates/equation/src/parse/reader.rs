//! Typed access to the document: every wrong type and every unknown key is reported where it stands.

use super::diagnostic::Mistakes;
use super::document::{Text, TomlEntry, TomlNode, TomlTable, TomlValue};
use super::other_notations;
use super::suggest::{clipped, listed, nearest};
use std::ops::RangeInclusive;

/// Reports a value of the wrong type.
pub(super) fn expected(wanted: &str, node: &TomlNode, mistakes: &mut Mistakes) {
    mistakes.report(node.span, format!("expected {wanted}, found {}", node.value.kind()));
}

/// Reports what stands where a formula should, which is a text.
pub(super) fn expected_formula(wanted: &str, node: &TomlNode, mistakes: &mut Mistakes) {
    let hint = match &node.value {
        TomlValue::Array(items) => Some(match &items[..] {
            [TomlNode { value: TomlValue::Text(text), .. }] => {
                format!("write it without brackets: \"{}\"", clipped(&text.content))
            }
            [TomlNode { value: TomlValue::Text(_), .. }, ..] => {
                "one name for each: `first = \"…\"` and `second = \"…\"`; a vector stands in quotes: \"[a, b]\"".to_owned()
            }
            _ => "a vector stands in quotes, \"[1, 2]\"; values at points belong into a CSV or NPY file".to_owned(),
        }),
        TomlValue::Integer(_) | TomlValue::Float(_) => Some("write it in quotes".to_owned()),
        TomlValue::Text(_) | TomlValue::Boolean(_) | TomlValue::Table(_) | TomlValue::Strange(_) => None,
    };
    mistakes.add(node.span, format!("expected {wanted}, found {}", node.value.kind()), hint);
}

/// The value as a formula.
pub(super) fn formula<'d>(node: &'d TomlNode, mistakes: &mut Mistakes) -> Option<&'d Text> {
    match &node.value {
        TomlValue::Text(text) => Some(text),
        _ => {
            expected_formula("a formula in quotes", node, mistakes);
            None
        }
    }
}

/// The value as a table.
pub(super) fn table<'d>(node: &'d TomlNode, mistakes: &mut Mistakes) -> Option<&'d TomlTable> {
    match &node.value {
        TomlValue::Table(table) => Some(table),
        _ => {
            expected("a table", node, mistakes);
            None
        }
    }
}

/// The value as a table that has only these keys.
pub(super) fn record<'d>(
    node: &'d TomlNode,
    known: &[&str],
    mistakes: &mut Mistakes,
) -> Option<&'d TomlTable> {
    let table = table(node, mistakes)?;
    only(table, known, "key", mistakes);
    Some(table)
}

/// Reports the keys of a table that nobody reads.
pub(super) fn only(table: &TomlTable, known: &[&str], what: &str, mistakes: &mut Mistakes) {
    for entry in table.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        unknown(entry, known, what, mistakes);
    }
}

/// Reports a key that is not among the known ones.
pub(super) fn unknown(entry: &TomlEntry, known: &[&str], what: &str, mistakes: &mut Mistakes) {
    absent(entry, known, &format!("unknown {what}"), mistakes);
}

/// As [`unknown`], with `what` being all of the message that stands before the key.
pub(super) fn absent(entry: &TomlEntry, known: &[&str], what: &str, mistakes: &mut Mistakes) {
    let meant = other_notations::key(&entry.key, known);
    let near = || if mistakes.few() { nearest(&entry.key, known.iter().copied()) } else { None };
    let hint = match meant.or_else(near) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if other_notations::setting(&entry.key).is_some() && known.contains(&"width") => {
            other_notations::setting(&entry.key).unwrap_or_default().to_owned()
        }
        None if known.is_empty() => "this table has no keys".to_owned(),
        None => format!("known: {}", listed(known.iter().copied())),
    };
    mistakes.report_with(entry.key_span, format!("{what} `{}`", clipped(&entry.key)), hint);
}

/// The value as a string.
pub(super) fn text<'d>(node: &'d TomlNode, mistakes: &mut Mistakes) -> Option<&'d Text> {
    match &node.value {
        TomlValue::Text(text) => Some(text),
        _ => {
            expected("a string", node, mistakes);
            None
        }
    }
}

/// The value as true or false.
pub(super) fn boolean(node: &TomlNode, mistakes: &mut Mistakes) -> Option<bool> {
    match node.value {
        TomlValue::Boolean(value) => Some(value),
        _ => {
            expected("true or false", node, mistakes);
            None
        }
    }
}

/// The value as a finite number.
pub(super) fn number(node: &TomlNode, mistakes: &mut Mistakes) -> Option<f64> {
    let value = match node.value {
        TomlValue::Integer(value) => value as f64,
        TomlValue::Float(value) => value,
        _ => {
            expected("a number", node, mistakes);
            return None;
        }
    };
    if !value.is_finite() {
        mistakes.report(node.span, "expected a finite number");
        return None;
    }
    Some(value)
}

/// The value as a number above zero.
pub(super) fn positive(node: &TomlNode, mistakes: &mut Mistakes) -> Option<f64> {
    let value = number(node, mistakes)?;
    if value <= 0.0 {
        mistakes.report(node.span, "expected a number above 0");
        return None;
    }
    Some(value)
}

/// The value as an integer in a range.
pub(super) fn count(node: &TomlNode, range: RangeInclusive<i64>, mistakes: &mut Mistakes) -> Option<usize> {
    /// Integers up to here are exact in f64.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let value = match node.value {
        TomlValue::Integer(value) => value,
        // `1e4` is how people write ten thousand.
        TomlValue::Float(value) if value.fract() == 0.0 && value.abs() <= EXACT => value as i64,
        _ => {
            expected("an integer", node, mistakes);
            return None;
        }
    };
    if !range.contains(&value) {
        let wanted = match (*range.start(), *range.end()) {
            (low, i64::MAX) => format!("of at least {low}"),
            (low, high) => format!("from {low} to {high}"),
        };
        mistakes.report(node.span, format!("expected an integer {wanted}, found {value}"));
        return None;
    }
    usize::try_from(value).ok()
}

/// The value as one of some words.
pub(super) fn choice<T: Copy>(node: &TomlNode, known: &[(&str, T)], mistakes: &mut Mistakes) -> Option<T> {
    let text = text(node, mistakes)?;
    let found = known.iter().find(|(word, _)| *word == text.content);
    if found.is_none() {
        let words = || known.iter().map(|(word, _)| *word);
        let hint = match (other_notations::setting(&text.content), nearest(&text.content, words())) {
            (Some(instead), _) => instead.to_owned(),
            (None, Some(meant)) => format!("did you mean `{meant}`?"),
            (None, None) => format!("known: {}", listed(words())),
        };
        mistakes.report_with(node.span, format!("unknown value `{}`", clipped(&text.content)), hint);
    }
    found.map(|(_, value)| *value)
}

/// The value as a string, or as an array of strings.
pub(super) fn texts<'d>(node: &'d TomlNode, mistakes: &mut Mistakes) -> Option<Vec<&'d Text>> {
    match &node.value {
        TomlValue::Text(text) => Some(vec![text]),
        TomlValue::Array(items) => {
            let all: Vec<_> = items.iter().map(|item| text(item, mistakes)).collect();
            all.into_iter().collect()
        }
        _ => {
            expected("a string or an array of strings", node, mistakes);
            None
        }
    }
}
