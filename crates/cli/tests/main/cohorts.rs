//! `pinnace unifrac` and `pinnace cohort`, as the guide shows them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder to run in, removed when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pinnace-cli-cohorts-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Folder(path)
    }

    fn pinnace(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pinnace"));
        command.args(arguments).current_dir(&self.0).env("PINNACE_CACHE", self.0.join("cache"));
        command.stdin(Stdio::null()).output().expect("the binary runs")
    }

    /// What a command that succeeds prints.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.pinnace(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// What a command says that ends with exit code 2.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.pinnace(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
        text(&output.stderr)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
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

/// A file of the guide.
fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cohort").join(name);
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// The shape and the numbers of an array.
fn npy(bytes: &[u8]) -> (String, Vec<f64>) {
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = text(&bytes[10..head]);
    let shape = header.split("'shape': ").nth(1).and_then(|rest| rest.split(')').next()).expect("a shape");
    let numbers = bytes[head..].as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number));
    (shape.to_owned(), numbers.collect())
}

#[test]
fn distances_of_the_guide_are_the_same_in_every_form() {
    let folder = Folder::new("forms");
    let (table, tree) = (example("table.biom"), example("tree.nwk"));
    let run =
        |more: &[&str]| folder.done(&[&["unifrac", &table, &tree, "--metric", "weighted"], more].concat());
    run(&["--out", "square.npy"]);
    run(&["--out", "pairs.npy", "--condensed"]);
    run(&["--out", "square.tsv"]);
    let (shape, square) = npy(&folder.read("square.npy"));
    let (pairs_shape, pairs) = npy(&folder.read("pairs.npy"));
    let names = text(&folder.read("square.npy.samples.txt"));
    let count = names.lines().count();
    assert_eq!(
        (shape, pairs_shape),
        (format!("({count}, {count}"), format!("({},", count * (count - 1) / 2))
    );
    assert_eq!(square[1..count], pairs[..count - 1]);
    let written = text(&folder.read("square.tsv"));
    let row = written.lines().nth(1).expect("a line per sample");
    let cells: Vec<f64> = row.split('\t').skip(1).map(|cell| cell.parse().expect("a number")).collect();
    assert_eq!(cells, square[..count], "all digits are written");
    assert_eq!(row.split('\t').next(), names.lines().next());
}

#[test]
fn a_limit_of_memory_changes_no_bit_and_is_refused_where_nothing_fits() {
    let folder = Folder::new("memory");
    folder.done(&[
        "cohort",
        "synthesize",
        "--samples",
        "700",
        "--taxa",
        "60",
        "--depth",
        "100",
        "--out",
        "cohort",
    ]);
    fn of<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["unifrac", "cohort/table.biom", "cohort/tree.nwk"], more].concat()
    }
    folder.done(&of(&["--out", "free.npy"]));
    folder.done(&of(&["--out", "tight.npy", "--memory-limit", "44MB"]));
    assert!(folder.read("free.npy") == folder.read("tight.npy"));
    let said = folder.refused(&of(&["--out", "none.npy", "--memory-limit", "10MB"]));
    assert!(said.contains("MB at least, and 10 MB are the limit"), "{said}");
    let said = folder.refused(&of(&["--pcoa", "axes.tsv", "--memory-limit", "44MB"]));
    assert!(said.contains("4 MB are the matrix, which axes, pictures and text need as a whole"), "{said}");
    assert!(!folder.0.join("none.npy").exists() && !folder.0.join("axes.tsv").exists());
}

#[test]
fn axes_diversity_and_a_picture_come_from_one_command() {
    let folder = Folder::new("axes");
    let (table, tree, metadata) = (example("table.biom"), example("tree.nwk"), example("metadata.tsv"));
    let arguments = [
        "unifrac",
        &table,
        &tree,
        "--faith",
        "faith.tsv",
        "--pcoa",
        "axes.tsv",
        "--axes",
        "3",
        "--plot",
        "axes.png",
        "--metadata",
        &metadata,
        "--colour",
        "age",
        "--json",
        "--quiet",
    ];
    let told: Value = serde_json::from_str(&folder.done(&arguments)).expect("one JSON object");
    assert_eq!(told["axes"]["shares"].as_array().map(Vec::len), Some(3));
    assert_eq!(told["written"], serde_json::json!(["faith.tsv", "axes.tsv", "axes.png"]));
    assert!(folder.read("axes.png").starts_with(b"\x89PNG"));
    let axes = text(&folder.read("axes.tsv"));
    assert_eq!(axes.lines().next(), Some("sample\taxis1\taxis2\taxis3"));
    assert_eq!(axes.lines().count(), text(&folder.read("faith.tsv")).lines().count());
    let said = folder.refused(&[&arguments[..arguments.len() - 3], &["height"]].concat());
    assert!(said.contains("there is no column `height`; there are `age`, `stage`"), "{said}");
}

