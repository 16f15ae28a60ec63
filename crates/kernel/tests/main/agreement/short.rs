//! What it means that products in half precision agree with exact ones.

use super::equations::{expected_step, tolerance, whole_less};
use super::{assert_close, oracle};
use crate::cases::{Case, parameters, points};
use crate::weighing::over;
use kernel::Kernel;
use linear::{Attempt, Course, NormalEquations, Products, Unknowns};

/// Short products are as near to exact ones as they are said to be, with slopes that are exact, and steps with a thousandth of
/// damping within a hundredth; the same call again gives the same bits.
pub(crate) fn short_products(case: &Case, kernel: &mut Kernel<'_>, count: usize) {
    agree(case, kernel, count, &[Unknowns::Rows, Unknowns::Parameters]);
}

/// The same for the parameters with rows in chunks.
pub(crate) fn short_products_in_chunks(case: &Case, kernel: &mut Kernel<'_>, count: usize) {
    let (points, form) = (points(case, count), (Unknowns::Parameters, Products::Short));
    let limit = whole_less(kernel, &points, form);
    kernel.limit_device_bytes(Some(limit));
    let plan = kernel.plan_equations(&points, form).expect("room").expect("memory of its own");
    assert!(plan.chunks > 1, "{plan:?}");
    agree(case, kernel, count, &[Unknowns::Parameters]);
    assert!(kernel.device_bytes() <= limit);
}

fn agree(case: &Case, kernel: &mut Kernel<'_>, count: usize, all: &[Unknowns]) {
    let (points, parameters) = (points(case, count), parameters(case));
    let momentum: Vec<f64> = parameters.iter().map(|number| 1e-3 * (1e3 * number).sin()).collect();
    let mut oracle = oracle(case);
    let (mut wanted, mut got) =
        (NormalEquations::new(parameters.len()), NormalEquations::new(parameters.len()));
    oracle.normal_equations(over(&case.plan, &points), &parameters, &mut wanted).expect("arguments");
    let tolerance = tolerance(case, kernel, oracle.row_count(&points));
    let error = Products::error(oracle.row_count(&points).max(parameters.len()));
    let mean = wanted.matrix().trace() / parameters.len() as f64;
    let distance = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    };
    for &unknowns in all {
        let what = format!("{}, {count} points, {unknowns:?}", case.name);
        let mut solve = |kernel: &mut Kernel<'_>| {
            let form = (unknowns, Products::Short);
            let found = kernel
                .linearize(over(&case.plan, &points), &parameters, Some(&momentum), form)
                .expect("it solves");
            assert!((found.mean / mean - 1.0).abs() < error, "{what}: {} for {mean}", found.mean);
            if unknowns == Unknowns::Parameters {
                kernel.fetch_equations(&mut got).expect("equations");
            }
            let attempt = |momentum: bool| Attempt { added: 1e-3 * mean, factored: 1e-3 * mean, momentum };
            let tried = kernel.try_steps(&points, &[false, true].map(attempt), Course::accelerated(unknowns));
            let mut ends = [parameters.clone(), parameters.clone()];
            for (number, end) in ends.iter_mut().enumerate() {
                kernel.take_step(number, end).expect("a step");
            }
            (tried.expect("equations"), ends)
        };
        let (tried, ends) = solve(kernel);
        assert_eq!(solve(kernel), (tried, ends.clone()), "{what}: other bits");
        for (end, origin) in ends.iter().zip([&vec![0.0; parameters.len()], &momentum]) {
            let equations = (&wanted, 1e-3 * mean, &**origin);
            let (there, _) =
                expected_step(&mut oracle, &points, &parameters, equations, Course::accelerated(unknowns));
            let (off, length) = (distance(end, &there), distance(&parameters, &there));
            assert!(off < 1e-2 * length, "{what}: {off} of {length}");
        }
    }
    let slopes = |normal: &NormalEquations| -> Vec<f64> {
        (0..parameters.len()).map(|row| normal.slope(row)).collect()
    };
    assert_close(&case.name, &slopes(&got), &slopes(&wanted), tolerance);
    let squares: Vec<f64> = (0..parameters.len()).map(|place| wanted.matrix().column(place)[0]).collect();
    for column in 0..parameters.len() {
        let numbers = got.matrix().column(column).iter().zip(wanted.matrix().column(column));
        for (number, (got, wanted)) in numbers.enumerate() {
            let size = (squares[column] * squares[column + number]).sqrt();
            let off = (got - wanted).abs();
            let most = (error + tolerance) * size;
            assert!(off <= most, "{}: {column}, {number}: {off:e}, {most:e}", case.name);
        }
    }
}
