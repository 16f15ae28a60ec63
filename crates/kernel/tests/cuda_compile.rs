//! Every kernel of every case compiles for every architecture, without a GPU. Where the run-time compiler is not
//! installed the test says so and passes; PINNACE_CUDA_LIBRARIES names the folder of its library.

#[expect(dead_code, reason = "shared with tests that run the cases")]
mod cases;

use cases::{case, files};
use kernel::Precision;
use kernel::cuda::{CudaError, compile_all};
use rayon::prelude::*;

/// Bytes of registers that one function may move to memory and back. Zero is the aim of kernels that are
/// measured; rare rules with many channels may exceed the registers a little.
const SPILL_BUDGET: usize = 256;

/// Bytes of every function's spill stores, by the compiler's log.
fn spills(log: &str) -> Vec<usize> {
    let before = |line: &str| line.split(" bytes spill stores").next().map(str::to_owned);
    let lines = log.lines().filter(|line| line.contains(" bytes spill stores"));
    let number = |text: String| text.rsplit(' ').next().and_then(|word| word.parse().ok());
    lines.filter_map(before).filter_map(number).collect()
}

fn check(file: &str, settings: &[&str], precision: Precision, architecture: &str) {
    let case = case(file, settings);
    match compile_all(&case.plan, precision, architecture) {
        Ok(reports) => {
            for report in reports {
                let what = format!("{}, {precision}, {architecture}: {}", case.name, report.kernel);
                let spills = spills(&report.log);
                assert!(!spills.is_empty(), "{what}: the log says nothing about registers:\n{}", report.log);
                let worst = spills.into_iter().max().unwrap_or(0);
                assert!(worst <= SPILL_BUDGET, "{what} spills {worst} bytes:\n{}", report.log);
            }
        }
        Err(reason @ CudaError::NoCompiler) => println!("skipped: {reason}"),
        Err(error) => panic!("{}, {precision}, {architecture}: {error}", case.name),
    }
}

#[test]
fn kernels_of_typical_problems_compile_for_every_architecture() {
    for architecture in ["sm_80", "sm_90a", "sm_100"] {
        check("burgers.toml", &["network.width=128", "network.depth=4"], Precision::F32, architecture);
    }
    check("inverse.toml", &["network.kind=modified-mlp"], Precision::F64, "sm_90a");
}

#[test]
#[ignore = "minutes: hundreds of kernels"]
fn kernels_of_every_case_compile() {
    files().par_iter().for_each(|file| {
        check(file, &[], Precision::F32, "sm_90a");
        check(file, &[], Precision::F64, "sm_90a");
    });
}
