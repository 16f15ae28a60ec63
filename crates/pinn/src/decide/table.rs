//! Phases as a problem file writes them.

use super::Settings;
use equation::decide::{Decision, quoted};
use equation::problem::{Clip, Guard, Method, Order, Phase, Problem};

/// A settled phase as an inline table. What `[training]` states for all phases is left to it, unless the file lists phases:
/// the table then takes the place of one of those, with all that it states.
pub(super) fn of(problem: &Problem, phase: &Phase, settings: &Settings, solver: Option<&Decision>) -> String {
    let mut entries = vec![("optimizer", quoted(settings.method.name()))];
    match settings.method {
        Method::Auto | Method::Adam | Method::SsBroyden => {}
        Method::AdamW { weight_decay } => entries.push(("weight_decay", format!("{weight_decay:?}"))),
        Method::Sgd { momentum, nesterov } => {
            entries.push(("momentum", format!("{momentum:?}")));
            // Without momentum there is nothing to say about it.
            entries.extend(nesterov.then(|| ("nesterov", "true".to_owned())));
        }
        Method::RmsProp { square_decay, momentum } => {
            entries.push(("square_decay", format!("{square_decay:?}")));
            entries.push(("momentum", format!("{momentum:?}")));
        }
        Method::Soap { precondition_every } => {
            entries.push(("precondition_every", precondition_every.to_string()));
        }
        Method::Muon { momentum } => entries.push(("momentum", format!("{momentum:?}"))),
        Method::NysNewtonCg { damping, rank, precondition_every } => {
            entries.push(("damping", format!("{damping:?}")));
            entries.push(("rank", rank.to_string()));
            entries.push(("precondition_every", precondition_every.to_string()));
        }
        Method::Lbfgs { memory } => entries.push(("memory", memory.to_string())),
        Method::GaussNewton { solver: stated } => {
            let stated = quoted(stated.name());
            entries.push(("solver", solver.map_or(stated, |solver| solver.value.clone())));
        }
    }
    if settings.method.traits().order != Order::Quasi {
        entries.push(("balance", settings.balance.written()));
    }
    entries.push(("points", settings.points.to_string()));
    entries.extend(settings.batch.map(|batch| ("batch", batch.to_string())));
    entries.extend((settings.accumulate > 1).then(|| ("accumulate", settings.accumulate.to_string())));
    entries.push(("most_points", settings.most_points.to_string()));
    entries.push(("resample", settings.resample.unwrap_or(0).to_string()));
    match &phase.sampling {
        Some(_) => entries.push(("sampling", settings.sampling.written())),
        None => {
            entries.push(("adaptive", settings.sampling.adaptive.moves().to_string()));
            entries.push(("causal", settings.sampling.causal.to_string()));
        }
    }
    if phase.guard.is_none() || problem.training.listed {
        entries.push(("guard", guard(settings.guard)));
    }
    if let Some(check) = settings.gradient_check.or(phase.gradient_check) {
        entries.push(("gradient_check", check.written()));
    }
    if phase.budget.is_some() {
        entries.push(("budget", settings.budget.written()));
    }
    if problem.training.listed {
        if phase.sampling.is_none() {
            entries.push(("sampler", quoted(settings.sampling.sampler.name())));
        }
        entries.push(("clip", clip(&settings.clip)));
        entries.push(("learning_rate", format!("{:?}", settings.learning_rate)));
        entries.push(("schedule", settings.schedule.written()));
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

fn guard(Guard { policy, spikes, back_off, tries }: Guard) -> String {
    let (policy, spikes) = (quoted(policy.name()), quoted(spikes.name()));
    format!("{{ policy = {policy}, spikes = {spikes}, back_off = {back_off:?}, tries = {tries} }}")
}

fn clip(rules: &[Clip]) -> String {
    let rule = |rule: &Clip| {
        let number = |(key, value): (&str, f64)| match key {
            "window" => format!(", {key} = {value}"),
            _ => format!(", {key} = {value:?}"),
        };
        let numbers: String = rule.numbers().into_iter().map(number).collect();
        format!("{{ kind = {}{numbers} }}", quoted(rule.name()))
    };
    format!("[{}]", rules.iter().map(rule).collect::<Vec<_>>().join(", "))
}
