//! Runs as users and misfortune treat them: interrupted, killed, on full disks, continued.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder to run in, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-cli-runs-{}-{name}", std::process::id()));
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

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.pinnace(&[arguments, &["--json", "--quiet"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("stdout is one JSON object")
    }

    fn parameters(&self, run: &str) -> Vec<u64> {
        let run = pinnace::Run::open(&self.0.join(run)).unwrap_or_else(|error| panic!("{error}"));
        run.parameters().iter().map(|number| number.to_bits()).collect()
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

const SMALL: [&str; 12] = [
    "train",
    "poisson-2d",
    "--device",
    "cpu",
    "--set",
    "training.points=16",
    "--set",
    "training.condition_points=8",
    "--set",
    "training.schedule=constant",
    "--set",
    "training.optimizer=adam",
];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

#[test]
fn train_writes_a_run_and_resume_continues_it_to_the_same_bits() {
    let folder = Folder::new("resume");
    let result = folder.json(&small(&["--steps", "12"]));
    let run = result["run"].as_str().expect("it says where the run is");
    assert!(run.starts_with("runs/poisson-2d-2"), "{run}");
    assert_eq!((&result["steps"], &result["evaluations"]), (&12.into(), &12.into()));
    let longer = folder.json(&["resume", run, "--steps", "20"]);
    assert_eq!(
        (&longer["run"], &longer["steps"], &longer["problem"]),
        (&run.into(), &20.into(), &"poisson-2d".into())
    );
    let whole = folder.json(&small(&["--steps", "20", "--out", "whole"]));
    assert_eq!((&whole["run"], &whole["loss"]), (&"whole".into(), &longer["loss"]));
    assert_eq!(folder.parameters("whole"), folder.parameters(run));
    std::fs::rename(folder.0.join("whole"), folder.0.join("a 'b'")).expect("it can be renamed");
    let report = text(&folder.pinnace(&["resume", "a 'b'", "--quiet"]).stdout);
    assert!(report.contains("\n  continue  pinnace resume 'a '\\''b'\\''' --steps 40\n"), "{report}");
}

#[test]
fn a_budget_that_a_run_has_passed_is_told_with_the_way_to_give_more() {
    let folder = Folder::new("passed");
    folder.json(&small(&["--steps", "8", "--out", "run"]));
    let output = folder.pinnace(&["resume", "run", "--steps", "5", "--quiet", "--json"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains(
            "pinnace: warning: no step was taken: the run is at step 8, and its budget of steps is used up"
        ),
        "{said}"
    );
    assert!(said.contains("`pinnace resume run --steps N`") && said.contains("more than 8"), "{said}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert!(
        result["warnings"][0].as_str().is_some_and(|told| told.starts_with("no step was taken")),
        "{result}"
    );
    assert_eq!(folder.json(&["resume", "run", "--steps", "9"])["warnings"], serde_json::json!([]));
}

#[test]
fn no_run_is_written_when_none_is_wanted() {
    let folder = Folder::new("none");
    assert_eq!(folder.json(&small(&["--steps", "2", "--no-run"]))["run"], Value::Null);
    assert_eq!(std::fs::read_dir(&folder.0).expect("it is there").count(), 0);
}

#[test]
fn a_run_that_fails_says_where_it_is_and_keeps_what_there_was() {
    let folder = Folder::new("fails");
    let wild = [
        "--set",
        "training.learning_rate=1e300",
        "--set",
        "training.guard=stop",
        "--steps",
        "9",
        "--out",
        "run",
    ];
    let output = folder.pinnace(&small(&wild));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let place = "the run is in run, up to step 0; the state where it went wrong is in run/trouble: step 1: ";
    assert!(said.contains(place), "{said}");
    assert!(said.contains("not finite"), "{said}");
    let kept = pinnace::Run::open(&folder.0.join("run")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((kept.snapshot().steps, kept.snapshot().stopped), (0, None), "the last state that is good");
    let gentle = ["resume", "run", "--set", "training.learning_rate=1e-3", "--steps", "9"];
    assert_eq!(folder.json(&gentle)["steps"], 9, "and it goes on from there");
}

#[test]
fn a_problem_that_no_step_can_be_taken_of_leaves_nothing_behind() {
    let folder = Folder::new("nothing");
    let text_of = "[domain]\nx = [-1, 1]\n[unknowns]\nu = {}\n[equations]\none = \"u_xx = log(x)\"\n[conditions]\n\
        ends = { on = \"boundary\", equation = \"u = 0\" }\n[network]\nwidth = 4\ndepth = 1\n[training]\npoints = 16\n";
    std::fs::write(folder.0.join("bad.toml"), text_of).expect("it can be written");
    let output = folder.pinnace(&["train", "bad.toml", "--out", "run"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no step was taken, and no run was kept: before the first step: `one`"), "{said}");
    let left: Vec<_> = std::fs::read_dir(&folder.0).expect("it is there").flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "bad.toml"), "{left:?}");
    // A run that was there before stays, whatever happens to it.
    folder.json(&[
        "train",
        "bad.toml",
        "--set",
        "equations.one=\"u_xx = 1\"",
        "--steps",
        "0",
        "--out",
        "run",
    ]);
    std::fs::remove_file(folder.0.join("run/manifest.json")).expect("it is there");
    std::fs::copy(folder.0.join("bad.toml"), folder.0.join("run/problem.toml")).expect("it is there");
    assert_eq!(folder.pinnace(&["resume", "run", "--steps", "3"]).status.code(), Some(1));
    assert!(folder.0.join("run/problem.toml").exists());
}

#[test]
fn a_run_starts_from_the_parameters_of_another() {
    let folder = Folder::new("from");
    folder.json(&small(&["--steps", "5", "--out", "first"]));
    let second = folder.json(&small(&["--steps", "0", "--from", "first", "--out", "second", "--seed", "4"]));
    assert_eq!(second["steps"], 0);
    assert_eq!(folder.parameters("first"), folder.parameters("second"));
    let wide = folder.pinnace(&small(&["--from", "first", "--set", "network.width=8", "--out", "third"]));
    assert_eq!(wide.status.code(), Some(2));
    assert!(
        text(&wide.stderr).contains("layer1.weight is 2×20 there and 2×8 here"),
        "{}",
        text(&wide.stderr)
    );
    assert!(!folder.0.join("third").exists());
}

#[test]
fn mistakes_about_runs_end_with_code_2_and_say_what_to_do() {
    let folder = Folder::new("mistakes");
    folder.json(&small(&["--steps", "1", "--out", "run"]));
    for (arguments, words) in [
        (&["resume", "nowhere"][..], "cannot read nowhere"),
        (&["resume", "."], "is not a run: it has no problem.toml"),
        (&["resume", "run", "--set", "network.width=3"], "only `training` may change"),
        (&["resume", "run", "--checkpoint-every", "-1"], "a number of seconds"),
        (&["train", "poisson-2d", "--out", "run"], "exists and is not empty"),
        (&["train", "poisson-2d", "--from", "nowhere"], "cannot read nowhere"),
    ] {
        let output = folder.pinnace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(words), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// Starts a run that would never end, and waits until it takes steps.
#[cfg(unix)]
fn endless(folder: &Folder, run: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = folder
        .command(&small(&["--steps", "100000000", "--plain", "--json", "--out", run]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut progress = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    while !line.contains("points/s") {
        line.clear();
        assert_ne!(progress.read_line(&mut line).expect("stderr is text"), 0, "it ended by itself");
    }
    (child, progress)
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_save_the_run_and_a_second_process_waits_its_turn() {
    let folder = Folder::new("signals");
    for (name, run) in [("-INT", "interrupted"), ("-TERM", "terminated")] {
        let (child, _progress) = endless(&folder, run);
        let second = folder.pinnace(&["resume", run]);
        assert_eq!(second.status.code(), Some(1));
        let said = text(&second.stderr);
        assert!(said.contains(&format!("trained by another process ({})", child.id())), "{said}");
        signal(&child, name);
        let output = child.wait_with_output().expect("the binary ends");
        assert_eq!(output.status.code(), Some(130));
        let result: Value = serde_json::from_slice(&output.stdout).expect("the report is still printed");
        assert_eq!(result["stopped"], "interrupted");
        let saved = pinnace::Run::open(&folder.0.join(run)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(result["steps"], saved.snapshot().steps);
    }
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_does_not_wait_for_the_step_at_hand() {
    let folder = Folder::new("second");
    // One step takes minutes.
    let arguments = [
        &["train", "poisson-2d", "--device", "cpu", "--plain", "--json", "--out", "run"][..],
        &["--set", "training.optimizer=adam"],
        &["--set", "network.width=256", "--set", "network.depth=20", "--set", "training.points=200000"],
    ]
    .concat();
    let mut child =
        folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut progress = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    while !line.starts_with("phase 1") {
        line.clear();
        assert_ne!(progress.read_line(&mut line).expect("stderr is text"), 0, "it ended by itself");
    }
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "the first one waits for the step");
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(130), String::new()));
    let saved = pinnace::Run::open(&folder.0.join("run")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(saved.snapshot().steps, 0, "what was saved can be read");
}

/// Runs as someone who may not write what others own.
#[cfg(unix)]
fn without_rights(folder: &Folder, arguments: &[&str]) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let binary = env!("CARGO_BIN_EXE_pinnace");
    let probe = folder.0.join("run/probe");
    for (path, mode) in [("run/checkpoints", 0o555), ("run", 0o555), ("", 0o555)] {
        let rights = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.0.join(path), rights).expect("rights can be taken away");
    }
    // Superusers write everywhere: someone else takes their place.
    let mut command = match std::fs::write(&probe, []) {
        Ok(()) => {
            std::fs::remove_file(&probe).expect("it was just written");
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "65534", "--clear-groups", binary]);
            command
        }
        Err(_) => Command::new(binary),
    };
    let output = command.args(arguments).current_dir(&folder.0).stdin(Stdio::null()).output();
    for path in ["", "run", "run/checkpoints"] {
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.0.join(path), rights).expect("rights can be given back");
    }
    output.expect("it runs")
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_told_and_what_is_in_it_can_be_read() {
    let folder = Folder::new("read-only");
    folder.json(&small(&["--steps", "3", "--out", "run"]));
    let before = folder.parameters("run");
    let train = without_rights(&folder, &small(&["--steps", "3", "--quiet"]));
    let said = text(&train.stderr);
    assert_eq!(train.status.code(), Some(1), "{said}");
    assert!(said.contains("--no-run writes none") && said.contains("cannot write"), "{said}");
    let resumed = without_rights(&folder, &["resume", "run", "--steps", "6", "--quiet"]);
    let said = text(&resumed.stderr);
    assert_eq!(resumed.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot write run/") && resumed.stdout.is_empty(), "{said}");
    let plot = without_rights(&folder, &["plot", "run"]);
    assert_eq!(plot.status.code(), Some(1), "{}", text(&plot.stderr));
    let evaluated = without_rights(&folder, &["evaluate", "run", "--json"]);
    assert_eq!(evaluated.status.code(), Some(0), "{}", text(&evaluated.stderr));
    assert_eq!(folder.parameters("run"), before);
}

/// L-BFGS and fresh points: all that a checkpoint has to hold.
#[cfg(unix)]
const LONG: [&str; 14] = [
    "train",
    "poisson-2d",
    "--device",
    "cpu",
    "--set",
    "training.points=64",
    "--set",
    "training.phase=[{ optimizer = 'adam', budget = '150 steps', resample = 7 }, { optimizer = 'lbfgs', budget = '200 steps' }]",
    "--precision",
    "f32",
    "--checkpoint-every",
    "0",
    "--quiet",
    "--out",
];

#[cfg(unix)]
#[test]
fn killed_at_any_moment_a_run_can_be_read_and_ends_with_the_same_bits() {
    let folder = Folder::new("killed");
    let start = std::time::Instant::now();
    let whole = folder.pinnace(&[&LONG[..], &["whole"]].concat());
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let duration = start.elapsed();
    let (mut attempts, mut kills) = (0u32, 0);
    // Moments spread over the whole run by the golden ratio: no two are alike, and none is left out.
    while kills < 20 {
        attempts += 1;
        let share = (f64::from(attempts) * 0.618_033_988_749_895).fract();
        let arguments = match folder.0.join("run").exists() {
            true => vec!["resume", "run", "--checkpoint-every", "0", "--quiet"],
            false => [&LONG[..], &["run"]].concat(),
        };
        let mut child =
            folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs");
        // A twentieth of the run on average: enough to come further from kill to kill, not to its end.
        std::thread::sleep(duration.mul_f64(share / 10.0).max(Duration::from_millis(1)));
        let finished = child.try_wait().expect("it can be asked").is_some();
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("it is text");
        assert_eq!(said, "", "no damage, no warning");
        if folder.0.join("run").exists() {
            folder.parameters("run");
        }
        if finished {
            std::fs::remove_dir_all(folder.0.join("run")).expect("it can be removed");
        }
        kills += u32::from(!finished);
        assert!(attempts < 200, "it ends before it can be killed");
    }
    let ended = match folder.0.join("run").exists() {
        true => folder.pinnace(&["resume", "run", "--quiet"]),
        false => folder.pinnace(&[&LONG[..], &["run"]].concat()),
    };
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    assert_eq!(folder.parameters("run"), folder.parameters("whole"));
    let steps = |run: &str| {
        let run = pinnace::Run::open(&folder.0.join(run)).unwrap_or_else(|error| panic!("{error}"));
        let history = run.history().expect("it can be read");
        history.iter().map(|record| (record.step, record.loss.to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(steps("run"), steps("whole"), "the history has no gap and nothing twice");
}

/// Runs under a limit on the size of files, which the system enforces as it does the end of a disk.
#[cfg(unix)]
fn limited(folder: &Folder, blocks: u32, arguments: &[&str]) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_pinnace")])
        .args(arguments)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()
        .expect("sh runs")
}

#[cfg(unix)]
#[test]
fn a_full_disk_does_not_end_training_and_loses_nothing_that_was_saved() {
    let folder = Folder::new("full");
    // Checkpoints of L-BFGS grow with its memory: from some step on they no longer fit, while the first did.
    let arguments = [&LONG[..], &["run", "--plain"]].concat();
    let arguments: Vec<&str> = arguments
        .into_iter()
        .filter(|argument| *argument != "--quiet")
        .map(
            |argument| {
                if argument.starts_with("training.phase") { "training.optimizer=lbfgs" } else { argument }
            },
        )
        .chain(["--steps", "30"])
        .collect();
    let output = limited(&folder, 128, &arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("warning: cannot write run/checkpoints") && said.contains("training continues"),
        "{said}"
    );
    assert!(said.contains("the run is not complete: cannot write run/checkpoints"), "{said}");
    assert!(text(&output.stdout).contains("\n30 steps in "), "the report is printed all the same");
    let kept = pinnace::Run::open(&folder.0.join("run")).unwrap_or_else(|error| panic!("{error}"));
    assert!(kept.notices().is_empty() && kept.snapshot().steps < 30, "{:?}", kept.notices());
    assert!(!has_partial(&folder.0.join("run/checkpoints")), "the space is given back");
    let ended = folder.pinnace(&["resume", "run", "--quiet"]);
    assert_eq!(ended.status.code(), Some(0), "{}", text(&ended.stderr));
    let whole: Vec<&str> =
        arguments.iter().map(|argument| if *argument == "run" { "whole" } else { argument }).collect();
    assert_eq!(folder.pinnace(&whole).status.code(), Some(0));
    assert_eq!(folder.parameters("run"), folder.parameters("whole"));
}

#[cfg(unix)]
fn has_partial(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).expect("it can be read");
    entries.any(|entry| entry.is_ok_and(|entry| entry.path().extension().is_some_and(|end| end == "partial")))
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_from_the_start_is_said_so_before_training() {
    let folder = Folder::new("full-at-once");
    let output = limited(&folder, 8, &small(&["--steps", "5"]));
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(output.stdout.is_empty() && said.contains("--no-run writes none): cannot write runs/"), "{said}");
    assert_eq!(std::fs::read_dir(folder.0.join("runs")).expect("it is there").count(), 0, "no draft is left");
}

const STORED: &str = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\n\
    start = { on = \"t = 0\", equation = \"u = 1\" }\n[data]\nprobe = { file = \"far/probe.npy\", batch = 64 }\n\
    [network]\nwidth = 4\ndepth = 1\n[training]\noptimizer = \"adam\"\npoints = 500000\nbatch = 32\n";

/// Ten thousand rows of t and u, as NumPy writes them.
fn write_table(path: &Path) {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (10000, 2), }\n";
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let rows = (0..10_000).map(|row| f64::from(row) / 1e4).flat_map(|t| [t, (-t).exp()]);
    bytes.extend(rows.flat_map(f64::to_le_bytes));
    std::fs::write(path, bytes).expect("it can be written");
}

/// More adaptive points than are chosen at a time, all in a temporary file.
const IN_PARTS: &str = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\n\
    start = { on = \"t = 0\", equation = \"u = 1\" }\n[network]\nwidth = 4\ndepth = 1\n[training]\noptimizer = \"adam\"\n\
    points = 150000\nbatch = 100\nsampling = [{ kind = \"rad\", candidates = 2 }]\nresample = 9\n[performance]\npoint_memory = 0\n";

fn hidden(run: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(run).expect("it can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".scratch")).collect()
}

#[cfg(unix)]
#[test]
fn adaptive_points_in_a_file_survive_kills_and_full_disks_and_leave_nothing_behind() {
    let folder = Folder::new("parts");
    std::fs::write(folder.0.join("decay.toml"), IN_PARTS).expect("it can be written");
    let train = |out: &'static str, steps: &'static str| {
        let own = ["train", "decay.toml", "--device", "cpu", "--no-plots", "--steps", steps, "--out", out];
        [&own[..], &["--checkpoint-every", "0.02"]].concat()
    };
    let whole = folder.pinnace(&train("whole", "24"));
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let said = text(&whole.stderr);
    assert!(said.contains("chosen in parts, in a temporary file on the disk of whole"), "{said}");
    assert!(text(&whole.stdout).contains(" % of the time drawing and choosing them anew"));
    assert_eq!(hidden(&folder.0.join("whole")), [""; 0]);
    let arguments = train("run", "24");
    let mut child = folder.command(&arguments).stderr(Stdio::null()).spawn().expect("the binary runs");
    while !folder.0.join("run/checkpoints").exists() || newest_step(&folder.0.join("run")) < 2 {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(newest_step(&folder.0.join("run")) < 24, "it was killed on its way");
    // What a kill leaves at the worst moment.
    std::fs::write(folder.0.join("run/.pinnace-1-0.scratch"), "points").expect("it can be written");
    // A megabyte: the set has two.
    let full = limited(&folder, 2048, &["resume", "run"]);
    let said = text(&full.stderr);
    assert_eq!(full.status.code(), Some(1), "{said}");
    for part in
        ["temporary file on the disk of run", "performance.point_memory", "make room", "pinnace resume"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(hidden(&folder.0.join("run")), [""; 0]);
    let ended = folder.json(&["resume", "run"]);
    assert_eq!(ended["steps"], 24, "{ended}");
    assert!(ended["renewing"].as_f64().is_some_and(|share| (0.0..1.0).contains(&share)), "{ended}");
    assert_eq!(folder.parameters("run"), folder.parameters("whole"));
    let bytes = |run: &str| {
        let entries = std::fs::read_dir(folder.0.join(run).join("checkpoints")).expect("it is there");
        entries.map(|entry| entry.expect("an entry").metadata().expect("a size").len()).max()
    };
    assert!(bytes("run").is_some_and(|bytes| bytes < 100_000), "checkpoints do not hold the points");
}

#[test]
fn a_killed_run_on_batches_and_a_table_in_its_file_goes_on_to_the_same_bits_with_any_number_of_workers() {
    let folder = Folder::new("batches");
    std::fs::create_dir(folder.0.join("far")).expect("it can be made");
    write_table(&folder.0.join("far/probe.npy"));
    std::fs::write(folder.0.join("decay.toml"), STORED).expect("it can be written");
    let train = |out: &str, workers: &str| {
        let arguments =
            ["train", "decay.toml", "--device", "cpu", "--steps", "2000", "--workers", workers, "--no-plots"];
        let mut command =
            folder.command(&[&arguments[..], &["--checkpoint-every", "0.02", "--out", out]].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let whole = train("whole", "0").output().expect("the binary runs");
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
    let said = text(&whole.stdout);
    assert!(said.contains("data: ") && said.contains(" % of the time waiting for batches"), "{said}");
    let mut child = train("run", "4").spawn().expect("the binary runs");
    while !folder.0.join("run/checkpoints").exists() || newest_step(&folder.0.join("run")) < 50 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(!folder.0.join("run/data").exists(), "a table that stays in its file is not copied");
    let ended = folder.json(&["resume", "run", "--workers", "1"]);
    assert_eq!(ended["steps"], 2000);
    assert!(ended["waiting"].as_f64().is_some_and(|share| (0.0..1.0).contains(&share)), "{ended}");
    assert_eq!(folder.parameters("run"), folder.parameters("whole"));
    let lines = std::fs::read_to_string(folder.0.join("run/metrics.jsonl")).expect("there is a history");
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("an object");
    assert!(first["waited"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{first}");
    let refused = folder.pinnace(&["resume", "run", "--workers", "many"]);
    assert_eq!(refused.status.code(), Some(2));
    let idle = folder.json(&small(&["--steps", "2", "--no-run", "--workers", "3"]));
    let said = idle["warnings"][0].as_str().expect("a warning");
    assert!(said.contains("--workers has no effect"), "{said}");
}

/// After which step the newest checkpoint of a run was written; zero where there is none.
fn newest_step(run: &Path) -> u64 {
    pinnace::Run::open(run).map_or(0, |run| run.snapshot().steps)
}
