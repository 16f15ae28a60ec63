//! `[training]` and its phases.

use super::balance;
use super::equations::points;
use super::gradient_check;
use super::optimizer::{self, OWN_KEYS};
use super::sampling;
use super::schedule;
use super::stability;
use super::unknowns::hard_constraints;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::expression::Workshop;
use crate::parse::reader;
use crate::problem::{
    Balance, Budget, CONDITION_POINTS, Method, Order, Parts, Phase, Precision, ResidualWeights, Sampler,
    Schedule, Training,
};
use std::iter;

/// More parts of time than this are refused: each has a network that is kept.
const MOST_WINDOWS: i64 = 1000;

/// Keys of earlier versions: read without effect, and never proposed.
const REMOVED_KEYS: [&str; 1] = ["products"];

/// Keys of a phase, besides those of its optimizer.
const PHASE_KEYS: [&str; 18] = [
    "optimizer",
    "balance",
    "points",
    "batch",
    "accumulate",
    "most_points",
    "sampler",
    "adaptive",
    "causal",
    "sampling",
    "residual_weights",
    "resample",
    "learning_rate",
    "schedule",
    "guard",
    "clip",
    "gradient_check",
    "budget",
];

/// Reads the section; an absent one means the defaults.
pub(in crate::parse) fn read(
    section: &TomlTable,
    reference: &TomlTable,
    workshop: &mut Workshop,
) -> Training {
    if !reference.entries.iter().any(|entry| entry.key != "grid") {
        errors_without_reference(section, workshop);
    }
    let mut known =
        vec!["seed", "steps", "condition_points", "hard_constraints", "windows", "precision", "phase"];
    known.extend(phase_keys());
    only(section, &known, workshop);
    let seed = section.get("seed").and_then(|entry| seed(&entry.node, workshop));
    let steps = section
        .get("steps")
        .and_then(|entry| reader::count(&entry.node, 0..=i64::MAX, &mut workshop.mistakes))
        .map(|steps| steps as u64);
    let condition_points = section.get("condition_points").and_then(|e| points(&e.node, workshop));
    let windows = stated_windows(section).and_then(|node| parts(node, workshop));
    let precisions = Precision::ALL.map(|precision| (precision.name(), Some(precision)));
    let precisions: Vec<_> = precisions.into_iter().chain([("auto", None)]).collect();
    let precision = section.get("precision");
    let precision = precision.and_then(|e| reader::choice(&e.node, &precisions, &mut workshop.mistakes));
    let default = Phase {
        optimizer: Method::Auto,
        solver: None,
        points: None,
        batch: None,
        batch_by_memory: false,
        accumulate: 1,
        most_points: None,
        sampler: Sampler::Sobol,
        adaptive: None,
        causal: None,
        sampling: None,
        balance: None,
        residual_weights: None,
        resample: None,
        learning_rate: 1e-3,
        schedule: Schedule::Constant,
        guard: None,
        clip: Vec::new(),
        gradient_check: None,
        budget: None,
    };
    let common = phase(section, &default, workshop);
    let phases = match section.get("phase") {
        Some(entry) => phases(entry, &common, workshop),
        None => vec![common],
    };
    Training {
        seed: seed.unwrap_or(0),
        condition_points: condition_points.unwrap_or(CONDITION_POINTS),
        hard_constraints: hard_constraints(section, &mut workshop.mistakes),
        windows: windows.unwrap_or(Parts::Equal(1)),
        precision: precision.flatten(),
        precision_by_time: precision == Some(None),
        steps,
        phases,
        listed: section.get("phase").is_some(),
        without_effect: without_effect(section),
    }
}

/// All keys of a phase.
fn phase_keys() -> Vec<&'static str> {
    let own = OWN_KEYS.into_iter().map(|(key, _)| key).filter(|key| !REMOVED_KEYS.contains(key));
    PHASE_KEYS.into_iter().chain(own).collect()
}

/// Reports the keys of a table that nobody reads.
fn only(table: &TomlTable, known: &[&str], workshop: &mut Workshop) {
    let is_read = |key: &str| known.contains(&key) || REMOVED_KEYS.contains(&key);
    for entry in table.entries.iter().filter(|entry| !is_read(&entry.key)) {
        reader::unknown(entry, known, "key", &mut workshop.mistakes);
    }
}

