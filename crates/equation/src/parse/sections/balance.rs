//! `balance` of `[training]` and its phases: how parts of the loss are weighed against each other.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlNode, TomlTable, TomlValue};
use crate::parse::reader;
use crate::problem::{Balance, GradientSize, Pacing};

/// Yes, no, a kind by its name, or a table with more.
pub(super) fn read(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Balance> {
    let table = match &node.value {
        TomlValue::Boolean(true) => return Some(Balance::Usual),
        TomlValue::Boolean(false) => return Some(Balance::Off),
        TomlValue::Text(_) => return reader::choice(node, &Balance::USUAL, mistakes),
        TomlValue::Table(table) => table,
        other => {
            let message =
                format!("expected true, false, a kind of balancing or a table, found {}", other.kind());
            mistakes.report_with(
                node.span,
                message,
                "such as \"gradient-norm\", or `{ kind = \"gradient-norm\", every = 100 }`",
            );
            return None;
        }
    };
    let Some(kind) = table.get("kind") else {
        mistakes.report_with(node.span, "this balancing has no `kind`", "such as `kind = \"gradient-norm\"`");
        return None;
    };
    let usual = reader::choice(&kind.node, &Balance::USUAL, mistakes)?;
    let keys: &[&str] = match usual {
        Balance::Off | Balance::Usual | Balance::Rows => &["kind"],
        Balance::GradientNorm { .. } => &["kind", "every", "decay", "by"],
        Balance::Ntk(_) => &["kind", "every", "decay"],
        Balance::SelfAdaptive { .. } => &["kind", "every", "rate"],
        Balance::SoftAdapt { .. } => &["kind", "every", "strength"],
        Balance::ReLoBRaLo { .. } => &["kind", "every", "decay", "temperature", "lookback"],
    };
    reader::only(table, keys, "key", mistakes);
    with_numbers(usual, table, mistakes)
}

fn with_numbers(usual: Balance, table: &TomlTable, mistakes: &mut Mistakes) -> Option<Balance> {
    let steps = |usual: u64, mistakes: &mut Mistakes| match table.get("every") {
        Some(entry) => reader::count(&entry.node, 1..=i64::MAX, mistakes).map(|steps| steps as u64),
        None => Some(usual),
    };
    let positive = |key: &str, usual: f64, mistakes: &mut Mistakes| match table.get(key) {
        Some(entry) => reader::positive(&entry.node, mistakes),
        None => Some(usual),
    };
    let share = |key: &str, usual: f64, mistakes: &mut Mistakes| {
        let Some(entry) = table.get(key) else { return Some(usual) };
        let number = reader::number(&entry.node, mistakes)?;
        if (0.0..1.0).contains(&number) {
            return Some(number);
        }
        mistakes.report(entry.node.span, format!("`{key}` must be at least 0 and below 1"));
        None
    };
    let pacing = |pacing: Pacing, mistakes: &mut Mistakes| {
        Some(Pacing { every: steps(pacing.every, mistakes)?, decay: share("decay", pacing.decay, mistakes)? })
    };
    Some(match usual {
        Balance::Off | Balance::Usual | Balance::Rows => usual,
        Balance::GradientNorm { pacing: usual, by } => {
            let pacing = pacing(usual, mistakes)?;
            let by = match table.get("by") {
                Some(entry) => reader::choice(&entry.node, &GradientSize::ALL, mistakes)?,
                None => by,
            };
            Balance::GradientNorm { pacing, by }
        }
        Balance::Ntk(usual) => Balance::Ntk(pacing(usual, mistakes)?),
        Balance::SelfAdaptive { every, rate } => {
            Balance::SelfAdaptive { every: steps(every, mistakes)?, rate: positive("rate", rate, mistakes)? }
        }
        Balance::SoftAdapt { every, strength } => Balance::SoftAdapt {
            every: steps(every, mistakes)?,
            strength: positive("strength", strength, mistakes)?,
        },
        Balance::ReLoBRaLo { every, decay, temperature, lookback } => Balance::ReLoBRaLo {
            every: steps(every, mistakes)?,
            decay: share("decay", decay, mistakes)?,
            temperature: positive("temperature", temperature, mistakes)?,
            lookback: share("lookback", lookback, mistakes)?,
        },
    })
}
