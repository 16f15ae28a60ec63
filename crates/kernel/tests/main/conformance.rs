//! Every engine against the interpreter: cases × precisions × instruction sets × odd sizes.

use crate::cases::{Case, NETWORKS, case, files, parameters, points};
use crate::weighing::{means, over, total};
use kernel::{Device, Kernel, Points, Precision, Sums};
use linear::Level;

fn evaluate(kernel: &mut Kernel, points: &[Points], parameters: &[f64]) -> (Sums, Vec<f64>) {
    // Poisoned, so that a number that is not written shows.
    let mut gradient = vec![f64::NAN; parameters.len()];
    let losses = kernel
        .evaluate(over(kernel.plan(), points), parameters, &mut gradient)
        .expect("arguments that fit")
        .clone();
    (losses, gradient)
}

fn check(case: &Case, precision: Precision, level: Level, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let mut oracle = Kernel::compile(&case.plan, Device::Reference, Precision::F64).expect("the reference");
    let (wanted, wanted_gradient) = evaluate(&mut oracle, &points, &parameters);
    let mut kernel = Kernel::compile_for_level(&case.plan, precision, level).expect("an available level");
    let (got, gradient) = evaluate(&mut kernel, &points, &parameters);
    let tolerance = case.tolerance(precision);
    let what = format!("{}, {precision} {level}, {count} points", case.name);
    for (got, wanted) in means(&got).iter().zip(&means(&wanted)) {
        let error = (got - wanted).abs() / wanted.abs().max(1e-3);
        assert!(error <= tolerance, "{what}: mean square {got} instead of {wanted}, off by {error:e}");
    }
    let size = wanted_gradient.iter().fold(0.0f64, |size, slope| size.max(slope.abs()));
    for (place, (got, wanted)) in gradient.iter().zip(&wanted_gradient).enumerate() {
        let error = (got - wanted).abs() / size;
        assert!(
            error <= tolerance,
            "{what}: gradient {place} is {got} instead of {wanted}, off by {error:e}"
        );
    }

    let unknowns = case.problem.unknowns.len();
    let (mut values, mut wanted) = (vec![f64::NAN; count * unknowns], vec![0.0; count * unknowns]);
    let mut places = Points::new(case.problem.domain.len());
    (0..count).for_each(|index| places.push(&points[0].row(index)[..case.problem.domain.len()]));
    oracle.predict(&places, &parameters, &mut wanted).expect("arguments that fit");
    kernel.predict(&places, &parameters, &mut values).expect("arguments that fit");
    for (got, wanted) in values.iter().zip(&wanted) {
        assert!(
            (got - wanted).abs() <= tolerance * wanted.abs().max(1.0),
            "{what}: {got} instead of {wanted}"
        );
    }
}

fn levels() -> Vec<Level> {
    Level::ALL.into_iter().filter(|level| level.available()).collect()
}

#[test]
fn every_case_agrees_with_the_interpreter_in_every_precision_on_every_level() {
    for file in files() {
        let case = case(&file, &[]);
        for level in levels() {
            check(&case, Precision::F64, level, 33);
            check(&case, Precision::F32, level, 33);
        }
    }
}

#[test]
fn every_network_and_activation_agrees_with_the_interpreter() {
    for file in ["orders.toml", "inverse.toml", "variable-diffusion.toml", "ansatz-nonlinear.toml"] {
        for network in NETWORKS {
            let case = case(file, network);
            for level in levels() {
                check(&case, Precision::F64, level, 7);
                check(&case, Precision::F32, level, 7);
            }
        }
    }
}

#[test]
fn odd_widths_and_point_counts_agree_with_the_interpreter() {
    for width in [1, 7, 20, 64, 100, 256] {
        let case = case("burgers.toml", &[&format!("network.width={width}"), "network.depth=2"]);
        for level in levels() {
            for count in [1, 31, 65] {
                check(&case, Precision::F64, level, count);
                check(&case, Precision::F32, level, count);
            }
        }
    }
    let case = case("navier-stokes.toml", &[]);
    for count in [1000, 10_007] {
        check(&case, Precision::F64, Level::best(), count);
        check(&case, Precision::F32, Level::best(), count);
    }
}

#[test]
fn many_points_agree_with_the_interpreter() {
    let case = case("navier-stokes.toml", &[]);
    check(&case, Precision::F64, Level::best(), 100_003);
    check(&case, Precision::F32, Level::best(), 100_003);
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let case = case("inverse.toml", &["network.width=24"]);
    let (points, parameters) = (points(&case, 1003), parameters(&case));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut kernel = Kernel::compile(&case.plan, Device::Cpu, Precision::F32).expect("a kernel");
            let (losses, gradient) = evaluate(&mut kernel, &points, &parameters);
            let bits: Vec<u64> = gradient.iter().map(|slope| slope.to_bits()).collect();
            (total(&case.plan, &losses).to_bits(), bits)
        })
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(3));
}

#[test]
fn any_derivative_can_be_predicted() {
    let case = case("ansatz-nonlinear.toml", &[]);
    let along = |axes: &[usize]| equation::expression::Derivative::new(axes).expect("order at most 4");
    let fields = [(0, along(&[])), (0, along(&[1, 1])), (1, along(&[0, 1])), (2, along(&[1, 1, 1]))];
    let plan = case.plan.predicting(&case.problem, &fields).expect("a plan");
    let parameters = parameters(&case);
    let mut oracle = Kernel::compile(&plan, Device::Reference, Precision::F64).expect("a kernel");
    let mut kernel = Kernel::compile(&plan, Device::Cpu, Precision::F64).expect("a kernel");
    let predict = |kernel: &mut Kernel, x: f64| {
        let mut places = Points::new(2);
        places.push(&[0.3, x]);
        let mut values = [f64::NAN; 4];
        kernel.predict(&places, &parameters, &mut values).expect("arguments that fit");
        values
    };
    let values = predict(&mut kernel, 0.4);
    for (got, wanted) in values.iter().zip(predict(&mut oracle, 0.4)) {
        assert!((got - wanted).abs() <= case.tolerance(Precision::F64) * wanted.abs().max(1.0));
    }
    // Fourth-order central differences of the value: step^4 against rounding/step^2, both below 1e-8.
    let h = 2e-3;
    let u = |x: f64| predict(&mut oracle, x)[0];
    let around = [-2.0, -1.0, 0.0, 1.0, 2.0].map({
        let mut u = u;
        move |offset| u(0.4 + offset * h)
    });
    let second =
        (-around[0] + 16.0 * around[1] - 30.0 * around[2] + 16.0 * around[3] - around[4]) / (12.0 * h * h);
    assert!((values[1] - second).abs() < 1e-6 * second.abs().max(1.0), "{} {second}", values[1]);
}
