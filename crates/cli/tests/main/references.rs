//! What errors are measured against can be seen, drawn and taken away: `reference`.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pinnace-reference-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a writable place");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn reference(arguments: &[&str], cache: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pinnace"))
        .arg("reference")
        .args(arguments)
        .env("PINNACE_CACHE", cache)
        .output()
        .expect("the binary runs")
}

fn done(arguments: &[&str], cache: &Path) -> String {
    let output = reference(arguments, cache);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn json(arguments: &[&str], cache: &Path) -> Value {
    serde_json::from_str(&done(arguments, cache)).expect("one JSON object")
}

#[test]
fn a_closed_form_is_shown_drawn_and_written() {
    let folder = Folder::new("closed");
    let shown = done(&["kovasznay"], &folder.0);
    assert!(shown.lines().filter(|line| line.contains("formula")).count() == 3, "{shown}");
    let found = json(&["kovasznay", "--grid", "x=4,y=5", "--json"], &folder.0);
    assert_eq!(found["points"], 20);
    assert_eq!(found["unknowns"]["u"]["checksum"].as_str().map(str::len), Some(8));
    let (table, arrays) = (folder.path("values.csv"), folder.path("arrays"));
    let written = done(&["kovasznay", "--grid", "x=4,y=5", "--format", "csv", "--out", &table], &folder.0);
    assert!(written.contains(&format!("wrote {table}")), "{written}");
    let text = std::fs::read_to_string(&table).expect("a table");
    assert_eq!(text.lines().next(), Some("x,y,u,v,p"));
    assert_eq!(text.lines().count(), 21);
    done(&["kovasznay", "--format", "npy", "--out", &arrays, "--plot", &folder.path("plots")], &folder.0);
    for file in ["arrays/x.npy", "arrays/p.npy", "plots/reference.png"] {
        assert!(folder.0.join(file).is_file(), "{file}");
    }
}

#[test]
fn a_computed_solution_is_the_same_from_a_cache_without_one_and_from_a_damaged_one() {
    let folder = Folder::new("computed");
    let arguments = ["allen-cahn", "--set", "domain.t=[0, 0.1]", "--json"];
    let first = json(&arguments, &folder.0);
    assert!(first["unknowns"]["u"]["floor"].as_f64().is_some_and(|floor| floor < 1e-8), "{first}");
    let entries = || std::fs::read_dir(folder.0.join("references")).expect("a folder");
    let entry = entries().next().expect("one entry").expect("an entry").path();
    assert_eq!(json(&arguments, &folder.0), first);
    std::fs::write(&entry, "damaged").expect("a writable folder");
    assert_eq!(json(&arguments, &folder.0), first);
    assert!(std::fs::metadata(&entry).expect("an entry").len() > 1000, "it was not replaced");
    let file = folder.0.join("a file where a folder should be");
    std::fs::write(&file, "").expect("a writable folder");
    assert_eq!(json(&arguments, &file), first);
}

#[test]
fn a_problem_without_reference_says_so_and_can_neither_be_drawn_nor_written() {
    let folder = Folder::new("none");
    let problem = folder.path("open.toml");
    let text = "[domain]\nx = [0, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_xx = 1\"\n\
                [conditions]\nb = { on = \"x = 0, x = 1\", equation = \"u = 0\" }\n";
    std::fs::write(&problem, text).expect("a writable folder");
    assert!(done(&[&problem], &folder.0).contains("none"));
    for option in [["--plot", "here"], ["--format", "csv"]] {
        let output = reference(&[&problem, option[0], option[1]], &folder.0);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("no reference"), "{output:?}");
    }
}
