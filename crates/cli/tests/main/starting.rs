//! The first steps of a user: a file to start from, help in the shell, problems from a pipe.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn pinnace(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args(arguments)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// A folder that is removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-starting-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_new_problem_explains_its_sections_and_trains_as_it_is() {
    let folder = Folder::new("new");
    let output = pinnace(&folder, &["new", "rod"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "wrote rod.toml; train it with `pinnace train rod.toml`\n");
    let written = folder.read("rod.toml");
    for section in ["domain", "constants", "functions", "unknowns", "parameters", "equations", "conditions"] {
        assert!(written.contains(&format!("[{section}]")), "{section}");
    }
    let trained = pinnace(&folder, &["train", "rod.toml", "--steps", "3", "--quiet", "--no-run", "--json"]);
    assert_eq!(trained.status.code(), Some(0), "{}", text(&trained.stderr));
    assert!(text(&trained.stdout).contains("\"relative_l2\":{\"u\":"), "{}", text(&trained.stdout));
}

#[test]
fn a_new_problem_may_be_like_a_built_in_one_and_never_replaces_a_file() {
    let folder = Folder::new("like");
    assert_eq!(pinnace(&folder, &["new", "mine.toml", "--like", "burgers"]).status.code(), Some(0));
    assert!(folder.read("mine.toml").contains("u_t + u*u_x"));
    std::fs::write(folder.0.join("mine.toml"), "precious").expect("the folder can be written");
    let again = pinnace(&folder, &["new", "mine"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("mine.toml exists and was not changed"), "{}", text(&again.stderr));
    assert_eq!(folder.read("mine.toml"), "precious");
    assert_eq!(pinnace(&folder, &["new", "inverse", "--like", "heat-inverse"]).status.code(), Some(0));
    let read = pinnace(&folder, &["explain", "inverse.toml"]);
    assert_eq!(read.status.code(), Some(0), "its data came along: {}", text(&read.stderr));
    let unknown = pinnace(&folder, &["new", "other", "--like", "burger"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("did you mean `burgers`?"), "{}", text(&unknown.stderr));
    let nowhere = pinnace(&folder, &["new", "missing/other"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("cannot write missing/other.toml"), "{}", text(&nowhere.stderr));
}

#[test]
fn completions_know_commands_and_built_in_problems() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = pinnace(&folder, &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}: {}", text(&output.stderr));
        let script = text(&output.stdout);
        assert!(script.contains("evaluate") && script.contains("derivatives"), "{shell}");
    }
    let names = ["bash", "zsh", "fish"].map(|shell| text(&pinnace(&folder, &["completions", shell]).stdout));
    assert!(names.iter().all(|script| script.contains(" burgers ")));
    // Beside the names, these two have to be told that files will do as well.
    assert!(names[1].contains("standard input:{_alternative \"problems:"), "{}", names[1]);
    assert!(names[2].contains("using_subcommand train\" -a \"poisson-2d "), "{}", names[2]);
    assert_eq!(pinnace(&folder, &["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn the_manual_covers_every_command() {
    let folder = Folder::new("man");
    let page = text(&pinnace(&folder, &["man"]).stdout);
    assert!(page.contains(".TH pinnace 1") && page.contains("evaluate"), "{page}");
    assert_eq!(pinnace(&folder, &["man", "--out", "pages"]).status.code(), Some(0));
    for page in ["pinnace.1", "pinnace-train.1", "pinnace-export.1", "pinnace-bench-step.1"] {
        assert!(folder.read(&format!("pages/{page}")).contains(".SH SYNOPSIS"), "{page}");
    }
    std::fs::write(folder.0.join("file"), "").expect("the folder can be written");
    assert_eq!(pinnace(&folder, &["man", "--out", "file/pages"]).status.code(), Some(1));
}

#[test]
fn a_problem_may_come_through_a_pipe() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .args(["explain", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let problem = b"[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\nline = \"u_xx = oops\"\n";
    child.stdin.take().expect("stdin is piped").write_all(problem).expect("the problem is read");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("unknown name `oops`") && said.contains("standard input"), "{said}");
}
