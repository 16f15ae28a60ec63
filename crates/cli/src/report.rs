//! The result of training for people.

use crate::{clean, trust};
use pinnace::memory::megabytes;
use pinnace::stability::{Incidents, Steadiness};
use pinnace::{
    Enforcement, Experiment, FieldError, Losses, MemoryUse, Misfit, Precision, QuantityValue, Stopped,
    Trained, Treatment, Validation,
};
use std::io::Write;
use std::path::Path;

/// The share of the time from which on it is told what new points take.
const NOTABLE: f64 = 0.03;

pub(crate) fn write(
    experiment: &Experiment,
    trained: &Trained,
    run: Option<&Path>,
    warnings: &[String],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let problem = experiment.problem();
    writeln!(output, "{}", clean::line(&problem.title))?;
    writeln!(
        output,
        "{} step{} in {:.1} s (ended by: {}) on {} in {}, seed {}, loss {:.4e}",
        trained.steps,
        if trained.steps == 1 { "" } else { "s" },
        trained.seconds,
        trained.stopped,
        experiment.device(),
        experiment.precision(),
        problem.training.seed,
        trained.losses.total
    )?;
    for warning in warnings {
        writeln!(output, "warning: {warning}")?;
    }
    if let Some(memory) = trained.memory {
        writeln!(output, "memory {}", used(memory))?;
    }
    if let Some(share) = trained.waiting {
        writeln!(output, "data: {:.1} % of the time waiting for batches", 100.0 * share)?;
    }
    if let Some(share) = trained.renewing.filter(|share| *share >= NOTABLE) {
        writeln!(output, "points: {:.1} % of the time drawing and choosing them anew", 100.0 * share)?;
    }
    if trained.precisions.iter().any(|(precision, _)| *precision != experiment.precision()) {
        writeln!(output, "precision {}", shares(&trained.precisions))?;
    }
    if let Some(line) = steadiness(trained.incidents, trained.steadiness) {
        writeln!(output, "stability {line}")?;
    }
    residuals(experiment, &trained.losses, &trained.relative_residuals, output)?;
    validations(experiment, &trained.losses, &trained.validations, output)?;
    errors(experiment, &trained.errors, output)?;
    trust::write(trained.estimate.as_ref(), output)?;
    reached(experiment, &trained.parameters, output)?;
    parameters(experiment, &trained.scalars, output)?;
    quantities(experiment, &trained.parameters, output)?;
    if let Some(run) = run {
        let path = quoted(run);
        writeln!(output, "\n  run       {path}")?;
        // What was interrupted has its end before it; what has come to it needs another.
        let more = match trained.stopped {
            Stopped::Interrupted => String::new(),
            Stopped::Steps
            | Stopped::Seconds
            | Stopped::Loss
            | Stopped::Plateau
            | Stopped::Noise
            | Stopped::TargetError
            | Stopped::GradientVanished { .. }
            | Stopped::NoDescent { .. } => format!(" --steps {}", more(trained.steps)),
        };
        writeln!(output, "  continue  pinnace resume {path}{more}")?;
        writeln!(output, "  evaluate  pinnace evaluate {path}")?;
        writeln!(output, "  draw      pinnace plot {path}")?;
    }
    Ok(())
}

/// Steps by the precision that they were taken in.
fn shares(precisions: &[(Precision, u64)]) -> String {
    let all: u64 = precisions.iter().map(|(_, steps)| steps).sum();
    let share = |(precision, steps): &(Precision, u64)| {
        format!("{precision} in {:.1} % of the steps", 100.0 * *steps as f64 / all as f64)
    };
    precisions.iter().map(share).collect::<Vec<_>>().join(", then ")
}

