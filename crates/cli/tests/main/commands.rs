//! What users and their scripts rely on: exit codes, streams, formats.

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

fn json(arguments: &[&str]) -> Value {
    let output = pinnace(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON object")
}

/// A file that is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the temporary folder can be written");
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the path is UTF-8")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const SHORT: [&str; 7] = ["train", "poisson-2d", "--no-run", "--steps", "3", "--set", "training.points=32"];

/// What `auto` is on this machine.
fn best_device() -> &'static str {
    if text(&pinnace(&["doctor"]).stdout).contains("not usable: ") { "cpu" } else { "cuda" }
}

#[test]
fn a_budget_on_the_command_line_takes_the_place_of_the_files() {
    let result = json(&["train", "poisson-2d", "--no-run", "--quiet", "--json", "--budget", "2 steps, 60 s"]);
    assert_eq!(result["steps"], 2);
    assert_eq!(result["stopped"], "steps");
    let mistaken = pinnace(&["train", "poisson-2d", "--no-run", "--budget", "soon"]);
    assert!(text(&mistaken.stderr).contains("60s"), "an example helps: {}", text(&mistaken.stderr));
}

#[test]
fn json_is_one_object_with_every_promised_key() {
    let result = json(&[&SHORT[..], &["--json", "--quiet", "--seed", "5"]].concat());
    assert_eq!(result["problem"], "poisson-2d");
    assert_eq!(result["device"], best_device());
    assert_eq!(result["precision"], "f64");
    assert_eq!(result["seed"], 5);
    assert_eq!(result["steps"], 3);
    assert_eq!(result["stopped"], "steps");
    assert!(result["seconds"].is_number() && result["loss"].is_number());
    assert!(result["relative_l2"]["u"].is_number() && result["parameters"].is_object());
    assert!(result["fallbacks"].is_array());
}

/// A rod whose right end is left out.
const BARE: &str = "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_t = u_xx\"\n\
    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 0\" }\nleft = { on = \"x = -1\", equation = \"u = 0\" }\n\
    [network]\nwidth = 4\ndepth = 1\n[training]\npoints = 16\n";

#[test]
fn a_wall_without_a_condition_is_told_of_by_every_command_that_reads_the_problem() {
    let file = Scratch::new("bare.toml", BARE);
    let train = ["train", file.path(), "--no-run", "--steps", "1", "--quiet", "--json"];
    let output = pinnace(&train);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("pinnace: warning: `u_xx` needs 2 conditions at the ends of x"), "{said}");
    let told = &serde_json::from_slice::<Value>(&output.stdout).expect("one JSON object")["warnings"];
    assert!(told[0].as_str().is_some_and(|told| told.contains("one is missing at x = 1")), "{told}");
    let output = pinnace(&["explain", file.path()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("one is missing at x = 1"), "{}", text(&output.stdout));
    let fine = json(&[&SHORT[..], &["--json", "--quiet"]].concat());
    assert_eq!(fine["warnings"], serde_json::json!([]));
}

/// A rod of two materials whose balance is written without the flux as an unknown.
const JUMPING: &str = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[functions]\nk = \"where(x < 0.5, 1, 10)\"\n\
    [equations]\nbalance = \"d(k*u_x, x) = -10\"\n[conditions]\nends = { on = \"boundary\", equation = \"u = 0\" }\n\
    [network]\nwidth = 4\ndepth = 1\n[training]\npoints = 16\n";

