//! Kernels compile without a GPU, and stay within the registers. Where the run-time compiler is not installed the
//! tests say so and pass; PINNACE_CUDA_LIBRARIES names the folder of its library.

use crate::cases::{Case, case, files};
use crate::skips::skipped;
use equation::taylor::plan;
use kernel::Precision;
use kernel::cuda::{CudaError, Kernels, compile, kernel_text};
use rayon::prelude::*;

/// Bytes of registers that one function may move to memory and back: kernel, in f64, in other numbers. In brackets
/// the most that was found among the built-in problems.
const SPILL_BUDGETS: [(&str, usize, usize); 12] = [
    // Where fused, 128 registers per thread, and products fill them: what is moved lies outside the loops of products
    // (`benches/gpu/fused-step.md`). In f64 a sum takes two registers (3476), in other numbers one (1140).
    ("evaluate", 3584, 1280),
    // Layer by layer, with as few registers: adjoints of many channels are moved, once per neuron and place (2320).
    ("fill", 3584, 1280),
    ("jacobian", 3584, 1280),
    ("along", 3584, 1280),
    ("transposed", 3584, 1280),
    ("rows", 3584, 1280),
    // A thread may have all registers; the same adjoints (584: a Laplacian in a hundred dimensions, for sm_80).
    ("separate", 640, 256),
    // What moves parameters, by each rule, with what lies in the same text (36 and 208).
    ("update", 64, 256),
    // The same text for every plan, written to fit (8 for sm_100, an address outside of loops; 28 by NVRTC 12.6).
    ("dense", 32, 32),
    ("vectors", 0, 0),
    ("clip", 0, 0),
    // Functions that are called save registers; where a block begins its share, and nowhere in a loop over candidates.
    ("search", 208, 208),
];

fn spill_budget(kernel: &str, precision: Precision) -> usize {
    let found = SPILL_BUDGETS.iter().find(|(own, ..)| *own == kernel);
    let (_, doubles, others) = found.unwrap_or_else(|| panic!("no budget for {kernel}"));
    if precision == Precision::F64 { *doubles } else { *others }
}

/// Bytes of every function's spill stores, by the compiler's log.
fn spills(log: &str) -> Vec<usize> {
    let before = |line: &str| line.split(" bytes spill stores").next().map(str::to_owned);
    let lines = log.lines().filter(|line| line.contains(" bytes spill stores"));
    let number = |text: String| text.rsplit(' ').next().and_then(|word| word.parse().ok());
    lines.filter_map(before).filter_map(number).collect()
}

/// What is wrong with the kernels of a case, a line each.
fn check(case: &Case, precision: Precision, kernels: Kernels, architecture: &str) -> Vec<String> {
    let what = format!("{}, {precision}, {architecture}", case.name);
    match compile(&case.plan, precision, kernels, architecture) {
        Ok(reports) => {
            let mut wrong = Vec::new();
            for report in reports {
                match spills(&report.log).into_iter().max() {
                    None => {
                        wrong.push(format!("{what}: the log of {} says nothing of registers", report.kernel))
                    }
                    Some(worst) if worst > spill_budget(report.kernel, precision) => {
                        wrong.push(format!("{what}: {} spills {worst} bytes", report.kernel));
                    }
                    Some(_) => {}
                }
            }
            wrong
        }
        Err(reason @ (CudaError::NoCompiler | CudaError::NewerCompiler { .. })) => {
            skipped("nvrtc", &reason);
            Vec::new()
        }
        Err(reason @ CudaError::NoArchitecture { .. }) => {
            skipped("newer nvrtc", &reason);
            Vec::new()
        }
        Err(error) => vec![format!("{what}: {error}")],
    }
}

