//! Rules that no compiler checks: how the tree reads, and that documents tell the truth about it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of the tree, as paths relative to its root.
fn files() -> Vec<String> {
    let listing = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the tree");
    assert!(listing.status.success(), "{}", String::from_utf8_lossy(&listing.stderr));
    let listing = String::from_utf8(listing.stdout).expect("paths are UTF-8");
    let files: Vec<String> =
        listing.lines().filter(|path| root().join(path).is_file()).map(str::to_owned).collect();
    assert!(files.len() > 20, "only {} files found", files.len());
    files
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn ends(path: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| path.ends_with(ending))
}

#[test]
fn no_source_file_passes_600_lines() {
    for path in files().iter().filter(|path| ends(path, &[".rs", ".cu", ".cuh", ".py", ".toml", ".md"])) {
        let lines = read(path).lines().count();
        assert!(lines <= 600, "{path} has {lines} lines");
    }
}

#[test]
fn no_file_is_named_after_nothing() {
    let banned = ["utils.rs", "util.rs", "base.rs", "common.rs", "helpers.rs", "misc.rs"];
    for path in files() {
        let name = path.rsplit('/').next().unwrap_or(&path);
        assert!(!banned.contains(&name), "{path}: name it after what it does");
    }
}

/// Every crate by its folder, with the packages of this tree that it may stand on.
const CRATES: [(&str, &[&str]); 13] = [
    ("geometry", &[]),
    ("linear", &["method"]),
    ("method", &[]),
    ("store", &[]),
    ("cohort", &["linear", "store"]),
    ("equation", &["geometry", "method"]),
    ("kernel", &["equation", "geometry", "linear", "method", "store"]),
    ("train", &["linear", "method", "store"]),
    ("reference", &["equation", "kernel", "store"]),
    ("pinn", &["equation", "geometry", "kernel", "linear", "method", "reference", "store", "train"]),
    ("plot", &["equation", "pinnace"]),
    ("bench", &["equation", "kernel", "linear", "pinnace", "plot"]),
    ("cli", &["bench", "cohort", "pinnace", "plot", "reference", "store"]),
];

/// The packages of this tree.
const PACKAGES: [&str; 12] = [
    "geometry",
    "linear",
    "method",
    "store",
    "cohort",
    "equation",
    "kernel",
    "train",
    "reference",
    "pinnace",
    "plot",
    "bench",
];

#[test]
fn only_engines_and_dense_algebra_may_hold_unsafe_code() {
    for (name, _) in CRATES.iter().filter(|(name, _)| !["kernel", "linear"].contains(name)) {
        let entry = if *name == "cli" { "main.rs" } else { "lib.rs" };
        let path = format!("crates/{name}/src/{entry}");
        assert!(read(&path).contains("#![forbid(unsafe_code)]"), "{path} does not forbid unsafe code");
    }
}

#[test]
fn the_equation_crate_stays_pure() {
    for path in files().iter().filter(|path| path.starts_with("crates/equation/src/")) {
        let text = read(path);
        for banned in ["f32", "std::fs", "std::io", "std::net", "std::thread", "std::env", "std::time"] {
            let found =
                text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(banned));
            assert!(!found, "{path} mentions {banned}");
        }
    }
}

#[test]
fn crates_depend_only_downwards() {
    let folders = std::fs::read_dir(root().join("crates")).expect("crates are part of the tree").count();
    assert_eq!(folders, CRATES.len(), "a crate is missing in the list");
    for (name, allowed) in CRATES {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for package in PACKAGES.iter().filter(|package| !allowed.contains(package)) {
            let depends = manifest.lines().any(|line| line.starts_with(&format!("{package}.workspace")));
            assert!(!depends, "{name} depends on {package}");
        }
    }
}

#[test]
fn the_trainer_knows_no_equation_and_no_device() {
    for path in files().iter().filter(|path| path.starts_with("crates/train/src/")) {
        for banned in ["equation::", "kernel::", "cuda", "Problem", "Plan"] {
            let found =
                read(path).lines().any(|line| !line.trim_start().starts_with("//") && line.contains(banned));
            assert!(!found, "{path} mentions {banned}");
        }
    }
}

#[test]
fn networks_are_computed_as_their_experiment_says() {
    // The limit of memory and the mode of a GPU belong to the experiment: who compiles for another device says which.
    let own = ["crates/pinn/src/experiment.rs"];
    for path in files().iter().filter(|path| path.starts_with("crates/pinn/src/")) {
        let text = read(path);
        let calls = text.split("Kernel::compile(").skip(1).map(|rest| rest.split(')').next().unwrap_or(rest));
        let exact = ["Device::Cpu, Precision::F64", "Device::Reference, Precision::F64"];
        let stated = calls.into_iter().all(|arguments| exact.iter().any(|exact| arguments.contains(exact)));
        assert!(stated || own.iter().any(|own| path.starts_with(own)), "{path}: use Experiment::compile");
    }
}