/// Keys that meant something in earlier versions.
fn without_effect(section: &TomlTable) -> Vec<&'static str> {
    let listed = match section.get("phase").map(|entry| &entry.node.value) {
        Some(TomlValue::Array(items)) => &items[..],
        _ => &[],
    };
    let phases = listed.iter().filter_map(|item| match &item.value {
        TomlValue::Table(table) => Some(table),
        _ => None,
    });
    let tables: Vec<&TomlTable> = iter::once(section).chain(phases).collect();
    let stated = |key: &&str| tables.iter().any(|table| table.get(key).is_some());
    REMOVED_KEYS.into_iter().filter(stated).collect()
}

/// What the section says about time windows, unless it leaves them open.
pub(in crate::parse) fn stated_windows(section: &TomlTable) -> Option<&TomlNode> {
    let node = &section.get("windows")?.node;
    let open = matches!(&node.value, TomlValue::Text(text) if text.content == "auto");
    (!open).then_some(node)
}

/// How time is cut: a number of windows, or the times at which they meet.
fn parts(node: &TomlNode, workshop: &mut Workshop) -> Option<Parts> {
    let mistakes = &mut workshop.mistakes;
    let TomlValue::Array(items) = &node.value else {
        return reader::count(node, 1..=MOST_WINDOWS, mistakes).map(Parts::Equal);
    };
    if items.len() >= MOST_WINDOWS as usize {
        mistakes.report(node.span, format!("expected at most {MOST_WINDOWS} windows"));
        return None;
    }
    let times = items.iter().map(|item| reader::number(item, mistakes));
    times.collect::<Option<Vec<f64>>>().map(Parts::At)
}

/// A seed: an integer, or its digits in quotes, since integers of TOML end at 2^63.
fn seed(node: &TomlNode, workshop: &mut Workshop) -> Option<u64> {
    let mistakes = &mut workshop.mistakes;
    match &node.value {
        TomlValue::Integer(value) if *value >= 0 => return u64::try_from(*value).ok(),
        TomlValue::Integer(value) => {
            mistakes.report(node.span, format!("expected an integer of at least 0, found {value}"));
        }
        TomlValue::Text(text) if text.content.parse::<u64>().is_ok() => return text.content.parse().ok(),
        TomlValue::Strange(_) => {
            let message = format!("expected an integer from 0 to {}", i64::MAX);
            let hint = format!("larger ones, up to {}, stand in quotes", u64::MAX);
            mistakes.report_with(node.span, message, hint);
        }
        TomlValue::Text(_)
        | TomlValue::Float(_)
        | TomlValue::Boolean(_)
        | TomlValue::Array(_)
        | TomlValue::Table(_) => {
            reader::expected("an integer", node, mistakes);
        }
    }
    None
}

fn phases(entry: &TomlEntry, common: &Phase, workshop: &mut Workshop) -> Vec<Phase> {
    const MAX_PHASES: usize = 1000;
    let TomlValue::Array(items) = &entry.node.value else {
        let found = entry.node.value.kind();
        let message = format!("expected an array of tables, found {found}");
        workshop.mistakes.report_with(entry.key_span, message, "write `[[training.phase]]`");
        return Vec::new();
    };
    if items.is_empty() || items.len() > MAX_PHASES {
        workshop.mistakes.report(entry.node.span, format!("expected 1 to {MAX_PHASES} phases"));
        return Vec::new();
    }
    let read = |item: &TomlNode| {
        let table = reader::table(item, &mut workshop.mistakes)?;
        only(table, &phase_keys(), workshop);
        Some(phase(table, common, workshop))
    };
    items.iter().filter_map(read).collect()
}

/// Reports budgets that wait for an error that nobody can measure.
fn errors_without_reference(section: &TomlTable, workshop: &mut Workshop) {
    let phases = section.get("phase").map(|entry| &entry.node.value);
    let items = if let Some(TomlValue::Array(items)) = phases { items.as_slice() } else { &[] };
    let tables = items.iter().filter_map(|item| match &item.value {
        TomlValue::Table(table) => Some(table),
        _ => None,
    });
    for table in iter::once(section).chain(tables) {
        let Some(TomlValue::Table(budget)) = table.get("budget").map(|entry| &entry.node.value) else {
            continue;
        };
        if let Some(error) = budget.get("error") {
            let message = "there is no reference to measure the error against";
            workshop.mistakes.report_with(error.key_span, message, "add a `[reference]`, or bound the loss");
        }
    }
}