#[test]
fn a_coefficient_that_jumps_is_a_warning_like_any_other() {
    let file = Scratch::new("jumping.toml", JUMPING);
    let output = pinnace(&["train", file.path(), "--no-run", "--steps", "1", "--quiet", "--json"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("the coefficient of u_xx is discontinuous").count(), 1, "{said}");
    assert!(said.contains("pinnace: warning: `balance`: the coefficient of u_xx"), "{said}");
    let told = &serde_json::from_slice::<Value>(&output.stdout).expect("one JSON object")["warnings"];
    assert!(told[0].as_str().is_some_and(|told| told.contains("discontinuous")), "{told}");
    let output = pinnace(&["explain", file.path()]);
    let explained = text(&output.stdout);
    let line = explained.lines().find(|line| line.contains("discontinuous")).expect("a line about the jump");
    assert!(line.trim_start().starts_with("warning"), "{line}");
    assert_eq!(pinnace(&["explain", file.path(), "--strict"]).status.code(), Some(2));
}

#[test]
fn strict_takes_a_warning_for_a_mistake_before_anything_is_written() {
    let file = Scratch::new("strict.toml", BARE);
    let run = std::env::temp_dir().join(format!("pinnace-{}-strict-run", std::process::id()));
    let out = run.to_str().expect("the path is UTF-8");
    for arguments in
        [vec!["train", file.path(), "--out", out, "--strict"], vec!["explain", file.path(), "--strict"]]
    {
        let output = pinnace(&arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("one is missing at x = 1") && said.contains("--strict"), "{said}");
        assert!(output.stdout.is_empty() && !run.exists());
    }
    let meant = Scratch::new("meant.toml", &BARE.replace("[-1, 1]", "{ range = [-1, 1], open = \"high\" }"));
    for file in [meant.path(), "burgers"] {
        let output = pinnace(&["explain", file, "--strict"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn every_device_and_precision_trains_and_says_which_it_was() {
    for (device, precision, used) in
        [("auto", "f64", best_device()), ("cpu", "f32", "cpu"), ("reference", "f64", "reference")]
    {
        let choice = ["--json", "--device", device, "--precision", precision];
        let result = json(&[&SHORT[..], &choice].concat());
        assert_eq!((&result["device"], &result["precision"]), (&used.into(), &precision.into()));
    }
}

#[test]
fn runs_with_one_seed_print_the_same_loss() {
    let arguments = [&SHORT[..], &["--json"]].concat();
    let (first, second) = (json(&arguments), json(&arguments));
    assert_eq!(first["loss"].to_string(), second["loss"].to_string());
    let other = json(&[&arguments[..], &["--seed", "8"]].concat());
    assert_ne!(first["loss"], other["loss"]);
}

#[test]
fn the_report_goes_to_stdout_and_progress_to_stderr() {
    let output = pinnace(&SHORT);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("relative L2"));
    assert!(!text(&output.stdout).contains("points/s"));
    assert!(text(&output.stderr).contains("points/s"));
    let quiet = pinnace(&[&SHORT[..], &["--quiet"]].concat());
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_wrong_file_ends_with_code_2_a_caret_and_nothing_on_stdout() {
    let wrong = Scratch::new(
        "wrong.toml",
        "title = \"wrong\"\n[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nbad = \"u_xx = w\"\n",
    );
    let output = pinnace(&["train", wrong.path()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let message = text(&output.stderr);
    assert!(message.contains('^') && message.contains("wrong.toml"), "{message}");
}

#[test]
fn wrong_usage_ends_with_code_2() {
    for arguments in [
        &["train"][..],
        &["sail"],
        &["train", "poisson-2d", "--device", "tpu"],
        &["train", "poisson-2d", "--device", "cpu", "--precision", "bf16"],
        &["train", "poisson-2d", "--device", "reference", "--precision", "f32"],
        &["train", "poisson-2d", "--set", "training.point=1"],
        &["train", "poisson-2d", "--set", "nonsense"],
    ] {
        let output = pinnace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}

#[test]
fn a_device_that_is_named_is_used_or_refused_with_the_reason() {
    let cuda = pinnace(&["train", "poisson-2d", "--device", "cuda", "--steps", "0"]);
    let doctor = text(&pinnace(&["doctor"]).stdout);
    if doctor.contains("not usable: ") {
        assert_eq!(cuda.status.code(), Some(2));
        assert!(text(&cuda.stderr).contains("cannot be used: "), "{}", text(&cuda.stderr));
    } else {
        assert_eq!(cuda.status.code(), Some(0), "{}", text(&cuda.stderr));
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let output = pinnace(&["train", "burger"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("no such file, and no built-in problem of that name"), "{message}");
    assert!(message.contains("did you mean `burgers`?"), "{message}");
}

#[test]
fn a_run_that_is_not_finite_ends_with_code_1_and_names_the_equation() {
    let output = pinnace(&[
        "train",
        "poisson-2d",
        "--set",
        "equations.poisson=laplacian(u) = sqrt(-1 - x)",
        "--no-run",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("poisson"));
}

#[test]
fn list_names_every_problem_and_survives_a_closed_pipe() {
    let output = pinnace(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let names = text(&output.stdout);
    for built_in in pinnace::BUILT_IN {
        assert!(names.lines().any(|line| line.trim_start().starts_with(built_in.name)), "{names}");
    }
    let heads = ["steady", "in time", "systems", "families and inverse problems"];
    assert!(heads.iter().all(|head| names.lines().any(|line| line == *head)), "{names}");
    assert!(names.contains("x1 … x5") && names.contains("fourier-etdrk4"), "{names}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .arg("list")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn help_names_the_compile_modes_that_anyone_should_choose() {
    let help = text(&pinnace(&["train", "--help"]).stdout);
    let modes = help.split("--compile").nth(1).and_then(|rest| rest.split("--").next()).unwrap_or_default();
    assert!(
        ["default", "reduce-overhead", "max-autotune"].iter().all(|mode| modes.contains(mode)),
        "{modes}"
    );
    assert!(!modes.contains("comparison"), "{modes}");
}

#[test]
fn explain_and_doctor_answer() {
    for (setting, one_kernel) in
        [("network.depth=2", true), ("network.kind=piratenet", false), ("network.factorized=true", false)]
    {
        let explained = text(&pinnace(&["explain", "burgers", "--set", setting]).stdout);
        assert_eq!(
            explained.contains("on a GPU: steps go through this network layer by layer"),
            !one_kernel,
            "{setting}"
        );
    }
    let explained = pinnace(&["explain", "burgers"]);
    assert_eq!(explained.status.code(), Some(0), "{}", text(&explained.stderr));
    assert!(text(&explained.stdout).contains("burgers"));
    let list =
        "sampling: [\"sobol\", { kind = \"rad\", power = 1.0, floor = 1.0, candidates = 4 }, \"causal\"], ";
    assert!(text(&explained.stdout).contains(list), "{}", text(&explained.stdout));
    let planned = pinnace(&["explain", "poisson-2d", "--device", "cpu"]);
    assert!(text(&planned.stdout).contains("\nhost memory: at most about "));
    let refused = pinnace(&["explain", "poisson-2d", "--compile", "many-steps"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let modes = "no compile mode `many-steps`; use `default`, `reduce-overhead`, `max-autotune` or `off`";
    assert!(text(&refused.stderr).contains(modes), "{}", text(&refused.stderr));
    let doctor = text(&pinnace(&["doctor"]).stdout);
    assert!(["reference", "cpu", "cuda"].iter().all(|device| doctor.contains(device)), "{doctor}");
}

#[test]
fn train_and_explain_say_which_conditions_hold_by_construction() {
    let said = "conditions.walls.exact = true: exact by construction: u = 16*x*y*(-x + 1)*(-y + 1)*N";
    let trained = pinnace(&[&SHORT[..], &["--plain"]].concat());
    assert!(text(&trained.stderr).contains(said), "{}", text(&trained.stderr));
    let report = text(&trained.stdout);
    assert!(report.contains("\n  exact by construction: walls\n"), "{report}");
    assert!(!report.contains("\n  walls"), "what is exact has no residual: {report}");
    assert!(text(&pinnace(&["explain", "poisson-2d"]).stdout).contains(said));
    let off = pinnace(&[&SHORT[..], &["--plain", "--set", "training.hard_constraints=off"]].concat());
    assert!(!text(&off.stderr).contains("by construction"));
    assert!(text(&off.stdout).contains("walls"));
}

#[test]
fn gradients_of_problems_and_runs_are_checked() {
    let checked = pinnace(&["check", "poisson-2d", "--device", "cpu"]);
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    for part in ["differences of the loss", "cpu in f32", "cpu in f64", "gradients are right"] {
        assert!(said.contains(part), "{said}");
    }
    let few = ["check", "burgers", "--device", "cpu", "--points", "5", "--json"];
    let found: Value = serde_json::from_str(&text(&pinnace(&few).stdout)).expect("one JSON object");
    let gradient = |row: usize| found["rows"][row]["gradient"].as_f64().expect("a number");
    assert_eq!((found["points"].as_u64(), found["right"].as_bool()), (Some(5), Some(true)));
    assert!(gradient(0) > 1e-9 && gradient(0) < 1e-4 && gradient(1) < 1e-12, "{found}");
    assert!(found["differences"].as_f64().is_some_and(|off| off < 1e-7), "{found}");
    let folder = std::env::temp_dir().join(format!("pinnace-check-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    let run = folder.to_str().expect("text");
    let trained = pinnace(&["train", "poisson-2d", "--device", "cpu", "--steps", "3", "--out", run]);
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    let checked = pinnace(&["check", run]);
    assert!(text(&checked.stdout).contains("after 3 steps"), "{}", text(&checked.stdout));
    let refused = pinnace(&["check", run, "--precision", "f32"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("a run is checked as it was trained"),
        "{}",
        text(&refused.stderr)
    );
    _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_measurement_that_got_slower_ends_with_an_exit_code_of_its_own() {
    let bench = ["bench", "step", "--problem", "burgers", "--points", "200", "--width", "8", "--depth", "2"];
    let measured = pinnace(&[&bench[..], &["--device", "cpu", "--threads", "1", "--json"]].concat());
    assert_eq!(measured.status.code(), Some(0), "{}", text(&measured.stderr));
    let mut line: Value = serde_json::from_slice(&measured.stdout).expect("stdout is one JSON object");
    // A tolerance of a hundred times: what else this machine does is no failure of this test.
    let baseline = Scratch::new("baseline.jsonl", &format!("# here\n\n{line}\n"));
    let same = pinnace(&["bench", "regress", baseline.path(), "--tolerance", "100", "--json"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    let found: Value = serde_json::from_slice(&same.stdout).expect("stdout is one JSON object");
    assert_eq!((&found["speed"], &found["same_loss"]), (&"same".into(), &true.into()), "{found}");
    assert!(same.stderr.is_empty(), "{}", text(&same.stderr));

    for key in ["median_ms", "p10_ms", "p90_ms"] {
        line[key] = 1e-6.into();
    }
    line["machine"] = "abacus".into();
    let fast = Scratch::new("fast.jsonl", &line.to_string());
    let slower = pinnace(&["bench", "regress", fast.path(), "--rounds", "1"]);
    assert_eq!(slower.status.code(), Some(3), "{}", text(&slower.stderr));
    assert!(text(&slower.stdout).starts_with("SLOWER  step burgers 8x2, 200 points, cpu f32"));
    assert!(text(&slower.stderr).contains("recorded on another machine: abacus"));

    let wrong = Scratch::new("wrong.jsonl", "{\"problem\": 1}\n");
    let share = pinnace(&["bench", "regress", wrong.path(), "--tolerance=-1"]);
    assert!(text(&share.stderr).contains("a share, 0 or more, is needed"), "{}", text(&share.stderr));
    let refused = pinnace(&["bench", "regress", wrong.path()]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("wrong.jsonl:1: "), "{}", text(&refused.stderr));
}

#[test]
fn a_report_says_in_which_numbers_steps_were_taken_where_it_is_not_the_chosen_ones() {
    let check = "training.gradient_check={every=5,gradient=1e-30}";
    let single = ["--set", "training.optimizer=adam", "--set", "training.precision=f32", "--set", check];
    let trained = pinnace(&[&SHORT[..], &single].concat());
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    let report = text(&trained.stdout);
    assert!(report.contains("\nprecision f64 in 100.0 % of the steps\n"), "{report}");
}

#[test]
fn a_level_is_told_with_all_that_it_decides_and_kept_by_the_run() {
    let ultra =
        [&SHORT[..], &["--plain", "--level", "ultra", "--set", "training.optimizer=adam", "--json"]].concat();
    let trained = pinnace(&ultra);
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    let told = text(&trained.stderr);
    assert!(told.contains("measuring training.precision"), "{told}");
    assert!(told.contains("how the machine is used:\n  performance.level = \"ultra\": stated"), "{told}");
    let report: Value = serde_json::from_slice(&trained.stdout).expect("stdout is one JSON object");
    let list = report["performance"].as_array().expect("a list");
    let threads = list.iter().find(|decision| decision["key"] == "performance.threads").expect("a key");
    assert!(threads["why"].as_str().is_some_and(|why| !why.is_empty()), "{threads}");
    let wrong = pinnace(&["train", "poisson-2d", "--no-run", "--level", "extreme"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr).contains("use `basic`, `advanced`, `ultra` or `custom`"),
        "{}",
        text(&wrong.stderr)
    );
    let explained = text(&pinnace(&["explain", "poisson-2d"]).stdout);
    assert!(
        explained.contains("how the machine is used:\n  performance.level = \"advanced\": the usual one")
    );
}
