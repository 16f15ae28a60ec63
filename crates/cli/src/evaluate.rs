//! `pinnace evaluate`

use crate::args::Evaluate;
use crate::clean::{self, stderr};
use crate::exit::{self, Usage};
use crate::{json, notices, report, trust};
use anyhow::Context;
use pinnace::run::{Live, Record, Used};
use pinnace::table::{count_outside, read_points};
use pinnace::{
    Experiment, FieldError, FieldSummary, Fields, Grid, Losses, Places, Points, Run, TrainError, Validation,
    export, largest_relative,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Where a table of all values goes.
enum Table<'c> {
    None,
    /// As text; nothing else is printed then.
    Stdout,
    Csv(&'c Path),
    Npy(&'c Path),
    /// Into the JSON object.
    Json,
}

pub(crate) fn evaluate(choices: &Evaluate, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let table = table(choices)?;
    let run = open(&choices.trained.run)?;
    let (experiment, parameters) = (run.experiment(), run.parameters());
    let derivatives = choices.trained.derivatives.iter().map(|name| name.trim());
    let derivatives = experiment.find_fields(derivatives).map_err(TrainError::from)?;
    let places = places(choices, experiment)?;
    let fields = experiment.with_references(experiment.fields(parameters, places, &derivatives)?);
    let errors = experiment.errors_at(parameters, fields.points())?;
    match table {
        Table::Stdout => {
            export::write_csv(&fields, output)?;
            return Ok(exit::DONE);
        }
        Table::Csv(path) => export::csv(&fields, path).map_err(TrainError::from)?,
        Table::Npy(path) => export::npy_table(&fields, path).map_err(TrainError::from)?,
        Table::None | Table::Json => {}
    }
    let losses = experiment.losses_on_fresh_points(parameters)?;
    let relative = experiment.relative_residuals(parameters)?;
    let validations = experiment.validations(parameters)?;
    let measured = Measured { run: &run, losses, relative, validations, errors, fields };
    if choices.json {
        measured.write_json(&choices.trained.run, matches!(table, Table::Json), output)?;
    } else {
        measured.write(output)?;
        if let (Table::Npy(path) | Table::Csv(path), columns) = (table, measured.fields.header()) {
            let columns: Vec<&str> = columns.collect();
            writeln!(output, "\n  wrote {}: {}", path.display(), columns.join(", "))?;
            if let Some(line) = off_shape(&measured.fields, path.extension().is_some_and(|it| it == "csv")) {
                writeln!(output, "  {line}")?;
            }
        }
    }
    Ok(exit::DONE)
}

/// Opens a run and says what its user should know.
pub(crate) fn open(path: &Path) -> anyhow::Result<Run> {
    let run = Run::open(path)?;
    notices::show(run.notices());
    Ok(run)
}

/// What a table or a file holds at points of a grid that lie outside of a shape, if there are any.
pub(crate) fn off_shape(fields: &Fields, left_out: bool) -> Option<String> {
    let (outside, all) = (fields.outside(), fields.points().len());
    let what = match (left_out, fields.places()) {
        (true, Places::Grid(_)) => "they are left out",
        _ => "their values are NaN",
    };
    (outside > 0).then(|| format!("{outside} of {all} points lie outside the shape: {what}"))
}

fn table(choices: &Evaluate) -> anyhow::Result<Table<'_>> {
    let Some(path) = &choices.out else {
        return Ok(match (&choices.points, choices.json) {
            (None, _) => Table::None,
            (Some(_), true) => Table::Json,
            (Some(_), false) => Table::Stdout,
        });
    };
    if path.as_os_str() == "-" {
        return match choices.json {
            true => Err(Usage("--out - and --json both use stdout: omit one".to_owned()).into()),
            false => Ok(Table::Stdout),
        };
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(Table::Csv(path)),
        Some("npy") => Ok(Table::Npy(path)),
        Some(_) | None => {
            Err(Usage(format!("{}: tables end in .csv or .npy; see `pinnace export`", path.display())).into())
        }
    }
}

fn places(choices: &Evaluate, experiment: &Experiment) -> anyhow::Result<Places> {
    let problem = experiment.problem();
    if let Some(path) = &choices.points {
        let points = read_points(problem, path).map_err(TrainError::from)?;
        let (on_shape, off_shape): (Vec<&[f64]>, Vec<&[f64]>) =
            points.iter().partition(|place| problem.domain.covers(place));
        if !off_shape.is_empty() {
            let (outside, all) = (off_shape.len(), points.len());
            let _ = writeln!(
                stderr(),
                "pinnace: warning: {outside} of {all} points lie outside the shape, where there is no solution: their values are NaN"
            );
        }
        match count_outside(problem, &Points::from_rows(points.width(), on_shape.concat())) {
            0 => {}
            outside => {
                let all = points.len();
                let _ = writeln!(
                    stderr(),
                    "pinnace: warning: {outside} of {all} points lie outside the domain, where the network was not trained"
                );
            }
        }
        return Ok(Places::Scattered(points));
    }
    grid(choices.trained.grid.as_deref(), experiment)
}

/// The grid of a text, or else the problem's test points.
pub(crate) fn grid(text: Option<&str>, experiment: &Experiment) -> anyhow::Result<Places> {
    Ok(match text {
        Some(text) => Places::Grid(Grid::parse(experiment.problem(), text).map_err(TrainError::from)?),
        None => experiment.test_places(),
    })
}

/// That a run is still trained, and where it is.
fn under_way(live: &Live) -> String {
    match live.logged.as_deref() {
        Some(Record { step, .. }) => format!(" (its newest checkpoint; training is at step {step})"),
        None => " (its newest checkpoint; training has begun)".to_owned(),
    }
}

/// What was found out about a run.
struct Measured<'r> {
    run: &'r Run,
    losses: Losses,
    /// One per residual.
    relative: Vec<Option<f64>>,
    validations: Vec<Validation>,
    errors: Vec<Option<FieldError>>,
    fields: Fields,
}

