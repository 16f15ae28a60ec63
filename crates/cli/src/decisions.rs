//! What was chosen where the problem file leaves it open, and why: said before training, and part of `--json`.

use pinnace::{Enforcement, Experiment, Outcome};
use serde_json::{Value, json};

/// Something that was chosen.
pub(crate) struct Decision {
    /// What is decided: the key with which a problem file would state it, where it has one.
    key: String,
    value: Value,
    why: String,
    /// The line for people; conditions and units have theirs in [`Experiment::conditions`].
    pub(crate) said: Option<String>,
}

impl Decision {
    pub(crate) fn json(&self) -> Value {
        json!({ "key": self.key, "value": self.value, "why": self.why })
    }
}

/// All of them, in the order in which they are said.
pub(crate) fn decisions(experiment: &Experiment) -> Vec<Decision> {
    let mut decisions: Vec<Decision> =
        experiment.enforcements().iter().map(|enforcement| condition(experiment, enforcement)).collect();
    for unknown in experiment.problem().unknowns.iter().filter(|unknown| unknown.unit != 1.0) {
        let why = "as large as conditions and sources make it".to_owned();
        let key = format!("unknowns.{}.unit", unknown.name);
        decisions.push(Decision { key, value: json!(unknown.unit), why, said: None });
    }
    decisions.push(precision(experiment));
    if let Some(choice) = experiment.choice() {
        let said = Some(format!("optimizer {choice}"));
        let (key, value) = ("training.optimizer".to_owned(), json!(choice.method()));
        decisions.push(Decision { key, value, why: choice.why(), said });
    }
    if let Some((width, (least, most))) = experiment.chosen_width() {
        let why = format!("from {least} to {most}: what the time affords on this machine");
        let said = Some(format!("width {width}, {why}"));
        decisions.push(Decision { key: "network.width".to_owned(), value: json!(width), why, said });
    }
    if let Some((ripples, keys)) = experiment.chosen_waves() {
        let why = format!("the solution has about {ripples:.1} periods across the box");
        let said = Some(format!(
            "sines: {}, as {why} (--set network.activation=tanh for the usual)",
            keys.join(" ")
        ));
        let activation = experiment.problem().network.activation.name();
        let value = json!(activation);
        decisions.push(Decision { key: "network.activation".to_owned(), value, why, said });
    }
    if let Some((windows, why)) = experiment.chosen_windows() {
        let said = Some(format!(
            "windows of time, a network each: training.windows={windows}, as {why} (--set training.windows=1 for one)"
        ));
        // A number, or a list of times: both are JSON as well.
        let value = serde_json::from_str(&windows).unwrap_or_else(|_| json!(windows));
        decisions.push(Decision { key: "training.windows".to_owned(), value, why, said });
    }
    if experiment.plan().attended().is_some() {
        let why =
            "points whose residuals stay large weigh more, also in losses until the last one".to_owned();
        let said = Some(format!("attention: {why}"));
        decisions.push(Decision { key: "training.attention".to_owned(), value: json!(true), why, said });
    }
    decisions
}

fn condition(experiment: &Experiment, enforcement: &Enforcement) -> Decision {
    let problem = experiment.problem();
    let (value, why) = match &enforcement.outcome {
        Outcome::Exact { unknown } => {
            ("exact", format!("{} is made of it, whatever the network says", problem.unknowns[*unknown].name))
        }
        Outcome::Penalty(reason) => ("penalty", reason.sentence(problem)),
    };
    let key = format!("conditions.{} ({})", enforcement.condition, enforcement.equation);
    Decision { key, value: json!(value), why, said: None }
}

fn precision(experiment: &Experiment) -> Decision {
    let (device, precision) = (experiment.device(), experiment.precision());
    let why = match experiment.suitable_precision(device) == precision {
        true => format!("what {} needs on {device}", experiment.methods().join(", then ")),
        false => "as stated".to_owned(),
    };
    Decision { key: "precision".to_owned(), value: json!(precision.name()), why, said: None }
}
