//! The GPU's kernels against the interpreter on a machine without a GPU: the CPU runs their threads in turn.

use crate::agreement;
use crate::cases::{Case, NETWORKS, case, files, parameters, points};
use crate::weighing::over;
use kernel::cuda::{CompileMode, CudaError};
use kernel::{Device, Kernel, KernelError, Precision, Visits};
use linear::Unknowns;

fn stand_in(case: &Case, precision: Precision) -> Kernel {
    Kernel::compile_for_stand_in(&case.plan, precision).expect("a C++ compiler")
}

fn check(file: &str, settings: &[&str], precision: Precision, count: usize) {
    let case = case(file, settings);
    agreement::evaluations(&case, &mut stand_in(&case, precision), count);
}

#[test]
fn loss_and_gradient_are_those_of_the_interpreter() {
    check("burgers.toml", &[], Precision::F32, 33);
    check("inverse.toml", &[], Precision::F64, 70);
    // Four warps and more multiply together.
    check("burgers.toml", &["network.width=64", "network.depth=3"], Precision::Bf16x6, 33);
    // Many points of conditions have networks of their own, which are called.
    check("burgers.toml", &["network.width=64", "network.depth=2"], Precision::Bf16x3, 400);
    check("burgers.toml", &["network.width=40", "network.depth=2"], Precision::Fp16, 33);
    check("burgers.toml", &["network.width=40", "network.depth=2"], Precision::Tf32, 33);
    check("burgers.toml", &["network.kind=residual", "network.depth=2"], Precision::Tf32, 7);
    check("orders.toml", &["network.kind=residual", "network.depth=5"], Precision::F64, 7);
    check("inverse.toml", &PIRATE, Precision::F64, 7);
    check("inverse.toml", &SEPARABLE, Precision::F64, 7);
}

/// Shares, factors of neurons and those of whole layers.
const PIRATE: [&str; 4] =
    ["network.kind=piratenet", "network.depth=2", "network.factorized=true", "network.adaptive=layer"];
const SEPARABLE: [&str; 2] = ["network.kind=separable", "network.adaptive=neuron"];

#[test]
#[ignore = "half a minute: more sizes, precisions and networks"]
fn loss_and_gradient_of_other_networks_are_those_of_the_interpreter() {
    check("burgers.toml", &["network.width=40", "network.depth=3"], Precision::Bf16x6, 33);
    check("burgers.toml", &["network.width=40", "network.depth=3"], Precision::Bf16x3, 9);
    check("burgers.toml", &["network.width=100", "network.depth=2"], Precision::Bf16x3, 41);
    check("burgers.toml", &["network.width=100", "network.depth=3"], Precision::Fp16x3, 41);
    check("burgers.toml", &["network.width=64", "network.depth=1"], Precision::Bf16, 33);
    check("burgers.toml", &["network.width=64", "network.depth=3"], Precision::Tf32, 100);
    check("wave-3d.toml", &["network.width=20", "network.depth=2"], Precision::Tf32, 33);
    check("wave-3d.toml", &["network.width=20", "network.depth=2"], Precision::Bf16x6, 100);
    check("burgers.toml", &["network.width=40", "network.depth=2"], Precision::F64, 31);
    check("inverse.toml", &["network.kind=modified-mlp", "network.activation=silu"], Precision::F32, 7);
}

/// One warp, groups of four, layer by layer.
#[test]
fn numbers_in_half_precision_are_scaled() {
    check("burgers.toml", &["network.width=20", "network.depth=3"], Precision::Fp16x3, 33);
    check("burgers.toml", &["network.width=64", "network.depth=2"], Precision::Fp16x3, 41);
    check("inverse.toml", &["network.kind=modified-mlp"], Precision::Fp16x3, 7);
}

