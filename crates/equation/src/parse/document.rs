//! The file as a tree of values that know where they were written.

use super::diagnostic::Mistakes;
use super::other_notations;
use super::source::{Sources, Span};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct TomlNode {
    pub(super) value: TomlValue,
    pub(super) span: Span,
}

/// A value of a problem file.
#[derive(Clone, Debug)]
pub(super) enum TomlValue {
    Text(Text),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<TomlNode>),
    Table(TomlTable),
    /// Dates, and integers beyond 64 bits: no key wants them.
    Strange(&'static str),
}

impl TomlValue {
    /// For "expected …, found …".
    pub(super) fn kind(&self) -> &'static str {
        match self {
            TomlValue::Text(_) => "a string",
            TomlValue::Integer(_) => "an integer",
            TomlValue::Float(_) => "a number",
            TomlValue::Boolean(_) => "true or false",
            TomlValue::Array(_) => "an array",
            TomlValue::Table(_) => "a table",
            TomlValue::Strange(kind) => kind,
        }
    }
}

/// A string and where its characters are.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) content: String,
    pub(super) span: Span,
    /// Byte of the source at which the content starts, where it stands there letter by letter.
    verbatim: Option<usize>,
}

impl Text {
    /// A string written without quotes.
    pub(super) fn bare(content: &str, span: Span) -> Self {
        Text { content: content.to_owned(), span, verbatim: Some(span.start) }
    }

    fn new(content: &str, span: Span, sources: &Sources) -> Self {
        let raw = sources.text(span.source).get(span.start..span.end).unwrap_or("");
        let quotes = ["\"\"\"\r\n", "'''\r\n", "\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"];
        let verbatim = quotes
            .iter()
            .find(|quote| raw.starts_with(**quote))
            .filter(|quote| raw[quote.len()..].starts_with(content))
            .map(|quote| span.start + quote.len());
        Text { content: content.to_owned(), span, verbatim }
    }

    /// A part of it as a text of its own.
    pub(super) fn part(&self, range: Range<usize>) -> Text {
        let verbatim = self.verbatim.map(|start| start + range.start);
        Text { content: self.content[range.clone()].to_owned(), span: self.place(range), verbatim }
    }

    /// Where a part of the content stands; the whole string where escapes hide it.
    pub(super) fn place(&self, range: Range<usize>) -> Span {
        match self.verbatim {
            Some(start) => Span::new(self.span.source, start + range.start..start + range.end),
            None => self.span,
        }
    }
}

/// Keys with values, in the file's order.
#[derive(Clone, Debug, Default)]
pub(super) struct TomlTable {
    pub(super) entries: Vec<TomlEntry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct TomlEntry {
    pub(super) key: String,
    pub(super) key_span: Span,
    pub(super) node: TomlNode,
}

impl TomlTable {
    pub(super) fn get(&self, key: &str) -> Option<&TomlEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// Beyond this size a broken file is reported with its first TOML error only: recovering all of
/// them keeps a message for each.
const RECOVERABLE: usize = 256 * 1024;

/// Reads the problem file's TOML. `None` when it is not TOML, which has been reported.
pub(super) fn read(sources: &Sources, mistakes: &mut Mistakes) -> Option<TomlTable> {
    let text = sources.text(0);
    let errors = match DeTable::parse(text) {
        Ok(table) => return Some(convert_table(table.get_ref(), 0, 0, sources)),
        Err(first) if text.len() > RECOVERABLE => vec![first],
        Err(_) => DeTable::parse_recoverable(text).1,
    };
    for error in errors {
        report(&error, 0, 0, sources, mistakes);
    }
    None
}

/// Reads one TOML value that stands at `start` of a source; blanks around it have been cut off.
pub(super) fn read_value(
    source: usize,
    start: usize,
    text: &str,
    sources: &Sources,
) -> Result<TomlNode, Box<toml::de::Error>> {
    let value = DeValue::parse(text).map_err(Box::new)?;
    let span = value.span().start + start..value.span().end + start;
    Ok(convert(value.get_ref(), span, source, start, sources))
}

/// Reports a TOML error whose text began at `offset` of its source.
pub(super) fn report(
    error: &toml::de::Error,
    source: usize,
    offset: usize,
    sources: &Sources,
    mistakes: &mut Mistakes,
) {
    let end = sources.text(source).len();
    let range = error.span().unwrap_or(0..0);
    let span = Span::new(source, (range.start + offset).min(end)..(range.end + offset).min(end));
    let line = sources.line(span).0;
    let message = error.message();
    let hint = if message.contains("unquoted key") {
        Some("keys with other letters than a-z and A-Z stand in quotes: `\"ν\" = 0.1`")
    } else {
        let value = line.split_once('=').map_or("", |(_, value)| value.trim_start());
        let quoted = value.starts_with(['"', '\'', '[', '{']);
        let formula = value.contains(['*', '(', '^', '/']) || value.starts_with(char::is_alphabetic);
        // `340 m`, `340 [m/s]`, `340 m/s`.
        let behind =
            value.trim_start_matches(|letter: char| letter.is_ascii_digit() || "+-._eE".contains(letter));
        let unit = behind.trim_start().trim_start_matches('[');
        let unit = unit.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
        if behind.len() < value.len() && other_notations::is_unit(unit) {
            Some(other_notations::UNITS)
        } else {
            (formula && !quoted).then_some("expressions and words stand in quotes: `name = \"…\"`")
        }
    };
    mistakes.add(span, format!("TOML: {message}"), hint.map(str::to_owned));
}

/// `offset` is where in its source the parsed text began.
fn convert_table(table: &DeTable<'_>, source: usize, offset: usize, sources: &Sources) -> TomlTable {
    let entries = table
        .iter()
        .map(|(key, value)| {
            let shift = |range: Range<usize>| range.start + offset..range.end + offset;
            TomlEntry {
                key: key.get_ref().to_string(),
                key_span: Span::new(source, shift(key.span())),
                node: convert(value.get_ref(), shift(value.span()), source, offset, sources),
            }
        })
        .collect();
    TomlTable { entries }
}

fn convert(
    value: &DeValue<'_>,
    range: Range<usize>,
    source: usize,
    offset: usize,
    sources: &Sources,
) -> TomlNode {
    let span = Span::new(source, range);
    let value = match value {
        DeValue::String(content) => TomlValue::Text(Text::new(content, span, sources)),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => TomlValue::Integer(value),
            Err(_) => TomlValue::Strange("an integer beyond 64 bits"),
        },
        DeValue::Float(float) => TomlValue::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => TomlValue::Boolean(*value),
        DeValue::Datetime(_) => TomlValue::Strange("a date"),
        DeValue::Array(array) => TomlValue::Array(
            array
                .iter()
                .map(|item| {
                    let range = item.span().start + offset..item.span().end + offset;
                    convert(item.get_ref(), range, source, offset, sources)
                })
                .collect(),
        ),
        DeValue::Table(table) => TomlValue::Table(convert_table(table, source, offset, sources)),
    };
    TomlNode { value, span }
}
