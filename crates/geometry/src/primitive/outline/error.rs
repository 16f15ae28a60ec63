//! What can be wrong with a file of outlines.

use super::MOST_CORNERS;

/// Why a file states no region. Lines are counted from one.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum OutlineError {
    /// A file of no bytes.
    #[error("the file is empty")]
    Empty,
    /// Bytes that are no letters.
    #[error("line {line} is not text in UTF-8")]
    NotText {
        /// Where the first other byte is.
        line: usize,
    },
    /// Something else than the format has there.
    #[error("line {line}: found {found}, expected {expected}")]
    Unexpected {
        /// Where.
        line: usize,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// Something that encloses nothing, or is not supported.
    #[error("line {line}: {what}")]
    Unsupported {
        /// Where.
        line: usize,
        /// What it is, and what to do about it.
        what: String,
    },
    /// Parts within parts without end.
    #[error("line {line}: more than {limit} levels within each other")]
    TooDeep {
        /// Where.
        line: usize,
        /// The most there can be.
        limit: usize,
    },
    /// A coordinate that cannot be computed with.
    #[error("line {line}: coordinate {value}: expected a number between -1e75 and 1e75")]
    Coordinate {
        /// Where.
        line: usize,
        /// The number.
        value: f64,
    },
    /// A file that is too large.
    #[error(
        "more than {MOST_CORNERS} corners are not supported: simplify the outlines, or allow a larger tolerance"
    )]
    TooMany,
    /// A file without outlines.
    #[error("the file has no outlines")]
    NoOutlines,
    /// A line around nothing.
    #[error("line {line}: an outline of {found} different corners encloses nothing: expected 3 or more")]
    TooFew {
        /// Where it begins.
        line: usize,
        /// How many there are.
        found: usize,
    },
    /// A line that goes back where it came from.
    #[error("line {line}: an outline encloses no area")]
    Flat {
        /// Where it begins.
        line: usize,
    },
    /// A line that meets itself.
    #[error("line {line}: an outline meets itself at ({}, {}): order its corners along the boundary", at[0], at[1])]
    MeetsItself {
        /// Where it begins.
        line: usize,
        /// A common point.
        at: [f64; 2],
    },
    /// Lines that meet each other.
    #[error("the outlines that begin on lines {first} and {second} meet at ({}, {}): join them, or move them apart", at[0], at[1])]
    Meet {
        /// Where the first begins.
        first: usize,
        /// Where the second begins.
        second: usize,
        /// A common point.
        at: [f64; 2],
    },
}

/// The beginning of a text that stands in the wrong place.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 20;
    let first = text.lines().next().unwrap_or_default();
    match text.is_empty() {
        true => "the end of the file".to_owned(),
        false => {
            format!("`{}`", first.chars().take(LONGEST).flat_map(char::escape_debug).collect::<String>())
        }
    }
}
