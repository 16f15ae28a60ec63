//! The result of training for programs.

use crate::{decisions, report, trust};
use pinnace::{
    Enforcement, Experiment, Fallback, FieldError, Losses, MemoryUse, Misfit, Precision, QuantityValue,
    Trained, Validation,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// Writes one JSON object on one line.
pub(crate) fn write(
    experiment: &Experiment,
    trained: &Trained,
    run: Option<&Path>,
    warnings: &[String],
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let problem = experiment.problem();
    let truth: Map<String, Value> = problem
        .parameters
        .iter()
        .filter_map(|parameter| Some((parameter.name.clone(), json!(parameter.truth?))))
        .collect();
    let object = json!({
        "problem": experiment.name(),
        "device": experiment.device().name(),
        "precision": experiment.precision().name(),
        "width": problem.network.width,
        "depth": problem.network.depth,
        "activation": problem.network.activation.name(),
        "optimizer": experiment.methods(),
        "decisions": decisions::json(experiment),
        "seed": problem.training.seed,
        "run": run.map(Path::to_string_lossy),
        "steps": trained.steps,
        "evaluations": trained.evaluations,
        "seconds": trained.seconds,
        "waiting": trained.waiting,
        "renewing": trained.renewing,
        "loss": trained.losses.total,
        "relative_residual": trained.relative_residual(),
        "residuals": residuals(experiment, &trained.losses, &trained.relative_residuals),
        "exact": exact(experiment),
        "relative_l2": per_unknown(experiment, &trained.errors, |error| json!(error.relative_l2)),
        "rms_error": per_unknown(experiment, &trained.errors, |error| json!(error.root_mean_square)),
        "largest_error": per_unknown(experiment, &trained.errors, |error| json!(error.largest)),
        "left_out": per_unknown(experiment, &trained.errors, |error| json!(error.left_out)),
        "parameters": scalars(experiment, &trained.scalars),
        "truth": truth,
        "quantities": quantities(experiment, &trained.parameters)?,
        "stopped": trained.stopped.name(),
        "warnings": problem.warnings().into_iter().chain(warnings.iter().cloned()).collect::<Vec<_>>(),
        "memory": trained.memory.map(memory),
        "host_bytes": trained.host_bytes,
        "incidents": trained.incidents,
        "steadiness": trained.steadiness,
        "performance": decisions::performance_json(experiment),
        "precisions": trained.precisions.iter().map(taken_in).collect::<Vec<_>>(),
        "fallbacks": trained.fallbacks.iter().map(fallback).collect::<Vec<_>>(),
    });
    let object = with_validations(object, experiment, &trained.losses, &trained.validations);
    let object = trust::with_estimate(object, trained.estimate.as_ref())?;
    writeln!(output, "{object}")?;
    Ok(())
}

/// Steps that were taken in a precision.
fn taken_in(&(precision, steps): &(Precision, u64)) -> Value {
    json!({ "precision": precision.name(), "steps": steps })
}

/// What was done by a slower path.
fn fallback(fallback: &Fallback) -> Value {
    json!({ "what": fallback.what, "why": fallback.why })
}

/// Memory of a device, in bytes.
fn memory(memory: MemoryUse) -> Value {
    let MemoryUse { planned, measured, context } = memory;
    json!({ "planned_bytes": planned, "peak_bytes": measured, "context_bytes": context })
}

/// The scalars that were found, by name.
pub(crate) fn scalars(experiment: &Experiment, values: &[f64]) -> Map<String, Value> {
    let parameters = experiment.problem().parameters.iter().zip(values);
    parameters.map(|(parameter, value)| (parameter.name.clone(), json!(value))).collect()
}

/// What the file asks the solution for, by name.
pub(crate) fn quantities(experiment: &Experiment, parameters: &[f64]) -> anyhow::Result<Map<String, Value>> {
    let found = experiment.quantities(parameters)?.into_iter();
    let each = |quantity: QuantityValue| {
        let (times, values): (Vec<f64>, Vec<f64>) = quantity.course.into_iter().unzip();
        let mut object = json!({
            "value": quantity.value,
            "quadrature_error": quantity.quadrature_error,
            "truth": quantity.truth,
        });
        if !times.is_empty() {
            object["times"] = json!(times);
            object["values"] = json!(values);
        }
        (quantity.name, object)
    };
    Ok(found.map(each).collect())
}

/// One value per unknown; null where it has no reference.
pub(crate) fn per_unknown(
    experiment: &Experiment,
    errors: &[Option<FieldError>],
    value: impl Fn(&FieldError) -> Value,
) -> Map<String, Value> {
    let unknowns = experiment.problem().unknowns.iter().zip(errors);
    unknowns
        .map(|(unknown, error)| (unknown.name.clone(), error.as_ref().map_or(Value::Null, &value)))
        .collect()
}

/// How well every equation holds.
pub(crate) fn residuals(experiment: &Experiment, losses: &Losses, relative: &[Option<f64>]) -> Vec<Value> {
    let misfits = experiment.misfits(losses).into_iter().zip(relative);
    misfits.map(|(misfit, relative)| residual(misfit, *relative)).collect()
}

/// The same with the misfit of measurements that training has not seen, where there are some.
pub(crate) fn with_validations(
    mut object: Value,
    experiment: &Experiment,
    losses: &Losses,
    validations: &[Validation],
) -> Value {
    let value = |own: &Validation| {
        json!({
            "term": own.term,
            "equation": own.equation,
            "rms": own.root_mean_square,
            "rows": own.rows,
            "training_rms": report::trained_misfit(experiment, losses, &own.term, &own.equation),
            "training_rows": own.trained_rows,
        })
    };
    if !validations.is_empty() {
        object["validation"] = validations.iter().map(value).collect();
    }
    object
}

/// Equations of conditions that hold whatever the network does.
pub(crate) fn exact(experiment: &Experiment) -> Vec<Value> {
    let equation = |it: &Enforcement| json!({ "term": it.condition, "equation": it.equation });
    report::exact(experiment).map(equation).collect()
}

fn residual(misfit: Misfit<'_>, relative: Option<f64>) -> Value {
    let mut object = json!({
        "term": misfit.term,
        "equation": misfit.equation,
        "rms": misfit.root_mean_square,
        "relative_residual": relative,
        "weight": misfit.weight,
    });
    if let Some(noise) = misfit.noise {
        object["noise"] = json!(noise);
    }
    object
}
