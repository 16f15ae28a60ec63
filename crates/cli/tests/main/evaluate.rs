//! Trained runs are measured and handed to other programs: `evaluate` and `export`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn pinnace(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// What a command prints that succeeds.
fn done(arguments: &[&str]) -> String {
    let output = pinnace(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What a command says that is used wrongly.
fn refused(arguments: &[&str]) -> String {
    let output = pinnace(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// A folder with a trained run, removed when the test is over.
struct Trained(PathBuf);

const PROBLEM: &str = r#"
title = "Heat in a rod"
[domain]
t = [0, 1]
x = [0, 1]
[constants]
kappa = 0.1
[unknowns]
u = {}
q = {}
[equations]
heat = "u_t = kappa*u_xx"
flux = "q = -kappa*u_x"
[conditions]
start = { on = "t = 0", equation = "u = sin(pi*x)" }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
[network]
width = 6
depth = 2
[training]
optimizer = "adam"
points = 64
condition_points = 16
hard_constraints = "off"
[reference]
u = "exp(-pi^2*kappa*t)*sin(pi*x)"
grid = { t = 11, x = 21 }
"#;

impl Trained {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pinnace-evaluate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let trained = Trained(folder);
        std::fs::write(trained.0.join("heat.toml"), PROBLEM).expect("the folder can be written");
        let arguments = ["--device", "cpu", "--steps", "20", "--quiet", "--out", &trained.run()];
        done(&[&["train", trained.at("heat.toml").as_str()], &arguments[..]].concat());
        trained
    }

    fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }

    fn run(&self) -> String {
        self.at("run")
    }

    fn write(&self, name: &str, content: &str) -> String {
        std::fs::write(self.0.join(name), content).expect("the folder can be written");
        self.at(name)
    }
}

impl Drop for Trained {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&done(arguments)).expect("stdout is one JSON object")
}

#[test]
fn one_set_of_weights_has_one_relative_residual_wherever_it_is_looked_at() {
    let trained = Trained::new("relative");
    let (problem, first, then) = (trained.at("heat.toml"), trained.at("first"), trained.at("then"));
    let train = |arguments: &[&str]| {
        json(&[&["train", problem.as_str(), "--json", "--quiet", "--no-plots"], arguments].concat())
    };
    let of = |report: &Value| -> Vec<Value> {
        let residuals = report["residuals"].as_array().expect("a list");
        residuals.iter().map(|residual| residual["relative_residual"].clone()).collect()
    };
    let report = train(&["--steps", "5", "--out", &first]);
    let relative = of(&report);
    assert_eq!(relative.len(), 4);
    assert!(relative.iter().all(|number| number.as_f64().is_some_and(|number| number > 0.0)), "{report}");
    let largest = relative.iter().filter_map(Value::as_f64).reduce(f64::max);
    assert_eq!(report["relative_residual"].as_f64(), largest);
    let measured = json(&["evaluate", &first, "--json"]);
    assert_eq!(of(&measured), relative);
    assert_eq!(measured["relative_residual"], report["relative_residual"]);
    // Other points and other numbers to compute in: the loss is another one, and this is not.
    let other = ["--seed", "7", "--set", "training.points=100", "--precision", "f32"];
    let from = ["--from", &first, "--steps", "0", "--out", &then];
    let handed_over = train(&[&from[..], &other[..]].concat());
    assert_eq!(of(&handed_over), relative);
    assert_ne!(handed_over["loss"], report["loss"]);
    let metrics = std::fs::read_to_string(trained.0.join("first/metrics.jsonl")).expect("there are metrics");
    let last: Value = serde_json::from_str(metrics.lines().last().expect("a line")).expect("an object");
    assert_eq!((&last["ended"], &last["step"]), (&"steps".into(), &5.into()));
    assert_eq!(last["relative_residual"].as_array(), Some(&relative));
    assert_eq!(last["loss"], report["loss"]);
    let hard = ["--set", "training.hard_constraints=auto", "--steps", "2", "--no-run", "--quiet"];
    let said = done(&[&["train", problem.as_str()], &hard[..]].concat());
    assert!(said.contains("relative") && said.contains("exact by construction: start, walls"), "{said}");
}

#[test]
fn a_run_is_measured_as_training_measured_it() {
    let trained = Trained::new("measured");
    let (run, problem, again) = (trained.run(), trained.at("heat.toml"), trained.at("again"));
    let report =
        json(&["train", &problem, "--device", "cpu", "--steps", "20", "--json", "--quiet", "--out", &again]);
    let found = json(&["evaluate", &run, "--json"]);
    assert_eq!(found["relative_l2"], report["relative_l2"]);
    assert_eq!((&found["steps"], &found["points"]), (&20.into(), &(11 * 21).into()));
    assert_eq!(found["problem"], "heat");
    assert!(found["relative_l2"]["q"].is_null());
    let residuals = found["residuals"].as_array().expect("a list");
    assert_eq!(residuals.len(), 4);
    assert_ne!(residuals[0]["rms"], report["residuals"][0]["rms"], "these points are fresh");
    let shown = done(&["evaluate", &run]);
    assert!(
        shown.starts_with("Heat in a rod\nafter 20 steps, on cpu in f64; residuals on points that"),
        "{shown}"
    );
    assert!(shown.contains("q        no reference given") && shown.contains("(at 231 points)"), "{shown}");
}

#[test]
fn another_grid_and_derivatives_change_what_is_measured() {
    let trained = Trained::new("grid");
    let arguments = ["evaluate", &trained.run(), "--grid", "x=5,t=3", "--derivatives", "u_x, u_xx"];
    let found = json(&[&arguments[..], &["--json"]].concat());
    assert_eq!(found["points"], 15);
    assert!(found["fields"]["u_xx"]["largest"].is_number(), "{found}");
    let shown = done(&arguments);
    assert!(shown.lines().any(|line| line.trim_start().starts_with("u_xx ")), "{shown}");
    let table = done(&[&arguments[..], &["--out", "-"]].concat());
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("t,x,u,q,u_x,u_xx,u_reference"));
    assert_eq!(lines.clone().count(), 15);
    let first: Vec<f64> =
        lines.next().expect("a row").split(',').map(|entry| entry.parse().expect(entry)).collect();
    assert_eq!((first[0], first[1], first[6]), (0.0, 0.0, 0.0));
}