/// What went wrong and was made good, if anything did.
fn steadiness(incidents: Incidents, steadiness: Option<Steadiness>) -> Option<String> {
    if incidents.total() == 0 && steadiness.is_none() {
        return None;
    }
    let Incidents { told, skipped, restored, mended } = incidents;
    let counts = [
        (restored, "state restored", "states restored"),
        (skipped, "step skipped", "steps skipped"),
        (mended, "gradient mended", "gradients mended"),
        (told, "loss far above those before", "losses far above those before"),
    ];
    let counted = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|&(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    let score = steadiness.map(|it| {
        let parts = [
            ("no number", it.nan),
            ("infinite", it.infinite),
            ("overflow", it.overflow),
            ("clipped", it.clipped),
        ];
        let parts = parts
            .iter()
            .filter(|(_, share)| *share >= 5e-4)
            .map(|(name, share)| format!("{name} {:.1} %", 100.0 * share));
        let parts = parts.collect::<Vec<_>>().join(", ");
        format!(
            "score {:.3} in the last steps{}",
            it.score,
            if parts.is_empty() { parts } else { format!(" ({parts})") }
        )
    });
    Some(counted.chain(score).collect::<Vec<_>>().join(", "))
}

/// Memory of a device in words.
pub(crate) fn used(memory: MemoryUse) -> String {
    let MemoryUse { planned, measured, context } = memory;
    let planned = megabytes(planned);
    let measured = measured.map_or("not measured".to_owned(), megabytes);
    let context = context.map(|bytes| format!("; {} used before, including the context", megabytes(bytes)));
    format!("{planned} planned, {measured} at peak{}", context.unwrap_or_default())
}

/// A path as a shell takes it for one word.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:@%".contains(letter);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A number of steps to suggest: twice as many, in two digits.
fn more(steps: u64) -> u64 {
    let double = steps.saturating_mul(2).max(10);
    let unit = 10u64.pow(double.ilog10() - 1);
    double.div_ceil(unit).saturating_mul(unit)
}

/// How well every equation holds.
pub(crate) fn residuals(
    experiment: &Experiment,
    losses: &Losses,
    relative: &[Option<f64>],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let misfits = experiment.misfits(losses);
    let width = |column: fn(&Misfit<'_>) -> usize| misfits.iter().map(column).max().unwrap_or(0);
    let places = width(|misfit| misfit.term.len()).max(5);
    let equations = width(|misfit| misfit.equation.len()).max(8);
    let noise = if misfits.iter().any(|misfit| misfit.noise.is_some()) { "       noise" } else { "" };
    writeln!(
        output,
        "\n  {:places$}  {:equations$}  {:>10}  {:>10}{noise}",
        "where", "equation", "RMS", "relative"
    )?;
    for (misfit, relative) in misfits.into_iter().zip(relative) {
        let Misfit { term, equation, root_mean_square, noise, .. } = misfit;
        let relative = relative.map_or_else(|| "undefined".to_owned(), |relative| format!("{relative:.3e}"));
        let noise = noise.map(|noise| format!("  {noise:>10.3e}")).unwrap_or_default();
        writeln!(
            output,
            "  {term:places$}  {equation:equations$}  {root_mean_square:>10.3e}  {relative:>10}{noise}"
        )?;
    }
    let mut exact: Vec<&str> = exact(experiment).map(|enforcement| enforcement.condition.as_str()).collect();
    exact.dedup();
    if !exact.is_empty() {
        writeln!(output, "  exact by construction: {}", exact.join(", "))?;
    }
    Ok(())
}

/// How well measurements hold that training has not seen, beside those that it has.
pub(crate) fn validations(
    experiment: &Experiment,
    losses: &Losses,
    validations: &[Validation],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    for Validation { term, equation, root_mean_square, rows, trained_rows } in validations {
        let trained = trained_misfit(experiment, losses, term, equation);
        writeln!(
            output,
            "  validation of {term}, {equation}: RMS {root_mean_square:.3e} at {rows} rows kept from training, {trained:.3e} at {trained_rows} rows of it"
        )?;
    }
    Ok(())
}

/// How well a measured column holds at the rows of training.
pub(crate) fn trained_misfit(experiment: &Experiment, losses: &Losses, term: &str, equation: &str) -> f64 {
    let misfits = experiment.misfits(losses);
    let own = misfits.iter().find(|misfit| misfit.term == term && misfit.equation == equation);
    own.map_or(f64::NAN, |own| own.root_mean_square)
}

/// Equations of conditions that hold whatever the network does.
pub(crate) fn exact(experiment: &Experiment) -> impl Iterator<Item = &Enforcement> {
    let enforcements = experiment.enforcements().iter();
    enforcements.filter(|enforcement| matches!(enforcement.treatment, Treatment::Exact { .. }))
}

/// How far every unknown is from its reference.
pub(crate) fn errors(
    experiment: &Experiment,
    errors: &[Option<FieldError>],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let unknowns = &experiment.problem().unknowns;
    if errors.iter().all(Option::is_none) {
        writeln!(output, "\n  no reference given: the error cannot be measured")?;
        return Ok(());
    }
    let width = unknowns.iter().map(|unknown| unknown.name.len()).max().unwrap_or(0).max(7);
    writeln!(
        output,
        "\n  {:width$}  {:>11}  {:>10}  {:>10}  {:>7}",
        "unknown", "relative L2", "RMS error", "largest", "points"
    )?;
    for (unknown, error) in unknowns.iter().zip(errors) {
        let name = &unknown.name;
        let Some(error) = error else {
            writeln!(output, "  {name:width$}  no reference given")?;
            continue;
        };
        let (Some(root_mean_square), Some(largest)) = (error.root_mean_square, error.largest) else {
            let points = error.left_out;
            writeln!(output, "  {name:width$}  the reference is finite at none of {points} points")?;
            continue;
        };
        let relative =
            error.relative_l2.map_or_else(|| "undefined".to_owned(), |relative| format!("{relative:.3e}"));
        writeln!(
            output,
            "  {name:width$}  {relative:>11}  {root_mean_square:>10.3e}  {largest:>10.3e}  {:>7}{}",
            error.points,
            notes(error)
        )?;
    }
    Ok(())
}

fn notes(error: &FieldError) -> String {
    let mut notes = Vec::new();
    if error.mean_subtracted {
        notes.push("additive constant not fixed: means subtracted".to_owned());
    }
    if error.left_out > 0 {
        notes.push(format!("{} left out: the reference is not finite there", error.left_out));
    }
    if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) }
}

