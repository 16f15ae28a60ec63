//! Work that memory does not hold is refused in words, before anything is written. How much there is, the tests say.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder to run in, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-memory-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    /// Runs where there are so many bytes.
    fn with(&self, bytes: &str, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pinnace"))
            .args(arguments)
            .current_dir(&self.0)
            .env("PINNACE_HOST_MEMORY", bytes)
            .stdin(Stdio::null())
            .output()
            .expect("the binary runs")
    }

    /// What is said where that is refused, with nothing on stdout.
    fn refused(&self, bytes: &str, arguments: &[&str]) -> String {
        let output = self.with(bytes, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        said
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

const TRAIN: [&str; 7] = ["train", "poisson-2d", "--device", "cpu", "--steps", "2", "--set"];

#[test]
fn training_that_memory_does_not_hold_is_refused_before_anything_is_written() {
    let folder = Folder::new("train");
    let normal = [
        "--set",
        "network.width=600",
        "--set",
        "network.depth=4",
        "--set",
        "training.solver=normal-equations",
    ];
    for (setting, more, named) in [
        (
            "training.points=1000000000",
            &["--set", "training.optimizer=adam"][..],
            ["points", "training.points"],
        ),
        (
            "training.points=100000000",
            &["--set", "training.optimizer=gauss-newton"],
            ["candidates for points", "training.adaptive"],
        ),
        ("training.optimizer=gauss-newton", &normal, ["matrices of Gauss-Newton", "network.width"]),
        (
            "training.condition_points=1000000000",
            &["--set", "training.hard_constraints=off"],
            ["points", "condition_points"],
        ),
    ] {
        let said = folder.refused("16e9", &[&TRAIN[..], &[setting], more].concat());
        for part in [&named[..], &["16.0 GB", "PINNACE_HOST_MEMORY"]].concat() {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let said = folder.refused("16 GB", &[&TRAIN[..], &["training.points=32"]].concat());
    assert!(said.contains("PINNACE_HOST_MEMORY=16 GB: a number of bytes is needed"), "{said}");
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_run_that_memory_no_longer_holds_is_left_as_it_was() {
    let folder = Folder::new("resume");
    let small = [&TRAIN[..], &["training.points=32", "--no-plots", "--out", "run"]].concat();
    assert_eq!(folder.with("16e9", &small).status.code(), Some(0));
    let read = |name: &str| std::fs::read(folder.0.join("run").join(name)).expect("it is there");
    let before = ["problem.toml", "metrics.jsonl", "environment.json"].map(read);
    let said = folder.refused("1e5", &["resume", "run", "--steps", "4"]);
    assert!(said.contains("100.0 kB"), "{said}");
    let said = folder.refused("16e9", &["resume", "run", "--set", "training.points=1000000000"]);
    assert!(said.contains("training.points"), "{said}");
    assert_eq!(["problem.toml", "metrics.jsonl", "environment.json"].map(read), before);
    // Of such a run, some points at a time are enough to measure it.
    let problem = text(&before[0]).replace("points = 32", "points = 3000000");
    std::fs::write(folder.0.join("run").join("problem.toml"), problem).expect("it can be written");
    // Whoever edits the problem of a run accepts it so.
    std::fs::remove_file(folder.0.join("run").join("manifest.json")).expect("it can be removed");
    let measured = folder.with("3e8", &["evaluate", "run", "--grid", "x=5,y=5", "--json"]);
    assert_eq!(measured.status.code(), Some(0), "{}", text(&measured.stderr));
}

#[test]
fn places_and_steps_to_measure_that_memory_does_not_hold_are_refused() {
    let folder = Folder::new("places");
    let small = [&TRAIN[..], &["training.points=32", "--no-plots", "--out", "run"]].concat();
    assert_eq!(folder.with("16e9", &small).status.code(), Some(0));
    let grid = ["--grid", "x=3000,y=3000"];
    for command in [&["evaluate", "run"][..], &["export", "run", "--format", "csv"], &["plot", "run"]] {
        let grid = if command[0] == "plot" { ["--grid", "x=2000,y=2000"] } else { grid };
        let said = folder.refused("1e8", &[command, &grid].concat());
        assert!(said.contains("--grid") && said.contains("100.0 MB"), "{said}");
    }
    assert!(!folder.0.join("run/fields.csv").exists());
    let measured = ["--device", "cpu", "--problem", "burgers", "--points", "1000000000"];
    for kind in ["step", "iteration"] {
        let said = folder.refused("8e9", &[&["bench", kind], &measured[..]].concat());
        assert!(said.contains("training.points"), "{said}");
    }
    folder.refused("8e9", &["bench", "scaling", "--device", "cpu", "--points", "1000M", "--json"]);
}

#[test]
fn explain_says_what_memory_training_needs_and_what_there_is() {
    let folder = Folder::new("explain");
    let said = text(&folder.with("16e9", &["explain", "poisson-2d"]).stdout);
    assert!(said.contains("host memory: at most about "), "{said}");
    assert!(said.ends_with("; 16.0 GB are available\n"), "{said}");
    let large = ["explain", "poisson-2d", "--device", "cpu", "--set", "training.points=1000000000"];
    let said = text(&folder.with("16e9", &large).stdout);
    assert!(said.contains("lower training.points"), "{said}");
}

#[test]
fn training_on_the_best_device_says_why_that_is_no_gpu() {
    let folder = Folder::new("device");
    let doctor = text(&folder.with("16e9", &["doctor"]).stdout);
    let reason =
        doctor.lines().find_map(|line| line.strip_prefix("cuda")?.trim().strip_prefix("not usable: "));
    let arguments = ["train", "poisson-2d", "--steps", "2", "--set", "training.points=32", "--set"];
    let arguments = [&arguments[..], &["training.optimizer=adam", "--no-plots", "--json", "--out"]].concat();
    let output = folder.with("16e9", &[&arguments[..], &["auto"]].concat());
    let result: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON object");
    let lines = std::fs::read_to_string(folder.0.join("auto/metrics.jsonl")).expect("there is a history");
    match reason {
        Some(reason) => {
            assert_eq!(result["fallbacks"][0]["what"], "`auto` computes on `cpu`");
            assert_eq!(result["fallbacks"][0]["why"], reason);
            assert!(text(&output.stderr).contains(reason), "{}", text(&output.stderr));
            assert_eq!(lines.matches("`auto` computes on `cpu`").count(), 1, "{lines}");
        }
        None => assert_eq!(result["device"], "cuda"),
    }
    let named = folder.with("16e9", &[&arguments[..], &["named", "--device", "cpu"]].concat());
    let result: Value = serde_json::from_slice(&named.stdout).expect("stdout is one JSON object");
    assert_eq!(result["fallbacks"], Value::Array(Vec::new()));
}

const SMALL: [&str; 6] =
    ["--set", "network.width=8", "--set", "network.depth=2", "--set", "training.optimizer=adam"];

/// By how many per cent steps that were taken differ from their plan.
fn off(said: &str) -> f64 {
    let percent = said.split_once("planned for them (").and_then(|(_, rest)| rest.split_once(" %)"));
    percent.and_then(|(percent, _)| percent.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn the_largest_step_is_found_and_confirmed_by_steps() {
    let folder = Folder::new("largest");
    let batches = ["--set", "training.points=3000", "--set", "training.batch=100"];
    let arguments = [&["explain", "burgers", "--largest"][..], &SMALL, &batches].concat();
    let output = folder.with("100e6", &arguments);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let all = "phase 1, Adam: all 3000 points fit into 80 % of the 100.0 MB that are available: planned ";
    assert!(said.starts_with(all), "{said}");
    if cfg!(target_os = "linux") {
        assert!(said.contains("\n  2 steps of 3000 points took ") && off(&said).is_finite(), "{said}");
    }
    // A phase without batches is bounded by memory alone.
    let output = folder.with("12e6", &[&["explain", "burgers", "--largest"][..], &SMALL].concat());
    let said = text(&output.stdout);
    let points: Option<u64> = said.split(' ').nth(3).and_then(|number| number.parse().ok());
    assert!(points.is_some_and(|points| (10_000..100_000).contains(&points)), "{said}");
}

#[test]
fn a_batch_by_memory_is_a_number_in_the_problem_file_of_a_run() {
    let folder = Folder::new("batch");
    let stated = ["--set", "training.batch=\"auto\"", "--set", "training.points=1e8", "--steps", "0"];
    let arguments = [&["train", "burgers", "--device", "cpu", "--out", "run"][..], &SMALL, &stated].concat();
    let output = folder.with("20e6", &arguments);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let file = std::fs::read_to_string(folder.0.join("run/problem.toml")).expect("a run");
    let batch = file.lines().find_map(|line| line.strip_prefix("batch = ")?.parse::<u64>().ok());
    assert!(batch.is_some_and(|batch| (10_000..1_000_000).contains(&batch)), "{file}");
    assert!(file.contains("as many fit into 80 % of the 20.0 MB that are available"), "{file}");
    // More or less memory is no reason for another number.
    let output = folder.with("60e6", &["resume", "run", "--steps", "0"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = std::fs::read_to_string(folder.0.join("run/problem.toml")).expect("a run");
    // Reasons are those of the beginning.
    assert!(file.ends_with(&again), "{again}");
}

#[test]
#[ignore = "steps of a million points: half a minute"]
#[cfg(target_os = "linux")]
fn steps_take_what_was_planned_within_five_per_cent() {
    let folder = Folder::new("confirmed");
    for more in [&[][..], &["--set", "training.resample=1"]] {
        let output = folder.with("8e9", &[&["explain", "burgers", "--largest"][..], &SMALL, more].concat());
        let said = text(&output.stdout);
        assert!(output.status.success() && off(&said).abs() <= 5.0, "{more:?}: {said}");
    }
}
