//! `[training]` and its phases.

use super::equations::points;
use super::sampling;
use super::unknowns::hard_constraints;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::expression::Workshop;
use crate::parse::reader;
use crate::problem::{
    Budget, CONDITION_POINTS, Method, Order, Parts, Phase, Precision, ResidualWeights, Sampler, Schedule,
    Solver, Training,
};
use std::iter;

/// Methods that people will ask for and that this version does not have.
const PLANNED: [&str; 7] =
    ["bfgs", "levenberg-marquardt", "natural-gradient", "soap", "shampoo", "sgd", "muon"];

/// More parts of time than this are refused: each has a network that is kept.
const MOST_WINDOWS: i64 = 1000;

/// Keys of earlier versions: read without effect, and never proposed.
const REMOVED_KEYS: [&str; 1] = ["products"];

const PHASE_KEYS: [&str; 17] = [
    "optimizer",
    "weight_decay",
    "memory",
    "solver",
    "balance",
    "points",
    "batch",
    "most_points",
    "sampler",
    "adaptive",
    "causal",
    "sampling",
    "residual_weights",
    "resample",
    "learning_rate",
    "schedule",
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
    known.extend(PHASE_KEYS);
    only(section, &known, workshop);
    let seed = section.get("seed").and_then(|entry| seed(&entry.node, workshop));
    let steps = section
        .get("steps")
        .and_then(|entry| reader::count(&entry.node, 0..=i64::MAX, &mut workshop.mistakes))
        .map(|steps| steps as u64);
    let condition_points = section.get("condition_points").and_then(|e| points(&e.node, workshop));
    let windows = stated_windows(section).and_then(|node| parts(node, workshop));
    let precisions = Precision::ALL.map(|precision| (precision.name(), precision));
    let precision = section.get("precision");
    let precision = precision.and_then(|e| reader::choice(&e.node, &precisions, &mut workshop.mistakes));
    let default = Phase {
        optimizer: Method::Auto,
        solver: None,
        points: None,
        batch: None,
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
        precision,
        steps,
        phases,
        listed: section.get("phase").is_some(),
        without_effect: without_effect(section),
    }
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
        only(table, &PHASE_KEYS, workshop);
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
    if let Some(optimizer) = table.get("optimizer").and_then(|entry| optimizer(&entry.node, workshop)) {
        phase.optimizer = optimizer;
        phase.solver = None;
    }
    phase.solver = details(table, &mut phase.optimizer, workshop).or(phase.solver);
    phase.points = table.get("points").and_then(|entry| points(&entry.node, workshop)).or(phase.points);
    let batch = table.get("batch").and_then(|entry| points(&entry.node, workshop));
    // The other methods compare losses at successive steps, which needs the same points.
    let batches = matches!(phase.optimizer, Method::Adam | Method::AdamW { .. });
    phase.batch = batch.or(phase.batch).filter(|_| batches);
    let most = table.get("most_points").and_then(|entry| points(&entry.node, workshop));
    phase.most_points = most.or(phase.most_points);
    let mistakes = &mut workshop.mistakes;
    sampling::read(table, &mut phase, mistakes);
    let balance = table.get("balance").and_then(|entry| reader::boolean(&entry.node, mistakes));
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
        (table.get("batch").or(table.get("residual_weights")), phase.batch, phase.residual_weights)
    {
        let message = "`residual_weights` look at all points, and a `batch` has some of them";
        mistakes.report_with(entry.key_span, message, "state one of them");
    }
    let rate = table.get("learning_rate").and_then(|e| reader::positive(&e.node, &mut workshop.mistakes));
    phase.learning_rate = rate.unwrap_or(phase.learning_rate);
    if let Some(schedule) = table.get("schedule").and_then(|entry| schedule(&entry.node, workshop)) {
        phase.schedule = schedule;
    }
    if let Some(budget) = table.get("budget").and_then(|entry| budget(&entry.node, workshop)) {
        phase.budget = Some(budget);
    }
    phase
}

/// A method by its name, with its defaults.
fn optimizer(node: &TomlNode, workshop: &mut Workshop) -> Option<Method> {
    let lbfgs = Method::Lbfgs { memory: 30 };
    let methods = [
        ("auto", Method::Auto),
        ("adam", Method::Adam),
        ("adamw", Method::AdamW { weight_decay: 0.01 }),
        ("lbfgs", lbfgs),
        ("l-bfgs", lbfgs),
        ("ssbroyden", Method::SsBroyden),
        ("gauss-newton", Method::GAUSS_NEWTON),
    ];
    let text = reader::text(node, &mut workshop.mistakes)?;
    if PLANNED.contains(&text.content.as_str()) {
        let message = format!("`{}` is not in this version", text.content);
        let hint = "use one of `auto`, `gauss-newton`, `ssbroyden`, `lbfgs`, `adam` and `adamw`";
        workshop.mistakes.report_with(node.span, message, hint);
        return None;
    }
    reader::choice(node, &methods, &mut workshop.mistakes)
}

