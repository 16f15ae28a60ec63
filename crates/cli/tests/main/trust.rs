//! What is said of an error that nobody can measure: in reports, in JSON, in runs and as an exit code.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A problem without a reference.
const DECAY: &str = "title = \"Decay\"\n[domain]\nt = [0, 2]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n\
    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 1\", exact = false }\n[network]\nwidth = 6\ndepth = 2\n\
    [training]\npoints = 64\n";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-trust-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        std::fs::write(path.join("decay.toml"), DECAY).expect("the folder can be written");
        Folder(path)
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pinnace"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null()).output().expect("the binary runs")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

/// Steps that go nowhere.
const WRONG: [&str; 8] = [
    "--set",
    "training.optimizer=adam",
    "--set",
    "training.learning_rate=1e-4",
    "--steps",
    "20",
    "--quiet",
    "--no-plots",
];

#[test]
fn strict_ends_with_a_code_of_its_own_where_a_solution_cannot_be_trusted_and_says_why() {
    let folder = Folder::new("strict");
    let wrong = [&["train", "decay.toml", "--no-run"], &WRONG[..]].concat();
    let output = folder.pinnace(&[&wrong[..], &["--strict"]].concat());
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{report}");
    assert!(report.contains("trust: bad; this solution cannot be trusted"), "{report}");
    assert!(report.contains("likely cause: ") && report.contains("try: "), "{report}");
    assert_eq!(
        folder.pinnace(&wrong).status.code(),
        Some(0),
        "without --strict it is a report like any other"
    );
    let good = folder.pinnace(&["train", "decay.toml", "--no-run", "--steps", "60", "--quiet", "--strict"]);
    assert_eq!(good.status.code(), Some(0), "{}", text(&good.stdout));
    assert!(text(&good.stdout).contains("trust: good"), "{}", text(&good.stdout));
}

#[test]
fn json_has_an_estimate_per_unknown_and_null_where_none_was_wanted() {
    let folder = Folder::new("json");
    let train = ["train", "decay.toml", "--no-run", "--steps", "40", "--quiet", "--json"];
    let found = json(&folder.pinnace(&train));
    assert!(found["error_estimate"]["u"].as_f64().is_some_and(|error| error < 1e-2), "{found}");
    assert_eq!(found["trust"], "good");
    assert_eq!(found["estimate"]["unknowns"][0]["near"][0]["coordinate"], "t");
    let without = json(&folder.pinnace(&[&train[..], &["--no-estimate"]].concat()));
    assert!(without["error_estimate"].is_null() && without["trust"].is_null(), "{without}");
    assert_eq!(without["loss"].to_string(), found["loss"].to_string(), "the estimate has changed nothing");
}

#[test]
fn a_run_tells_its_estimate_to_whoever_evaluates_or_draws_it_and_verify_makes_another() {
    let folder = Folder::new("run");
    let trained = folder.pinnace(&[&["train", "decay.toml", "--out", "run", "--json"], &WRONG[..]].concat());
    let trained = json(&trained);
    assert_eq!(trained["trust"], "bad");
    let evaluated = json(&folder.pinnace(&["evaluate", "run", "--json"]));
    for key in ["error_estimate", "trust", "estimate"] {
        assert_eq!(evaluated[key], trained[key]);
    }
    let metrics = std::fs::read_to_string(folder.0.join("run/metrics.jsonl")).expect("there is a history");
    let last: Value = serde_json::from_str(metrics.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["trust"], &last["error_estimate"]), (&trained["trust"], &trained["error_estimate"]));
    let verified = folder.pinnace(&["verify", "run", "--budget", "0.3s", "--json", "--quiet", "--strict"]);
    let found = json(&verified);
    assert!(found["error_estimate"]["u"].is_number(), "{found}");
    assert_eq!((verified.status.code(), &found["trust"]), (Some(4), &"bad".into()), "{found}");
    let refused = folder.pinnace(&["verify", "run", "--budget", "300 steps"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("a time such as 60s or 5min is needed"),
        "{}",
        text(&refused.stderr)
    );
    assert!(
        folder
            .pinnace(&["resume", "run", "--steps", "30", "--no-estimate", "--quiet", "--no-plots"])
            .status
            .success()
    );
    let later = folder.pinnace(&["evaluate", "run"]);
    assert!(text(&later.stdout).contains("no error was estimated for this state"), "{}", text(&later.stdout));
}
