//! How wrong a solution is as far as can be told without a reference: for people, for programs, and as an exit code.

use crate::exit;
use pinnace::trust::{Confidence, ErrorEstimate, Near, UnknownEstimate};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::process::ExitCode;

/// Doubts that are told at once, each with what to try.
const MOST_DOUBTS: usize = 3;

/// Writes an estimate, if there is one.
pub(crate) fn write(estimate: Option<&ErrorEstimate>, output: &mut impl Write) -> anyhow::Result<()> {
    let Some(estimate) = estimate else { return Ok(()) };
    let width = estimate.unknowns.iter().map(|unknown| unknown.name.len()).max().unwrap_or(0).max(7);
    writeln!(
        output,
        "\n  {:width$}  {:>14}  {:>12}  largest, and where it is likely",
        "unknown", "estimated L2", "of its range"
    )?;
    for UnknownEstimate { name, relative_l2, of_range, largest, near, .. } in &estimate.unknowns {
        let Some(relative) = relative_l2 else {
            writeln!(output, "  {name:width$}  nothing tells its error")?;
            continue;
        };
        let of_range = of_range.map_or_else(|| "undefined".to_owned(), |part| format!("{part:.1e}"));
        let largest = largest.map(|largest| format!("{largest:.1e} at {}", place(near))).unwrap_or_default();
        writeln!(output, "  {name:width$}  {relative:>14.1e}  {of_range:>12}  {largest}")?;
    }
    writeln!(output, "  {}", sentence(estimate))?;
    if estimate.trust != Confidence::Good {
        for doubt in estimate.doubts.iter().take(MOST_DOUBTS) {
            writeln!(output, "    likely cause: {doubt}\n      try: {}", doubt.advice())?;
        }
    }
    Ok(())
}

/// Writes the estimate that a run was left with, or how to get one.
pub(crate) fn write_recorded(
    estimate: Option<&ErrorEstimate>,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    if estimate.is_none() {
        writeln!(output, "\n  no error was estimated for this state: `pinnace verify` does that")?;
    }
    write(estimate, output)
}

fn sentence(estimate: &ErrorEstimate) -> String {
    match estimate.trust {
        Confidence::Good => "trust: good".to_owned(),
        Confidence::Doubtful => "trust: doubtful; the error may be several times as large".to_owned(),
        Confidence::Bad => "trust: bad; this solution cannot be trusted".to_owned(),
    }
}

/// Coordinates with three digits.
fn place(near: &[Near]) -> String {
    /// Of more coordinates, the first.
    const MOST: usize = 4;
    let each = near.iter().take(MOST).map(|Near { coordinate, value }| format!("{coordinate} = {value:.3}"));
    let rest = if near.len() > MOST { ", …" } else { "" };
    format!("{}{rest}", each.collect::<Vec<_>>().join(", "))
}

/// A JSON object with an estimate: null where there is none.
pub(crate) fn with_estimate(mut object: Value, estimate: Option<&ErrorEstimate>) -> anyhow::Result<Value> {
    let (mut errors, mut trust, mut whole) = (Value::Null, Value::Null, Value::Null);
    if let Some(estimate) = estimate {
        let each = estimate.unknowns.iter().map(|own| (own.name.clone(), json!(own.relative_l2)));
        errors = Value::Object(each.collect::<Map<_, _>>());
        trust = json!(estimate.trust);
        whole = serde_json::to_value(estimate)?;
        whole["doubts"] = estimate
            .doubts
            .iter()
            .map(|doubt| json!({ "fact": doubt, "cause": doubt.to_string(), "try": doubt.advice() }))
            .collect();
    }
    for (key, value) in [("error_estimate", errors), ("trust", trust), ("estimate", whole)] {
        object[key] = value;
    }
    Ok(object)
}

/// How the process ends with an estimate.
pub(crate) fn code(estimate: Option<&ErrorEstimate>, strict: bool) -> ExitCode {
    let bad = estimate.is_some_and(|estimate| estimate.trust == Confidence::Bad);
    if strict && bad { ExitCode::from(exit::UNTRUSTED) } else { exit::DONE }
}
