//! Medians and spreads for people.

use bench::AccuracySummary;
use std::io::Write;

const HEAD: [&str; 9] =
    ["problem", "optimizer", "of", "median", "lowest", "highest", "time", "published", "by"];

/// Where the column of methods stands; it is left out where there is only one.
const OPTIMIZER: usize = 1;

pub(super) fn write(summaries: &[AccuracySummary], output: &mut impl Write) -> anyhow::Result<()> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(summaries.iter().map(row));
    let methods = summaries.iter().any(|summary| summary.optimizer != summaries[0].optimizer);
    let shown: Vec<usize> = (0..HEAD.len()).filter(|&column| methods || column != OPTIMIZER).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    for row in &rows {
        let cells = shown.iter().map(|&column| format!("{:1$}", row[column], width(column)));
        writeln!(output, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn row(summary: &AccuracySummary) -> [String; HEAD.len()] {
    let (failed, seeds) = (summary.failed, summary.errors.len());
    // Without a reference no error is known, however well training went.
    let number = |error: Option<f64>, is_failure: bool| match error {
        Some(error) => format!("{error:.1e}"),
        None if is_failure => "failed".to_owned(),
        None => "not known".to_owned(),
    };
    let (record, method) = match &summary.published {
        Some(best) => (format!("{:.1e}", best.error), best.method.clone()),
        None => (String::new(), String::new()),
    };
    [
        summary.problem.clone(),
        summary.optimizer.clone(),
        summary.of.clone(),
        number(summary.median, 2 * failed >= seeds),
        number(summary.lowest, failed == seeds),
        number(summary.highest, failed > 0),
        format!("{:.1} s", summary.seconds),
        record,
        method,
    ]
}