/// As long vectors; tolerances number by number let fewer digits pass.
#[test]
fn scaled_numbers_in_half_precision_are_as_accurate_as_in_single_precision() {
    let case = case("burgers.toml", &["network.width=64", "network.depth=4"]);
    let (points, parameters) = (points(&case, 64), parameters(&case));
    let [mut wanted, mut got] = [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
    let mut oracle = Kernel::compile(&case.plan, Device::Reference, Precision::F64).expect("the reference");
    oracle.evaluate(over(&case.plan, &points), &parameters, &mut wanted).expect("arguments that fit");
    stand_in(&case, Precision::Fp16x3)
        .evaluate(over(&case.plan, &points), &parameters, &mut got)
        .expect("arguments that fit");
    let length =
        |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|number| number * number).sum::<f64>().sqrt();
    let error = length(&mut wanted.iter().zip(&got).map(|(wanted, got)| wanted - got));
    let error = error / length(&mut wanted.iter().copied());
    assert!(error < 6.0 * f64::from(f32::EPSILON), "off by {error:e}");
}

#[test]
fn steps_on_the_device_are_those_of_the_interpreter() {
    let case = case("inverse.toml", &[]);
    agreement::steps(&case, &mut stand_in(&case, Precision::F64), &points(&case, 20), 40);
}

#[test]
fn gradients_are_made_shorter_on_the_device_as_on_the_host() {
    let case = case("inverse.toml", &["network.width=9", "network.depth=2"]);
    agreement::clipped_steps(&case, &mut stand_in(&case, Precision::F64), 20);
}

#[test]
#[ignore = "half a minute: kernels of other kinds"]
fn gradients_are_made_shorter_in_every_kind_of_kernel() {
    let case = case("burgers.toml", &["network.width=20", "network.depth=3"]);
    agreement::clipped_steps(&case, &mut stand_in(&case, Precision::F64), 33);
    agreement::clipped_steps(&case, &mut ordinary(&case, Precision::F64), 33);
}

#[test]
fn steps_by_every_rule_are_those_of_the_interpreter_and_adams_stay_what_they_were() {
    let case = case("inverse.toml", &[]);
    let [mut before, mut after] = [stand_in(&case, Precision::F64), stand_in(&case, Precision::F64)];
    after.set_compile_mode(CompileMode::ReduceOverhead);
    // One after the other in the same kernels, and recorded: no recording of one rule serves another.
    for update in agreement::OTHERS {
        agreement::steps_by(update, &case, &mut after, &points(&case, 7), 48);
    }
    agreement::series(&case, [&mut before, &mut after], 7);
}

#[test]
fn points_inside_a_shape_and_in_the_order_of_an_epoch_are_the_same_however_they_are_found() {
    let case = case("burgers.toml", &[]);
    agreement::search(&case, &mut stand_in(&case, Precision::F64));
}

#[test]
fn tiles_that_were_searched_for_and_steps_launched_singly_agree_with_the_interpreter() {
    let case = case("heat.toml", &[]);
    let mut kernel = stand_in(&case, Precision::F64);
    kernel.set_compile_mode(CompileMode::MaxAutotune);
    agreement::evaluations(&case, &mut kernel, 33);
    kernel.set_compile_mode(CompileMode::Default);
    agreement::steps(&case, &mut kernel, &points(&case, 20), 60);
}

/// Recorded steps of a case beside steps that are launched singly.
fn check_recorded(file: &str, network: &[&str], precision: Precision) {
    let case = case(file, network);
    let [mut recorded, mut one] = [stand_in(&case, precision), stand_in(&case, precision)];
    recorded.set_compile_mode(CompileMode::ReduceOverhead);
    one.set_compile_mode(CompileMode::Default);
    agreement::series(&case, [&mut recorded, &mut one], 7);
}

#[test]
fn recorded_steps_are_those_of_single_launches_bit_for_bit() {
    // One warp.
    check_recorded("burgers.toml", &["network.width=20", "network.depth=3"], Precision::Bf16x6);
}

#[test]
#[ignore = "half a minute: a group of four warps, and an ansatz"]
fn recorded_steps_of_groups_of_warps_are_those_of_single_launches_bit_for_bit() {
    check_recorded("ansatz-nonlinear.toml", &["network.width=18", "network.depth=2"], Precision::F64);
    check_recorded("burgers.toml", &["network.width=64", "network.depth=2"], Precision::Fp16x3);
}

