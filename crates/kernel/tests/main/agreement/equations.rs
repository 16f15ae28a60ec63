//! What it means that normal equations and their solutions agree with those of the CPU.

use super::{assert_close, oracle};
use crate::cases::{Case, parameters, points};
use crate::weighing::{means, over, total};
use kernel::cuda::Purpose;
use kernel::{Kernel, Points};
use linear::{Attempt, Cholesky, Correction, Course, NormalEquations, Subspace, Unknowns};

/// Sums over all rows of products of two numbers of a row: both have their errors, and every addition rounds.
pub(super) fn tolerance(case: &Case, kernel: &Kernel, rows: usize) -> f64 {
    2.0 * case.tolerance(kernel.precision()) + rows as f64 * kernel.precision().epsilon()
}

/// Normal equations, and the losses that come along; and the same call again gives the same bits.
pub(crate) fn equations(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let (mut wanted, mut got) =
        (NormalEquations::new(parameters.len()), NormalEquations::new(parameters.len()));
    let mut oracle = oracle(case);
    let losses = oracle
        .normal_equations(over(&case.plan, &points), &parameters, &mut wanted)
        .expect("arguments")
        .clone();
    let found =
        kernel.normal_equations(over(&case.plan, &points), &parameters, &mut got).expect("arguments").clone();
    let what = format!("{}, {}, {count} points", case.name, kernel.precision());
    let tolerance = tolerance(case, kernel, oracle.row_count(&points));
    assert_close(&what, &means(&found), &means(&losses), tolerance);
    let all = |normal: &NormalEquations| -> (Vec<f64>, Vec<f64>) {
        let columns = (0..parameters.len()).flat_map(|column| normal.matrix().column(column).to_vec());
        (columns.collect(), (0..parameters.len()).map(|row| normal.slope(row)).collect())
    };
    let ((got, got_slope), (wanted, wanted_slope)) = (all(&got), all(&wanted));
    assert_close(&what, &got, &wanted, tolerance);
    assert_close(&what, &got_slope, &wanted_slope, tolerance);
    let mut again = NormalEquations::new(parameters.len());
    assert_eq!(
        kernel.normal_equations(over(&case.plan, &points), &parameters, &mut again).expect("arguments"),
        &found
    );
    assert_eq!(all(&again), (got, got_slope), "{what}: other bits");
}