/// A phase: what the table states, over what holds otherwise.
fn phase(table: &TomlTable, otherwise: &Phase, workshop: &mut Workshop) -> Phase {
    let mut phase = otherwise.clone();
    if let Some(optimizer) =
        table.get("optimizer").and_then(|entry| optimizer::read(&entry.node, &mut workshop.mistakes))
    {
        phase.optimizer = optimizer;
        phase.solver = None;
    }
    phase.solver = optimizer::details(table, &mut phase.optimizer, &mut workshop.mistakes).or(phase.solver);
    phase.points = table.get("points").and_then(|entry| points(&entry.node, workshop)).or(phase.points);
    read_batch(table, &mut phase, workshop);
    let most = table.get("most_points").and_then(|entry| points(&entry.node, workshop));
    phase.most_points = most.or(phase.most_points);
    let mistakes = &mut workshop.mistakes;
    sampling::read(table, &mut phase, mistakes);
    let balance = table.get("balance").and_then(|entry| balance::read(&entry.node, mistakes));
    phase.balance = balance.or(phase.balance);
    if let Some(entry) = table.get("residual_weights") {
        phase.residual_weights = residual_weights(&entry.node, workshop);
    }
    let mistakes = &mut workshop.mistakes;
    if let Some(steps) = table.get("resample").and_then(|e| reader::count(&e.node, 0..=i64::MAX, mistakes)) {
        phase.resample = Some(steps as u64);
    }
    sampling::check_phase(table, &phase, mistakes);
    if let (Some(entry), Some(_), Some(_)) =
        (table.get("batch").or(table.get("residual_weights")), in_batches(&phase), phase.residual_weights)
    {
        let message = "`residual_weights` look at all points, and a `batch` has some of them";
        mistakes.report_with(entry.key_span, message, "state one of them");
    }
    let rate = table.get("learning_rate").and_then(|e| reader::positive(&e.node, &mut workshop.mistakes));
    phase.learning_rate = rate.unwrap_or(phase.learning_rate);
    if let Some(schedule) =
        table.get("schedule").and_then(|entry| schedule::read(&entry.node, &mut workshop.mistakes))
    {
        phase.schedule = schedule;
    }
    let mistakes = &mut workshop.mistakes;
    phase.guard =
        table.get("guard").and_then(|entry| stability::guard(&entry.node, mistakes)).or(phase.guard);
    if let Some(clip) = table.get("clip").and_then(|entry| stability::clip(&entry.node, mistakes)) {
        phase.clip = clip;
    }
    let check = table.get("gradient_check").and_then(|entry| gradient_check::read(&entry.node, mistakes));
    phase.gradient_check = check.or(phase.gradient_check);
    let named = phase.balance.filter(|balance| balance.every().is_some());
    if let (Some(entry), Some(_), Order::Second, Some(balance)) =
        (table.get("balance"), table.get("optimizer"), phase.optimizer.traits().order, named)
        && phase.optimizer != Method::Auto
    {
        let message = format!("`{}` is for methods that follow the gradient", balance.name());
        mistakes.report_with(entry.node.span, message, "state `balance = true`, or `optimizer = \"adam\"`");
    }
    if let (Some(entry), Some(_), Order::First, Some(Balance::Rows)) =
        (table.get("balance"), table.get("optimizer"), phase.optimizer.traits().order, phase.balance)
        && phase.optimizer != Method::Auto
    {
        let message = "`rows` is the way of Gauss-Newton";
        mistakes.report_with(entry.node.span, message, "state `balance = \"gradient-norm\"` or another kind");
    }
    let follows = matches!(phase.optimizer, Method::Auto) || phase.optimizer.traits().order == Order::First;
    let own = [("clip", !phase.clip.is_empty()), ("schedule", phase.schedule != Schedule::Constant)];
    for (key, _) in own.into_iter().filter(|(_, stated)| *stated && !follows) {
        if let (Some(entry), Some(_)) = (table.get(key), table.get("optimizer")) {
            let title = phase.optimizer.title();
            let message = format!("{title} finds the length of its steps itself: `{key}` has no effect");
            mistakes.report_with(entry.key_span, message, "leave it out, or state `optimizer = \"adam\"`");
        }
    }
    if let Some(budget) = table.get("budget").and_then(|entry| budget(&entry.node, workshop)) {
        phase.budget = Some(budget);
    }
    phase
}

