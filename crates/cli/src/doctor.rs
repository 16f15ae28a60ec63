//! `pinnace doctor`: what is found on this machine. What cannot be found is said to be so.

use crate::exit;
use pinnace::Level;
use std::collections::HashSet;
use std::fs::read_to_string;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn doctor(output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let processor = read_to_string("/proc/cpuinfo").ok();
    let memory = read_to_string("/proc/meminfo").ok();
    let threads = std::thread::available_parallelism().ok().map(|threads| threads.to_string());
    let facts = [
        ("pinnace", Some(env!("CARGO_PKG_VERSION").to_owned())),
        ("system", Some(system())),
        ("CPU", processor.as_deref().and_then(|text| field(text, "model name"))),
        ("features", features()),
        ("cores", processor.as_deref().and_then(cores)),
        ("threads", threads),
        ("memory", memory.as_deref().and_then(|text| gibibytes(text, "MemTotal"))),
        ("memory free", memory.as_deref().and_then(|text| gibibytes(text, "MemAvailable"))),
    ];
    for (name, fact) in facts {
        writeln!(output, "{name:14}{}", fact.as_deref().unwrap_or("not available"))?;
    }
    writeln!(output, "\n{:14}state", "device")?;
    writeln!(output, "{:14}available, f64 and f32, {} instructions", "cpu", Level::best())?;
    writeln!(output, "{:14}available, f64 (slow interpreter, reference for tests)", "reference")?;
    match pinnace::describe_gpu() {
        Ok(gpu) => writeln!(output, "{:14}available, f64 and f32: {gpu}", "cuda")?,
        Err(reason) => writeln!(output, "{:14}not usable: {reason}", "cuda")?,
    }
    Ok(exit::DONE)
}

fn system() -> String {
    let release = read_to_string("/etc/os-release").ok().and_then(|text| {
        text.lines()
            .find_map(|line| line.strip_prefix("PRETTY_NAME="))
            .map(|name| name.trim_matches('"').to_owned())
    });
    let name = release.unwrap_or_else(|| std::env::consts::OS.to_owned());
    format!("{name}, {}", std::env::consts::ARCH)
}

/// The value of the first `key : value` line.
fn field(text: &str, key: &str) -> Option<String> {
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    };
    text.lines().find_map(value)
}

/// Distinct pairs of socket and core.
fn cores(text: &str) -> Option<String> {
    let pairs: HashSet<(String, String)> = text
        .split("\n\n")
        .filter_map(|block| Some((field(block, "physical id")?, field(block, "core id")?)))
        .collect();
    (!pairs.is_empty()).then(|| pairs.len().to_string())
}

fn gibibytes(text: &str, key: &str) -> Option<String> {
    let kibibytes: f64 = field(text, key)?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(format!("{:.1} GiB", kibibytes / (1024.0 * 1024.0)))
}

#[cfg(target_arch = "x86_64")]
fn features() -> Option<String> {
    let found = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
        ("avx512vl", is_x86_feature_detected!("avx512vl")),
    ];
    let names: Vec<&str> = found.into_iter().filter(|(_, found)| *found).map(|(name, _)| name).collect();
    Some(if names.is_empty() { "none beyond sse2".to_owned() } else { names.join(" ") })
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Option<String> {
    None
}