/// Steps for two dampings at once, towards nothing and towards the momentum, straight and accelerated: their ends, predicted reductions
/// and losses, whatever the unknowns of the equations are.
pub(crate) fn tried_steps(case: &Case, kernel: &mut Kernel, count: usize, unknowns: Unknowns) {
    let (points, parameters) = (points(case, count), parameters(case));
    let momentum: Vec<f64> = parameters.iter().map(|number| 1e-3 * (1e3 * number).sin()).collect();
    let found = kernel
        .linearize(over(&case.plan, &points), &parameters, Some(&momentum), unknowns)
        .expect("a device that solves");
    let mut oracle = oracle(case);
    let mut normal = NormalEquations::new(parameters.len());
    let losses = oracle
        .normal_equations(over(&case.plan, &points), &parameters, &mut normal)
        .expect("arguments")
        .clone();
    let what = format!("{}, {}, {count} points, unknown {unknowns:?}", case.name, kernel.precision());
    let mean = normal.matrix().trace() / parameters.len() as f64;
    let slope: Vec<f64> = (0..parameters.len()).map(|row| normal.slope(row)).collect();
    let tolerance = tolerance(case, kernel, oracle.row_count(&points));
    let norm = slope.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    assert_close(
        &what,
        &[total(&case.plan, &found.sums), found.mean],
        &[total(&case.plan, &losses), mean],
        tolerance,
    );
    assert_close(&what, &[found.slope], &[norm], tolerance);

    // Conjugate gradients alone come to their end with so much damping, or with few parameters.
    let factor = if unknowns.is_iterated() { 100.0 } else { 1.0 };
    let dampings = [(1e-3, false), (1e-3, true), (0.1, false), (0.1, true)];
    let tried_dampings = dampings.map(|(damping, momentum)| (factor * damping, momentum));
    let attempt = |(damping, momentum): (f64, bool)| Attempt {
        added: damping * mean,
        factored: damping * mean,
        momentum,
    };
    for course in [Course::accelerated(unknowns), Course::straight(unknowns)] {
        let tried = kernel.try_steps(&points, &tried_dampings.map(attempt), course).expect("equations");
        for (number, (tried, (damping, pulled))) in tried.iter().zip(tried_dampings).enumerate() {
            let origin = if pulled { momentum.clone() } else { vec![0.0; parameters.len()] };
            let equations = (&normal, damping * mean, &*origin);
            let (end, predicted) = expected_step(&mut oracle, &points, &parameters, equations, course);
            // As ill-conditioned as the equations are.
            let ended = if unknowns.is_iterated() { unknowns.patience().tolerance } else { 0.0 };
            let tolerance = (tolerance + ended) * parameters.len() as f64 / damping;
            let mut got = vec![f64::NAN; parameters.len()];
            kernel.take_step(number, &mut got).expect("a step");
            assert_close(&what, &got, &end, tolerance);
            let wanted = total(&case.plan, oracle.sums(&points, &end).expect("arguments"));
            let size = wanted.max(predicted);
            assert_close(&what, &[total(&case.plan, &tried.sums) / size], &[wanted / size], tolerance);
            assert_close(&what, &[tried.predicted / size], &[predicted / size], tolerance);
        }
    }
    if unknowns.is_iterated() {
        return;
    }
    // Equations without a factor have no solution, and the others are not disturbed.
    let tried = kernel
        .try_steps(&points, &[attempt((-2.0, false)), attempt((0.1, true))], Course::straight(unknowns))
        .expect("equations");
    assert!(tried[0].predicted.is_nan() && tried[1].predicted > 0.0, "{what}: {tried:?}");
}

/// The memory of equations is what was planned for them, with all rows at once and, where they may, in chunks under a limit.
pub(crate) fn planned_equations(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let subspace = Unknowns::subspace(parameters.len(), 3);
    let sketch = Unknowns::sketch(kernel.row_count(&points));
    for unknowns in [Unknowns::Parameters, Unknowns::Rows, Unknowns::Diagonal, sketch, subspace] {
        let taken = |kernel: &mut Kernel, limit: Option<usize>| {
            kernel.limit_device_bytes(limit);
            let plan = kernel.plan_equations(&points, unknowns).expect("room").expect("memory of its own");
            assert_eq!(kernel.device_bytes(), 0, "nothing is taken for a plan");
            kernel.linearize(over(&case.plan, &points), &parameters, None, unknowns).expect("room");
            let bytes = plan.bytes() - plan.kernels - plan.rest;
            assert_eq!(kernel.device_bytes(), bytes, "{}, {unknowns:?}: the plan is exact", case.name);
            (plan.chunks, bytes)
        };
        let (chunks, whole) = taken(kernel, None);
        assert_eq!(chunks, 1);
        if unknowns != Unknowns::Rows {
            let limit = whole_less(kernel, &points, unknowns);
            let (chunks, bytes) = taken(kernel, Some(limit));
            assert!(chunks > 1 && bytes < whole, "{unknowns:?}: {chunks} chunks, {bytes} bytes");
        }
    }
    kernel.limit_device_bytes(None);
}

/// A limit under which rows come in chunks: an eighth of them less than all take, and a quarter of it is kept for other calls.
pub(super) fn whole_less(kernel: &mut Kernel, points: &[Points], unknowns: Unknowns) -> usize {
    kernel.limit_device_bytes(None);
    let plan = kernel.plan_equations(points, unknowns).expect("room").expect("memory of its own");
    let rows: usize = plan.pools.iter().filter(|pool| pool.0 == Purpose::Rows).map(|pool| pool.1).sum();
    (plan.bytes() - plan.kernels - plan.rest - rows / 8) / 3 * 4
}