#[test]
fn only_the_engines_tell_devices_apart() {
    let own = ["crates/kernel/src/device.rs", "crates/kernel/src/engine.rs"];
    let sources = |path: &&String| path.contains("/src/") && path.ends_with(".rs");
    for path in files().iter().filter(sources).filter(|path| !own.contains(&path.as_str())) {
        let text = read(path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for variant in ["Device::Cuda", "Device::Cpu", "Device::Reference"] {
            let arm = |rest: &str| ["=>", "|", ",_)=>", "if"].iter().any(|sign| rest.starts_with(sign));
            let matched = code.split(variant).skip(1).any(|rest| {
                let squeezed: String =
                    rest.chars().take(40).filter(|letter| !letter.is_whitespace()).collect();
                arm(&squeezed)
            });
            assert!(!matched, "{path} matches on {variant}: ask Device::hardware");
        }
    }
}

/// The name of the type that a line defines for others: a struct, an enum, a trait or an alias that is `pub`, whatever part
/// of the tree may use it.
fn type_shown_by(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(limited) => limited.split_once(')')?.1,
        None => rest,
    };
    let mut words = rest.strip_prefix(' ')?.split_whitespace().skip_while(|word| *word == "unsafe");
    words.next().filter(|word| ["struct", "enum", "trait", "type", "union"].contains(word))?;
    words.next()?.split(|letter: char| !letter.is_alphanumeric()).next().filter(|name| !name.is_empty())
}

#[test]
fn a_type_name_means_one_thing() {
    assert_eq!(type_shown_by("    pub(in crate::parse) enum Kind<'a> {"), Some("Kind"));
    assert_eq!(type_shown_by("pub unsafe trait Laid: Copy {"), Some("Laid"));
    assert_eq!(type_shown_by("pub type Make = dyn Fn();"), Some("Make"));
    assert_eq!(["pub fn of() {", "    type Target = f64;", "struct Own;"].map(type_shown_by), [None; 3]);

    // What stands on one another from a problem file to its trained network: who reads one of these reads the others beside it.
    let layers = ["method", "linear", "equation", "kernel", "train", "pinn"];
    let (mut known, mut twice) = (BTreeMap::<String, String>::new(), Vec::new());
    for layer in layers {
        let sources =
            |path: &&String| path.starts_with(&format!("crates/{layer}/src/")) && path.ends_with(".rs");
        for path in files().iter().filter(sources) {
            for name in read(path).lines().filter_map(type_shown_by) {
                if let Some(other) = known.insert(name.to_owned(), path.clone()) {
                    twice.push(format!("{name} is a type of {other} and another one of {path}"));
                }
            }
        }
    }
    assert!(twice.is_empty(), "name one of them otherwise:\n{}", twice.join("\n"));
    assert!(known.len() > 300, "only {} types found: is the search broken?", known.len());
}

#[test]
fn lints_are_silenced_only_with_a_reason() {
    for path in files().iter().filter(|path| path.ends_with(".rs")) {
        let bare = concat!("#[", "allow(");
        assert!(!read(path).contains(bare), "{path}: use #[expect(lint, reason = …)]");
    }
}

/// Words in backquotes that look like paths of this tree.
fn paths_named_in(text: &str) -> Vec<String> {
    let looks_like_a_path = |word: &str| {
        let rooted = ["crates/", "docs/", "examples/", "benches/", ".ci/", "fuzz/"];
        let plain = !word.contains(['*', '<', '{', ' ', '…', '$']) && !word.contains("NN-");
        plain && rooted.iter().any(|folder| word.starts_with(folder))
    };
    let quoted = text.split('`').skip(1).step_by(2);
    let linked = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = |target: &&str| !target.contains("://") && !target.starts_with('#') && !target.is_empty();
    quoted
        .filter(|word| looks_like_a_path(word))
        .chain(linked.filter(local))
        .map(|word| word.split('#').next().unwrap_or(word).to_owned())
        .collect()
}

#[test]
fn paths_named_in_documents_exist() {
    let mut checked = 0;
    for document in files().iter().filter(|path| path.ends_with(".md")) {
        let folder = root().join(document).parent().expect("a file has a folder").to_owned();
        for path in paths_named_in(&read(document)) {
            checked += 1;
            let exists = folder.join(&path).exists() || root().join(&path).exists();
            assert!(exists, "{document} names {path}, which does not exist");
        }
    }
    assert!(checked > 10, "only {checked} paths found: is the search broken?");
}

#[test]
fn the_readme_commands_are_the_ones_that_ci_runs() {
    let readme = read("README.md");
    let script = read(".ci/run");
    let run: Vec<&str> = script.lines().map(str::trim).collect();
    for command in ["cargo run --release -- train burgers --budget 60s", "./check"] {
        assert!(readme.lines().any(|line| line.trim() == command), "README does not show `{command}`");
        assert!(run.contains(&command), ".ci/run does not run `{command}`");
    }
}

#[test]
fn documents_stay_short_and_hold_no_trace_of_one_machine() {
    for (document, limit) in [("README.md", 1000), ("ARCHITECTURE.md", 3000)] {
        let words = read(document).split_whitespace().count();
        assert!(words < limit, "{document} has {words} words, fewer than {limit} are wanted");
    }
    for (number, line) in read("README.md").lines().enumerate() {
        let letters = line.chars().count();
        assert!(letters <= 200, "README.md, line {}, has {letters} characters", number + 1);
    }
    let marks = [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/")];
    for path in files().iter().filter(|path| ends(path, &[".rs", ".md", ".toml", ".py", "check", "run"])) {
        let text = read(path);
        assert!(!marks.iter().any(|mark| text.contains(mark)), "{path} names a folder of one machine");
    }
}
