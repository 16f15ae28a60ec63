//! Phases as a problem file writes them.

use super::Settings;
use equation::decide::{Decision, quoted};
use equation::problem::{Budget, Method, Phase, Problem, Schedule};

/// A settled phase as an inline table. What `[training]` states for all phases is left to it, unless the file lists phases:
/// the table then takes the place of one of those, with all that it states.
pub(super) fn of(problem: &Problem, phase: &Phase, settings: &Settings, solver: Option<&Decision>) -> String {
    let mut entries = vec![("optimizer", quoted(settings.method.name()))];
    match settings.method {
        Method::Auto | Method::Adam | Method::SsBroyden => {}
        Method::AdamW { weight_decay } => entries.push(("weight_decay", format!("{weight_decay:?}"))),
        Method::Lbfgs { memory } => entries.push(("memory", memory.to_string())),
        Method::GaussNewton { solver: stated } => {
            let stated = quoted(stated.name());
            entries.push(("solver", solver.map_or(stated, |solver| solver.value.clone())));
            entries.push(("balance", settings.balance.to_string()));
        }
    }
    entries.push(("points", settings.points.to_string()));
    entries.extend(settings.batch.map(|batch| ("batch", batch.to_string())));
    entries.push(("most_points", settings.most_points.to_string()));
    entries.push(("resample", settings.resample.unwrap_or(0).to_string()));
    match &phase.sampling {
        Some(_) => entries.push(("sampling", settings.sampling.written())),
        None => {
            entries.push(("adaptive", settings.sampling.adaptive.moves().to_string()));
            entries.push(("causal", settings.sampling.causal.to_string()));
        }
    }
    if phase.budget.is_some() {
        entries.push(("budget", budget(settings.budget)));
    }
    if problem.training.listed {
        if phase.sampling.is_none() {
            entries.push(("sampler", quoted(settings.sampling.sampler.name())));
        }
        entries.push(("learning_rate", format!("{:?}", settings.learning_rate)));
        entries.push(("schedule", schedule(settings.schedule)));
        entries.push((
            "residual_weights",
            match phase.residual_weights {
                Some(residual_weights) => {
                    format!("{{ decay = {:?}, rate = {:?} }}", residual_weights.decay, residual_weights.rate)
                }
                None => "false".to_owned(),
            },
        ));
    }
    let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", entries.join(", "))
}

fn budget(budget: Budget) -> String {
    let bounds = [
        budget.steps.map(|steps| format!("steps = {steps}")),
        budget.seconds.map(|seconds| format!("seconds = {seconds:?}")),
        budget.loss.map(|loss| format!("loss = {loss:?}")),
        budget.error.map(|error| format!("error = {error:?}")),
    ];
    format!("{{ {} }}", bounds.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn schedule(schedule: Schedule) -> String {
    match schedule {
        Schedule::Constant => quoted("constant"),
        Schedule::Cosine { warmup } => format!("{{ kind = \"cosine\", warmup = {warmup} }}"),
        Schedule::Exponential { factor, steps } => {
            format!("{{ kind = \"exponential\", factor = {factor:?}, steps = {steps} }}")
        }
    }
}
