//! `pinnace reference`

use crate::args::{FieldFormat, ReferenceArguments};
use crate::evaluate::{grid, off_shape};
use crate::exit::{self, Usage};
use crate::export::say_removed;
use pinnace::{Experiment, Fields, TrainError, export};
use plot::{PlotError, Resolution, draw_reference};
use reference::Facts;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn reference(choices: &ReferenceArguments, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let experiment = Experiment::open(&choices.chosen.problem, &choices.chosen.set)?;
    let known = (0..experiment.problem().unknowns.len())
        .map(|unknown| experiment.reference_facts(unknown))
        .collect::<Result<Vec<_>, _>>()?;
    let fields = experiment.reference_fields(grid(choices.grid.as_deref(), &experiment)?);
    let shown = Shown { experiment: &experiment, known, fields };
    match choices.json {
        true => writeln!(output, "{}", shown.json())?,
        false => shown.write(output)?,
    }
    let (mut written, mut removed) = (Vec::new(), Vec::new());
    if let Some(folder) = &choices.plot {
        written.push(draw(choices, &experiment, folder)?);
    }
    if let Some(format) = choices.format {
        let (path, gone) = shown.export(format, choices.out.as_deref())?;
        written.push(path);
        removed = gone;
    }
    if !choices.json {
        for path in written {
            writeln!(output, "wrote {}", path.display())?;
        }
        let left_out = choices.format == Some(FieldFormat::Csv);
        if let Some(line) = off_shape(&shown.fields, left_out).filter(|_| choices.format.is_some()) {
            writeln!(output, "{line}")?;
        }
        say_removed(&removed, output)?;
    }
    Ok(exit::DONE)
}

fn draw(choices: &ReferenceArguments, experiment: &Experiment, folder: &Path) -> anyhow::Result<PathBuf> {
    let resolution = match &choices.grid {
        Some(text) => Resolution::parse(experiment.problem(), text).map_err(PlotError::from)?,
        None => Resolution::default(),
    };
    let Some(picture) = draw_reference(experiment, &resolution)? else { return Err(nothing(experiment)) };
    Ok(picture.save(folder).map_err(PlotError::from)?)
}

fn nothing(experiment: &Experiment) -> anyhow::Error {
    Usage(format!("{} has no reference that can be evaluated at arbitrary points", experiment.name())).into()
}

/// What is known about the reference of a problem.
struct Shown<'e> {
    experiment: &'e Experiment,
    /// Per unknown.
    known: Vec<Option<Facts>>,
    /// Those that can be computed anywhere.
    fields: Fields,
}

impl Shown<'_> {
    fn unknowns(&self) -> impl Iterator<Item = (&str, &Option<Facts>)> {
        let names = self.experiment.problem().unknowns.iter().map(|unknown| unknown.name.as_str());
        names.zip(&self.known)
    }

    /// The checksum of an unknown's values at the places shown.
    fn checksum(&self, name: &str) -> Option<String> {
        let (position, _) = self.fields.iter().enumerate().find(|(_, (field, _))| *field == name)?;
        Some(format!("{:08x}", self.fields.checksum(position)))
    }

    fn write(&self, output: &mut impl Write) -> anyhow::Result<()> {
        let mut rows = vec![["unknown", "method", "floor", "resolution", "checksum"].map(str::to_owned)];
        for (name, facts) in self.unknowns() {
            let missing = || "none".to_owned();
            rows.push([
                name.to_owned(),
                facts.as_ref().map_or_else(missing, |facts| facts.method.to_owned()),
                facts
                    .as_ref()
                    .and_then(|facts| facts.floor)
                    .map_or_else(String::new, |floor| format!("{floor:.1e}")),
                facts.as_ref().map_or_else(String::new, |facts| facts.resolution.clone()),
                self.checksum(name).unwrap_or_default(),
            ]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 5] = std::array::from_fn(width);
        writeln!(output, "{}", self.experiment.problem().title)?;
        let inside = self.fields.points().len() - self.fields.outside();
        writeln!(output, "values at {inside} points\n")?;
        for row in &rows {
            let cells: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            writeln!(output, "  {}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let of = |(name, facts): (&str, &Option<Facts>)| {
            let value = facts.as_ref().map(|facts| {
                json!({
                    "method": facts.method,
                    "floor": facts.floor,
                    "resolution": facts.resolution,
                    "checksum": self.checksum(name),
                })
            });
            (name.to_owned(), json!(value))
        };
        let unknowns: Map<String, Value> = self.unknowns().map(of).collect();
        json!({
            "problem": self.experiment.name(),
            "points": self.fields.points().len(),
            "unknowns": unknowns,
        })
    }

    /// The file, and those of an earlier export that had to go.
    fn export(&self, format: FieldFormat, out: Option<&Path>) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
        if self.fields.iter().next().is_none() {
            return Err(nothing(self.experiment));
        }
        let ending = match format {
            FieldFormat::Npy => "-npy",
            FieldFormat::Csv => ".csv",
            FieldFormat::Vtk => ".vti",
        };
        let default = || PathBuf::from(format!("{}-reference{ending}", self.experiment.name()));
        let path = out.map_or_else(default, Path::to_owned);
        match format {
            FieldFormat::Npy => export::npy_folder(&self.fields, &path).map_err(TrainError::from)?,
            FieldFormat::Csv => export::csv(&self.fields, &path).map_err(TrainError::from)?,
            FieldFormat::Vtk => {
                let export::Written { path, removed } =
                    export::vtk(&self.fields, &path, export::Time::Series).map_err(TrainError::from)?;
                return Ok((path, removed));
            }
        }
        Ok((path, Vec::new()))
    }
}
