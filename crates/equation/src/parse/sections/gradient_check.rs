//! `gradient_check` of `[training]` and its phases: comparisons with gradients in f64.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlNode, TomlValue};
use crate::parse::reader;
use crate::problem::GradientCheck;

/// Yes, no, or a table with numbers.
pub(super) fn read(node: &TomlNode, mistakes: &mut Mistakes) -> Option<GradientCheck> {
    let usual = GradientCheck::USUAL;
    let table = match &node.value {
        TomlValue::Boolean(true) => return Some(usual),
        TomlValue::Boolean(false) => return Some(GradientCheck::OFF),
        TomlValue::Table(table) => table,
        other => {
            let message = format!("expected true, false or a table, found {}", other.kind());
            let hint = "such as `{ every = 500, gradient = 0.05 }`";
            mistakes.report_with(node.span, message, hint);
            return None;
        }
    };
    reader::only(table, &["every", "points", "loss", "gradient"], "key", mistakes);
    let mut count = |key: &str, usual: u64| match table.get(key) {
        Some(entry) => reader::count(&entry.node, 1..=i64::MAX, mistakes).map(|count| count as u64),
        None => Some(usual),
    };
    let (every, points) = (count("every", usual.every), count("points", usual.points as u64));
    let mut bound = |key: &str, usual: f64| match table.get(key) {
        Some(entry) => reader::positive(&entry.node, mistakes),
        None => Some(usual),
    };
    let (loss, gradient) = (bound("loss", usual.loss), bound("gradient", usual.gradient));
    let points = usize::try_from(points?).unwrap_or(usize::MAX);
    Some(GradientCheck { every: every?, points, loss: loss?, gradient: gradient? })
}