#[test]
#[ignore = "half a minute: more rules than Adam's"]
fn recorded_steps_by_other_rules_are_those_of_single_launches_bit_for_bit() {
    let case = case("burgers.toml", &["network.width=20", "network.depth=2"]);
    let [mut recorded, mut one] = [stand_in(&case, Precision::F64), stand_in(&case, Precision::F64)];
    recorded.set_compile_mode(CompileMode::ReduceOverhead);
    one.set_compile_mode(CompileMode::Default);
    for update in agreement::OTHERS {
        agreement::series_by(update, &case, [&mut recorded, &mut one], 7);
    }
    one.add_up_apart(true);
    agreement::series_by(agreement::OTHERS[3], &case, [&mut recorded, &mut one], 7);
}

/// Steps of a case that add up and move in launches of their own, beside steps of one launch.
fn check_apart(file: &str, network: &[&str], precision: Precision) {
    let case = case(file, network);
    let [mut apart, mut one] = [stand_in(&case, precision), stand_in(&case, precision)];
    apart.add_up_apart(true);
    agreement::series(&case, [&mut apart, &mut one], 7);
}

#[test]
fn steps_that_add_up_and_move_apart_are_those_of_one_launch_bit_for_bit() {
    check_apart("inverse.toml", &["network.width=18", "network.depth=2"], Precision::F64);
}

#[test]
#[ignore = "half a minute: kernels of other kinds"]
fn steps_that_add_up_apart_in_every_kind_of_kernel_are_those_of_one_launch_bit_for_bit() {
    check_apart("burgers.toml", &["network.width=20", "network.depth=3"], Precision::Bf16x6);
    check_apart("orders.toml", &["network.kind=residual", "network.depth=5"], Precision::F64);
    let case = case("inverse.toml", &[]);
    let [mut apart, mut one] = [ordinary(&case, Precision::F64), ordinary(&case, Precision::F64)];
    apart.add_up_apart(true);
    agreement::series(&case, [&mut apart, &mut one], 7);
}

fn ordinary(case: &Case, precision: Precision) -> Kernel {
    let mut kernel = stand_in(case, precision);
    kernel.set_compile_mode(CompileMode::Off);
    kernel
}

#[test]
fn steps_by_separate_launches_are_those_of_the_interpreter() {
    for (file, network, precision) in [
        ("burgers.toml", &["network.width=40", "network.depth=2"][..], Precision::F32),
        ("orders.toml", &["network.kind=residual", "network.depth=5"], Precision::F64),
        ("inverse.toml", &["network.kind=modified-mlp", "network.activation=silu"], Precision::F64),
        ("inverse.toml", &PIRATE, Precision::F64),
        ("inverse.toml", &SEPARABLE, Precision::F64),
    ] {
        let case = case(file, network);
        agreement::evaluations(&case, &mut ordinary(&case, precision), 70);
    }
    let case = case("inverse.toml", &[]);
    agreement::steps(&case, &mut ordinary(&case, Precision::F64), &points(&case, 33), 20);
}

#[test]
fn separate_launches_keep_all_points_in_memory_and_a_limit_all_the_same() {
    let case = case("heat.toml", &[]);
    agreement::memory_limits_of_separate_launches(&case, &mut ordinary(&case, Precision::F64), 400);
}

#[test]
fn separate_launches_refuse_products_that_the_library_does_not_have() {
    let case = case("heat.toml", &[]);
    let (points, parameters) = (points(&case, 3), parameters(&case));
    let mut gradient = vec![0.0; parameters.len()];
    let refused = ordinary(&case, Precision::Bf16x6)
        .evaluate(over(&case.plan, &points), &parameters, &mut gradient)
        .err();
    let reason = CudaError::NoProductsIn { precision: Precision::Bf16x6 };
    assert_eq!(refused, Some(KernelError::Cuda(reason)));
}

#[test]
fn a_memory_limit_is_kept() {
    let case = case("heat.toml", &[]);
    agreement::memory_limits(&case, &mut stand_in(&case, Precision::F64), 400);
}

