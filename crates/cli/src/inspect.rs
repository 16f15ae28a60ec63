//! `pinnace list`

use crate::exit;
use pinnace::{BUILT_IN, Experiment, Group, Problem, Solution};
use std::io::Write;
use std::process::ExitCode;

const HEAD: [&str; 5] = ["name", "title", "coordinates", "unknowns", "reference"];

pub(crate) fn list(output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    for built_in in BUILT_IN {
        rows.push(row(built_in.name, Experiment::open(built_in.name, &[])?.problem()));
    }
    let widths: [usize; HEAD.len()] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; HEAD.len()]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(output, "  {}", line(&rows[0]))?;
    for group in Group::ALL {
        writeln!(output, "\n{group}")?;
        let members = BUILT_IN.iter().zip(&rows[1..]).filter(|(built_in, _)| built_in.group == group);
        for (_, row) in members {
            writeln!(output, "  {}", line(row))?;
        }
    }
    Ok(exit::DONE)
}

fn row(name: &str, problem: &Problem) -> [String; HEAD.len()] {
    let coordinates: Vec<&str> =
        problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str()).collect();
    let coordinates = match coordinates.as_slice() {
        [first, .., last] if coordinates.len() > 4 => format!("{first} … {last}"),
        few => few.join(", "),
    };
    let unknowns: Vec<&str> = problem.unknowns.iter().map(|unknown| unknown.name.as_str()).collect();
    [name.to_owned(), problem.title.clone(), coordinates, unknowns.join(", "), reference(problem)]
}

/// What errors are measured against.
fn reference(problem: &Problem) -> String {
    let mut kinds: Vec<&str> = problem
        .reference
        .solutions
        .iter()
        .map(|solution| match solution {
            Some(Solution::Formula(_)) => "formula",
            Some(Solution::Named { name, .. }) => name,
            Some(Solution::File { .. }) => "table",
            None => "none",
        })
        .collect();
    kinds.dedup();
    kinds.join(", ")
}
