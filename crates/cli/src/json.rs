//! The result of training for programs.

use pinnace::{Experiment, Trained};
use serde_json::{Map, Value, json};
use std::io::Write;

/// Writes one JSON object on one line.
pub(crate) fn write(
    name: &str,
    experiment: &Experiment,
    trained: &Trained,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let problem = experiment.problem();
    let errors: Map<String, Value> = problem
        .unknowns
        .iter()
        .zip(&trained.errors)
        .map(|(unknown, error)| {
            (unknown.name.clone(), json!(error.as_ref().and_then(|error| error.relative_l2)))
        })
        .collect();
    let parameters: Map<String, Value> = problem
        .parameters
        .iter()
        .zip(&trained.scalars)
        .map(|(parameter, value)| (parameter.name.clone(), json!(value)))
        .collect();
    let object = json!({
        "problem": name,
        "device": experiment.device().name(),
        "precision": experiment.precision().name(),
        "seed": problem.training.seed,
        "steps": trained.steps,
        "seconds": trained.seconds,
        "loss": trained.losses.total,
        "relative_l2": errors,
        "parameters": parameters,
        "stopped": trained.stopped.name(),
    });
    writeln!(output, "{object}")?;
    Ok(())
}
