//! `pinnace geometry`

use crate::args::GeometryArguments;
use crate::clean::{self, stderr};
use crate::exit::{self, Usage};
use pinnace::sample::CoverSummary;
use pinnace::{Experiment, FirstPoints, Holding, Measure, RunError, Territory, Wall, write_atomically};
use plot::{PlotError, draw_geometry};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn geometry(choices: &GeometryArguments, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let experiment = Experiment::open(&choices.chosen.problem, &choices.chosen.set)?;
    let Some(territory) = experiment.territory() else {
        return Err(Usage(format!(
            "{} has no space coordinate: there is no shape to show",
            experiment.name()
        ))
        .into());
    };
    let points = experiment.first_points(choices.points)?;
    let mut warnings = experiment.problem().warnings();
    warnings.extend(territory.warnings(&experiment));
    let geometry = experiment.problem().domain.geometry.as_ref();
    warnings.extend(geometry.iter().flat_map(|geometry| geometry.notes.iter().cloned()));
    for warning in &warnings {
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "pinnace: warning: {warning}");
    }
    let picture = draw(choices, &experiment, &territory, &points)?;
    let shown = Shown { experiment: &experiment, territory: &territory, points: &points };
    if choices.json {
        writeln!(output, "{}", shown.json(&warnings, picture.as_deref()))?;
        return Ok(exit::DONE);
    }
    shown.write(output)?;
    match picture {
        Some(path) => writeln!(output, "\nwrote {}", path.display())?,
        None => writeln!(output, "\nno picture: only one to three dimensions are drawn")?,
    }
    Ok(exit::DONE)
}

/// The picture's path, if there is one.
fn draw(
    choices: &GeometryArguments,
    experiment: &Experiment,
    territory: &Territory,
    points: &FirstPoints,
) -> Result<Option<PathBuf>, PlotError> {
    let Some(picture) = draw_geometry(experiment, territory, points)? else { return Ok(None) };
    let default = || PathBuf::from(format!("{}-geometry.png", experiment.name()));
    let path = choices.out.clone().unwrap_or_else(default);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_atomically(&path, &picture.bytes))
        .map_err(|cause| RunError::Write { path: path.clone(), cause })?;
    Ok(Some(path))
}

/// Rows of tables; more are counted.
const MOST_ROWS: usize = 60;

/// What there is to tell.
struct Shown<'s> {
    experiment: &'s Experiment,
    territory: &'s Territory,
    points: &'s FirstPoints,
}

