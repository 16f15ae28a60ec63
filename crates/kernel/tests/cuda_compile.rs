//! Kernels compile without a GPU, and stay within the registers. Where the run-time compiler is not installed the
//! tests say so and pass; PINNACE_CUDA_LIBRARIES names the folder of its library.

#[expect(dead_code, reason = "shared with tests that run the cases")]
mod cases;

use cases::{Case, case, files};
use kernel::Precision;
use kernel::cuda::{CudaError, Kernels, compile};
use rayon::prelude::*;
use std::io::Write;

/// Bytes of registers that one function may move to memory and back: products of wide layers exceed the 128
/// registers of two blocks per multiprocessor a little, outside their inner loops.
const SPILL_BUDGET: usize = 256;

/// Bytes of every function's spill stores, by the compiler's log.
fn spills(log: &str) -> Vec<usize> {
    let before = |line: &str| line.split(" bytes spill stores").next().map(str::to_owned);
    let lines = log.lines().filter(|line| line.contains(" bytes spill stores"));
    let number = |text: String| text.rsplit(' ').next().and_then(|word| word.parse().ok());
    lines.filter_map(before).filter_map(number).collect()
}

fn check(case: &Case, precision: Precision, kernels: Kernels, architecture: &str) {
    let what = format!("{}, {precision}, {architecture}", case.name);
    match compile(&case.plan, precision, kernels, architecture) {
        Ok(reports) => {
            for report in reports {
                let spills = spills(&report.log);
                assert!(!spills.is_empty(), "{what}: the log says nothing about registers:\n{}", report.log);
                let worst = spills.into_iter().max().unwrap_or(0);
                assert!(
                    worst <= SPILL_BUDGET,
                    "{what}: {} spills {worst} bytes:\n{}",
                    report.kernel,
                    report.log
                );
            }
        }
        Err(reason @ CudaError::NoCompiler) => _ = writeln!(std::io::stdout(), "skipped: {reason}"),
        Err(error) => panic!("{what}: {error}"),
    }
}

/// The built-in problems, as paths from the folder of the cases.
fn built_ins() -> Vec<String> {
    let folder = format!("{}/../../examples", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(folder).expect("the examples are part of the tree");
    let folders =
        entries.map(|entry| entry.expect("a readable folder")).filter(|entry| entry.path().is_dir());
    let path = |entry: std::fs::DirEntry| {
        format!("../../../examples/{}/problem.toml", entry.file_name().to_string_lossy())
    };
    let mut paths: Vec<String> = folders.map(path).collect();
    paths.sort();
    assert!(paths.len() >= 3);
    paths
}

const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90a", "sm_100"];

#[test]
fn training_kernels_of_every_built_in_problem_compile_for_every_architecture() {
    built_ins().par_iter().for_each(|path| {
        ARCHITECTURES.par_iter().for_each(|architecture| {
            check(&case(path, &[]), Precision::F64, Kernels::Training, architecture);
        });
    });
}

#[test]
fn kernels_compile_for_every_architecture_and_precision() {
    let wide = case("burgers.toml", &["network.width=128", "network.depth=4"]);
    for precision in [Precision::F64, Precision::F32, Precision::Bf16x6] {
        ARCHITECTURES.par_iter().for_each(|architecture| {
            check(&wide, precision, Kernels::Training, architecture);
        });
    }
    check(&case("inverse.toml", &["network.kind=modified-mlp"]), Precision::F64, Kernels::All, "sm_90a");
}

#[test]
#[ignore = "minutes: hundreds of kernels"]
fn kernels_of_everything_compile() {
    let precisions = [Precision::F64, Precision::F32, Precision::Bf16x6];
    files().into_iter().chain(built_ins()).par_bridge().for_each(|file| {
        for precision in precisions {
            for architecture in ARCHITECTURES {
                check(&case(&file, &[]), precision, Kernels::All, architecture);
            }
        }
    });
}