#[test]
fn what_does_not_belong_together_is_refused_or_left_out_and_said() {
    let folder = Folder::new("apart");
    let write =
        |name: &str, content: &str| std::fs::write(folder.0.join(name), content).expect("a writable folder");
    write("table.tsv", "\ta\tb\tc\nA\t1\t9\t0\nB\t2\t1\t0\nQ\t0\t1\t1\n");
    write("tree.nwk", "((A:1,B:1):1,C:1);\n");
    let run = ["unifrac", "table.tsv", "tree.nwk", "--out", "d.tsv"];
    let said = folder.refused(&run);
    assert!(said.contains("1 of 3 taxa of the table are not in the tree: `Q`"), "{said}");
    let drop = ["--not-in-tree", "drop"];
    let said = folder.refused(&[&run[..], &drop].concat());
    assert!(said.contains("1 of 3 samples have no reads of taxa in the tree: `c`"), "{said}");
    let output = folder.pinnace(&[&run[..], &drop, &["--shallow", "drop"]].concat());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 of 3 taxa are not in the tree and left out: `Q`"), "{said}");
    assert!(said.contains("1 of 3 samples have fewer than 1 reads and are left out: `c`"), "{said}");
    let slow = ["--metric", "variance-adjusted", "--not-in-tree", "drop", "--shallow", "drop"];
    let told = |more: &[&str]| {
        text(&folder.pinnace(&[&run[..], &slow, more].concat()).stderr).contains("slower path")
    };
    assert!(told(&[]) && !told(&["--rarefy", "3"]));
    let slow = ["--metric", "generalized", "--not-in-tree", "drop", "--shallow", "drop"];
    let told = |more: &[&str]| {
        text(&folder.pinnace(&[&run[..], &slow, more].concat()).stderr).contains("slower path")
    };
    assert!(told(&["--alpha", "0.3"]) && !told(&["--alpha", "0.5"]));
    write("tree.nwk", "(A:1,B:1,C:-1);\n");
    let said = folder.refused(&run);
    assert!(said.contains("tree.nwk: line 1, column 12: a branch has the negative length -1"), "{said}");
    let said = folder.refused(&["unifrac", "table.tsv", "tree.nwk"]);
    assert!(said.contains("--out"), "something has to be asked for: {said}");
    let said = folder.refused(&[&run[..], &["--alpha", "0.5"]].concat());
    assert!(said.contains("--alpha belongs to --metric generalized"), "{said}");
}

#[test]
fn cohorts_are_made_shown_and_drawn_from() {
    let folder = Folder::new("made");
    let made = [
        "cohort",
        "synthesize",
        "--samples",
        "20",
        "--taxa",
        "30",
        "--depth",
        "200",
        "--bases",
        "40",
        "--seed",
        "3",
    ];
    let told: Value = serde_json::from_str(&folder.done(&[&made[..], &["--out", "c", "--json"]].concat()))
        .expect("one JSON object");
    assert_eq!((&told["samples"], &told["best_possible_error"]), (&20.into(), &2.0.into()));
    let shown = folder.done(&[
        "cohort",
        "show",
        "c/table.biom",
        "c/tree.nwk",
        "--metadata",
        "c/metadata.tsv",
        "--sequences",
    ]);
    for wanted in [
        "20 samples",
        "40 bases each",
        "30 tips",
        "all taxa are tips",
        "age: numbers from",
        "stage: 3 classes",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    folder.done(&[
        "cohort",
        "rarefy",
        "c/table.biom",
        "--depth",
        "50",
        "--shallow",
        "drop",
        "--out",
        "r.biom",
    ]);
    let told: Value =
        serde_json::from_str(&folder.done(&["cohort", "show", "r.biom", "--json"])).expect("one JSON object");
    assert_eq!(told["reads"], serde_json::json!([50, 50, 50]));
    let said = folder.refused(&[
        "cohort",
        "show",
        "c/table.biom",
        "--metadata",
        "c/metadata.tsv",
        "--target",
        "stage",
    ]);
    assert!(said.contains("is no number"), "{said}");
    let said = folder.refused(&["cohort", "show", "nowhere.biom"]);
    assert!(said.contains("nowhere.biom cannot be read"), "{said}");
}