impl Shown<'_> {
    /// What the whole and what its pieces are measured by.
    fn kinds(&self) -> [&'static str; 2] {
        match self.territory.dimension() {
            1 => ["length", ""],
            2 => ["area", "length"],
            3 => ["volume", "area"],
            _ => ["volume", "volume"],
        }
    }

    fn write(&self, output: &mut impl Write) -> anyhow::Result<()> {
        let (problem, territory) = (self.experiment.problem(), self.territory);
        writeln!(output, "{}", clean::line(&problem.title))?;
        let dimension = territory.dimension();
        let what = if territory.is_shape() { "shape" } else { "box" };
        writeln!(output, "a {what} in {dimension} dimension{}\n", plural(dimension))?;
        for (&axis, [low, high]) in territory.axes.iter().zip(&territory.bounds).take(MOST_ROWS) {
            // The sum makes a plain zero of a negative one.
            let (name, [low, high]) = (&problem.domain.coordinates[axis].name, [low + 0.0, high + 0.0]);
            writeln!(output, "  {name:8}  {low} to {high}")?;
        }
        let [kind, part] = self.kinds();
        let share = match territory.is_shape() {
            true => format!(", {:.1} % of [domain]", 100.0 * territory.share),
            false => String::new(),
        };
        writeln!(output, "  {kind:8}  {}{share}", measured(territory.measure))?;
        writeln!(output, "  {:8}  {}", "points", self.points_line())?;
        if !territory.shown_at.is_empty() {
            let values = territory.shown_at.iter().map(|(name, value)| format!("{name} = {value}"));
            let values = values.collect::<Vec<_>>().join(", ");
            let values = clean::line(&values);
            writeln!(output, "  {:8}  {values}, the middle of the range; the shape depends on it", "at")?;
        }
        if let Some(CoverSummary { cells, share, inside }) = self.points.cells {
            let [share, inside] = [share, inside].map(|share| 100.0 * share);
            writeln!(
                output,
                "  {:8}  {cells} around the shape, which fills little of its bounds: points come from these {share:.2} % of them, where {inside:.1} % of all candidates are inside",
                "cells"
            )?;
        }
        let mut rows = vec![["piece", part, "left", "conditions"].map(str::to_owned)];
        for wall in territory.walls.iter().take(MOST_ROWS) {
            let size = if part.is_empty() { String::new() } else { measured(wall.measure) };
            let mut row = [wall.name.clone(), size, percent(wall.left), String::new()];
            let mut lines = lines(&wall.held).into_iter();
            row[3] = lines.next().unwrap_or_else(|| "none".to_owned());
            rows.push(row);
            rows.extend(lines.map(|line| [String::new(), String::new(), String::new(), line]));
        }
        writeln!(output)?;
        write_table(&rows, output)?;
        if territory.walls.len() > MOST_ROWS {
            writeln!(output, "  and {} more pieces", territory.walls.len() - MOST_ROWS)?;
        }
        if !territory.removed.is_empty() {
            writeln!(output, "\n  removed by operations: {}", shortened(&territory.removed))?;
        }
        self.write_reasons(output)?;
        if !territory.elsewhere.is_empty() {
            writeln!(output, "\n  elsewhere")?;
            let line = |held: &Holding| {
                format!("    {}: {}", held.place.as_deref().unwrap_or("the inside"), sentence(held))
            };
            for held in territory.elsewhere.iter().take(MOST_ROWS) {
                writeln!(output, "{}", clean::line(&line(held)))?;
            }
        }
        Ok(())
    }

    /// Why equations are penalties, each once.
    fn write_reasons(&self, output: &mut impl Write) -> anyhow::Result<()> {
        let mut reasons: Vec<String> = Vec::new();
        for held in self.territory.walls.iter().flat_map(|wall| &wall.held).chain(&self.territory.elsewhere) {
            let Some(why) = &held.why else { continue };
            let line = format!("    `{}` ({}): {why}", held.condition, held.equation);
            if !reasons.contains(&line) {
                reasons.push(line);
            }
        }
        if !reasons.is_empty() {
            writeln!(output, "\n  penalties, and why")?;
        }
        for line in reasons.iter().take(MOST_ROWS) {
            writeln!(output, "{}", clean::line(line))?;
        }
        Ok(())
    }

    fn points_line(&self) -> String {
        let count = |(name, count, _): &(String, usize, Vec<Vec<f64>>)| format!("{count} of `{name}`");
        let conditions: Vec<String> = self.points.conditions.iter().map(count).collect();
        let inside = format!("{} inside", self.points.inside);
        match conditions.is_empty() {
            true => inside,
            false => format!("{inside}, {}", shortened(&conditions)),
        }
    }

    fn json(&self, warnings: &[String], picture: Option<&Path>) -> Value {
        let (problem, territory) = (self.experiment.problem(), self.territory);
        let bounds: Map<String, Value> = territory
            .axes
            .iter()
            .zip(&territory.bounds)
            .map(|(&axis, bounds)| (problem.domain.coordinates[axis].name.clone(), json!(bounds)))
            .collect();
        let conditions: Map<String, Value> =
            self.points.conditions.iter().map(|(name, count, _)| (name.clone(), json!(count))).collect();
        json!({
            "problem": self.experiment.name(),
            "shape": territory.is_shape(),
            "dimension": territory.dimension(),
            "bounds": bounds,
            "measure": measure_json(territory.measure),
            "share_of_domain": territory.share,
            "pieces": territory.walls.iter().map(wall_json).collect::<Vec<_>>(),
            "removed": territory.removed,
            "shown_at": territory.shown_at.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "elsewhere": territory.elsewhere.iter().map(holding_json).collect::<Vec<_>>(),
            "points": { "inside": self.points.inside, "conditions": conditions },
            "cells": self.points.cells.map(|CoverSummary { cells, share, inside }| {
                json!({ "count": cells, "share_of_bounds": share, "candidates_inside": inside })
            }),
            "warnings": warnings,
            "picture": picture.map(Path::to_string_lossy),
        })
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A size, and how far it may be off.
fn measured(Measure { value, error }: Measure) -> String {
    match error > 0.0 {
        true => format!("{value:.4} ± {error:.1e}"),
        false => format!("{value:.6}"),
    }
}

fn percent(share: f64) -> String {
    if share >= 1.0 { "all".to_owned() } else { format!("{:.1} %", 100.0 * share) }
}

/// One line per condition: what holds, and how.
fn lines(held: &[Holding]) -> Vec<String> {
    held.iter().map(sentence).collect()
}

fn sentence(Holding { condition, equation, share, exact, .. }: &Holding) -> String {
    let part = if *share < 1.0 { format!(" on {} of it", percent(*share)) } else { String::new() };
    let how = if *exact { "exact" } else { "penalty" };
    format!("`{condition}` ({equation}){part}, {how}")
}

/// Names of which there may be many.
fn shortened(names: &[String]) -> String {
    /// More are counted.
    const MOST: usize = 12;
    match names.len() {
        count if count > MOST => format!("{} and {} more", names[..MOST].join(", "), count - MOST),
        _ => names.join(", "),
    }
}

fn write_table(rows: &[[String; 4]], output: &mut impl Write) -> anyhow::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 4] = std::array::from_fn(width);
    for row in rows {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(output, "  {}", clean::line(cells.join("  ").trim_end()))?;
    }
    Ok(())
}

fn measure_json(Measure { value, error }: Measure) -> Value {
    json!({ "value": value, "error": error })
}

fn wall_json(wall: &Wall) -> Value {
    json!({
        "name": wall.name,
        "measure": measure_json(wall.measure),
        "left": wall.left,
        "covered": wall.covered,
        "conditions": wall.held.iter().map(holding_json).collect::<Vec<_>>(),
    })
}

fn holding_json(held: &Holding) -> Value {
    let Holding { condition, equation, place, share, exact, why } = held;
    json!({
        "condition": condition,
        "equation": equation,
        "place": place,
        "share": share,
        "exact": exact,
        "why": why,
    })
}
