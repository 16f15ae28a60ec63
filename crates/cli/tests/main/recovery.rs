//! Runs that went wrong or are to go on otherwise, as users see them.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder to run in, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-recovery-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pinnace"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    fn train(&self, more: &[&str]) -> Output {
        let small = ["--set", "training.points=16", "--set", "training.condition_points=8"];
        // On the CPU: half precision overflows before anything diverges.
        let method =
            ["--set", "training.optimizer=adam", "--device", "cpu", "--out", "run", "--quiet", "--no-plots"];
        self.pinnace(&[&["train", "poisson-2d"][..], &small, &method, more].concat())
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

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

#[test]
fn a_run_that_diverged_says_so_everywhere_and_ends_with_code_1() {
    let folder = Folder::new("diverged");
    let wild = ["--set", "training.learning_rate=1e6", "--set", "training.guard=stop", "--steps", "20"];
    let output = folder.train(&[&wild[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let warning = json(&output)["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(
        warning.contains("training diverged: the loss is ") && warning.contains(", initially it was "),
        "{warning}"
    );
    assert!(warning.contains("use the best saved state, after step 0"), "{warning}");
    assert!(
        text(&output.stderr).contains(&format!("pinnace: warning: {warning}")),
        "{}",
        text(&output.stderr)
    );

    let evaluated = folder.pinnace(&["evaluate", "run", "--grid", "x=5,y=5"]);
    let (said, report) = (text(&evaluated.stderr), text(&evaluated.stdout));
    assert!(said.contains("diverged") && said.contains("using the best saved state, after step 0"), "{said}");
    assert!(report.contains("after 0 steps (the best saved state)"), "{report}");
    let evaluated = json(&folder.pinnace(&["evaluate", "run", "--grid", "x=5,y=5", "--json"]));
    assert_eq!((&evaluated["state"], &evaluated["steps"]), (&"best".into(), &0.into()));

    let mended = ["resume", "run", "--set", "training.learning_rate=1e-3", "--quiet", "--no-plots", "--json"];
    let mended = folder.pinnace(&mended);
    assert_eq!(mended.status.code(), Some(0), "{}", text(&mended.stderr));
    assert!(text(&mended.stderr).contains("using the best saved state, after step 0"));
    assert_eq!(
        (&json(&mended)["steps"], &json(&mended)["warnings"]),
        (&20.into(), &Value::Array(Vec::new()))
    );

    std::fs::remove_dir_all(folder.0.join("run")).expect("it can be removed");
    let report = text(&folder.train(&wild).stdout);
    assert!(report.contains("\nwarning: training diverged: "), "{report}");
}

#[test]
fn resume_takes_a_budget_in_place_of_a_number_of_steps() {
    let folder = Folder::new("budget");
    assert_eq!(folder.train(&["--steps", "5"]).status.code(), Some(0));
    let longer = folder.pinnace(&["resume", "run", "--budget", "9 steps", "--quiet", "--no-plots", "--json"]);
    assert_eq!(longer.status.code(), Some(0), "{}", text(&longer.stderr));
    assert_eq!(json(&longer)["steps"], 9);
    let timed = folder.pinnace(&["resume", "run", "--budget", "1e-9 s", "--quiet", "--no-plots", "--json"]);
    assert_eq!((&json(&timed)["steps"], &json(&timed)["stopped"]), (&9.into(), &"seconds".into()));
    let problem = std::fs::read_to_string(folder.0.join("run/problem.toml")).expect("a problem");
    assert!(problem.contains("budget = \"0.000000001 s\"") && !problem.contains("\nsteps = "), "{problem}");
    for arguments in [&["--budget", "soon"][..], &["--budget", "9 steps", "--steps", "20"]] {
        let refused = folder.pinnace(&[&["resume", "run"][..], arguments].concat());
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
    }
    let help = text(&folder.pinnace(&["resume", "--help"]).stdout);
    assert!(help.contains("--budget"), "{help}");
}

#[test]
fn another_optimizer_takes_over_and_a_refused_change_does_not_stay() {
    let folder = Folder::new("optimizer");
    assert_eq!(folder.train(&["--steps", "5"]).status.code(), Some(0));
    let before = std::fs::read(folder.0.join("run/problem.toml")).expect("a problem");
    let refused = folder.pinnace(&["resume", "run", "--set", "training.hard_constraints=off"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("would change the meaning of the trained weights") && said.contains("--from RUN"),
        "{said}"
    );
    assert_eq!(std::fs::read(folder.0.join("run/problem.toml")).expect("a problem"), before);
    let other = ["resume", "run", "--set", "training.optimizer=lbfgs", "--steps", "9"];
    let other = folder.pinnace(&[&other[..], &["--quiet", "--no-plots", "--json"]].concat());
    let said = text(&other.stderr);
    assert_eq!(other.status.code(), Some(0), "{said}");
    assert!(
        said.contains("phase 1 continues with L-BFGS after step 5: the state of Adam is dropped"),
        "{said}"
    );
    assert_eq!(json(&other)["steps"], 9);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_is_continued_without_a_number_of_steps() {
    use std::io::{BufRead, BufReader};
    let folder = Folder::new("interrupted");
    let arguments =
        ["train", "poisson-2d", "--set", "training.points=16", "--set", "training.optimizer=adam"];
    let arguments = [&arguments[..], &["--steps", "100000000", "--plain", "--out", "run"]].concat();
    let mut child = folder.command(&arguments);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut progress = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    while !line.contains("points/s") {
        line.clear();
        assert_ne!(progress.read_line(&mut line).expect("stderr is text"), 0, "it ended by itself");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(130));
    let report = text(&output.stdout);
    assert!(report.contains("\n  continue  pinnace resume run\n"), "{report}");
}
