//! The reference device: what it computes, and that parallelism changes who computes, not what.

use crate::weighing::{means, over};
use equation::counter::Stream;
use equation::parse::parse_with;
use equation::taylor::{Plan, plan};
use kernel::{Device, Dimension, Kernel, KernelError, Points, Precision, Sums, Weighted};
use std::sync::Arc;

const PROBLEM: &str = r#"
title = "Heat with a reaction"
[domain]
t = [0, 1]
x = [-1, 1]
[unknowns]
u = {}
[equations]
heat = { equation = "u_t = 0.1*u_xx + u^2", weight = 2 }
[conditions]
start = { on = "t = 0", equation = "u = sin(pi*x)", weight = 3 }
walls = { on = "x = -1, x = 1", equation = "u = 0" }
[network]
width = 6
depth = 2
[training]
points = 10
budget = "1 steps"
"#;

fn planned() -> Arc<Plan> {
    let problem = parse_with(PROBLEM, &[]).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("test")));
    plan(&problem).expect("the problem can be planned")
}

fn scattered(plan: &Plan, counts: &[usize]) -> Vec<Points> {
    let stream = Stream::new(1, 2);
    plan.terms
        .iter()
        .zip(counts)
        .enumerate()
        .map(|(number, (term, &count))| {
            let width = term.row.width();
            let mut points = Points::new(width);
            for index in 0..count {
                let row: Vec<f64> = (0..width)
                    .map(|column| stream.uniform(((number * 1000 + index) * width + column) as u64))
                    .collect();
                points.push(&row);
            }
            points
        })
        .collect()
}

fn evaluate(plan: &Arc<Plan>, points: &[Points], parameters: &[f64]) -> (Sums, Vec<f64>) {
    let mut kernel = Kernel::compile(plan, Device::Reference, Precision::F64).unwrap();
    let mut gradient = vec![f64::NAN; parameters.len()];
    let losses = kernel.evaluate(over(plan, points), parameters, &mut gradient).unwrap().clone();
    (losses, gradient)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let plan = planned();
    let points = scattered(&plan, &[333, 70, 5]);
    let parameters = plan.initialize(3);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| evaluate(&plan, &points, &parameters))
    };
    let (losses, gradient) = on(1);
    for threads in [2, 3] {
        let (other_losses, other_gradient) = on(threads);
        assert_eq!(losses, other_losses);
        let same = gradient.iter().zip(&other_gradient).all(|(one, other)| one.to_bits() == other.to_bits());
        assert!(same, "{threads} threads");
    }
}

#[test]
fn the_loss_is_the_weighted_mean_of_squared_residuals() {
    let plan = planned();
    let points = scattered(&plan, &[40, 7, 3]);
    let parameters = plan.initialize(3);
    let (losses, _) = evaluate(&plan, &points, &parameters);
    let mut kernel = Kernel::compile(&plan, Device::Reference, Precision::F64).unwrap();
    let mut total = 0.0;
    for (number, (weight, points)) in [2.0, 3.0, 1.0].into_iter().zip(&points).enumerate() {
        let mut residuals = vec![0.0; points.len()];
        kernel.residuals(number, points, &parameters, &mut residuals).unwrap();
        let mean = residuals.iter().map(|residual| residual * residual).sum::<f64>() / points.len() as f64;
        // Sums of at most 40 positive numbers in another order.
        assert!((mean - means(&losses)[number]).abs() <= 40.0 * f64::EPSILON * mean);
        total += weight * mean;
    }
    assert!((total - crate::weighing::total(&plan, &losses)).abs() <= 100.0 * f64::EPSILON * total);
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let plan = planned();
    let points = scattered(&plan, &[20, 5, 4]);
    let parameters = plan.initialize(3);
    let (_, gradient) = evaluate(&plan, &points, &parameters);
    let step = 1e-5;
    for index in (0..parameters.len()).step_by(5) {
        let at = |shift: f64| {
            let mut moved = parameters.clone();
            moved[index] += shift;
            crate::weighing::total(&plan, &evaluate(&plan, &points, &moved).0)
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        // Central differences: step² times a third derivative, and rounding over the step.
        assert!((slope - gradient[index]).abs() < 1e-7 * (1.0 + slope.abs()), "parameter {index}");
    }
}

#[test]
fn a_term_without_points_adds_nothing() {
    let plan = planned();
    let parameters = plan.initialize(3);
    let (losses, gradient) = evaluate(&plan, &scattered(&plan, &[20, 0, 0]), &parameters);
    assert_eq!(losses.squares[1..], [0.0, 0.0]);
    assert!(losses.squares[0] > 0.0 && losses.squares[0].is_finite());
    assert!(gradient.iter().all(|slope| slope.is_finite()));
}

#[test]
fn a_residual_that_is_not_finite_is_named_and_nothing_panics() {
    let plan = planned();
    let mut parameters = plan.initialize(3);
    parameters.fill(f64::NAN);
    let (losses, _) = evaluate(&plan, &scattered(&plan, &[0, 3, 3]), &parameters);
    assert_eq!(losses.squares.iter().position(|square| !square.is_finite()), Some(1));
}

#[test]
fn predictions_do_not_depend_on_the_company_of_a_point() {
    let plan = planned();
    let parameters = plan.initialize(3);
    let mut kernel = Kernel::compile(&plan, Device::Reference, Precision::F64).unwrap();
    let many = scattered(&plan, &[129]).remove(0);
    let mut together = vec![0.0; many.len()];
    kernel.predict(&many, &parameters, &mut together).unwrap();
    for (row, expected) in many.iter().zip(&together) {
        let mut one = Points::new(2);
        one.push(row);
        let mut alone = [0.0];
        kernel.predict(&one, &parameters, &mut alone).unwrap();
        assert_eq!(alone[0].to_bits(), expected.to_bits());
    }
}

#[test]
fn arguments_of_another_plan_are_refused() {
    let plan = planned();
    let parameters = plan.initialize(3);
    let mut kernel = Kernel::compile(&plan, Device::Reference, Precision::F64).unwrap();
    let mut gradient = vec![0.0; parameters.len()];
    let misfit = |result: Result<&Sums, KernelError>| match result {
        Err(KernelError::Misfit { shape, .. }) => Some(shape),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    let points = scattered(&plan, &[2, 2, 2]);
    let all = over(&plan, &points);
    let few = Weighted { factors: &all.factors[1..], ..all };
    assert_eq!(misfit(kernel.evaluate(few, &parameters, &mut gradient)), Some(Dimension::Weights));
    assert_eq!(
        misfit(kernel.evaluate(Weighted { points: &points[..2], ..all }, &parameters, &mut gradient)),
        Some(Dimension::PointSets)
    );
    assert_eq!(
        misfit(kernel.evaluate(over(&plan, &points), &parameters[1..], &mut gradient)),
        Some(Dimension::Parameters)
    );
    assert_eq!(
        misfit(kernel.evaluate(over(&plan, &points), &parameters, &mut gradient[1..])),
        Some(Dimension::Gradient)
    );
    let wide = vec![Points::new(9); 3];
    assert_eq!(
        misfit(kernel.evaluate(Weighted { points: &wide, ..all }, &parameters, &mut gradient)),
        Some(Dimension::RowWidth)
    );
}