/// How far time windows came, where some are still to come.
pub(crate) fn reached(
    experiment: &Experiment,
    parameters: &[f64],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    if let Some((time, until)) = experiment.unfinished(parameters) {
        writeln!(
            output,
            "\n  not all time windows were trained: {time} reached {until}; errors cover the times up to there"
        )?;
    }
    Ok(())
}

/// The scalars that were found.
pub(crate) fn parameters(
    experiment: &Experiment,
    scalars: &[f64],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let parameters = &experiment.problem().parameters;
    if parameters.is_empty() {
        return Ok(());
    }
    let width = parameters.iter().map(|parameter| parameter.name.len()).max().unwrap_or(0).max(9);
    writeln!(output, "\n  {:width$}  {:>14}  {:>14}", "parameter", "found", "true")?;
    for (parameter, value) in parameters.iter().zip(scalars) {
        let (value, truth) = (digits(*value), parameter.truth.map_or_else(|| "not known".to_owned(), digits));
        writeln!(output, "  {:width$}  {value:>14}  {truth:>14}", parameter.name)?;
    }
    Ok(())
}

/// What the file asks the solution for.
pub(crate) fn quantities(
    experiment: &Experiment,
    parameters: &[f64],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let found = experiment.quantities(parameters)?;
    if found.is_empty() {
        return Ok(());
    }
    let width = found.iter().map(|quantity| quantity.name.chars().count()).max().unwrap_or(0).max(8);
    writeln!(output, "\n  {:width$}  {:>14}  {:>14}  {:>11}", "quantity", "value", "true", "quadrature")?;
    for QuantityValue { name, value, quadrature_error, truth, course } in found {
        let truth = truth.map_or_else(|| "not known".to_owned(), digits);
        let end = course.last().map(|(time, _)| format!("  at the end of time, {time}")).unwrap_or_default();
        writeln!(
            output,
            "  {name:width$}  {:>14}  {truth:>14}  {:>11}{end}",
            digits(value),
            match quadrature_error {
                0.0 => "exact".to_owned(),
                error => format!("± {error:.0e}"),
            }
        )?;
    }
    Ok(())
}

/// A number with its first eight digits or so, whatever its unit: diffusivities are millionths.
fn digits(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        format!("{value:.8}")
    } else {
        format!("{value:.7e}")
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn small_and_large_numbers_keep_their_digits() {
        assert_eq!((digits(0.3), digits(-12.5)), ("0.30000000".to_owned(), "-12.50000000".to_owned()));
        assert_eq!(
            (digits(4.99756e-7), digits(7e10)),
            ("4.9975600e-7".to_owned(), "7.0000000e10".to_owned())
        );
    }
}
