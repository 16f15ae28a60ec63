//! Trainings that are compared: what is written, what is said, and how it goes on.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder that is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-accuracy-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Scratch(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn accuracy(out: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args(["bench", "accuracy", "--device", "cpu", "--json", "--out"])
        .arg(out)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn report(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON object")
}

fn lines(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("accuracy.jsonl")).expect("there are results");
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect();
    lines.sort_by_key(|line| {
        (line["problem"].to_string(), line["optimizer"].to_string(), line["seed"].as_u64())
    });
    lines
}

const SHORT: [&str; 6] = ["--budget", "3 steps", "--set", "training.points=64", "--threads", "1"];

#[test]
fn every_seed_has_a_line_with_its_history_and_the_bits_do_not_depend_on_the_jobs() {
    let scratch = Scratch::new("jobs");
    let (one, two) = (scratch.join("one"), scratch.join("two"));
    let arguments = [&["heat", "poisson-2d", "--seeds", "2"], &SHORT[..]].concat();
    let told = report(&accuracy(&one, &arguments), 0);
    report(&accuracy(&two, &[&arguments[..], &["--jobs", "3", "--no-plots"]].concat()), 0);
    assert_eq!((&told["trainings"], &told["failed"], &told["missing"]), (&4.into(), &0.into(), &0.into()));
    assert_eq!(told["results"].as_array().map(Vec::len), Some(2));
    let (first, second) = (lines(&one), lines(&two));
    assert_eq!((first.len(), second.len()), (4, 4));
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first["relative_l2"], second["relative_l2"]);
        assert_eq!((&first["steps"], &first["stopped"]), (&3.into(), &"steps".into()));
        let last = first["history"]["error"].as_array().and_then(|errors| errors.last());
        assert_eq!(last, Some(&first["relative_l2"]["u"]), "the curve ends at the end");
        assert!(
            first["phases"][0].as_str().is_some_and(|phase| phase.starts_with("Gauss-Newton, 64 points"))
        );
    }
    assert_ne!(first[0]["relative_l2"], first[1]["relative_l2"], "seeds differ");
    for picture in ["heat.png", "poisson-2d.png", "accuracy.png"] {
        assert!(one.join(picture).is_file() && !two.join(picture).exists(), "{picture}");
    }
}

#[test]
fn an_interrupted_comparison_goes_on_and_finished_trainings_stay_as_they_are() {
    let scratch = Scratch::new("resume");
    let out = scratch.join("out");
    let all = [&["heat", "--seeds", "3", "--no-plots"], &SHORT[..]].concat();
    report(&accuracy(&out, &all), 0);
    let raw = out.join("accuracy.jsonl");
    let text = std::fs::read_to_string(&raw).expect("there are results");
    // As if it had been killed while the second line was written.
    let first = text.find('\n').map_or(0, |end| end + 1);
    std::fs::write(&raw, &text[..first + 40]).expect("it can be written");

    let refused = accuracy(&out, &all);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--resume"));
    let other = accuracy(&out, &[&all[..], &["--resume", "--precision", "f32"]].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("precision f64"));

    let output = accuracy(&out, &[&all[..], &["--resume"]].concat());
    assert_eq!(report(&output, 0)["trainings"], 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 of 3 trainings were done before"));
    let again = std::fs::read_to_string(&raw).expect("there are results");
    assert!(again.starts_with(&text[..first]));
    let seeds: Vec<Option<u64>> = lines(&out).iter().map(|line| line["seed"].as_u64()).collect();
    assert_eq!(seeds, [Some(0), Some(1), Some(2)]);
}

#[test]
fn a_training_that_fails_is_told_and_the_others_go_on() {
    let scratch = Scratch::new("failure");
    let file = scratch.join("wall.toml");
    let text = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nwall = \"u_x = log(x - 0.5)\"\n\
                [conditions]\nstart = { on = \"x = 0\", equation = \"u = 0\" }\n[reference]\nu = \"x\"\n";
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("the path is UTF-8");
    let out = scratch.join("out");
    let told = report(&accuracy(&out, &[&[file, "heat", "--seeds", "1"], &SHORT[..]].concat()), 1);
    assert_eq!((&told["trainings"], &told["failed"]), (&2.into(), &1.into()));
    let failed: Vec<bool> = lines(&out).iter().map(|line| line["failed"].is_string()).collect();
    assert_eq!(failed.iter().filter(|failed| **failed).count(), 1);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_all_trainings_and_says_what_is_missing() {
    let scratch = Scratch::new("interrupted");
    let out = scratch.join("out");
    let child = Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args([
            "bench", "accuracy", "heat", "--seeds", "2", "--jobs", "2", "--budget", "2h", "--json", "--out",
        ])
        .arg(&out)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // Signals are listened for before the file is there.
    while !out.join("accuracy.jsonl").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let told = report(&child.wait_with_output().expect("it ends"), 130);
    assert_eq!((&told["trainings"], &told["missing"]), (&0.into(), &2.into()));
    assert_eq!(lines(&out).len(), 0, "half a training is none");
}

#[test]
fn methods_are_compared_side_by_side() {
    let scratch = Scratch::new("methods");
    let out = scratch.join("out");
    let arguments = ["heat", "--seeds", "1", "--optimizer", "adam,adam+lbfgs", "--budget", "8 steps"];
    report(&accuracy(&out, &arguments), 0);
    let lines = lines(&out);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["optimizer"], "adam+lbfgs");
    assert_eq!(lines[1]["phases"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[1]["steps"], 8);
}

#[test]
fn a_good_training_without_a_reference_has_not_failed() {
    let scratch = Scratch::new("unknown");
    let problem = scratch.join("decay.toml");
    let stated = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\n\
        start = { on = \"t = 0\", equation = \"u = 1\" }\n[network]\nwidth = 4\ndepth = 1\n";
    std::fs::write(&problem, stated).expect("the folder can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args(["bench", "accuracy", "--device", "cpu", "--seeds", "1", "--budget", "2 steps", "--plain"])
        .arg("--out")
        .arg(scratch.join("out"))
        .arg(&problem)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    let (table, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(table.contains("not known") && !table.contains("failed"), "{table}");
    assert!(said.contains("no reference; relative residual"), "{said}");
}

#[test]
fn mistakes_are_found_before_the_first_training() {
    let scratch = Scratch::new("mistakes");
    let out = scratch.join("out");
    for wrong in [
        &["heat", "haet"][..],
        &["heat", "--optimizer", "newton"],
        &["heat", "--budget", "soon"],
        &["heat", "--seeds", "0"],
        &["heat", "--jobs", "0"],
    ] {
        assert_eq!(accuracy(&out, wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert!(!out.exists());
}

#[test]
fn a_time_that_is_over_at_once_still_takes_every_window_to_its_end() {
    let scratch = Scratch::new("windows");
    let small =
        ["--set", "training.points=64", "--set", "training.windows=3", "--set", "network.width=[4, 20]"];
    let arguments = [&["heat", "--seeds", "1", "--budget", "0.001 s", "--no-plots"], &small[..]].concat();
    report(&accuracy(&scratch.join("out"), &arguments), 0);
    let [line] = &lines(&scratch.join("out"))[..] else { panic!("one training") };
    assert!(line["failed"].is_null(), "{line}");
    assert!(line["relative_l2"]["u"].as_f64().is_some_and(f64::is_finite), "{line}");
    assert!(line["steps"].as_u64() >= Some(3), "a step in each window: {line}");
    // The first layer, the second, the output; with their biases.
    assert_eq!(line["trainable"], 4 * 3 + (4 * 4 + 4) + 5, "as narrow as it may be: {line}");
}
