//! Medians and spreads for people.

use bench::Summary;
use std::io::Write;

const HEAD: [&str; 9] =
    ["problem", "optimizer", "of", "median", "lowest", "highest", "time", "published", "by"];

/// Where the column of methods stands; it is left out where there is only one.
const OPTIMIZER: usize = 1;

pub(super) fn write(summaries: &[Summary], output: &mut impl Write) -> anyhow::Result<()> {
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

fn row(summary: &Summary) -> [String; HEAD.len()] {
    let number =
        |error: Option<f64>| error.map_or_else(|| "failed".to_owned(), |error| format!("{error:.1e}"));
    let (record, method) = match &summary.published {
        Some(best) => (format!("{:.1e}", best.error), best.method.clone()),
        None => (String::new(), String::new()),
    };
    [
        summary.problem.clone(),
        summary.optimizer.clone(),
        summary.of.clone(),
        number(summary.median),
        number(summary.lowest),
        number(summary.highest),
        format!("{:.1} s", summary.seconds),
        record,
        method,
    ]
}
