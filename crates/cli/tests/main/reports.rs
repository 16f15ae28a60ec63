//! What the results of training say, to people and to programs.

use serde_json::Value;
use std::path::PathBuf;
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

/// A folder with a problem and its data, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, problem: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-reports-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        std::fs::write(path.join("cooling.toml"), problem).expect("the folder can be written");
        std::fs::write(path.join("probe.csv"), "t,u\n0,1\n0.5,0.6\n1,0.4\n").expect("it can be written");
        Folder(path)
    }

    fn problem(&self) -> String {
        self.0.join("cooling.toml").to_str().expect("the path is UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An inverse problem whose reference is not finite at `t = 0`.
const PROBLEM: &str = r#"
[domain]
t = [0, 1]
[unknowns]
u = {}
v = {}
[parameters]
k = { start = 0.5, truth = 1 }
free = 0.5
[equations]
cooling = { equation = "u_t = -k*u", weight = 2 }
other = "v_t = free*v"
[data]
probe = { file = "probe.csv", columns = ["t", "u"], noise = 0.01 }
[network]
width = 4
depth = 1
[training]
points = 16
[reference]
u = "log(t)"
"#;

#[test]
fn json_holds_residuals_errors_and_true_parameters() {
    let folder = Folder::new("json", PROBLEM);
    let output = pinnace(&["train", &folder.problem(), "--no-run", "--steps", "2", "--json", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON object");
    let residuals = result["residuals"].as_array().expect("an array");
    assert_eq!(residuals.len(), 3);
    assert_eq!(residuals[0]["term"], "interior");
    assert_eq!((&residuals[0]["equation"], &residuals[0]["weight"]), (&"cooling".into(), &2.0.into()));
    assert!(residuals.iter().all(|residual| residual["rms"].is_number()));
    assert!(residuals[0].get("noise").is_none());
    assert_eq!((&residuals[2]["term"], &residuals[2]["noise"]), (&"probe".into(), &0.01.into()));
    for key in ["relative_l2", "rms_error", "largest_error"] {
        assert!(result[key]["u"].is_number() && result[key]["v"].is_null(), "{key}: {result}");
    }
    assert_eq!((&result["left_out"]["u"], &result["left_out"]["v"]), (&1.into(), &Value::Null));
    assert!(result["parameters"]["k"].is_number() && result["parameters"]["free"].is_number());
    assert_eq!(result["truth"], serde_json::json!({ "k": 1.0 }));
}

/// A problem that leaves its width, optimizer and conditions open.
const OPEN: &str = r#"
[domain]
t = [0, 1]
x = [0, 1]
[unknowns]
u = {}
[equations]
heat = "u_t = u_xx"
[conditions]
start = { on = "t = 0", equation = "u = 300*sin(pi*x)" }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
middle = { on = "x = 0.5", equation = "u_x = 0" }
[network]
width = [4, 6]
depth = 2
"#;

#[test]
fn json_tells_what_was_decided_and_why() {
    let folder = Folder::new("decided", OPEN);
    let budget = ["--no-run", "--budget", "1 steps, 5 s", "--json", "--quiet"];
    let output = pinnace(&[&["train", folder.problem().as_str()], &budget[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("stdout is one JSON object");
    assert!((4..=6).contains(&result["width"].as_u64().expect("a width")));
    assert_eq!((&result["depth"], &result["activation"]), (&2.into(), &"tanh".into()));
    assert_eq!(result["optimizer"], serde_json::json!(["Gauss-Newton"]));
    let decisions = result["decisions"].as_array().expect("a list");
    let of = |key: &str| {
        let is_wanted = |it: &&Value| it["key"].as_str().is_some_and(|found| found.starts_with(key));
        let Some(found) = decisions.iter().find(is_wanted) else { panic!("nothing of {key}: {result}") };
        assert!(found["why"].as_str().is_some_and(|why| !why.is_empty()), "{found}");
        found["value"].clone()
    };
    assert_eq!((of("training.optimizer"), of("training.precision")), ("gauss-newton".into(), "f64".into()));
    assert_eq!(of("network.width"), result["width"]);
    assert_eq!((of("conditions.walls.exact"), of("conditions.middle.exact")), (true.into(), false.into()));
    assert!(of("unknowns.u.unit").as_f64().is_some_and(|unit| unit > 10.0));
    assert_eq!(result["exact"][0]["term"], "start");
}

#[test]
fn explain_train_json_and_a_run_tell_the_same_decisions() {
    let folder = Folder::new("same-decisions", &OPEN.replace("[4, 6]", "6"));
    let (problem, run) = (folder.problem(), folder.0.join("run").to_str().expect("UTF-8").to_owned());
    let lines = |said: &str| -> Vec<String> {
        let said = said.lines().skip_while(|line| !line.starts_with("decided, "));
        said.skip(1).take_while(|line| line.starts_with("  ")).map(|line| line.trim().to_owned()).collect()
    };
    let explained = lines(&text(&pinnace(&["explain", &problem]).stdout));
    let budget = ["--device", "cpu", "--out", &run, "--steps", "1", "--json", "--plain", "--no-plots"];
    let trained = pinnace(&[&["train", problem.as_str()], &budget[..]].concat());
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    assert_eq!(lines(&text(&trained.stderr)), explained);
    let result: Value = serde_json::from_slice(&trained.stdout).expect("stdout is one JSON object");
    let told = result["decisions"].as_array().expect("a list").iter().map(|it| {
        let word = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        format!("{} = {}: {}", word("key"), it["value"], word("why"))
    });
    let told: Vec<String> = told.collect();
    assert_eq!(told.len(), explained.len());
    // Numbers are written in one way more by JSON.
    let is_told = |line: &String| told.contains(line) || line.contains(".unit = ");
    assert!(explained.iter().all(is_told), "{explained:#?} {told:#?}");
    let kept = std::fs::read_to_string(folder.0.join("run/problem.toml")).expect("a run states its problem");
    let comments: Vec<&str> = kept.lines().skip(1).map_while(|line| line.strip_prefix("# ")).collect();
    assert!(
        !comments.is_empty() && comments.iter().all(|line| explained.iter().any(|it| it == line)),
        "{kept}"
    );
    let stated = text(&pinnace(&["explain", &problem, "--stated"]).stdout);
    assert_eq!(stated.lines().filter(|line| line.starts_with("# ")).count(), explained.len() + 1, "{stated}");
    std::fs::write(&problem, stated).expect("it can be written");
    assert_eq!(lines(&text(&pinnace(&["explain", &problem]).stdout)), Vec::<String>::new());
}

#[test]
fn the_report_shows_noise_points_left_out_and_the_file_as_title() {
    let folder = Folder::new("report", PROBLEM);
    let output = pinnace(&["train", &folder.problem(), "--no-run", "--steps", "1", "--quiet"]);
    let report = text(&output.stdout);
    assert!(report.starts_with("cooling\n1 step in "), "{report}");
    let line = |start: &str| report.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or("");
    assert!(line("where").ends_with("noise"), "{report}");
    assert!(line("probe").ends_with("1.000e-2"), "{report}");
    assert!(line("u ").contains("200  (1 left out: the reference is not finite there)"), "{report}");
    let nowhere = Folder::new("nowhere", &PROBLEM.replace("log(t)", "log(-1 - t)"));
    let report = text(&pinnace(&["train", &nowhere.problem(), "--no-run", "--steps", "1", "--quiet"]).stdout);
    assert!(report.contains("the reference is finite at none of 201 points"), "{report}");
}

#[test]
fn plain_progress_ends_with_the_last_step() {
    let folder = Folder::new("plain", PROBLEM);
    let output = pinnace(&["train", &folder.problem(), "--no-run", "--steps", "3", "--plain"]);
    let progress = text(&output.stderr);
    assert!(progress.contains("step 1  ") && progress.contains("step 3  "), "{progress}");
}

#[test]
fn every_seed_of_64_bits_is_a_seed() {
    let folder = Folder::new("seed", PROBLEM);
    let seed = u64::MAX.to_string();
    let output =
        pinnace(&["train", &folder.problem(), "--no-run", "--steps", "1", "--json", "--seed", &seed]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("\"seed\":18446744073709551615"));
}

#[test]
fn no_steps_measure_the_untrained_network_and_fewer_are_refused() {
    let folder = Folder::new("steps", PROBLEM);
    let untrained = pinnace(&["train", &folder.problem(), "--no-run", "--steps", "0", "--quiet"]);
    assert!(text(&untrained.stdout).contains("\n0 steps in "));
    let negative = pinnace(&["train", &folder.problem(), "--no-run", "--steps", "-5"]);
    assert_eq!(negative.status.code(), Some(2));
    assert!(text(&negative.stderr).contains("invalid value '-5' for '--steps"), "{}", text(&negative.stderr));
}

#[test]
fn help_and_version_say_what_pinnace_is() {
    let help = text(&pinnace(&["--help"]).stdout);
    let sentence = "Turns a text file that states a differential equation into a trained network";
    assert!(help.starts_with(sentence), "{help}");
    let version = text(&pinnace(&["--version"]).stdout);
    assert_eq!(version, concat!("pinnace ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn one_blank_line_follows_the_mistakes_of_a_file() {
    let folder = Folder::new("mistake", &PROBLEM.replace("u_t = -k*u", "u_t = -k*w"));
    let said = text(&pinnace(&["explain", &folder.problem()]).stderr);
    assert!(said.ends_with("\n\n") && !said.ends_with("\n\n\n"), "{said:?}");
}

#[test]
fn inputs_that_cannot_be_read_end_with_code_2() {
    let folder = Folder::new("inputs", PROBLEM);
    let path = folder.0.to_str().expect("the path is UTF-8");
    for arguments in [&["explain", path][..], &["bench", "step", "--case", "/nope"]] {
        let output = pinnace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    }
}
