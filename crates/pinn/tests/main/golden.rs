//! The bits of trainings, written down: whoever moves code without wanting to change results sees here that none changed.
//!
//! Each line of a table states a problem, a method, a precision and a hash of all that training leaves behind after some
//! steps. Bits depend on the vector instructions of a CPU, so each line also names those; on a CPU with other
//! instructions the test says that it has nothing to compare with. `PINNACE_RECORD=1` writes the tables anew.

use pinnace::Array;
use pinnace::trainer::TaskState;
use pinnace::{BUILT_IN, BuiltIn, Device, Experiment, Level, Precision, Quiet, Snapshot};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Methods, as overrides of a problem file.
const METHODS: [(&str, &[&str]); 5] = [
    ("adam", &["training.optimizer=adam"]),
    ("adamw", &["training.optimizer=adamw"]),
    ("lbfgs", &["training.optimizer=lbfgs"]),
    ("ssbroyden", &["training.optimizer=ssbroyden"]),
    ("gauss-newton", &["training.optimizer=gauss-newton"]),
];

/// Other ways to the same steps, tried on few problems.
const VARIANTS: [(&str, &[&str]); 6] = [
    ("woodbury", &["training.optimizer=gauss-newton", "training.solver=woodbury"]),
    ("conjugate-gradients", &["training.optimizer=gauss-newton", "training.solver=conjugate-gradients"]),
    ("sketch", &["training.optimizer=gauss-newton", "training.solver=sketch"]),
    ("subspace", &["training.optimizer=gauss-newton", "training.solver=subspace"]),
    ("penalties", &["training.optimizer=gauss-newton", "training.hard_constraints=off"]),
    (
        "residual-weights",
        &["training.optimizer=adam", "training.residual_weights={ decay = 0.9, rate = 0.1 }"],
    ),
];

/// Methods that came later, tried on the same few problems.
const LATER: [(&str, &[&str]); 5] = [
    ("sgd", &["training.optimizer=sgd"]),
    ("rmsprop", &["training.optimizer=rmsprop"]),
    ("soap", &["training.optimizer=soap"]),
    ("muon", &["training.optimizer=muon"]),
    // In f32 it is refused, which is recorded, too.
    ("nncg", &["training.optimizer=nncg"]),
];

const PROBLEMS_OF_VARIANTS: [&str; 4] = ["burgers", "wave", "kovasznay", "heat-inverse"];

/// FNV-1a over 64-bit words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add_all(&mut self, numbers: &[f64]) {
        self.add(numbers.len() as u64);
        numbers.iter().for_each(|number| self.add(number.to_bits()));
    }

    /// Everything but times.
    fn of(now: &Snapshot) -> u64 {
        let task = TaskState::of(&now.task).expect("its own state");
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        now.finished.iter().for_each(|window| hash.add_all(window));
        hash.add_all(&now.parameters);
        hash.add_all(&task.weights);
        hash.add_all(&task.residual_weights);
        hash.add_all(&[now.loss, task.gap.after, task.gap.mean]);
        for count in [now.phase as u64, now.steps, now.evaluations, task.draw, task.interior as u64] {
            hash.add(count);
        }
        task.points.iter().flat_map(|points| points.iter()).for_each(|point| hash.add_all(point));
        // States that are kept to go back to are no part of the way here.
        for (_, array) in now.optimizer.iter().filter(|(name, _)| !name.starts_with("guard.")) {
            match array {
                Array::Numbers(numbers) => hash.add_all(numbers),
                Array::Counts(counts) => counts.iter().for_each(|&count| hash.add(count)),
            }
        }
        hash.0
    }
}

/// A built-in problem without its reference, which training does not need and which may take minutes to compute.
fn open(problem: &BuiltIn, overrides: &[String]) -> Experiment {
    let mut text = String::new();
    let mut within = false;
    for line in problem.text.lines() {
        if line.starts_with('[') {
            within = line.starts_with("[reference");
        }
        if !within {
            writeln!(text, "{line}").expect("memory takes any text");
        }
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = std::fs::read_dir(&examples).expect("examples").flatten().map(|entry| entry.path());
    let folder = folder
        .into_iter()
        .find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.split_once('-').is_some_and(|(_, name)| name == problem.name)
        })
        .expect("every built-in problem has a folder");
    Experiment::from_text(problem.name, &text, &folder, overrides)
        .unwrap_or_else(|error| panic!("{}: {error}", problem.name))
}

