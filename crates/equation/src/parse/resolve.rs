//! A problem file with its overrides laid over it, as one text that needs nothing else.

use super::diagnostic::Diagnostics;
use super::document::{self, Text, TomlNode, TomlTable, TomlValue};
use super::expression::{Workshop, quotations};
use super::overrides;
use super::source::Sources;
use std::fmt::Write;

/// The text that states by itself what `source` states under `overrides`: reading it gives the same
/// problem. A file that states no title gets `title`; `rename` says by which path each data file is
/// found from the new place. A text in which nothing changes is kept letter by letter, comments
/// included.
pub fn resolve(
    source: &str,
    overrides: &[String],
    title: &str,
    rename: &mut dyn FnMut(&str) -> String,
) -> Result<String, Diagnostics> {
    let mut workshop = Workshop::default();
    let sources = Sources::new(source, overrides);
    let document = document::read(&sources, &mut workshop.mistakes);
    let Some(mut document) = document else { return Err(workshop.mistakes.finish(sources)) };
    overrides::merge(&mut document, &sources, overrides.len(), &mut workshop.mistakes);
    if !workshop.mistakes.is_empty() {
        return Err(workshop.mistakes.finish(sources));
    }
    let moved = rename_files(&mut document, rename);
    let titled = document.get("title").is_some_and(
        |entry| matches!(&entry.node.value, TomlValue::Text(text) if !text.content.trim().is_empty()),
    );
    if overrides.is_empty() && !moved && titled {
        return Ok(source.to_owned());
    }
    let mut text = String::new();
    if !titled {
        line(&mut text, "title", &quoted(title));
    }
    for entry in &document.entries {
        match &entry.node.value {
            TomlValue::Table(_) => {}
            _ if entry.key == "title" && !titled => {}
            _ => line(&mut text, &entry.key, &value(&entry.node)),
        }
    }
    for entry in &document.entries {
        if let TomlValue::Table(table) = &entry.node.value {
            section(&mut text, &entry.key, table);
        }
    }
    Ok(text)
}

/// Whether a problem file or one of the overrides states a key, such as `training.precision`. `source` has been read without mistakes.
pub fn states(source: &str, overrides: &[String], key: &str) -> bool {
    let mut workshop = Workshop::default();
    let sources = Sources::new(source, overrides);
    let Some(mut document) = document::read(&sources, &mut workshop.mistakes) else { return false };
    overrides::merge(&mut document, &sources, overrides.len(), &mut workshop.mistakes);
    let Some((section, key)) = key.split_once('.') else { return document.get(key).is_some() };
    match document.get(section).map(|entry| &entry.node.value) {
        Some(TomlValue::Table(table)) => table.get(key).is_some(),
        Some(_) | None => false,
    }
}

/// Renames the data files; whether any got another name.
fn rename_files(document: &mut TomlTable, rename: &mut dyn FnMut(&str) -> String) -> bool {
    const TABLES: [&str; 3] = ["data", "functions", "reference"];
    let mut moved = false;
    for section in &mut document.entries {
        let TomlValue::Table(tables) = &mut section.node.value else { continue };
        for table in &mut tables.entries {
            let table = match &mut table.node.value {
                TomlValue::Text(text) if section.key == "geometry" => {
                    moved |= rename_quoted(text, rename);
                    continue;
                }
                TomlValue::Table(table) if TABLES.contains(&&*section.key) => table,
                _ => continue,
            };
            for entry in table.entries.iter_mut().filter(|entry| entry.key == "file") {
                let TomlValue::Text(text) = &mut entry.node.value else { continue };
                let name = rename(&text.content);
                if name != text.content {
                    *text = Text::bare(&name, text.span);
                    moved = true;
                }
            }
        }
    }
    moved
}

/// Renames the files that a shape is made of; whether any got another name.
fn rename_quoted(text: &mut Text, rename: &mut dyn FnMut(&str) -> String) -> bool {
    let mut renamed = String::new();
    let mut done = 0;
    for range in quotations(&text.content) {
        renamed.push_str(&text.content[done..range.start]);
        renamed.push_str(&rename(&text.content[range.clone()]));
        done = range.end;
    }
    renamed.push_str(&text.content[done..]);
    let moved = renamed != text.content;
    if moved {
        *text = Text::bare(&renamed, text.span);
    }
    moved
}

fn section(text: &mut String, name: &str, table: &TomlTable) {
    text.push_str(&format!("\n[{}]\n", key(name)));
    let phases = |node: &TomlNode| match &node.value {
        TomlValue::Array(items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item.value, TomlValue::Table(_)))
        }
        _ => false,
    };
    for entry in table.entries.iter().filter(|entry| !phases(&entry.node)) {
        line(text, &entry.key, &value(&entry.node));
    }
    // Keys behind such a header would belong to it: they come last.
    for entry in table.entries.iter().filter(|entry| phases(&entry.node)) {
        let TomlValue::Array(items) = &entry.node.value else { continue };
        for item in items {
            let TomlValue::Table(table) = &item.value else { continue };
            text.push_str(&format!("\n[[{}.{}]]\n", key(name), key(&entry.key)));
            table.entries.iter().for_each(|entry| line(text, &entry.key, &value(&entry.node)));
        }
    }
}

fn line(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("{} = {value}\n", key(name)));
}

fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A value on one line.
fn value(node: &TomlNode) -> String {
    match &node.value {
        TomlValue::Text(text) => quoted(&text.content),
        TomlValue::Integer(number) => number.to_string(),
        // Shortest digits that read as the same number; TOML writes nan in small letters.
        TomlValue::Float(number) => format!("{number:?}").to_ascii_lowercase(),
        TomlValue::Boolean(truth) => truth.to_string(),
        TomlValue::Array(items) => format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(", ")),
        TomlValue::Table(table) if table.entries.is_empty() => "{}".to_owned(),
        TomlValue::Table(table) => {
            let entries =
                table.entries.iter().map(|entry| format!("{} = {}", key(&entry.key), value(&entry.node)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        // No key takes one, so a file that has one is never resolved; kept readable all the same.
        TomlValue::Strange(kind) => quoted(kind),
    }
}

fn quoted(content: &str) -> String {
    let mut text = String::from("\"");
    for letter in content.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() => {
                // Writing into a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            _ => text.push(letter),
        }
    }
    text.push('"');
    text
}
