//! `--set` texts: small documents laid over the file.

use super::diagnostic::Mistakes;
use super::document::{self, Text, TomlEntry, TomlNode, TomlTable, TomlValue};
use super::former;
use super::source::{Sources, Span};
use super::suggest::{clipped, listed, nearest};

/// Lays every override over the document, in order: the last one of a key wins.
pub(super) fn merge(document: &mut TomlTable, sources: &Sources, count: usize, mistakes: &mut Mistakes) {
    former::rename(document);
    for source in 1..=count {
        let Some((mut path, node)) = read(source, sources, mistakes) else { continue };
        if path.first().is_some_and(|(section, _)| section == "training") {
            path.iter_mut().for_each(|(key, _)| former::rename_key(key));
        }
        if names_something(document, &path, mistakes) {
            place(document, &path, node, mistakes);
            former::rename(document);
            retract(document, &path);
        }
    }
}

/// Takes back a number of steps in all that was stated before a budget: it would leave the budget without effect.
fn retract(document: &mut TomlTable, path: &[KeyPart]) {
    if !matches!(path, [(section, _), (key, _)] if section == "training" && key == "budget") {
        return;
    }
    let training = document.entries.iter_mut().find(|entry| entry.key == "training");
    if let Some(TomlValue::Table(table)) = training.map(|entry| &mut entry.node.value) {
        table.entries.retain(|entry| entry.key != "steps");
    }
}

/// Sections whose entries only the file declares, and what one is called: a new entry by an override
/// would be a misspelt one.
const DECLARED: [(&str, &str); 5] = [
    ("constants", "constant"),
    ("parameters", "parameter"),
    ("domain", "coordinate"),
    ("unknowns", "unknown"),
    ("equations", "equation"),
];

/// Whether an override changes what there is, or adds where that is allowed; reported when not.
fn names_something(document: &TomlTable, path: &[KeyPart], mistakes: &mut Mistakes) -> bool {
    let [(section, _), (key, span), ..] = path else { return true };
    let Some((_, what)) = DECLARED.iter().find(|(declared, _)| declared == section) else { return true };
    let entries = match document.get(section).map(|entry| &entry.node.value) {
        Some(TomlValue::Table(table)) => &table.entries[..],
        // A section of the wrong type is reported as such.
        Some(_) => return true,
        None => &[],
    };
    if entries.iter().any(|entry| entry.key == *key) {
        return true;
    }
    let names = || entries.iter().map(|entry| entry.key.as_str());
    let hint = match (nearest(key, names()), entries.is_empty()) {
        (Some(meant), _) => format!("did you mean `{section}.{meant}`?"),
        (None, true) => format!("the file has no [{section}]; declare it there"),
        (None, false) => format!("the file has {}; new ones are declared there", listed(names())),
    };
    mistakes.report_with(*span, format!("there is no {what} `{}`", clipped(key)), hint);
    false
}

/// Parts of a key; no key of a problem file is deeper than four.
const MAX_PARTS: usize = 16;

/// A key's part and where it stands.
type KeyPart = (String, Span);

fn read(source: usize, sources: &Sources, mistakes: &mut Mistakes) -> Option<(Vec<KeyPart>, TomlNode)> {
    let text = sources.text(source);
    let whole = Span::new(source, 0..text.len());
    let form = "write `--set section.key=value`, such as `training.points=20000`";
    if text.len() > super::MAX_EXPRESSION {
        mistakes.report(Span::new(source, 0..0), "this override is longer than 64 KiB");
        return None;
    }
    let Some(equals) = outside_quotes(text, '=').next() else {
        mistakes.report_with(whole, "an override needs a `=`", form);
        return None;
    };
    let mut path = Vec::new();
    let mut start = 0;
    for end in outside_quotes(&text[..equals], '.').chain([equals]) {
        let part = &text[start..end];
        let lead = part.len() - part.trim_start().len();
        let name = part.trim();
        let span = Span::new(source, start + lead..start + lead + name.len());
        if name.is_empty() {
            mistakes.report_with(Span::new(source, 0..equals), "a part of this key is empty", form);
            return None;
        }
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        path.push((quoted.unwrap_or(name).to_owned(), span));
        start += part.len() + 1;
    }
    if path.len() > MAX_PARTS {
        mistakes.report_with(Span::new(source, 0..equals), "this key has too many parts", form);
        return None;
    }
    let value = &text[equals + 1..];
    let lead = value.len() - value.trim_start().len();
    let start = equals + 1 + lead;
    let bare = value.trim();
    if bare.is_empty() {
        mistakes.report_with(whole, "this override has no value", form);
        return None;
    }
    let node = match document::read_value(source, start, bare, sources) {
        Ok(node) => node,
        Err(error) if bare.starts_with(['"', '\'', '[', '{']) => {
            document::report(&error, source, start, sources, mistakes);
            return None;
        }
        // Shells eat quotes, so words and formulas need none here.
        Err(_) => {
            let span = Span::new(source, start..start + bare.len());
            TomlNode { value: TomlValue::Text(Text::bare(bare, span)), span }
        }
    };
    Some((path, node))
}

/// Where a letter stands outside of quotes.
fn outside_quotes(text: &str, letter: char) -> impl Iterator<Item = usize> {
    let mut inside = false;
    text.char_indices().filter_map(move |(place, found)| {
        inside ^= found == '"';
        (found == letter && !inside).then_some(place)
    })
}

fn place(table: &mut TomlTable, path: &[KeyPart], node: TomlNode, mistakes: &mut Mistakes) {
    let Some(((key, key_span), rest)) = path.split_first() else { return };
    let position = table.entries.iter().position(|entry| entry.key == *key);
    let position = position.unwrap_or_else(|| {
        let empty = TomlNode { value: TomlValue::Table(TomlTable::default()), span: *key_span };
        table.entries.push(TomlEntry { key: key.clone(), key_span: *key_span, node: empty });
        table.entries.len() - 1
    });
    let entry = &mut table.entries[position];
    if rest.is_empty() {
        entry.node = node;
        entry.key_span = *key_span;
        return;
    }
    descend(&mut entry.node, key, rest, node, mistakes);
}

fn descend(target: &mut TomlNode, name: &str, rest: &[KeyPart], node: TomlNode, mistakes: &mut Mistakes) {
    let span = rest[0].1;
    match &mut target.value {
        TomlValue::Table(table) => place(table, rest, node, mistakes),
        TomlValue::Array(items) => {
            let count = items.len();
            let item = rest[0].0.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            match item {
                Some(item) if rest.len() == 1 => *item = node,
                Some(item) => descend(item, &rest[0].0, &rest[1..], node, mistakes),
                None => mistakes.report_with(
                    span,
                    format!("`{name}` has no element `{}`", rest[0].0),
                    format!("it has {count}, counted from 0"),
                ),
            }
        }
        other => mistakes.report(span, format!("`{name}` is {}, not a table with keys", other.kind())),
    }
}