/// What a method has besides its name, and the solver, if stated. A key of another method is a mistake: it would do nothing.
fn details(table: &TomlTable, optimizer: &mut Method, workshop: &mut Workshop) -> Option<Solver> {
    /// More pairs than this cost more than the evaluations that they might save.
    const MAX_MEMORY: i64 = 1000;
    let mistakes = &mut workshop.mistakes;
    let mut misplaced = |entry: &TomlEntry, method: &str| {
        let message = format!("`{}` belongs to another optimizer", entry.key);
        let hint = format!("state it beside `optimizer = \"{method}\"`");
        mistakes.report_with(entry.key_span, message, hint);
    };
    let keys = [
        ("weight_decay", "adamw"),
        ("memory", "lbfgs"),
        ("solver", "gauss-newton"),
        ("products", "gauss-newton"),
    ];
    let own = match optimizer {
        Method::Auto | Method::Adam | Method::SsBroyden => "",
        Method::AdamW { .. } => "adamw",
        Method::Lbfgs { .. } => "lbfgs",
        Method::GaussNewton { .. } => "gauss-newton",
    };
    for (key, method) in keys.into_iter().filter(|(_, method)| *method != own) {
        table.get(key).into_iter().for_each(|entry| misplaced(entry, method));
    }
    if !matches!(optimizer, Method::Adam | Method::AdamW { .. }) {
        table.get("batch").into_iter().for_each(|entry| misplaced(entry, "adam"));
    }
    if optimizer.traits().order != Order::Second {
        table.get("balance").into_iter().for_each(|entry| misplaced(entry, "gauss-newton"));
    }
    match optimizer {
        Method::Auto | Method::Adam | Method::SsBroyden => None,
        Method::AdamW { weight_decay } => {
            let stated = table.get("weight_decay").and_then(|entry| reader::positive(&entry.node, mistakes));
            *weight_decay = stated.unwrap_or(*weight_decay);
            None
        }
        Method::Lbfgs { memory } => {
            let pairs = table.get("memory");
            let stated = pairs.and_then(|entry| reader::count(&entry.node, 1..=MAX_MEMORY, mistakes));
            *memory = stated.unwrap_or(*memory);
            None
        }
        Method::GaussNewton { solver } => {
            let names = Solver::ALL.map(|solver| (solver.name(), solver));
            let way = table.get("solver").and_then(|entry| reader::choice(&entry.node, &names, mistakes));
            *solver = way.unwrap_or(*solver);
            // Runs of earlier versions state it.
            let names = [("exact", ()), ("short", ())];
            table.get("products").and_then(|entry| reader::choice(&entry.node, &names, mistakes));
            way
        }
    }
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

/// The kinds of schedules.
#[derive(Clone, Copy)]
enum ScheduleKind {
    Constant,
    Cosine,
    Exponential,
}

fn schedule(node: &TomlNode, workshop: &mut Workshop) -> Option<Schedule> {
    let mistakes = &mut workshop.mistakes;
    let shapes = [
        ("constant", ScheduleKind::Constant),
        ("cosine", ScheduleKind::Cosine),
        ("exponential", ScheduleKind::Exponential),
    ];
    let TomlValue::Table(table) = &node.value else {
        return match reader::choice(node, &shapes, mistakes)? {
            ScheduleKind::Constant => Some(Schedule::Constant),
            ScheduleKind::Cosine => Some(Schedule::Cosine { warmup: 0 }),
            ScheduleKind::Exponential => {
                let hint = "write `{ kind = \"exponential\", factor = 0.9, steps = 1000 }`";
                mistakes.report_with(node.span, "an exponential schedule needs its factor and steps", hint);
                None
            }
        };
    };
    let Some(kind) = table.get("kind") else {
        mistakes.report_with(node.span, "this schedule has no `kind`", "such as `kind = \"cosine\"`");
        return None;
    };
    let shape = reader::choice(&kind.node, &shapes, mistakes)?;
    let keys: &[&str] = match shape {
        ScheduleKind::Constant => &["kind"],
        ScheduleKind::Cosine => &["kind", "warmup"],
        ScheduleKind::Exponential => &["kind", "factor", "steps"],
    };
    reader::only(table, keys, "key", mistakes);
    let mut steps = |key: &str, least: i64| {
        table.get(key).map(|entry| reader::count(&entry.node, least..=i64::MAX, mistakes))
    };
    match shape {
        ScheduleKind::Constant => Some(Schedule::Constant),
        ScheduleKind::Cosine => {
            let warmup = steps("warmup", 0).unwrap_or(Some(0))?;
            Some(Schedule::Cosine { warmup: warmup as u64 })
        }
        ScheduleKind::Exponential => {
            let (steps, factor) = (steps("steps", 1), table.get("factor"));
            let (Some(steps), Some(factor)) = (steps, factor) else {
                let hint = "write `{ kind = \"exponential\", factor = 0.9, steps = 1000 }`";
                mistakes.report_with(node.span, "an exponential schedule needs its factor and steps", hint);
                return None;
            };
            let value = reader::number(&factor.node, mistakes)?;
            if !(value > 0.0 && value < 1.0) {
                mistakes.report(factor.node.span, "`factor` must lie between 0 and 1");
                return None;
            }
            Some(Schedule::Exponential { factor: value, steps: steps? as u64 })
        }
    }
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