/// [`tried_steps`] with rows in chunks.
pub(crate) fn tried_steps_in_chunks(case: &Case, kernel: &mut Kernel, count: usize, unknowns: Unknowns) {
    let points = points(case, count);
    let limit = whole_less(kernel, &points, unknowns);
    kernel.limit_device_bytes(Some(limit));
    let plan = kernel.plan_equations(&points, unknowns).expect("room").expect("memory of its own");
    assert!(plan.chunks > 1, "{plan:?}");
    tried_steps(case, kernel, count, unknowns);
    assert!(kernel.device_bytes() <= limit);
}

/// Steps of sketched equations predict what those of all rows do, as far as their conjugate gradients go; the same call again
/// gives the same bits.
pub(crate) fn sketched_steps(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let sketch = Unknowns::sketch(kernel.row_count(&points));
    let mut predictions = [Unknowns::Parameters, sketch, sketch].map(|unknowns| {
        let found = kernel
            .linearize(over(&case.plan, &points), &parameters, None, unknowns)
            .expect("a device that solves");
        let attempt = |damping: f64| {
            let added = damping * found.mean;
            Attempt { added, factored: added, momentum: false }
        };
        let tried = kernel.try_steps(&points, &[attempt(1e-3), attempt(0.1)], Course::accelerated(unknowns));
        tried
            .expect("equations")
            .iter()
            .map(|step| [step.predicted, total(&case.plan, &step.sums)])
            .collect::<Vec<_>>()
    });
    let what = format!("{}, {count} points", case.name);
    let [wanted, got, again] = &mut predictions;
    assert_eq!(got, again, "{what}: other bits");
    for ([wanted, _], [got, _]) in wanted.iter().zip(&*got) {
        // What is left of the slope is left of the predicted reduction, squared and in multiples of the damping.
        let tolerance = sketch.patience().tolerance;
        assert!((got / wanted - 1.0).abs() < tolerance, "{what}: {got} instead of {wanted}");
    }
}