#[test]
fn a_machine_that_has_too_little_memory_gets_smaller_chunks_and_the_same_bits() {
    let case = case("heat.toml", &[]);
    let (points, parameters) = (points(&case, 1000), parameters(&case));
    let mut whole = vec![0.0; parameters.len()];
    let mut kernel = stand_in(&case, Precision::F64);
    kernel.evaluate(over(&case.plan, &points), &parameters, &mut whole).expect("memory");
    let bytes = kernel.device_bytes() - 2000;
    let mut small =
        Kernel::compile_for_small_stand_in(&case.plan, Precision::F64, bytes).expect("a C++ compiler");
    let mut gradient = vec![0.0; parameters.len()];
    small.evaluate(over(&case.plan, &points), &parameters, &mut gradient).expect("chunks have room");
    assert!(small.device_bytes() <= bytes);
    assert_eq!(gradient, whole);
    let plan = small.plan_memory(Visits::Points(&points)).expect("arguments that fit").expect("a plan");
    assert!(plan.shortage && plan.chunks > 1);
}

#[test]
fn residuals_and_jacobians_are_those_of_the_interpreter() {
    let case = case("inverse.toml", &["network.kind=modified-mlp"]);
    agreement::jacobians(&case, &mut stand_in(&case, Precision::F64), 19);
    let wired = self::case("inverse.toml", &PIRATE);
    agreement::jacobians(&wired, &mut stand_in(&wired, Precision::F64), 19);
}

#[test]
#[ignore = "half a minute: more kernels of their own"]
fn jacobians_of_separable_networks_are_those_of_the_interpreter() {
    let case = case("inverse.toml", &SEPARABLE);
    agreement::jacobians(&case, &mut stand_in(&case, Precision::F64), 19);
}

#[test]
fn equations_are_those_of_the_interpreter() {
    let small = case("inverse.toml", &[]);
    agreement::equations(&small, &mut stand_in(&small, Precision::F64), 70);
    // Layer by layer, with parameters that are no matrices.
    let wired = case("inverse.toml", &PIRATE);
    agreement::equations(&wired, &mut stand_in(&wired, Precision::F64), 19);
    // More than one tile of parameters.
    let wide = case("navier-stokes.toml", &["network.width=11", "network.depth=2"]);
    agreement::equations(&wide, &mut stand_in(&wide, Precision::F64), 37);
    // Conditions at two places, features; more neurons than lanes, several residuals.
    let periodic = case("allen-cahn.toml", &["network.width=9", "network.depth=2"]);
    agreement::equations(&periodic, &mut stand_in(&periodic, Precision::F64), 19);
    let coupled = case("elasticity.toml", &["network.width=35", "network.depth=2"]);
    agreement::equations(&coupled, &mut stand_in(&coupled, Precision::F64), 3);
}

#[test]
fn steps_of_gauss_newton_are_those_of_the_processor() {
    let small = case("inverse.toml", &[]);
    agreement::tried_steps(&small, &mut stand_in(&small, Precision::F64), 70, Unknowns::Parameters);
    // More than one block of columns, and rows in chunks.
    let wide = case("navier-stokes.toml", &["network.width=11", "network.depth=2"]);
    let mut kernel = stand_in(&wide, Precision::F64);
    agreement::tried_steps(&wide, &mut kernel, 100, Unknowns::Parameters);
    let bytes = kernel.device_bytes();
    // A quarter of it is kept for other calls.
    let limit = (bytes - bytes / 10) / 3 * 4;
    kernel.limit_device_bytes(Some(limit));
    agreement::tried_steps(&wide, &mut kernel, 100, Unknowns::Parameters);
    assert!(kernel.device_bytes() <= bytes - bytes / 10);
}

#[test]
fn steps_with_less_damping_than_a_factor_and_corrected_ends_are_those_of_the_processor() {
    let small = case("inverse.toml", &[]);
    agreement::refined_steps(&small, &mut stand_in(&small, Precision::F64), 70);
    let wide = case("navier-stokes.toml", &["network.width=11", "network.depth=2"]);
    agreement::refined_steps(&wide, &mut stand_in(&wide, Precision::F64), 100);
}

