//! The result of training for people.

use pinnace::{Experiment, Trained};
use std::io::Write;

pub(crate) fn write(
    experiment: &Experiment,
    trained: &Trained,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let problem = experiment.problem();
    writeln!(output, "{}", problem.title)?;
    writeln!(
        output,
        "{} steps in {:.1} s (ended by: {}) on {} in {}, seed {}, loss {:.4e}",
        trained.steps,
        trained.seconds,
        trained.stopped,
        experiment.device(),
        experiment.precision(),
        problem.training.seed,
        trained.losses.total
    )?;
    residuals(experiment, trained, output)?;
    errors(experiment, trained, output)?;
    parameters(experiment, trained, output)
}

fn residuals(experiment: &Experiment, trained: &Trained, output: &mut impl Write) -> anyhow::Result<()> {
    let names: Vec<(&str, &str)> = experiment
        .plan()
        .terms
        .iter()
        .flat_map(|term| term.residuals.iter().map(|residual| (term.name.as_str(), residual.name.as_str())))
        .collect();
    let width = |column: fn(&(&str, &str)) -> usize| names.iter().map(column).max().unwrap_or(0);
    let (places, equations) = (width(|(place, _)| place.len()).max(5), width(|(_, name)| name.len()).max(8));
    writeln!(output, "\n  {:places$}  {:equations$}  {:>10}", "where", "equation", "RMS")?;
    for ((place, name), square) in names.iter().zip(&trained.losses.mean_squares) {
        writeln!(output, "  {place:places$}  {name:equations$}  {:>10.3e}", square.sqrt())?;
    }
    Ok(())
}

fn errors(experiment: &Experiment, trained: &Trained, output: &mut impl Write) -> anyhow::Result<()> {
    let unknowns = &experiment.problem().unknowns;
    if trained.errors.iter().all(Option::is_none) {
        writeln!(output, "\n  no reference given: the error is not known")?;
        return Ok(());
    }
    let width = unknowns.iter().map(|unknown| unknown.name.len()).max().unwrap_or(0).max(7);
    writeln!(
        output,
        "\n  {:width$}  {:>11}  {:>10}  {:>10}  {:>7}",
        "unknown", "relative L2", "RMS error", "largest", "points"
    )?;
    for (unknown, error) in unknowns.iter().zip(&trained.errors) {
        let name = &unknown.name;
        let Some(error) = error else {
            writeln!(output, "  {name:width$}  no reference given")?;
            continue;
        };
        let relative =
            error.relative_l2.map_or_else(|| "undefined".to_owned(), |relative| format!("{relative:.3e}"));
        let note = if error.mean_subtracted { "  (level not fixed: means subtracted)" } else { "" };
        writeln!(
            output,
            "  {name:width$}  {relative:>11}  {:>10.3e}  {:>10.3e}  {:>7}{note}",
            error.root_mean_square, error.largest, error.points
        )?;
    }
    Ok(())
}

fn parameters(experiment: &Experiment, trained: &Trained, output: &mut impl Write) -> anyhow::Result<()> {
    let parameters = &experiment.problem().parameters;
    if parameters.is_empty() {
        return Ok(());
    }
    let width = parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0).max(9);
    writeln!(output, "\n  {:width$}  {:>14}  {:>14}", "parameter", "found", "true")?;
    for (parameter, value) in parameters.iter().zip(&trained.scalars) {
        let truth = parameter.truth.map_or_else(|| "not known".to_owned(), |truth| format!("{truth:.8}"));
        writeln!(output, "  {:width$}  {value:>14.8}  {truth:>14}", parameter.name)?;
    }
    Ok(())
}
