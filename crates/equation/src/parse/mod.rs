//! Text to [`Problem`]: TOML with expressions in its strings. Every mistake is reported at once, with
//! its place and a hint.
//!
//! TOML → `document` tree (with `--set` overrides laid over it) → names declared → constants,
//! ranges, functions → equations and the rest → [`crate::problem`] checked as a whole.

mod build;
mod definitions;
mod diagnostic;
mod document;
mod expression;
mod files;
mod former;
mod formula;
mod other_notations;
mod overrides;
mod reader;
mod render;
mod resolve;
mod sections;
mod source;
mod suggest;

pub use diagnostic::{Diagnostic, Diagnostics};
pub use files::{FileFault, FileGrid, FileReader};
pub use resolve::{resolve, states};
pub use source::{Position, Span};

use crate::problem::Problem;
use expression::Workshop;
use files::NoFiles;
use source::{Sources, floor};

/// Larger files are refused unread, in bytes.
pub const MAX_FILE: usize = 4 * 1024 * 1024;

/// Longer expressions are refused unread, in bytes.
pub const MAX_EXPRESSION: usize = 64 * 1024;

/// Reads a problem file.
pub fn parse(source: &str) -> Result<Problem, Diagnostics> {
    parse_with(source, &[])
}

/// Reads a problem file with `--set` texts such as `training.points=20000` laid over it, in order.
/// Mistakes in an override point at the override. Shapes and coefficients that come from files are mistakes.
pub fn parse_with(source: &str, overrides: &[String]) -> Result<Problem, Diagnostics> {
    parse_with_files(source, overrides, &NoFiles)
}

/// The same for a problem whose shapes and coefficients may come from files.
pub fn parse_with_files(
    source: &str,
    overrides: &[String],
    files: &dyn FileReader,
) -> Result<Problem, Diagnostics> {
    let mut workshop = Workshop::default();
    if source.len() > MAX_FILE {
        let start = Span { source: 0, start: 0, end: 0 };
        let hint = "large tables belong into a CSV or NPY file named in [data]";
        workshop.mistakes.report_with(start, "this file is larger than 4 MiB", hint);
        let shown = &source[..floor(source, 200)];
        return Err(workshop.mistakes.finish(Sources::new(shown, &[])));
    }
    let sources = Sources::new(source, overrides);
    match build::build(&sources, overrides.len(), files, &mut workshop) {
        Some(mut problem) if workshop.mistakes.is_empty() => {
            problem.pool = workshop.pool;
            Ok(problem)
        }
        _ => Err(workshop.mistakes.finish(sources)),
    }
}
