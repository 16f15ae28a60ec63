//! Files that mean harm, and folders that are not what they seem.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder to run in, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-cli-hostile-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.0.join(name), content).expect("the temporary folder can be written");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pinnace"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// A small run under this name.
    fn train(&self, run: &str) {
        let output =
            self.pinnace(&[&SMALL[..], &["--steps", "3", "--quiet", "--no-plots", "--out", run]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
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

const SMALL: [&str; 8] = [
    "train",
    "poisson-2d",
    "--set",
    "training.points=16",
    "--set",
    "training.condition_points=8",
    "--set",
    "training.optimizer=adam",
];

const TITLED: &str = r#"
title = "calm \u001b]0;owned\u0007\u009b2J\u202e"
[domain]
t = [0, 1]
[unknowns]
u = {}
[equations]
cooling = "u_t = -u"
[data]
probe = { file = "probe.csv", columns = ["t", "u"] }
[network]
width = 4
depth = 1
[training]
optimizer = "adam"
points = 8
budget = "2 steps"
"#;

/// Whether a terminal would obey something in it.
fn commands(output: &Output) -> bool {
    let all = text(&output.stdout) + &text(&output.stderr);
    all.chars().any(|letter| letter.is_control() && letter != '\n' || letter == '\u{202e}')
}

#[test]
fn no_file_and_no_name_commands_the_terminal() {
    let folder = Folder::new("terminal");
    folder.write("problem.toml", TITLED);
    folder.write("probe.csv", "t,u\n0,\u{1b}[31m1\n");
    let cell = folder.pinnace(&["train", "problem.toml", "--no-run"]);
    assert_eq!(cell.status.code(), Some(2));
    let said = text(&cell.stderr);
    assert!(said.contains("line 2, column 2: `\\u001b[31m1` is not a number"), "{said}");

    folder.write("probe.csv", "t,u\n0,1\n1,0.4\n");
    let report = folder.pinnace(&["train", "problem.toml", "--out", "run", "--no-plots"]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report.stderr));
    assert!(text(&report.stdout).starts_with("calm \\u001b]0;owned\\u0007\\u009b2J\\u202e\n"));
    let json = folder.pinnace(&["evaluate", "run", "--json"]);
    assert!(serde_json::from_slice::<Value>(&json.stdout).is_ok(), "{}", text(&json.stdout));

    folder.write("broken.toml", "title = \"\u{1b}[31m\"\n[domain\n");
    let broken = folder.pinnace(&["train", "broken.toml"]);
    let name = folder.pinnace(&["evaluate", "no\u{1b}[2Jwhere"]);
    assert!(text(&name.stderr).contains("cannot read no\\u001b[2Jwhere"), "{}", text(&name.stderr));
    let argument = folder.pinnace(&["evaluate", "run", "--\u{1b}[2J"]);
    assert_eq!(argument.status.code(), Some(2));
    for output in [cell, report, json, broken, name, argument, folder.pinnace(&["evaluate", "run"])] {
        assert!(!commands(&output), "{}{}", text(&output.stdout).escape_debug(), text(&output.stderr));
    }
}

#[test]
fn what_is_meant_for_programs_passes_unchanged() {
    let folder = Folder::new("programs");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = folder.pinnace(&["completions", shell]);
        assert!(output.status.success() && !text(&output.stdout).contains("\\u00"), "{shell}");
    }
    let help = folder.pinnace(&["--help"]);
    assert!(help.status.success() && text(&help.stdout).contains("Usage"));
}

#[cfg(unix)]
#[test]
fn a_lock_that_leads_elsewhere_is_refused_and_nothing_is_written_there() {
    let folder = Folder::new("link");
    folder.train("run");
    folder.write("precious", "years of work");
    let lock = folder.0.join("run/lock");
    for target in ["precious", "nowhere"] {
        std::fs::remove_file(&lock).expect("there is a lock");
        std::os::unix::fs::symlink(folder.0.join(target), &lock).expect("links can be made");
        let output = folder.pinnace(&["resume", "run", "--steps", "5"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("run/lock is not a regular file") && said.contains("remove it"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(folder.0.join("precious")).expect("it is there"), "years of work");
    assert!(!folder.0.join("nowhere").exists());
    std::fs::remove_file(&lock).expect("there is a lock");
    let output = folder.pinnace(&["resume", "run", "--steps", "5", "--quiet", "--no-plots"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_run_that_may_not_be_looked_at_is_said_to_be_forbidden_and_not_to_be_none() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("forbidden");
    folder.train("run");
    let rights = |mode| {
        let rights = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.0.join("run"), rights).expect("rights can be changed");
    };
    rights(0o000);
    let binary = env!("CARGO_BIN_EXE_pinnace");
    // Superusers look everywhere: someone else takes their place.
    let outputs = [["evaluate", "run"], ["resume", "run"]].map(|arguments| {
        let mut command = match std::fs::read_dir(folder.0.join("run")) {
            Ok(_) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", "65534", "--clear-groups", binary]);
                command
            }
            Err(_) => Command::new(binary),
        };
        command.args(arguments).current_dir(&folder.0).stdin(Stdio::null()).output().expect("it runs")
    });
    rights(0o755);
    for output in outputs {
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot read run/problem.toml: Permission denied"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_does_not_end_training() {
    let folder = Folder::new("limit");
    // Checkpoints of L-BFGS grow with its memory: from some step on they no longer fit.
    let arguments =
        ["train", "poisson-2d", "--set", "training.points=16", "--set", "training.optimizer=lbfgs"];
    let more = ["--steps", "25", "--checkpoint-every", "0", "--plain", "--out", "run"];
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 128; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_pinnace")])
        .args(arguments)
        .args(more)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the run is not complete: cannot write run/checkpoints: File too large"), "{said}");
    assert!(text(&output.stdout).contains("\n25 steps in "), "the report is printed all the same");
}

#[test]
fn an_edited_problem_and_a_damaged_table_are_refused_with_a_way_out() {
    let folder = Folder::new("edited");
    folder.write("problem.toml", TITLED);
    folder.write("probe.csv", "t,u\n0,1\n1,0.4\n");
    let trained = folder.pinnace(&["train", "problem.toml", "--out", "run", "--no-plots", "--quiet"]);
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    folder.write("run/data/probe.csv", "t,u\n0,1\n1,0.5\n");
    for arguments in [
        &["evaluate", "run"][..],
        &["plot", "run"],
        &["resume", "run"],
        &["export", "run", "--format", "csv"],
    ] {
        let output = folder.pinnace(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("run/data/probe.csv is not what this run was trained with"), "{said}");
        assert!(said.contains("delete run/manifest.json to accept"), "{said}");
    }
    std::fs::remove_file(folder.0.join("run/manifest.json")).expect("there is one");
    let output = folder.pinnace(&["evaluate", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("has no manifest.json").count(), 1, "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_being_trained_says_so_and_where_it_is() {
    let folder = Folder::new("live");
    let more = ["--steps", "100000000", "--checkpoint-every", "1000", "--plain", "--out", "run"];
    let mut child = folder
        .command(&[&SMALL[..], &more].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut progress = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    while !line.contains("points/s") {
        line.clear();
        assert_ne!(progress.read_line(&mut line).expect("stderr is text"), 0, "it ended by itself");
    }
    // The first step is logged when the second is taken, and where a state was saved just now no later step is known.
    let (mut told, mut json) = (folder.pinnace(&["evaluate", "run"]), Value::Null);
    for _ in 0..100 {
        let found = folder.pinnace(&["evaluate", "run", "--json"]);
        json = serde_json::from_slice(&found.stdout).expect("it is JSON");
        if text(&told.stderr).contains("training is at step ") && !json["live"]["step"].is_null() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        told = folder.pinnace(&["evaluate", "run"]);
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let said = text(&told.stderr);
    assert!(said.contains(&format!("note: this run is being trained by process {}", child.id())), "{said}");
    assert!(said.contains("newest checkpoint, after ") && said.contains("training is at step "), "{said}");
    let report = text(&told.stdout);
    assert!(report.contains("(its newest checkpoint; training is at step "), "{report}");
    assert!(json["live"]["step"].as_u64().is_some_and(|step| step > 0), "{json}");
    let after = folder.pinnace(&["evaluate", "run", "--json"]);
    let json: Value = serde_json::from_slice(&after.stdout).expect("it is JSON");
    let said = text(&after.stderr);
    assert!(json["live"].is_null() && !said.contains("is being trained"), "{said}");
}
