//! What is wrong with a file: facts with places, collected, ordered and counted.

use super::source::{Position, Sources, Span};
use std::fmt;

/// One mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What is wrong, in one line.
    pub message: String,
    /// The characters that are wrong.
    pub span: Span,
    /// How to put it right.
    pub hint: Option<String>,
}

/// All mistakes of a problem file, in the order of the text. Never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics {
    pub(super) list: Vec<Diagnostic>,
    /// Mistakes beyond those kept in the list.
    pub(super) dropped: usize,
    pub(super) sources: Sources,
}

impl Diagnostics {
    /// The mistakes, in the order of the text; overrides come after the file.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Where a mistake begins, in lines and characters of its source.
    pub fn position(&self, diagnostic: &Diagnostic) -> Position {
        self.sources.position(diagnostic.span)
    }

    /// How many mistakes there are, including those too many to list.
    pub fn count(&self) -> usize {
        self.list.len() + self.dropped
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.list.first() else { return write!(formatter, "the problem is wrong") };
        let Position { line, column } = self.position(first);
        write!(formatter, "{}", first.message)?;
        match first.span.source {
            0 => write!(formatter, " (line {line}, column {column})")?,
            _ => write!(formatter, " (in --set {})", self.sources.text(first.span.source))?,
        }
        match self.count() {
            1 => Ok(()),
            count => write!(formatter, " and {} more", count - 1),
        }
    }
}

impl std::error::Error for Diagnostics {}

/// Collects mistakes while a file is read.
#[derive(Default)]
pub(super) struct Mistakes {
    list: Vec<Diagnostic>,
    dropped: usize,
}

impl Mistakes {
    /// Mistakes that are kept; a hostile file may have millions.
    const KEPT: usize = 1000;

    pub(super) fn report(&mut self, span: Span, message: impl Into<String>) {
        self.add(span, message.into(), None);
    }

    pub(super) fn report_with(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.add(span, message.into(), Some(hint.into()));
    }

    /// As [`Self::report_with`], the hint being optional.
    pub(super) fn add(&mut self, span: Span, message: String, hint: Option<String>) {
        if self.list.len() < Self::KEPT {
            self.list.push(Diagnostic { message, span, hint });
        } else {
            self.dropped += 1;
        }
    }

    /// Whether suggestions, which cost time, are still worth making.
    pub(super) fn few(&self) -> bool {
        self.list.len() < 200
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorted by place, each said once.
    pub(super) fn finish(mut self, sources: Sources) -> Diagnostics {
        self.list.sort_by_key(|diagnostic| diagnostic.span);
        self.list.dedup_by(|later, first| later.span == first.span && later.message == first.message);
        Diagnostics { list: self.list, dropped: self.dropped, sources }
    }
}
