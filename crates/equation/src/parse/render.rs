//! Mistakes as text: message, place, the line with a caret under it, hint.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::source::{Position, floor};
use std::fmt::Write;

/// Mistakes that are shown; the rest are counted.
const SHOWN: usize = 50;

/// Longer lines are shown as a window of this many columns around the caret.
const WINDOW: usize = 100;

/// Columns kept before the caret in a window.
const LEAD: usize = 40;

impl Diagnostics {
    /// Every mistake as a compiler would print it; `file` is what the user called the file.
    pub fn render(&self, file: &str) -> String {
        let mut text = String::new();
        for diagnostic in self.list.iter().take(SHOWN) {
            self.render_one(diagnostic, file, &mut text);
            text.push('\n');
        }
        let hidden = self.count().saturating_sub(SHOWN);
        if hidden > 0 {
            _ = writeln!(text, "… and {hidden} more");
        }
        text
    }

    fn render_one(&self, diagnostic: &Diagnostic, file: &str, text: &mut String) {
        let Position { line, column } = self.position(diagnostic);
        _ = writeln!(text, "error: {}", diagnostic.message);
        _ = match diagnostic.span.source {
            0 => writeln!(text, " --> {file}:{line}:{column}"),
            _ => writeln!(text, " --> --set, column {column}"),
        };
        let (content, first) = self.sources.line(diagnostic.span);
        let start = floor(content, diagnostic.span.start.saturating_sub(first));
        let end = floor(content, diagnostic.span.end.saturating_sub(first)).max(start);
        let (shown, caret) = window(content, start, end);
        let gutter = line.to_string().len();
        _ = writeln!(text, "{:gutter$} |", "");
        _ = writeln!(text, "{line} | {shown}");
        _ = writeln!(text, "{:gutter$} | {caret}", "");
        if let Some(hint) = &diagnostic.hint {
            _ = writeln!(text, "  hint: {hint}");
        }
    }
}

/// The part of a line around `start..end` as it is shown, and the line of carets below it.
fn window(line: &str, start: usize, end: usize) -> (String, String) {
    let mut before: Vec<(String, usize)> = Vec::new();
    let mut columns = 0;
    for character in line[..start].chars().rev() {
        let piece = display(character);
        columns += piece.1;
        if columns > LEAD && start > WINDOW - LEAD {
            before.push(("…".to_owned(), 1));
            break;
        }
        before.push(piece);
    }
    let mut shown = String::new();
    let mut caret = String::new();
    let mut columns = 0;
    for (piece, width) in before.into_iter().rev() {
        shown.push_str(&piece);
        columns += width;
    }
    caret.push_str(&" ".repeat(columns));
    let mut carets = 0;
    for (offset, character) in line[start..].char_indices() {
        let (piece, width) = display(character);
        if columns + width > WINDOW {
            shown.push('…');
            break;
        }
        shown.push_str(&piece);
        columns += width;
        if start + offset < end {
            carets += width;
        }
    }
    caret.push_str(&"^".repeat(carets.max(1)));
    (shown, caret)
}

/// How a character is shown, and over how many columns.
fn display(character: char) -> (String, usize) {
    match character {
        '\t' => ("    ".to_owned(), 4),
        control if control.is_control() => ("\u{fffd}".to_owned(), 1),
        other => (other.to_string(), width(other)),
    }
}

/// Columns that terminals give a character: the blocks of East Asian wide letters and of pictures
/// take two, marks that combine with the letter before them none.
fn width(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe00..=0xfe0f => 0,
        0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0xfe20..=0xfe2f | 0xfeff => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe4f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