#[test]
fn points_of_a_file_become_a_table() {
    let trained = Trained::new("points");
    let run = trained.run();
    let points = trained.write("points.csv", "x,name,t\n0.25,7,0.5\n0.5,8,1\n");
    let table = done(&["evaluate", &run, "--points", &points, "--derivatives", "q_t"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines[0], lines.len()), ("t,x,u,q,q_t,u_reference", 3));
    assert!(lines[1].starts_with("0.5,0.25,"), "{table}");
    let found = json(&["evaluate", &run, "--points", &points, "--json"]);
    assert_eq!(found["columns"], serde_json::json!(["t", "x", "u", "q", "u_reference"]));
    assert_eq!(found["rows"].as_array().map(Vec::len), Some(2));
    let out = trained.at("values.csv");
    let shown = done(&["evaluate", &run, "--points", &points, "--out", &out]);
    assert!(shown.contains("values.csv: t, x, u, q, u_reference"), "{shown}");
    assert!(
        std::fs::read_to_string(out)
            .expect("the table was written")
            .starts_with("t,x,u,q,u_reference\n0.5,0.25,")
    );
    let out = trained.at("values.npy");
    done(&["evaluate", &run, "--points", &points, "--out", &out, "--json"]);
    assert!(std::fs::read(out).expect("the array was written").starts_with(b"\x93NUMPY"));
}

#[test]
fn points_outside_are_evaluated_and_counted() {
    let trained = Trained::new("outside");
    let points = trained.write("points.csv", "t,x\n0.5,0.5\n2,0.5\n0.5,-1\n");
    let output = pinnace(&["evaluate", &trained.run(), "--points", &points]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout).lines().count(), 4);
    let said = text(&output.stderr);
    assert!(said.contains("2 of 3 points lie outside the domain"), "{said}");
}

#[test]
fn wrong_choices_are_refused_with_what_would_be_right() {
    let trained = Trained::new("refused");
    let run = trained.run();
    let evaluate = |arguments: &[&str]| refused(&[&["evaluate", run.as_str()], arguments].concat());
    assert!(evaluate(&["--grid", "t=5,y=5"]).contains("`y` is no coordinate of this problem"));
    assert!(
        evaluate(&["--grid", "t=5"]).contains("does not name `x`; state the points along every coordinate")
    );
    assert!(evaluate(&["--grid", "t=5,x=1"]).contains("an integer of at least 2"));
    assert!(evaluate(&["--derivatives", "v_x"]).contains("the unknowns are u, q"));
    assert!(evaluate(&["--derivatives", "u_y"]).contains("the coordinates are t, x"));
    assert!(evaluate(&["--derivatives", "u_xxxxx"]).contains("up to order 4"));
    assert!(evaluate(&["--out", "table.txt"]).contains("tables end in .csv or .npy"));
    assert!(evaluate(&["--out", "-", "--json"]).contains("both use stdout"));
    assert!(evaluate(&["--points", "nowhere.csv"]).contains("nowhere.csv"));
    let points = trained.write("points.csv", "t,x\n0,0\n1,one\n");
    assert!(evaluate(&["--points", &points]).contains("line 3, column 2: `one` is not a number"));
    let points = trained.write("points.csv", "t,y\n0,0\n");
    assert!(evaluate(&["--points", &points]).contains("the header names no column `x`"));
    assert!(evaluate(&["--points", &points, "--grid", "t=2,x=2"]).contains("cannot be used with"));
    assert!(refused(&["evaluate", &trained.at("heat.toml")]).contains("is not a run"));
    let export = |arguments: &[&str]| refused(&[&["export", run.as_str()], arguments].concat());
    assert!(export(&[]).contains("--format"));
    assert!(export(&["--format", "hdf5"]).contains("safetensors"));
    assert!(export(&["--format", "safetensors", "--grid", "t=2,x=2"]).contains("do not apply"));
    assert!(export(&["--format", "csv", "--time", "axis"]).contains("vtk only"));
}