/// Steps in random subspaces, towards nothing and towards the momentum: they are the best there, and accelerate as the CPU's.
/// The same call again gives the same bits, and another turn another step.
pub(crate) fn steps_in_subspaces(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let momentum: Vec<f64> = parameters.iter().map(|number| 1e-3 * (1e3 * number).sin()).collect();
    let nothing = vec![0.0; parameters.len()];
    let (mut oracle, unknowns) = (oracle(case), Subspace::unknowns_for(parameters.len()));
    let what = format!("{}, {count} points", case.name);
    let mut ends = Vec::new();
    for turn in [4, 4, 5] {
        let form = Unknowns::subspace(parameters.len(), turn);
        let found = kernel
            .linearize(over(&case.plan, &points), &parameters, Some(&momentum), form)
            .expect("a device that solves");
        let (subspace, mut normal) =
            (Subspace::draw(parameters.len(), unknowns, turn), NormalEquations::new(unknowns));
        let mut rows = vec![0.0; oracle.row_count(&points)];
        let losses = oracle
            .subspace_equations(over(&case.plan, &points), &parameters, (&subspace, &mut normal), &mut rows)
            .expect("arguments")
            .clone();
        let mean = normal.matrix().trace() / unknowns as f64;
        let tolerance = tolerance(case, kernel, rows.len());
        assert_close(
            &what,
            &[total(&case.plan, &found.sums), found.mean],
            &[total(&case.plan, &losses), mean],
            tolerance,
        );
        let added = 0.1 * mean;
        let mut factor = Cholesky::new(unknowns);
        assert!(factor.factorize(normal.matrix(), added));
        let attempts = [false, true].map(|momentum| Attempt { added, factored: added, momentum });
        for course in [Course::straight(form), Course::accelerated(form)] {
            let tried = kernel.try_steps(&points, &attempts, course).expect("equations");
            for (number, (tried, origin)) in tried.iter().zip([&nothing, &momentum]).enumerate() {
                let mut left = vec![0.0; rows.len()];
                oracle
                    .rows_along(over(&case.plan, &points), &parameters, origin, &mut left)
                    .expect("arguments");
                left.iter_mut().zip(&rows).for_each(|(left, row)| *left = row - *left);
                let solved = |oracle: &mut Kernel, rows: &[f64]| {
                    let (mut back, mut own) = (vec![0.0; parameters.len()], vec![0.0; unknowns]);
                    oracle
                        .rows_back(over(&case.plan, &points), &parameters, rows, &mut back)
                        .expect("arguments");
                    subspace.gather(&back, &mut own);
                    factor.solve(&mut own);
                    let mut step = vec![0.0; parameters.len()];
                    subspace.spread(&own, &mut step);
                    step
                };
                let mut step = solved(&mut oracle, &left);
                step.iter_mut().zip(origin).for_each(|(step, origin)| *step += origin);
                let mut along = vec![0.0; rows.len()];
                if course.acceleration.is_some() {
                    let curved = curvature(&mut oracle, &points, &parameters, &step);
                    let half = solved(&mut oracle, &curved);
                    acceleration(&mut step, &half);
                }
                let end: Vec<f64> = parameters.iter().zip(&step).map(|(from, step)| from - step).collect();
                let mut got = vec![f64::NAN; parameters.len()];
                kernel.take_step(number, &mut got).expect("a step");
                let loose = tolerance * parameters.len() as f64 / 0.1;
                assert_close(&what, &got, &end, loose);
                if course.acceleration.is_none() {
                    oracle
                        .rows_along(over(&case.plan, &points), &parameters, &step, &mut along)
                        .expect("arguments");
                    let square = |rows: &[f64]| rows.iter().map(|row| row * row).sum::<f64>();
                    along.iter_mut().zip(&rows).for_each(|(along, row)| *along = row - *along);
                    let predicted = square(&rows) - square(&along);
                    assert_close(
                        &what,
                        &[tried.predicted / square(&rows)],
                        &[predicted / square(&rows)],
                        loose,
                    );
                    ends.push(got);
                }
            }
        }
    }
    assert_eq!(ends[..2], ends[2..4], "{what}: other bits");
    assert_ne!(ends[..2], ends[4..], "{what}: the same subspace");
}

/// Steps with less damping than their factors have, and ends that are corrected; the same call again gives the same bits.
pub(crate) fn refined_steps(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let momentum: Vec<f64> = parameters.iter().map(|number| 1e-3 * (1e3 * number).sin()).collect();
    let nothing = vec![0.0; parameters.len()];
    let found = kernel
        .linearize(over(&case.plan, &points), &parameters, Some(&momentum), Unknowns::Parameters)
        .expect("a device that solves");
    let mut oracle = oracle(case);
    let mut normal = NormalEquations::new(parameters.len());
    oracle.normal_equations(over(&case.plan, &points), &parameters, &mut normal).expect("arguments");
    let (added, factored, correcting) = (0.01 * found.mean, 0.03 * found.mean, 0.1 * found.mean);
    let attempts = [false, true].map(|momentum| Attempt { added, factored, momentum });
    let distance = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    };
    let tried =
        kernel.try_steps(&points, &attempts, Course::straight(Unknowns::Parameters)).expect("equations");
    for (number, (tried, origin)) in tried.iter().zip([&nothing, &momentum]).enumerate() {
        let [(wanted, predicted), (coarse, _)] = [added, factored].map(|added| {
            expected_step(
                &mut oracle,
                &points,
                &parameters,
                (&normal, added, origin),
                Course::straight(Unknowns::Parameters),
            )
        });
        let mut got = parameters.clone();
        kernel.take_step(number, &mut got).expect("a step");
        let before = distance(&coarse, &wanted);
        assert!(
            distance(&got, &wanted) < 1e-3 * before,
            "{}: {} of {before}",
            case.name,
            distance(&got, &wanted)
        );
        assert!((tried.predicted - predicted).abs() < 1e-3 * predicted, "{}: {}", case.name, tried.predicted);
    }

    let course = Course::corrected(Unknowns::Parameters, correcting);
    let tried = kernel.try_steps(&points, &attempts, course).expect("equations");
    assert_eq!(tried.len(), 4, "corrected ends come behind the others");
    let mut factor = Cholesky::new(parameters.len());
    assert!(factor.factorize(normal.matrix(), correcting));
    for number in 0..2 {
        let (mut end, mut got) = (parameters.clone(), parameters.clone());
        kernel.take_step(number, &mut end).expect("a step");
        kernel.take_step(2 + number, &mut got).expect("a step");
        let before = distance(&end, &got);
        for _ in 0..Correction::TIMES {
            let mut rows = vec![0.0; oracle.row_count(&points)];
            oracle.rows(over(&case.plan, &points), &end, &mut rows).expect("arguments");
            let mut correction = vec![0.0; parameters.len()];
            oracle
                .rows_back(over(&case.plan, &points), &parameters, &rows, &mut correction)
                .expect("arguments");
            factor.solve(&mut correction);
            end.iter_mut().zip(&correction).for_each(|(end, correction)| *end -= correction);
        }
        assert!(distance(&end, &got) < 1e-6 * before, "{}: {} of {before}", case.name, distance(&end, &got));
        let wanted = total(&case.plan, oracle.sums(&points, &end).expect("arguments"));
        let total = total(&case.plan, &tried[2 + number].sums);
        assert!((total - wanted).abs() < 1e-6 * wanted, "{}: {total} instead of {wanted}", case.name);
    }
    assert_eq!(kernel.try_steps(&points, &attempts, course).expect("equations"), tried, "other bits");
}

