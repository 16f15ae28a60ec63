//! Modules of a crate do not import each other in circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// A text without comments and without its tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names that follow each `prefix`: one, or those in braces.
fn names_after<'text>(text: &'text str, prefix: &str) -> Vec<&'text str> {
    let word = |text: &'text str| {
        text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next().unwrap_or_default()
    };
    let mut found = Vec::new();
    for rest in text.split(prefix).skip(1) {
        match rest.strip_prefix('{') {
            None => found.push(word(rest)),
            Some(list) => {
                let list = list.split("};").next().unwrap_or_default();
                found.extend(list.split(',').map(|part| word(part.trim_start())));
            }
        }
    }
    found
}

/// Which modules of a crate, or of a folder in one, import which; paths from there begin with a prefix.
fn imports(folder: &Path, prefix: &str) -> Imports {
    let names = ["lib.rs", "main.rs", "mod.rs"];
    let entry = names.map(|name| folder.join(name)).into_iter().find(|path| path.is_file());
    let entry = code(&entry.expect("a crate has an entry, and a folder too"));
    let modules: BTreeSet<&str> = entry
        .lines()
        .filter_map(|line| line.split_once("mod ").and_then(|(_, name)| name.trim().strip_suffix(';')))
        .collect();
    let mut homes: BTreeMap<&str, &str> = modules.iter().map(|module| (*module, *module)).collect();
    for module in &modules {
        let exported = names_after(&entry, &format!("use {module}::"));
        homes.extend(exported.into_iter().map(|name| (name, *module)));
    }
    let mut imports = Imports::new();
    for path in sources(folder) {
        let place = path.strip_prefix(folder).expect("it lies in the folder").to_owned();
        let first = place.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let module = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
        let text = code(&path);
        // In a folder, files beside the entry name their neighbours another way.
        let neighbours = prefix != "crate::" && place.components().count() == 1;
        let beside = if neighbours { names_after(&text, "super::") } else { Vec::new() };
        let named = names_after(&text, prefix).into_iter().chain(beside);
        let used = named.filter_map(|name| homes.get(name));
        let others = used.filter(|other| **other != module).map(|other| (*other).to_owned());
        imports.entry(module.clone()).or_default().extend(others);
    }
    imports.retain(|module, _| modules.contains(module.as_str()));
    imports
}

/// Modules that can be reached from themselves.
fn circles(imports: &Imports) -> Vec<&str> {
    let reaches = |from: &str, wanted: &str| {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(module) = open.pop() {
            for other in imports.get(module).into_iter().flatten().filter(|other| seen.insert(*other)) {
                open.push(other);
            }
        }
        seen.iter().any(|module| *module == wanted)
    };
    imports.keys().map(String::as_str).filter(|module| reaches(module, module)).collect()
}

#[test]
fn modules_do_not_import_each_other_in_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in std::fs::read_dir(crates).expect("crates are part of the tree") {
        let folder = entry.expect("a readable folder").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let imports = imports(&folder.join("src"), "crate::");
        assert!(imports.len() > 1, "{name}: only {} modules found: is the search broken?", imports.len());
        let found = circles(&imports);
        assert!(found.is_empty(), "{name}: {found:?} import each other in circles: {imports:#?}");
    }
}

#[test]
fn nor_do_the_rooms_of_the_gpu_engine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/src/cuda");
    let imports = imports(&folder, "crate::cuda::");
    assert!(imports.get("engine").is_some_and(|rooms| rooms.len() > 5), "is the search broken? {imports:#?}");
    assert!(
        circles(&imports).is_empty(),
        "{:?} import each other in circles: {imports:#?}",
        circles(&imports)
    );
}

#[test]
fn a_circle_is_found() {
    let edge = |from: &str, to: &[&str]| {
        (from.to_owned(), to.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>())
    };
    let open: Imports = [edge("a", &["b", "c"]), edge("b", &["c"]), edge("c", &[])].into();
    assert!(circles(&open).is_empty());
    let closed: Imports = [edge("a", &["b"]), edge("b", &["c"]), edge("c", &["b"])].into();
    assert_eq!(circles(&closed), ["b", "c"]);
    assert_eq!(names_after("use crate::{a, B as c}; crate::d::e", "crate::"), ["a", "B", "d"]);
}