#[test]
fn every_format_lands_in_the_run_unless_a_place_is_named() {
    let trained = Trained::new("formats");
    let run = trained.run();
    let export = |arguments: &[&str]| done(&[&["export", run.as_str()], arguments].concat());
    let said = export(&["--format", "csv", "--derivatives", "u_x"]);
    assert!(said.contains("fields.csv"), "{said}");
    let table = std::fs::read_to_string(trained.0.join("run/fields.csv")).expect("the table was written");
    assert!(table.starts_with("t,x,u,q,u_x\n") && table.lines().count() == 1 + 11 * 21);
    export(&["--format", "csv", "--grid", "t=7,x=0.1"]);
    let table = std::fs::read_to_string(trained.0.join("run/fields.csv")).expect("the table was written");
    assert!(
        table.lines().count() == 1 + 7 && table.lines().skip(1).all(|row| row.contains(",0.1,")),
        "{table}"
    );
    assert!(done(&["evaluate", &run, "--grid", "t=7,x=0.1"]).contains("at 7 points"));
    export(&["--format", "npy", "--grid", "t=3,x=4"]);
    let array = std::fs::read(trained.0.join("run/fields-npy/u.npy")).expect("the array was written");
    assert!(String::from_utf8_lossy(&array).contains("'shape': (3, 4)"));
    assert!(export(&["--format", "vtk"]).contains("fields.pvd"));
    assert!(trained.0.join("run/fields/00.vti").is_file() && trained.0.join("run/fields/10.vti").is_file());
    let said = export(&["--format", "vtk", "--grid", "t=10,x=4"]);
    assert!(said.contains("removed 1 file of an earlier export"), "{said}");
    assert!(export(&["--format", "vtk", "--time", "axis"]).contains("fields.vti"));
    assert!(export(&["--format", "safetensors"]).contains("network.safetensors"));
    let place = trained.at("elsewhere.csv");
    assert!(export(&["--format", "csv", "--out", &place]).contains("elsewhere.csv"));
    assert!(Path::new(&place).is_file());
    // The run is still one.
    done(&["evaluate", &run]);
}

#[test]
fn a_place_that_cannot_be_written_ends_with_code_1() {
    let trained = Trained::new("unwritable");
    let place = trained.at("missing/table.csv");
    let output = pinnace(&["export", &trained.run(), "--format", "csv", "--out", &place]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write"), "{}", text(&output.stderr));
}

/// Runs the script of the documents where NumPy is installed; the same file is read back without it in
/// the library's tests.
#[test]
fn the_documented_script_evaluates_an_exported_network() {
    let numpy = Command::new("python3").args(["-c", "import numpy"]).stderr(Stdio::null()).status();
    if !numpy.is_ok_and(|status| status.success()) {
        return;
    }
    for network in ["kind=mlp", "kind=piratenet", "kind=separable"] {
        compare_with_the_script(network);
    }
}

/// `evaluate` beside the documented script, on one kind of network with factors.
fn compare_with_the_script(network: &str) {
    let trained = Trained::new("script");
    let kind = format!("network.{network}");
    // With conditions built in, the unknowns are formulas of the network's outputs.
    let (problem, run, network) =
        (trained.at("heat.toml"), trained.at("hard"), trained.at("network.safetensors"));
    let wired = ["--set", &kind, "--set", "network.factorized=true"];
    let exact = ["--set", "training.hard_constraints=auto", "--steps", "20", "--quiet", "--out", &run];
    let hard = [&wired[..], &exact].concat();
    done(&[&["train", problem.as_str(), "--device", "cpu"], &hard[..]].concat());
    done(&["export", &run, "--format", "safetensors", "--out", &network]);
    let points = trained.write("points.csv", "t,x\n0.5,0.25\n0.125,1\n1,0\n");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/read_network.py");
    let output =
        Command::new("python3").arg(script).args([&network, &points]).output().expect("python3 runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let numbers = |table: &str, columns: std::ops::Range<usize>| -> Vec<f64> {
        let rows = table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        rows.flat_map(|row| {
            row[columns.clone()].iter().map(|entry| entry.parse().expect("a number")).collect::<Vec<f64>>()
        })
        .collect()
    };
    let theirs = numbers(&text(&output.stdout), 0..2);
    let ours = numbers(&done(&["evaluate", &run, "--points", &points]), 2..4);
    assert_eq!(theirs.len(), 6);
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert!((theirs - ours).abs() < 1e-12, "{theirs} against {ours}");
    }
}
