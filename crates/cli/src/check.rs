//! `pinnace check`: whether gradients are right.

use crate::args::Check;
use crate::evaluate::open;
use crate::exit::{self, Usage};
use pinnace::{CheckedPrecision, ChosenDevice, Deviation, Device, Experiment, GradientReport, Precision};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn check(choices: &Check, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let run = Path::new(&choices.what);
    let (report, name, device, place) = if run.is_dir() {
        if !choices.set.is_empty() || choices.device.is_some() || choices.precision.is_some() {
            let message = "a run is checked as it was trained: omit --set, --device and --precision";
            return Err(Usage(message.to_owned()).into());
        }
        let run = open(run)?;
        let place = format!("after {} steps", run.snapshot().steps);
        let name = run.experiment().name().to_owned();
        (run.check_gradients(choices.points)?, name, run.experiment().device(), place)
    } else {
        let experiment = Experiment::open(&choices.what, &choices.set)?;
        let chosen = match &choices.device {
            Some(chosen) => chosen.clone(),
            None => "auto".parse::<ChosenDevice>()?,
        };
        let experiment = experiment.on_chosen(&chosen, choices.precision);
        let name = experiment.name().to_owned();
        let place = "at the start of training".to_owned();
        (experiment.check_gradients(choices.points)?, name, experiment.device(), place)
    };
    if choices.json {
        writeln!(output, "{}", object(&report, &name, device))?;
    } else {
        write!(output, "{}", text(&report, &name, device, &place))?;
    }
    Ok(if report.is_right() { exit::DONE } else { ExitCode::FAILURE })
}

fn text(report: &GradientReport, name: &str, device: Device, place: &str) -> String {
    let GradientReport { points, parameters, loss, differences, rows } = report;
    let mut lines = vec![
        format!("gradient of {name} {place}: {parameters} parameters, {points} points, loss {loss:.4e}"),
        format!("\n  {:<24}  {:>9}  {:>9}", "relative difference", "loss", "gradient"),
        format!("  {:<24}  {:>9}  {differences:>9.1e}", "differences of the loss", ""),
    ];
    for CheckedPrecision { precision, deviation, usable } in rows {
        let title = format!("{device} in {precision}");
        lines.push(match deviation {
            Ok(Deviation { loss, gradient }) => {
                let remark = match (usable, precision) {
                    (true, _) => "",
                    (false, Precision::F64) => "  wrong",
                    (false, _) => "  too inaccurate: training would go on with more digits",
                };
                format!("  {title:<24}  {loss:>9.1e}  {gradient:>9.1e}{remark}")
            }
            Err(error) => format!("  {title:<24}  not available: {error}"),
        });
    }
    lines.push(match report.is_right() {
        true => "\ngradients are right".to_owned(),
        false => "\ngradients are WRONG: please report this with the problem file".to_owned(),
    });
    lines.join("\n") + "\n"
}

fn object(report: &GradientReport, name: &str, device: Device) -> Value {
    let row = |row: &CheckedPrecision| {
        let (loss, gradient) = match &row.deviation {
            Ok(off) => (Some(off.loss), Some(off.gradient)),
            Err(_) => (None, None),
        };
        json!({ "precision": row.precision.name(), "loss": loss, "gradient": gradient, "usable": row.usable })
    };
    json!({
        "problem": name,
        "device": device.to_string(),
        "points": report.points,
        "parameters": report.parameters,
        "loss": report.loss,
        "differences": report.differences,
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
        "right": report.is_right(),
    })
}
