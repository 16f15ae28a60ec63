//! `[performance]`: how much is done to be fast, and how much of the machine is used.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlNode, TomlTable, TomlValue};
use crate::parse::reader;
use crate::problem::{Affinity, CompileMode, Performance, PerformanceLevel, TILES, Tiles};

const KEYS: [&str; 10] = [
    "level",
    "compile",
    "tiles",
    "threads",
    "affinity",
    "priority",
    "workers",
    "prefetch",
    "memory_threshold",
    "point_memory",
];

/// The largest machines have fewer cores.
const MOST_THREADS: i64 = 4096;

/// As many as the command line takes.
const MOST_WORKERS: i64 = 256;

/// More batches than this are never found before they are wanted.
const MOST_PREFETCH: i64 = 65_536;

/// More than any machine has: a petabyte.
const MOST_BYTES: i64 = 1_000_000_000_000_000;

pub(in crate::parse) fn read(section: &TomlTable, mistakes: &mut Mistakes) -> Performance {
    reader::only(section, &KEYS, "key", mistakes);
    let modes = CompileMode::ALL.map(|mode| (mode.name(), mode));
    let mut count = |key: &str, least: i64, most: i64| {
        section.get(key).and_then(|entry| reader::count(&entry.node, least..=most, mistakes))
    };
    let (threads, workers) = (count("threads", 1, MOST_THREADS), count("workers", 0, MOST_WORKERS));
    let (priority, prefetch) = (count("priority", 0, 19), count("prefetch", 1, MOST_PREFETCH));
    let point_memory = count("point_memory", 0, MOST_BYTES);
    let threshold = section.get("memory_threshold").and_then(|entry| share(&entry.node, mistakes));
    let node = |key: &str| section.get(key).map(|entry| &entry.node);
    Performance {
        level: node("level").and_then(|node| reader::choice(node, &PerformanceLevel::ALL, mistakes)),
        compile: node("compile").and_then(|node| reader::choice(node, &modes, mistakes)),
        tiles: node("tiles").and_then(|node| tiles(node, mistakes)),
        threads,
        affinity: node("affinity").and_then(|node| affinity(node, mistakes)),
        priority: priority.and_then(|priority| u8::try_from(priority).ok()),
        workers,
        prefetch,
        memory_threshold: threshold,
        point_memory: point_memory.map(|bytes| bytes as u64),
    }
}

/// A share of something: above 0, at most 1.
fn share(node: &TomlNode, mistakes: &mut Mistakes) -> Option<f64> {
    let share = reader::positive(node, mistakes)?;
    if share > 1.0 {
        let hint = "1 never uses less of it; 0.8 is usual";
        mistakes.report_with(node.span, format!("{share} is more than all of the memory"), hint);
        return None;
    }
    Some(share)
}

/// `"rule"`, or one of the sizes that kernels are written for.
fn tiles(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Tiles> {
    if matches!(node.value, TomlValue::Text(_)) {
        return reader::choice(node, &[("rule", Tiles::Rule)], mistakes);
    }
    let points = reader::count(node, 1..=i64::MAX, mistakes)?;
    if TILES.contains(&points) {
        return Some(Tiles::Points(points));
    }
    let sizes: Vec<String> = TILES.iter().rev().map(ToString::to_string).collect();
    let message = format!("there are no kernels for tiles of {points} points");
    mistakes.report_with(node.span, message, format!("use \"rule\", {}", sizes.join(", ")));
    None
}

/// `"off"`, `"spread"`, or a list of cores.
fn affinity(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Affinity> {
    let items = match &node.value {
        TomlValue::Text(_) => {
            let known = [("off", false), ("spread", true)];
            let spread = reader::choice(node, &known, mistakes)?;
            return Some(if spread { Affinity::Spread } else { Affinity::Off });
        }
        TomlValue::Array(items) if !items.is_empty() => items,
        other => {
            let found = if matches!(other, TomlValue::Array(_)) { "an empty one" } else { other.kind() };
            let message = format!("expected \"off\", \"spread\" or a list of cores, found {found}");
            mistakes.report_with(node.span, message, "such as `[0, 2]`");
            return None;
        }
    };
    let cores: Option<Vec<usize>> =
        items.iter().map(|item| reader::count(item, 0..=MOST_THREADS - 1, mistakes)).collect();
    cores.map(Affinity::Cores)
}
