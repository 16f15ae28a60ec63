//! Where things stand in the text that the user wrote.

use std::ops::Range;

/// A stretch of one source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// 0 is the problem file, n is the n-th override.
    pub source: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A stretch of the text number `source`.
    pub(super) fn new(source: usize, range: Range<usize>) -> Self {
        Span { source, start: range.start, end: range.end.max(range.start) }
    }
}

/// A place as people count it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
}

/// The problem file and the override texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sources {
    texts: Vec<String>,
}

impl Sources {
    pub(super) fn new(file: &str, overrides: &[String]) -> Self {
        let mut texts = vec![file.to_owned()];
        texts.extend(overrides.iter().cloned());
        Sources { texts }
    }

    /// The whole text; empty for a source that does not exist.
    pub(super) fn text(&self, source: usize) -> &str {
        self.texts.get(source).map_or("", String::as_str)
    }

    /// The line on which a span begins, without its end, and where in the text it begins.
    pub(super) fn line(&self, span: Span) -> (&str, usize) {
        let text = self.text(span.source);
        let start = floor(text, span.start);
        let first = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let last = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let line = &text[first..last];
        (line.strip_suffix('\r').unwrap_or(line), first)
    }

    /// Where a span begins.
    pub(super) fn position(&self, span: Span) -> Position {
        let text = self.text(span.source);
        let start = floor(text, span.start);
        let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        let (_, first) = self.line(span);
        Position { line, column: 1 + text[first..start].chars().count() }
    }
}

/// The nearest character boundary at or before a byte: spans come from several parsers, and a
/// diagnostic must never be the thing that panics.
pub(super) fn floor(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