/// Checks cases side by side; all that is wrong is said at once.
fn check_all(cases: Vec<(Case, Precision, Kernels, &str)>) {
    let wrong: Vec<String> = cases
        .par_iter()
        .flat_map_iter(|(case, precision, kernels, architecture)| {
            check(case, *precision, *kernels, architecture)
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
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

const PRECISIONS: [Precision; 6] =
    [Precision::F64, Precision::F32, Precision::Bf16x6, Precision::Fp16x3, Precision::Tf32, Precision::Fp16];

/// Every so many of the built-in problems is compiled in ordinary checks: all of them take the better part of an hour.
const SAMPLE: usize = 11;

#[test]
fn training_kernels_of_a_sample_of_the_built_in_problems_compile() {
    let problems = built_ins().into_iter().zip(ARCHITECTURES.into_iter().cycle()).step_by(SAMPLE);
    let training = |(path, architecture): (String, &'static str)| {
        (case(&path, &[]), Precision::F64, Kernels::Training, architecture)
    };
    check_all(problems.map(training).collect());
}

/// Training kernels of one network of this size in every precision.
fn networks(
    size: [&'static str; 2],
    architecture: &'static str,
) -> impl Iterator<Item = (Case, Precision, Kernels, &'static str)> {
    PRECISIONS
        .into_iter()
        .map(move |precision| (case("burgers.toml", &size), precision, Kernels::Training, architecture))
}

/// Networks with parameters that are no matrices.
const PIRATE: [&str; 3] = ["network.kind=piratenet", "network.depth=1", "network.factorized=true"];
const SEPARABLE: [&str; 3] = ["network.kind=separable", "network.adaptive=layer", "network.depth=1"];

#[test]
fn kernels_compile_in_every_precision() {
    let mut cases: Vec<_> = networks(["network.width=32", "network.depth=2"], "sm_90a").collect();
    let narrow = case("burgers.toml", &["network.width=20", "network.depth=2"]);
    cases.push((narrow, Precision::F64, Kernels::All, "sm_80"));
    for (network, precision, architecture) in
        [(&PIRATE, Precision::F64, "sm_90a"), (&SEPARABLE, Precision::F32, "sm_80")]
    {
        cases.push((case("inverse.toml", network), precision, Kernels::Training, architecture));
    }
    check_all(cases);
}

#[test]
fn every_rule_that_parameters_move_by_compiles() {
    let network = ["network.width=32", "network.depth=2"];
    let of =
        |precision, architecture| (case("inverse.toml", &network), precision, Kernels::Rules, architecture);
    check_all(vec![of(Precision::F64, "sm_80"), of(Precision::Fp16x3, "sm_90a")]);
}

#[test]
#[ignore = "minutes: wide networks, for every architecture"]
fn kernels_of_wide_networks_compile_for_every_architecture_and_precision() {
    let wide = |architecture| networks(["network.width=128", "network.depth=4"], architecture);
    let mut cases: Vec<_> = ARCHITECTURES.into_iter().flat_map(wide).collect();
    let gated = case("inverse.toml", &["network.kind=modified-mlp"]);
    cases.push((gated, Precision::F64, Kernels::All, "sm_90a"));
    cases.push((case("inverse.toml", &PIRATE), Precision::F64, Kernels::All, "sm_90a"));
    cases.push((case("inverse.toml", &SEPARABLE), Precision::F32, Kernels::All, "sm_80"));
    check_all(cases);
}

#[test]
fn kernels_between_the_products_of_a_library_compile() {
    let of = |file: &str, network: &[&str], precision, architecture| {
        (case(file, network), precision, Kernels::Separate, architecture)
    };
    check_all(vec![
        of("burgers.toml", &["network.width=128", "network.depth=4"], Precision::F32, "sm_80"),
        of("navier-stokes.toml", &[], Precision::F64, "sm_90a"),
        of("integrals.toml", &[], Precision::F64, "sm_90a"),
        of("inverse.toml", &["network.kind=modified-mlp"], Precision::F64, "sm_100"),
        of("inverse.toml", &PIRATE, Precision::F64, "sm_90a"),
        of("inverse.toml", &SEPARABLE, Precision::F32, "sm_100"),
    ]);
}

#[test]
#[ignore = "minutes: hundreds of kernels"]
fn kernels_of_everything_compile() {
    let mut cases = Vec::new();
    for (position, file) in files().into_iter().chain(built_ins()).enumerate() {
        // Every file in every precision, and a third of the files in every pair of precision and architecture: all pairs take two hours.
        for (turn, precision) in [Precision::F64, Precision::F32, Precision::Bf16x6].into_iter().enumerate() {
            let architecture = ARCHITECTURES[(position + turn) % ARCHITECTURES.len()];
            cases.push((case(&file, &[]), precision, Kernels::All, architecture));
        }
    }
    check_all(cases);
}

#[test]
fn windows_of_time_share_their_kernels() {
    let case = case("../../../examples/36-kuramoto-sivashinsky/problem.toml", &["training.windows=5"]);
    let windows = case.problem.windows().expect("five windows");
    let text = |number: usize| {
        let plan = plan(&case.problem.window(&windows, number)).expect("a plan");
        kernel_text(&plan, Precision::F64)
    };
    assert_eq!(text(1), text(4));
    assert_eq!(text(0), text(1));
}