/// The end of a step, and its predicted reduction, number by number on the host.
pub(super) fn expected_step(
    oracle: &mut Kernel,
    points: &[Points],
    parameters: &[f64],
    (normal, added, origin): (&NormalEquations, f64, &[f64]),
    course: Course,
) -> (Vec<f64>, f64) {
    let dot = |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    let mut factor = Cholesky::new(parameters.len());
    assert!(factor.factorize(normal.matrix(), added));
    let slope: Vec<f64> = (0..parameters.len()).map(|row| normal.slope(row)).collect();
    let mut step: Vec<f64> = slope.iter().zip(origin).map(|(slope, origin)| slope + added * origin).collect();
    factor.solve(&mut step);
    let predicted = dot(&step, &slope) + added * (dot(&step, &step) - dot(&step, origin));
    if course.acceleration.is_some() {
        let curved = curvature(oracle, points, parameters, &step);
        let mut half = vec![0.0; parameters.len()];
        oracle.rows_back(over(oracle.plan(), points), parameters, &curved, &mut half).expect("arguments");
        factor.solve(&mut half);
        acceleration(&mut step, &half);
    }
    (parameters.iter().zip(&step).map(|(from, step)| from - step).collect(), predicted)
}

/// The rows' second derivative along a step.
fn curvature(oracle: &mut Kernel, points: &[Points], parameters: &[f64], step: &[f64]) -> Vec<f64> {
    let mut curved = vec![0.0; oracle.row_count(points)];
    for (length, share) in [(0.1, 100.0), (0.0, -200.0), (-0.1, 100.0)] {
        let at: Vec<f64> = parameters.iter().zip(step).map(|(from, step)| from + length * step).collect();
        let mut rows = vec![0.0; curved.len()];
        oracle.rows(over(oracle.plan(), points), &at, &mut rows).expect("arguments");
        curved.iter_mut().zip(&rows).for_each(|(sum, row)| *sum += share * row);
    }
    curved
}

/// Adds the geodesic acceleration to a step, or as much of it as it may.
fn acceleration(step: &mut [f64], acceleration: &[f64]) {
    let length = |vector: &[f64]| vector.iter().map(|number| number * number).sum::<f64>().sqrt();
    let part = 0.5 * (0.75 * length(step) / (0.5 * length(acceleration))).min(1.0);
    step.iter_mut().zip(acceleration).for_each(|(step, acceleration)| *step += part * acceleration);
}