#[test]
fn steps_of_gauss_newton_are_the_same_with_rows_as_unknowns() {
    // Fewer rows than parameters, in more than one block; then more, and nothing is left behind for the other form.
    let wide = case("burgers.toml", &["network.width=16", "network.depth=2"]);
    agreement::tried_steps(&wide, &mut stand_in(&wide, Precision::F64), 70, Unknowns::Rows);
    let small = case("inverse.toml", &[]);
    let mut kernel = stand_in(&small, Precision::F64);
    for unknowns in [Unknowns::Rows, Unknowns::Parameters, Unknowns::Rows] {
        agreement::tried_steps(&small, &mut kernel, 70, unknowns);
    }
}

#[test]
fn steps_of_gauss_newton_are_the_same_by_conjugate_gradients_whether_rows_stay_or_come_in_chunks() {
    let small = case("inverse.toml", &[]);
    let mut kernel = stand_in(&small, Precision::F64);
    agreement::tried_steps(&small, &mut kernel, 20, Unknowns::Diagonal);
    agreement::tried_steps_in_chunks(&small, &mut kernel, 20, Unknowns::Diagonal);
}

#[test]
fn steps_of_sketched_equations_are_nearly_those_of_all_rows() {
    let wide = case("burgers.toml", &["network.width=9", "network.depth=2"]);
    agreement::sketched_steps(&wide, &mut stand_in(&wide, Precision::F64), 100);
}

#[test]
fn steps_in_random_subspaces_are_those_of_the_processor() {
    // The last group of parameters is not whole; then factors in wide blocks, and rows in chunks.
    let small = case("inverse.toml", &[]);
    agreement::steps_in_subspaces(&small, &mut stand_in(&small, Precision::F64), 40);
    let wide = case("burgers.toml", &["network.width=14", "network.depth=2"]);
    let mut kernel = stand_in(&wide, Precision::F64);
    agreement::steps_in_subspaces(&wide, &mut kernel, 70);
    let bytes = kernel.device_bytes();
    kernel.limit_device_bytes(Some((bytes - bytes / 10) / 3 * 4));
    agreement::steps_in_subspaces(&wide, &mut kernel, 70);
}

#[test]
fn a_plan_of_the_memory_of_equations_is_exact() {
    let wide = case("navier-stokes.toml", &["network.width=11", "network.depth=2"]);
    agreement::planned_equations(&wide, &mut stand_in(&wide, Precision::F64), 100);
}

#[test]
fn equations_stay_while_gradients_are_evaluated_and_memory_is_planned() {
    let small = case("heat.toml", &[]);
    agreement::staying_equations(&small, &mut stand_in(&small, Precision::F64), 400);
}

#[test]
fn vectors_that_stay_are_those_of_the_host() {
    let case = case("inverse.toml", &[]);
    agreement::vectors(&case, &mut stand_in(&case, Precision::F64));
    let mut kernel = Kernel::compile(&case.plan, Device::Cpu, Precision::F64).expect("a kernel");
    assert!(!kernel.keeps_vectors(), "the processor has them anyway");
    let refused = kernel.reserve_vectors(1, false);
    assert_eq!(refused, Err(KernelError::SolvesNothing { device: Device::Cpu }));
}

#[test]
fn predictions_are_those_of_the_interpreter() {
    let case = case("ansatz-nonlinear.toml", &["network.fourier={ features = 3, scale = 0.3 }"]);
    agreement::predictions(&case, &mut stand_in(&case, Precision::F64), 41);
}

#[test]
#[ignore = "minutes: every case is compiled by the machine's C++ compiler"]
fn every_case_and_network_is_as_the_interpreter_says() {
    for file in files() {
        check(&file, &[], Precision::F64, 11);
        check(&file, &[], Precision::F32, 11);
        let case = case(&file, &[]);
        agreement::evaluations(&case, &mut ordinary(&case, Precision::F32), 11);
    }
    for file in ["inverse.toml", "variable-diffusion.toml"] {
        for network in NETWORKS {
            check(file, network, Precision::F64, 9);
            let case = case(file, network);
            agreement::evaluations(&case, &mut ordinary(&case, Precision::F64), 9);
        }
    }
    for width in [1, 7, 20, 64, 100, 130] {
        let settings = [&format!("network.width={width}")[..], "network.depth=2"];
        check("burgers.toml", &settings, Precision::F32, 65);
        check("burgers.toml", &settings, Precision::F64, 31);
    }
}
