//! `optimizer` of a phase, and the keys that one method has and others have not.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable};
use crate::parse::reader;
use crate::problem::{Method, Order, Solver};

/// Methods that people will ask for and that this version does not have.
const PLANNED: [&str; 4] = ["bfgs", "levenberg-marquardt", "natural-gradient", "shampoo"];

/// Keys of some methods alone.
pub(super) const OWN_KEYS: [(&str, &[&str]); 10] = [
    ("weight_decay", &["adamw"]),
    ("momentum", &["sgd", "rmsprop", "muon"]),
    ("nesterov", &["sgd"]),
    ("square_decay", &["rmsprop"]),
    ("precondition_every", &["soap", "nncg"]),
    ("damping", &["nncg"]),
    ("rank", &["nncg"]),
    ("memory", &["lbfgs"]),
    ("solver", &["gauss-newton"]),
    // Runs of earlier versions state it.
    ("products", &["gauss-newton"]),
];

/// A method by its name, with its defaults.
pub(super) fn read(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Method> {
    let lbfgs = Method::Lbfgs { memory: 30 };
    let methods = [
        ("auto", Method::Auto),
        ("adam", Method::Adam),
        ("adamw", Method::AdamW { weight_decay: 0.01 }),
        ("sgd", Method::SGD),
        ("rmsprop", Method::RMSPROP),
        ("soap", Method::SOAP),
        ("muon", Method::MUON),
        ("nncg", Method::NNCG),
        ("lbfgs", lbfgs),
        ("l-bfgs", lbfgs),
        ("ssbroyden", Method::SsBroyden),
        ("gauss-newton", Method::GAUSS_NEWTON),
    ];
    let text = reader::text(node, mistakes)?;
    if PLANNED.contains(&text.content.as_str()) {
        let message = format!("`{}` is not in this version", text.content);
        let hint = "use one of `auto`, `gauss-newton`, `ssbroyden`, `lbfgs`, `nncg`, `adam`, `adamw`, `soap`, `muon`, `sgd` and `rmsprop`";
        mistakes.report_with(node.span, message, hint);
        return None;
    }
    reader::choice(node, &methods, mistakes)
}

/// What a method has besides its name, and the solver, if stated. A key of another method is a mistake: it would do nothing.
pub(super) fn details(table: &TomlTable, optimizer: &mut Method, mistakes: &mut Mistakes) -> Option<Solver> {
    misplaced(table, *optimizer, mistakes);
    let mut keys = Keys { table, mistakes };
    match optimizer {
        Method::Auto | Method::Adam | Method::SsBroyden => {}
        Method::AdamW { weight_decay } => keys.positive("weight_decay", weight_decay),
        Method::Sgd { momentum, nesterov } => {
            keys.share("momentum", momentum);
            if let Some(entry) = table.get("nesterov") {
                *nesterov = reader::boolean(&entry.node, keys.mistakes).unwrap_or(*nesterov);
                if *nesterov && *momentum == 0.0 {
                    let message = "without momentum there is no velocity to look ahead along";
                    keys.mistakes.report_with(entry.key_span, message, "leave it out, or state a `momentum`");
                }
            }
        }
        Method::RmsProp { square_decay, momentum } => {
            keys.share("square_decay", square_decay);
            keys.share("momentum", momentum);
        }
        Method::Soap { precondition_every } => {
            keys.count("precondition_every", MAX_INTERVAL, precondition_every)
        }
        Method::NysNewtonCg { damping, rank, precondition_every } => {
            keys.positive("damping", damping);
            keys.count("rank", MAX_MEMORY, rank);
            keys.count("precondition_every", MAX_INTERVAL, precondition_every);
        }
        Method::Muon { momentum } => keys.share("momentum", momentum),
        Method::Lbfgs { memory } => keys.count("memory", MAX_MEMORY, memory),
        Method::GaussNewton { solver } => return keys.solver(solver),
    }
    None
}

/// Steps between two preconditioners: any number that means never.
const MAX_INTERVAL: i64 = 1_000_000_000;

/// More pairs than this cost more than the evaluations that they might save.
const MAX_MEMORY: i64 = 1000;

/// Reports keys that do nothing beside this method.
fn misplaced(table: &TomlTable, optimizer: Method, mistakes: &mut Mistakes) {
    let mut report = |entry: &TomlEntry, methods: &[&str]| {
        let message = format!("`{}` belongs to another optimizer", entry.key);
        let methods: Vec<String> =
            methods.iter().map(|method| format!("`optimizer = \"{method}\"`")).collect();
        mistakes.report_with(entry.key_span, message, format!("state it beside {}", methods.join(" or ")));
    };
    for (key, methods) in OWN_KEYS.into_iter().filter(|(_, methods)| !methods.contains(&optimizer.name())) {
        table.get(key).into_iter().for_each(|entry| report(entry, methods));
    }
    let order = optimizer.traits().order;
    if optimizer == Method::Auto || order != Order::First {
        let keys = ["batch", "accumulate"];
        keys.into_iter().filter_map(|key| table.get(key)).for_each(|entry| report(entry, &["adam"]));
    }
    if order == Order::Quasi {
        table.get("balance").into_iter().for_each(|entry| report(entry, &["adam"]));
    }
}

/// A table that keys of a method are read from; what is not stated stays as it is.
struct Keys<'a> {
    table: &'a TomlTable,
    mistakes: &'a mut Mistakes,
}

impl Keys<'_> {
    fn positive(&mut self, key: &str, value: &mut f64) {
        let stated = self.table.get(key).and_then(|entry| reader::positive(&entry.node, self.mistakes));
        *value = stated.unwrap_or(*value);
    }

    fn count(&mut self, key: &str, most: i64, value: &mut usize) {
        let stated =
            self.table.get(key).and_then(|entry| reader::count(&entry.node, 1..=most, self.mistakes));
        *value = stated.unwrap_or(*value);
    }

    /// What is left of something after a step.
    fn share(&mut self, key: &str, value: &mut f64) {
        let Some(entry) = self.table.get(key) else { return };
        match reader::number(&entry.node, self.mistakes) {
            Some(stated) if (0.0..1.0).contains(&stated) => *value = stated,
            Some(_) => {
                let message = format!("`{key}` must be at least 0 and below 1");
                self.mistakes.report_with(entry.node.span, message, format!("such as {value:?}"));
            }
            None => {}
        }
    }

    fn solver(&mut self, solver: &mut Solver) -> Option<Solver> {
        let names = Solver::ALL.map(|solver| (solver.name(), solver));
        let stated = self.table.get("solver");
        let way = stated.and_then(|entry| reader::choice(&entry.node, &names, self.mistakes));
        *solver = way.unwrap_or(*solver);
        let names = [("exact", ()), ("short", ())];
        self.table.get("products").and_then(|entry| reader::choice(&entry.node, &names, self.mistakes));
        way
    }
}