/// What training leaves behind, as a table writes it.
fn trained(problem: &BuiltIn, overrides: &[&str], precision: Precision) -> String {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let experiment = open(problem, &overrides).on(Device::Cpu, precision);
    let mut now = experiment.start();
    match experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet) {
        Ok(trained) => {
            let mut hash = Hash(Hash::of(&now));
            hash.add(trained.losses.total.to_bits());
            format!("{:016x}", hash.0)
        }
        Err(_) => format!("failed-{:016x}", Hash::of(&now)),
    }
}

/// Compares every line that this CPU's instructions have in a table, or writes them all anew.
fn compare(table: &str, cases: impl Iterator<Item = (String, String)>) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main/golden").join(table);
    let (level, mut known) = (Level::best().to_string(), BTreeMap::new());
    for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
        let (case, hash) = line.rsplit_once(' ').expect("a case and its hash");
        known.insert(case.to_owned(), hash.to_owned());
    }
    if std::env::var_os("PINNACE_RECORD").is_some() {
        known.extend(cases.map(|(case, hash)| (format!("{level} {case}"), hash)));
        let lines: String = known.iter().map(|(case, hash)| format!("{case} {hash}\n")).collect();
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for tables");
        std::fs::write(&path, lines).expect("the table can be written");
        return;
    }
    if !known.keys().any(|case| case.starts_with(&format!("{level} "))) {
        // Past the harness, which keeps what passing tests print to itself.
        _ = writeln!(std::io::stdout(), "skipped: hashes: {table} has no bits of processors with {level}");
        return;
    }
    let mut others = Vec::new();
    for (case, hash) in cases {
        match known.get(&format!("{level} {case}")) {
            Some(recorded) if *recorded == hash => {}
            Some(_) => others.push(case),
            None => panic!("{table} has no line for {case}: PINNACE_RECORD=1 writes it"),
        }
    }
    assert!(others.is_empty(), "{} trainings ended with other bits: {others:#?}", others.len());
}

/// What is trained: a problem, a method by name and as overrides, a precision.
type Case = (&'static BuiltIn, (&'static str, &'static [&'static str]), Precision);

/// Every problem with every method in both precisions, and some problems with all variants.
fn all() -> Vec<Case> {
    let variants = BUILT_IN.iter().filter(|problem| PROBLEMS_OF_VARIANTS.contains(&problem.name));
    let later = variants.clone().flat_map(|problem| LATER.map(|method| (problem, method)));
    let variants = variants.flat_map(|problem| VARIANTS.map(|variant| (problem, variant)));
    let methods = BUILT_IN.iter().flat_map(|problem| METHODS.map(|method| (problem, method)));
    let both =
        |(problem, method)| [Precision::F64, Precision::F32].map(|precision| (problem, method, precision));
    // At the end, so that samples of what was there before stay what they were.
    methods.chain(variants).chain(later).flat_map(both).collect()
}

/// Every eleventh of them: there are ten per problem, so over the problems each comes in turn.
fn sample() -> Vec<Case> {
    all().into_iter().step_by(11).collect()
}

fn run(cases: Vec<Case>, own: &'static [&'static str]) -> impl Iterator<Item = (String, String)> {
    cases.into_iter().map(move |(problem, (name, method), precision)| {
        let overrides: Vec<&str> = own.iter().chain(method).copied().collect();
        (format!("{} {name} {precision}", problem.name), trained(problem, &overrides, precision))
    })
}

const SMALL: [&str; 3] = ["training.steps=12", "training.points=120", "network.width=6"];

#[test]
fn twelve_steps_of_a_sample_of_problems_and_methods_end_with_the_recorded_bits() {
    compare("small.txt", run(sample(), &SMALL));
}

#[test]
#[ignore = "minutes"]
fn twelve_steps_of_every_problem_and_method_end_with_the_recorded_bits() {
    compare("small.txt", run(all(), &SMALL));
}

/// Enough points for sums in several parts, and networks as large as they come.
#[test]
#[ignore = "minutes"]
fn three_steps_of_problems_in_full_size_end_with_the_recorded_bits() {
    compare("full.txt", run(sample(), &["training.steps=3"]));
}