/// How many points a step visits, and how they come.
fn read_batch(table: &TomlTable, phase: &mut Phase, workshop: &mut Workshop) {
    /// More batches than this make one step of more points than there ever are.
    const MOST_ACCUMULATED: i64 = 1_000_000;
    // The other methods compare losses at successive steps, which needs the same points.
    if phase.optimizer == Method::Auto || phase.optimizer.traits().order != Order::First {
        (phase.batch, phase.batch_by_memory, phase.accumulate) = (None, false, 1);
        return;
    }
    if let Some(entry) = table.get("batch") {
        phase.batch_by_memory = matches!(&entry.node.value, TomlValue::Text(text) if text.content == "auto");
        phase.batch =
            if phase.batch_by_memory { None } else { points(&entry.node, workshop).or(phase.batch) };
    }
    let accumulate = table.get("accumulate");
    let accumulate =
        accumulate.and_then(|e| reader::count(&e.node, 1..=MOST_ACCUMULATED, &mut workshop.mistakes));
    phase.accumulate = accumulate.unwrap_or(phase.accumulate);
}

/// Whether steps may visit some of the points only.
fn in_batches(phase: &Phase) -> Option<()> {
    (phase.batch.is_some() || phase.batch_by_memory).then_some(())
}

/// Residual-based weights: whether, or how fast they follow.
fn residual_weights(node: &TomlNode, workshop: &mut Workshop) -> Option<ResidualWeights> {
    let mistakes = &mut workshop.mistakes;
    let usual = ResidualWeights { decay: 0.999, rate: 0.01 };
    let table = match &node.value {
        TomlValue::Boolean(wanted) => return wanted.then_some(usual),
        TomlValue::Table(table) => table,
        _ => {
            let message = format!("expected true, false or a table, found {}", node.value.kind());
            mistakes.report_with(node.span, message, "such as `{ decay = 0.999, rate = 0.01 }`");
            return None;
        }
    };
    reader::only(table, &["decay", "rate"], "key", mistakes);
    let rate = table.get("rate").map_or(Some(usual.rate), |entry| reader::positive(&entry.node, mistakes));
    let Some(entry) = table.get("decay") else { return Some(ResidualWeights { rate: rate?, ..usual }) };
    let decay = reader::number(&entry.node, mistakes)?;
    if !(0.0..1.0).contains(&decay) {
        mistakes.report(entry.node.span, "`decay` must be at least 0 and below 1");
        return None;
    }
    Some(ResidualWeights { decay, rate: rate? })
}

fn budget(node: &TomlNode, workshop: &mut Workshop) -> Option<Budget> {
    let mistakes = &mut workshop.mistakes;
    let hint = "such as \"5000 steps\", \"60 s\", \"2 min\" or \"5000 steps, 60 s\"";
    let mut budget = Budget::default();
    match &node.value {
        TomlValue::Table(table) => {
            reader::only(table, &["steps", "seconds", "loss", "error"], "key", mistakes);
            let steps = table.get("steps").map(|e| reader::count(&e.node, 1..=i64::MAX, mistakes));
            let seconds = table.get("seconds").map(|e| reader::positive(&e.node, mistakes));
            let loss = table.get("loss").map(|e| reader::positive(&e.node, mistakes));
            let error = table.get("error").map(|e| reader::positive(&e.node, mistakes));
            if steps.is_none() && seconds.is_none() && loss.is_none() && error.is_none() {
                mistakes.report_with(node.span, "this budget has no bound", hint);
                return None;
            }
            if steps.is_none() && seconds.is_none() {
                let message = "training might never reach this bound";
                let hint = "state `steps` or `seconds` beside it, as in `{ loss = 1e-6, steps = 50000 }`";
                mistakes.report_with(node.span, message, hint);
                return None;
            }
            budget.steps = steps.flatten().map(|steps| steps as u64);
            budget.seconds = seconds.flatten();
            budget.loss = loss.flatten();
            budget.error = error.flatten();
        }
        TomlValue::Text(text) => {
            for part in text.content.split(',') {
                if !budget.add(part.trim()) {
                    let start = part.as_ptr().addr() - text.content.as_ptr().addr();
                    let span = text.place(start..start + part.len());
                    mistakes.report_with(span, format!("`{}` is not a budget", part.trim()), hint);
                    return None;
                }
            }
        }
        TomlValue::Integer(number) => {
            let hint = format!("write `\"{number} steps\"` or `\"{number} s\"`");
            mistakes.report_with(node.span, "a budget is in steps or in seconds", hint);
            return None;
        }
        _ => {
            mistakes.report_with(node.span, format!("expected a budget, found {}", node.value.kind()), hint);
            return None;
        }
    }
    Some(budget)
}
