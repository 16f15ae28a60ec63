//! The GPU against the interpreter and against the CPU. Where there is no GPU every test says so and passes.

use crate::agreement;
use crate::cases::{Case, NETWORKS, case, files, parameters, points};
use crate::skips::skipped;
use crate::weighing::{over, total};
use kernel::cuda::CompileMode;
use kernel::{Device, Kernel, Precision};
use linear::{Moments, Unknowns, Update};
use rayon::prelude::*;

const PRECISIONS: [Precision; 4] = [Precision::F64, Precision::F32, Precision::Bf16x6, Precision::Fp16x3];

/// Whether there is a GPU; says why not.
fn gpu() -> bool {
    match kernel::cuda::describe() {
        Ok(_) => true,
        Err(reason) => {
            skipped("gpu", &reason);
            false
        }
    }
}

fn compiled(case: &Case, precision: Precision) -> Kernel {
    let kernel = Kernel::compile(&case.plan, Device::Cuda, precision);
    kernel.unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

#[test]
fn every_case_agrees_with_the_interpreter_in_every_precision() {
    if !gpu() {
        return;
    }
    files().par_iter().for_each(|file| {
        let case = case(file, &[]);
        for precision in PRECISIONS {
            let mut kernel = compiled(&case, precision);
            agreement::evaluations(&case, &mut kernel, 33);
            agreement::predictions(&case, &mut kernel, 33);
        }
    });
}

#[test]
fn every_network_and_activation_agrees_with_the_interpreter() {
    if !gpu() {
        return;
    }
    let files = ["orders.toml", "inverse.toml", "variable-diffusion.toml", "ansatz-nonlinear.toml"];
    let all: Vec<_> = files.iter().flat_map(|file| NETWORKS.map(|network| (file, network))).collect();
    all.par_iter().for_each(|(file, network)| {
        let case = case(file, network);
        for precision in PRECISIONS {
            agreement::evaluations(&case, &mut compiled(&case, precision), 7);
        }
    });
}

#[test]
fn odd_widths_and_point_counts_agree_with_the_interpreter() {
    if !gpu() {
        return;
    }
    [1, 7, 20, 64, 100, 256, 512].par_iter().for_each(|width| {
        let case = case("burgers.toml", &[&format!("network.width={width}"), "network.depth=2"]);
        for precision in PRECISIONS {
            let mut kernel = compiled(&case, precision);
            for count in [1, 31, 65, 1000] {
                agreement::evaluations(&case, &mut kernel, count);
            }
        }
    });
    let case = case("navier-stokes.toml", &[]);
    for precision in PRECISIONS {
        agreement::evaluations(&case, &mut compiled(&case, precision), 100_003);
    }
}

#[test]
fn jacobians_agree_with_the_interpreter() {
    if !gpu() {
        return;
    }
    let files = [
        "inverse.toml",
        "ansatz-nonlinear.toml",
        "navier-stokes.toml",
        "variable-diffusion.toml",
        "orders.toml",
    ];
    let networks = [&["network.depth=2"][..], &["network.kind=modified-mlp"]];
    let all: Vec<_> = files.iter().flat_map(|file| networks.map(|network| (file, network))).collect();
    all.par_iter().for_each(|(file, network)| {
        let case = case(file, network);
        for precision in PRECISIONS {
            agreement::jacobians(&case, &mut compiled(&case, precision), 70);
        }
    });
}

#[test]
fn equations_and_their_solutions_agree_with_the_processor() {
    if !gpu() {
        return;
    }
    let all = [
        ("inverse.toml", &[][..], 1000),
        ("navier-stokes.toml", &["network.width=11", "network.depth=2"], 301),
        ("burgers.toml", &["network.width=20", "network.depth=4"], 2000),
        ("burgers.toml", &["network.width=40", "network.depth=3"], 300),
        ("variable-diffusion.toml", &["network.kind=modified-mlp"], 17),
    ];
    all.par_iter().for_each(|&(file, network, count)| {
        let case = case(file, network);
        agreement::equations(&case, &mut compiled(&case, Precision::F32), count);
        let mut kernel = compiled(&case, Precision::F64);
        agreement::equations(&case, &mut kernel, count);
        agreement::tried_steps(&case, &mut kernel, count, Unknowns::Rows);
        agreement::tried_steps(&case, &mut kernel, count, Unknowns::Parameters);
        if count >= 1000 {
            // Rows in chunks: a quarter of the limit is kept for other calls.
            let bytes = kernel.device_bytes();
            kernel.limit_device_bytes(Some((bytes - bytes / 20) / 3 * 4));
            agreement::refined_steps(&case, &mut kernel, count);
            agreement::tried_steps(&case, &mut kernel, count, Unknowns::Parameters);
        }
    });
}

#[test]
fn steps_without_a_factor_of_their_own_agree_with_the_processor() {
    if !gpu() {
        return;
    }
    let all =
        [("inverse.toml", &[][..], 1000), ("burgers.toml", &["network.width=11", "network.depth=2"], 2000)];
    all.par_iter().for_each(|&(file, network, count)| {
        let case = case(file, network);
        let mut kernel = compiled(&case, Precision::F64);
        agreement::planned_equations(&case, &mut kernel, count);
        agreement::tried_steps(&case, &mut kernel, count, Unknowns::Diagonal);
        agreement::sketched_steps(&case, &mut kernel, count);
        agreement::steps_in_subspaces(&case, &mut kernel, count);
        agreement::tried_steps_in_chunks(&case, &mut kernel, count, Unknowns::Diagonal);
    });
    // Too ill-conditioned for conjugate gradients alone.
    let wide = case("burgers.toml", &["network.width=40", "network.depth=3"]);
    agreement::sketched_steps(&wide, &mut compiled(&wide, Precision::F64), 300);
}

#[test]
fn steps_on_the_device_are_those_of_the_interpreter() {
    if !gpu() {
        return;
    }
    let case = case("inverse.toml", &[]);
    // In f64 only: Adam turns the sign of a slope that is nothing but rounding into a whole step.
    agreement::steps(&case, &mut compiled(&case, Precision::F64), &points(&case, 300), 50);
}

/// Few enough points and steps for a tool that looks at every access to memory.
#[test]
fn fused_steps_of_few_points_agree_with_the_interpreter() {
    if !gpu() {
        return;
    }
    // One warp, a group of four, two groups; the tensor cores' instruction of single warps and that of groups.
    for network in [["network.width=20", "network.depth=3"], ["network.width=64", "network.depth=2"]] {
        let case = case("burgers.toml", &network);
        for precision in [Precision::F64, Precision::Bf16x6, Precision::Fp16x3, Precision::Bf16x3] {
            agreement::evaluations(&case, &mut compiled(&case, precision), 50);
        }
        agreement::steps(&case, &mut compiled(&case, Precision::F64), &points(&case, 30), 6);
    }
    let case = case("burgers.toml", &["network.width=128", "network.depth=2"]);
    agreement::evaluations(&case, &mut compiled(&case, Precision::Bf16x6), 50);
}

#[test]
fn points_inside_a_shape_and_in_the_order_of_an_epoch_are_the_same_however_they_are_found() {
    if !gpu() {
        return;
    }
    let case = case("burgers.toml", &[]);
    agreement::search(&case, &mut compiled(&case, Precision::F64));
}

#[test]
fn recorded_steps_are_those_of_single_launches_bit_for_bit() {
    if !gpu() {
        return;
    }
    for (file, network, precision, count) in [
        ("burgers.toml", ["network.width=128", "network.depth=4"], Precision::Fp16x3, 500),
        ("burgers.toml", ["network.width=20", "network.depth=8"], Precision::Bf16x6, 1000),
        ("ansatz-nonlinear.toml", ["network.width=18", "network.depth=2"], Precision::F64, 200),
        ("burgers.toml", ["network.width=64", "network.depth=3"], Precision::F64, 300),
        ("burgers.toml", ["network.width=64", "network.depth=1"], Precision::Bf16x3, 7),
    ] {
        let case = case(file, &network);
        let [mut recorded, mut one] = [compiled(&case, precision), compiled(&case, precision)];
        recorded.set_compile_mode(CompileMode::ReduceOverhead);
        one.set_compile_mode(CompileMode::Default);
        agreement::series(&case, [&mut recorded, &mut one], count);
    }
}

#[test]
fn steps_that_add_up_and_move_apart_are_those_of_one_launch_bit_for_bit() {
    if !gpu() {
        return;
    }
    for (file, network, precision, count) in [
        ("burgers.toml", ["network.width=128", "network.depth=4"], Precision::Fp16x3, 5000),
        ("burgers.toml", ["network.width=20", "network.depth=8"], Precision::Bf16x6, 1000),
        ("inverse.toml", ["network.width=18", "network.depth=2"], Precision::F64, 200),
    ] {
        let case = case(file, &network);
        let [mut apart, mut one] = [compiled(&case, precision), compiled(&case, precision)];
        apart.add_up_apart(true);
        agreement::series(&case, [&mut apart, &mut one], count);
    }
}

/// A tile or two of every term: few enough accesses for a tool that follows each of them in shared memory.
fn tiles_agree(width: &str, precision: Precision) {
    if gpu() {
        let case = case("burgers.toml", &[width, "network.depth=2"]);
        agreement::evaluations(&case, &mut compiled(&case, precision), 9);
    }
}

#[test]
fn tiles_of_single_warps_agree_with_the_interpreter() {
    tiles_agree("network.width=20", Precision::Bf16x6);
}

#[test]
fn tiles_of_a_group_of_warps_agree_with_the_interpreter() {
    tiles_agree("network.width=64", Precision::Bf16x6);
}

#[test]
fn tiles_of_scaled_numbers_agree_with_the_interpreter() {
    tiles_agree("network.width=40", Precision::Fp16x3);
}

#[test]
fn tiles_of_single_precision_rounded_agree_with_the_interpreter() {
    tiles_agree("network.width=40", Precision::Tf32);
}

#[test]
fn tiles_in_f64_agree_with_the_interpreter() {
    tiles_agree("network.width=40", Precision::F64);
}

/// The step by cuBLASLt and kernels between its products.
fn ordinary(case: &Case, precision: Precision) -> Kernel {
    let mut kernel = compiled(case, precision);
    kernel.set_compile_mode(CompileMode::Off);
    kernel
}

#[test]
fn separate_launches_agree_with_the_interpreter() {
    if !gpu() {
        return;
    }
    files().par_iter().for_each(|file| {
        let case = case(file, &[]);
        for precision in [Precision::F64, Precision::F32, Precision::Tf32] {
            agreement::evaluations(&case, &mut ordinary(&case, precision), 33);
        }
    });
    NETWORKS.par_iter().for_each(|network| {
        let case = case("inverse.toml", network);
        agreement::evaluations(&case, &mut ordinary(&case, Precision::F64), 70);
    });
    [1, 7, 64, 100, 512].par_iter().for_each(|width| {
        let case = case("burgers.toml", &[&format!("network.width={width}"), "network.depth=2"]);
        for precision in [Precision::F64, Precision::F32] {
            let mut kernel = ordinary(&case, precision);
            [1, 31, 1000].iter().for_each(|&count| agreement::evaluations(&case, &mut kernel, count));
        }
    });
}

#[test]
fn vectors_that_stay_are_those_of_the_host() {
    if !gpu() {
        return;
    }
    let case = case("burgers.toml", &["network.width=20", "network.depth=4"]);
    agreement::vectors(&case, &mut compiled(&case, Precision::F64));
    agreement::vectors(&case, &mut compiled(&case, Precision::F32));
}

#[test]
fn steps_by_separate_launches_are_those_of_the_interpreter() {
    if !gpu() {
        return;
    }
    let inverse = case("inverse.toml", &[]);
    agreement::steps(&inverse, &mut ordinary(&inverse, Precision::F64), &points(&inverse, 300), 50);
    let heat = case("heat.toml", &[]);
    let mut kernel = ordinary(&heat, Precision::F32);
    agreement::memory_limits_of_separate_launches(&heat, &mut kernel, 50_000);
}

#[test]
fn a_memory_limit_is_kept() {
    if !gpu() {
        return;
    }
    let case = case("heat.toml", &[]);
    agreement::memory_limits(&case, &mut compiled(&case, Precision::F32), 50_000);
}

#[test]
fn two_kernels_give_the_same_bits() {
    if !gpu() {
        return;
    }
    // Of the fused ones blocks share gradients, and have several tiles each.
    let fused = ["network.width=64", "network.depth=3"];
    for (file, network, precision) in [
        ("inverse.toml", &["network.width=24"][..], Precision::F32),
        ("burgers.toml", &fused, Precision::Bf16x6),
        ("burgers.toml", &fused, Precision::F64),
    ] {
        let case = case(file, network);
        let (points, parameters) = (points(&case, 30_003), parameters(&case));
        let run = |kernel: &mut Kernel| {
            let mut gradient = vec![f64::NAN; parameters.len()];
            let losses = kernel
                .evaluate(over(&case.plan, &points), &parameters, &mut gradient)
                .expect("arguments that fit");
            let bits: Vec<u64> = gradient.iter().map(|slope| slope.to_bits()).collect();
            (total(&case.plan, losses).to_bits(), bits)
        };
        let (mut one, mut other) = (compiled(&case, precision), compiled(&case, precision));
        let first = run(&mut one);
        assert_eq!(first, run(&mut other));
        // Half of the points at a time.
        let inside = points[0].len() * points[0].width() * size_of::<f64>();
        other.limit_device_bytes(Some(one.device_bytes() - inside / 2));
        assert_eq!(first, run(&mut other), "{}", case.name);
    }
}

#[test]
fn two_hundred_steps_of_adam_follow_the_processor() {
    if !gpu() {
        return;
    }
    let case = case("burgers.toml", &["network.width=64", "network.depth=4"]);
    let points = points(&case, 2000);
    let curve = |device: Device| -> Vec<f64> {
        let mut kernel = Kernel::compile(&case.plan, device, Precision::F32).expect("a kernel");
        let mut parameters = case.plan.initialize(3);
        let mut gradient = vec![0.0; parameters.len()];
        let mut moments = Moments::new(parameters.len());
        let update = Update::Adam {
            rate: 1e-3,
            mean_decay: 0.9,
            square_decay: 0.999,
            floor: 1e-8,
            decay: 0.0,
            decaying: 0,
        };
        let step = |_| {
            let losses = kernel
                .evaluate(over(&case.plan, &points), &parameters, &mut gradient)
                .expect("arguments that fit");
            let total = total(&case.plan, losses);
            update.apply(&mut moments, &mut parameters, &gradient);
            total
        };
        (0..200).map(step).collect()
    };
    for (step, (gpu, cpu)) in curve(Device::Cuda).iter().zip(curve(Device::Cpu)).enumerate() {
        assert!((gpu - cpu).abs() <= 1e-3 * cpu, "step {step}: {gpu} on the GPU, {cpu} on the processor");
    }
}