impl Measured<'_> {
    fn write(&self, output: &mut impl Write) -> anyhow::Result<()> {
        let experiment = self.run.experiment();
        writeln!(output, "{}", clean::line(&experiment.problem().title))?;
        writeln!(
            output,
            "after {} steps{}, on {} in {}; residuals on points that training has not seen",
            self.run.snapshot().steps,
            match (self.run.live(), self.run.used()) {
                (Some(live), _) => under_way(live),
                (None, Used::Best) => " (the best saved state)".to_owned(),
                (None, Used::Newest | Used::Named) => String::new(),
            },
            experiment.device(),
            experiment.precision()
        )?;
        report::residuals(experiment, &self.losses, &self.relative, output)?;
        report::validations(experiment, &self.losses, &self.validations, output)?;
        report::errors(experiment, &self.errors, output)?;
        trust::write_recorded(self.run.error_estimate()?.as_ref(), output)?;
        report::reached(experiment, self.run.parameters(), output)?;
        let summaries = self.fields.summaries();
        let width = summaries.iter().map(|summary| summary.name.len()).max().unwrap_or(0).max(5);
        let (all, outside) = (self.fields.points().len(), self.fields.outside());
        let points = match outside {
            0 => format!("at {all} points"),
            _ => format!("at {} points; {outside} more lie outside the shape", all - outside),
        };
        writeln!(
            output,
            "\n  {:width$}  {:>10}  {:>10}  {:>10}   ({points})",
            "field", "smallest", "largest", "RMS"
        )?;
        for FieldSummary { name, smallest, largest, root_mean_square } in summaries {
            writeln!(
                output,
                "  {name:width$}  {smallest:>10.3e}  {largest:>10.3e}  {root_mean_square:>10.3e}"
            )?;
        }
        let parameters = self.run.parameters();
        report::parameters(experiment, &experiment.plan().scalar_values(parameters), output)?;
        report::quantities(experiment, parameters, output)
    }

    fn write_json(&self, path: &Path, rows: bool, output: &mut impl Write) -> anyhow::Result<()> {
        let experiment = self.run.experiment();
        let fields: Map<String, Value> = self
            .fields
            .summaries()
            .into_iter()
            .map(|FieldSummary { name, smallest, largest, root_mean_square }| {
                (
                    name.to_owned(),
                    json!({ "smallest": smallest, "largest": largest, "rms": root_mean_square }),
                )
            })
            .collect();
        let scalars = experiment.plan().scalar_values(self.run.parameters());
        let mut object = json!({
            "run": path.to_str().context("the run's path is not UTF-8")?,
            "problem": experiment.name(),
            "device": experiment.device().name(),
            "precision": experiment.precision().name(),
            "steps": self.run.snapshot().steps,
            "live": self.run.live().map(|live| {
                json!({ "process": live.process, "step": live.logged.as_ref().map(|logged| logged.step) })
            }),
            "state": self.run.used().name(),
            "points": self.fields.points().len(),
            "outside_shape": self.fields.outside(),
            "relative_residual": largest_relative(&self.relative),
            "residuals": json::residuals(experiment, &self.losses, &self.relative),
            "exact": json::exact(experiment),
            "relative_l2": json::per_unknown(experiment, &self.errors, |error| json!(error.relative_l2)),
            "rms_error": json::per_unknown(experiment, &self.errors, |error| json!(error.root_mean_square)),
            "largest_error": json::per_unknown(experiment, &self.errors, |error| json!(error.largest)),
            "left_out": json::per_unknown(experiment, &self.errors, |error| json!(error.left_out)),
            "fields": fields,
            "parameters": json::scalars(experiment, &scalars),
            "quantities": json::quantities(experiment, self.run.parameters())?,
        });
        object = json::with_validations(object, experiment, &self.losses, &self.validations);
        object = trust::with_estimate(object, self.run.error_estimate()?.as_ref())?;
        if rows {
            let rows: Vec<Vec<f64>> = self.fields.rows().map(Iterator::collect).collect();
            object["columns"] = json!(self.fields.header().collect::<Vec<_>>());
            object["rows"] = json!(rows);
        }
        writeln!(output, "{object}")?;
        Ok(())
    }
}
