//! What was decided where the problem file leaves it open, as it is told to people and to programs.

use pinnace::{Decision, Experiment, Performance};
use serde_json::{Value, json};

/// One line for each, under a heading; none where nothing was decided.
pub(crate) fn lines(experiment: &Experiment) -> Vec<String> {
    let decisions = experiment.decisions();
    let heading = (!decisions.is_empty()).then(|| "decided, as the problem file leaves it open:".to_owned());
    let lines = heading.into_iter().chain(decisions.iter().map(|decision| format!("  {decision}")));
    // The usual level is what everybody expects.
    let stated = experiment.problem().performance != Performance::default();
    lines.chain(stated.then(|| performance(experiment)).into_iter().flatten()).collect()
}

/// How the machine is used, a line each.
pub(crate) fn performance(experiment: &Experiment) -> Vec<String> {
    let lines = experiment.performance().into_iter().map(|decision| format!("  {decision}"));
    std::iter::once("how the machine is used:".to_owned()).chain(lines).collect()
}

/// The list for programs.
pub(crate) fn json(experiment: &Experiment) -> Vec<Value> {
    experiment.decisions().iter().map(object).collect()
}

/// How the machine is used, for programs.
pub(crate) fn performance_json(experiment: &Experiment) -> Vec<Value> {
    experiment.performance().iter().map(object).collect()
}

fn object(decision: &Decision) -> Value {
    let Decision { key, value, why } = decision;
    // Words, numbers and lists are written alike in TOML and JSON; tables stay the text that a file has.
    let value: Value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    json!({ "key": key, "value": value, "why": why })
}
