//! Places in texts, and how they are shown.

use std::fmt;

/// A place in a text. Lines and columns count from one, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Place {
    /// Of the byte at `offset`.
    pub fn of(text: &str, offset: usize) -> Place {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
        // Bytes that go on with a character are not counted.
        let column = before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1;
        Place { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// Characters before and after a place that are shown: trees are lines of megabytes.
const BEFORE: usize = 30;
const AFTER: usize = 30;

/// The surroundings of a place with a caret below it, two lines.
pub(crate) fn excerpt(text: &str, offset: usize) -> String {
    let offset = floor(text, offset);
    let (before, after) = text.split_at(offset);
    let before = before.rsplit('\n').next().unwrap_or_default();
    let after = after.split(['\n', '\r']).next().unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(BEFORE);
    let left: String = before.chars().skip(skipped).map(blank).collect();
    let right: String = after.chars().take(AFTER).map(blank).collect();
    let (open, close) =
        (if skipped > 0 { "…" } else { "" }, if after.chars().count() > AFTER { "…" } else { "" });
    let space = " ".repeat(open.chars().count() + left.chars().count());
    format!("  {open}{left}{right}{close}\n  {space}^")
}

/// A tab would move the caret away from what it points at.
fn blank(letter: char) -> char {
    if letter.is_control() { ' ' } else { letter }
}

/// The start of the character that a byte belongs to.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_the_caret_stands_below_them() {
        let text = "(Ä:1,\n(B\t:x));";
        let offset = text.find('x').expect("it is there");
        assert_eq!(Place::of(text, offset), Place { line: 2, column: 5 });
        assert_eq!(Place::of(text, 3), Place { line: 1, column: 3 });
        assert_eq!(excerpt(text, offset), "  (B :x));\n      ^");
        let long = format!("{}!{}", "a".repeat(100), "b".repeat(100));
        let shown = excerpt(&long, 100);
        let (line, caret) = shown.split_once('\n').expect("two lines");
        assert_eq!(
            line.chars().position(|letter| letter == '!'),
            caret.chars().position(|letter| letter == '^')
        );
        assert!(excerpt("", 5).ends_with('^'));
    }
}
