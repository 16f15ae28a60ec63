//! Coefficients from files mean what the formulas mean that their values come from.

use pinnace::run::{Folder, RunPlace};
use pinnace::{Experiment, Quiet, Run, TrainError};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

const DARCY: &str = r#"
[domain]
x = [0, 1]
y = [0, 2]
[functions]
k = { file = "fields/k.npy", interpolation = "cubic" }
doubled = "2*k"
[unknowns]
u = {}
[equations]
darcy = "div(doubled*grad(u)) + k_xx = 1"
[conditions]
walls = { on = "boundary", equation = "u = 0" }
slope = { on = "x = 1", equation = "u = k - 2", exact = false }
[network]
width = 6
depth = 2
[training]
optimizer = "adam"
points = 40
condition_points = 12
budget = "4 steps"
"#;

/// What the files have values of: met by bilinear functions but for the square, and by cubics.
fn k(x: f64, y: f64) -> f64 {
    2.0 + x * x - 0.5 * x * y
}

/// A folder with files, removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-coefficients-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("fields")).unwrap();
        fs::write(path.join("fields/k.npy"), array([6, 5])).unwrap();
        Scratch(path)
    }

    fn open(&self, text: &str) -> Result<Experiment, TrainError> {
        Experiment::from_text("darcy.toml", text, &self.0, &[])
    }

    fn loss(&self, text: &str) -> f64 {
        let experiment = self.open(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let trained = experiment.train(&AtomicBool::new(false), &mut Quiet);
        trained.unwrap_or_else(|error| panic!("{error}")).losses.total
    }

    /// The first mistake, with its hint.
    fn refused(&self, text: &str) -> (String, String) {
        let Err(TrainError::Problem { diagnostics, .. }) = self.open(text) else {
            panic!("a mistake in {text}")
        };
        let first = &diagnostics.list()[0];
        (first.message.clone(), first.hint.clone().unwrap_or_default())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Values over the box as NumPy writes them.
fn array([across, up]: [usize; 2]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({across}, {up}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    for column in 0..across {
        for row in 0..up {
            let (x, y) = (column as f64 / (across - 1) as f64, 2.0 * row as f64 / (up - 1) as f64);
            bytes.extend(k(x, y).to_le_bytes());
        }
    }
    bytes
}

#[test]
fn a_cubic_through_the_values_of_a_cubic_trains_as_its_formula_does() {
    let scratch = Scratch::new("formula");
    let formula =
        DARCY.replace("{ file = \"fields/k.npy\", interpolation = \"cubic\" }", "\"2 + x^2 - 0.5*x*y\"");
    assert_ne!(formula, DARCY);
    let (own, other) = (scratch.loss(DARCY), scratch.loss(&formula));
    assert!((own - other).abs() < 1e-9 * other, "{own} instead of {other}");
    let mut table = "k, y, x\n".to_owned();
    for (column, row) in (0..6).flat_map(|column| (0..5).map(move |row| (column, row))) {
        let (x, y) = (column as f64 / 5.0, row as f64 / 2.0);
        table.push_str(&format!("{}, {y}, {x}\n", k(x, y)));
    }
    fs::write(scratch.0.join("fields/k.csv"), table).unwrap();
    let text = scratch.loss(&DARCY.replace("k.npy", "k.csv"));
    assert!((text - own).abs() < 1e-9 * own, "the same as text: {text} instead of {own}");
    let linear = scratch.loss(&DARCY.replace("\"cubic\"", "\"linear\""));
    assert!(linear.is_finite() && (linear - own).abs() > 1e-6 * own);
}

#[test]
fn what_is_prescribed_by_values_is_a_penalty_that_says_so() {
    let scratch = Scratch::new("penalty");
    let experiment = scratch.open(&DARCY.replace(", exact = false", "")).unwrap();
    let told = equation_report(&experiment);
    assert!(
        told.contains("`slope` (u = k - 2) stays a penalty: what it prescribes comes from a file"),
        "{told}"
    );
    assert!(told.contains("fields/k.npy, 6 × 5 values, cubic"), "{told}");
}

fn equation_report(experiment: &Experiment) -> String {
    experiment.plan().explain(experiment.problem())
}

#[test]
fn a_run_outlives_the_file_of_its_coefficient() {
    let scratch = Scratch::new("kept");
    let experiment = scratch.open(DARCY).unwrap();
    let (run, mut now) = (scratch.0.join("run"), experiment.start());
    let mut folder = Folder::create(&RunPlace::At(run.clone()), &experiment, &now, None, 0.0).unwrap();
    folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet).unwrap();
    drop(folder);
    fs::remove_dir_all(scratch.0.join("fields")).unwrap();
    assert!(run.join("data/k.npy").is_file());
    let opened = Run::open(&run).unwrap_or_else(|error| panic!("{error}"));
    let relative = opened.experiment().relative_residuals(opened.parameters()).unwrap();
    assert!(relative.iter().all(|value| value.is_some_and(f64::is_finite)), "{relative:?}");
}

#[test]
fn files_that_do_not_fit_are_refused_with_a_hint() {
    let scratch = Scratch::new("wrong");
    let with = |settings: &str| {
        let whole = "{ file = \"fields/k.npy\", interpolation = \"cubic\" }";
        DARCY.replace(whole, settings)
    };
    let told = |settings: &str| scratch.refused(&with(settings)).0;
    assert_eq!(told("{ file = \"k.npy\" }"), "k.npy: there is no such file");
    assert_eq!(told("{ file = \"fields\" }"), "fields: it is a folder");
    assert_eq!(told("{ interpolation = \"cubic\" }"), "this function has no `file`");
    assert_eq!(told("{ file = \"fields/k.npy\", interpolation = \"quintic\" }"), "unknown value `quintic`");
    assert_eq!(
        told("{ file = \"fields/k.npy\", axes = [\"x\"] }"),
        "fields/k.npy: it has 2 dimensions, and the coordinates are x: name those that it is over with `axes`"
    );
    assert_eq!(
        told("{ file = \"fields/k.npy\", range = { x = [0, 0.5] } }"),
        "fields/k.npy: its values are between x = 0 and x = 0.5, [domain] reaches from 0 to 1"
    );
    assert_eq!(told("{ file = \"fields/k.npy\", range = { x = [1, 0] } }"), "the range goes from 1 to 0");
    assert_eq!(
        told("{ file = \"fields/k.npy\", low = 1 }"),
        "`low` is for images, whose shades stand for values"
    );
    fs::write(scratch.0.join("fields/k.npy"), &array([6, 5])[..200]).unwrap();
    assert!(told("{ file = \"fields/k.npy\" }").starts_with("fields/k.npy: its data has "));
    fs::write(scratch.0.join("fields/k.npy"), array([6, 5])).unwrap();
    let reference = DARCY.to_owned() + "[reference]\nu = \"k\"\n";
    assert_eq!(
        scratch.refused(&reference).0,
        "`k` is a function of values of files: a reference may not use values of files"
    );
    // Wider than the box is fine.
    scratch.open(&with("{ file = \"fields/k.npy\", range = { x = [-1, 2] } }")).unwrap();
}
