//! What it means that a kernel agrees with the interpreter.

mod clipping;
mod equations;
mod search;
mod series;
mod staying;
mod vectors;

pub(crate) use clipping::clipped_steps;
pub(crate) use equations::{
    equations, planned_equations, refined_steps, sketched_steps, steps_in_subspaces, tried_steps,
    tried_steps_in_chunks,
};
pub(crate) use search::search;
pub(crate) use series::{series, series_by};
pub(crate) use staying::staying_equations;
pub(crate) use vectors::vectors;

use crate::cases::{Case, parameters, points};
use crate::weighing::{means, over, plan_factors};
use equation::counter::Stream;
use kernel::cuda::{CudaError, MemoryPlan, Purpose};
use kernel::{Device, Kernel, KernelError, Points, Visited, Visits};
use linear::{Moments, Series, Update};

const ADAM: Update =
    Update::Adam { rate: 0.0, mean_decay: 0.9, square_decay: 0.999, floor: 1e-8, decay: 0.0, decaying: 0 };

/// Every other rule that a device moves parameters by.
pub(crate) const OTHERS: [Update; 4] = [
    Update::Momentum { rate: 0.0, momentum: 0.9, nesterov: false },
    Update::Momentum { rate: 0.0, momentum: 0.9, nesterov: true },
    Update::RmsProp { rate: 0.0, square_decay: 0.99, floor: 1e-8, momentum: 0.0 },
    Update::RmsProp { rate: 0.0, square_decay: 0.9, floor: 1e-8, momentum: 0.5 },
];

/// Relative to the largest number.
fn assert_close(what: &str, got: &[f64], wanted: &[f64], tolerance: f64) {
    let size = wanted.iter().fold(1e-3f64, |size, number| size.max(number.abs()));
    for (place, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let error = (got - wanted).abs() / size;
        assert!(error <= tolerance, "{what}: number {place} is {got} instead of {wanted}, off by {error:e}");
    }
}

fn oracle(case: &Case) -> Kernel {
    Kernel::compile(&case.plan, Device::Reference, kernel::Precision::F64).expect("the reference")
}

/// Loss and gradient; and the same call again gives the same bits.
pub(crate) fn evaluations(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let (mut wanted, mut got) = (vec![0.0; parameters.len()], vec![f64::NAN; parameters.len()]);
    let mut oracle = oracle(case);
    let losses =
        oracle.evaluate(over(&case.plan, &points), &parameters, &mut wanted).expect("arguments that fit");
    let found = kernel
        .evaluate(over(&case.plan, &points), &parameters, &mut got)
        .expect("arguments that fit")
        .clone();
    let what = format!("{}, {}, {count} points", case.name, kernel.precision());
    let tolerance = case.tolerance(kernel.precision());
    assert_close(&what, &means(&found), &means(losses), tolerance);
    assert_close(&what, &got, &wanted, tolerance);
    let mut again = vec![f64::NAN; parameters.len()];
    assert_eq!(
        kernel.evaluate(over(&case.plan, &points), &parameters, &mut again).expect("arguments that fit"),
        &found
    );
    assert!(
        got.iter().zip(&again).all(|(one, other)| one.to_bits() == other.to_bits()),
        "{what}: other bits"
    );
}

/// With less memory points come in chunks, which changes no bit; with very little the numbers are the same but for
/// rounding; with too little there is an error, and no harm.
pub(crate) fn memory_limits(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let run = |kernel: &mut Kernel| {
        let mut gradient = vec![f64::NAN; parameters.len()];
        let losses =
            kernel.evaluate(over(&case.plan, &points), &parameters, &mut gradient).expect("memory").clone();
        (losses, gradient, three_steps(kernel, Visits::Points(&points), &parameters))
    };
    let planned = |kernel: &mut Kernel| {
        kernel.plan_memory(Visits::Points(&points)).expect("arguments that fit").expect("memory of its own")
    };
    let (whole, plan) = (run(kernel), planned(kernel));
    assert_eq!(
        (plan.chunks, plan.bytes() - plan.kernels - plan.rest),
        (1, kernel.device_bytes()),
        "the plan is exact"
    );
    let of = |plan: &MemoryPlan, purpose: Purpose| {
        plan.pools.iter().filter(|pool| pool.0 == purpose).map(|pool| pool.1).sum::<usize>()
    };
    kernel.limit_device_bytes(Some(kernel.device_bytes() - of(&plan, Purpose::Points) / 2));
    let chunked = planned(kernel);
    assert!(chunked.chunks > 1 && chunked.blocks == plan.blocks, "{chunked:?}");
    let bytes = chunked.bytes() - chunked.kernels - chunked.rest;
    assert_eq!(three_steps(kernel, Visits::Points(&points), &parameters), whole.2, "chunks change no bit");
    assert_eq!(kernel.device_bytes(), bytes, "the plan is exact");
    // A loss alone needs less beside its points, which may come in fewer chunks then.
    assert_eq!(run(kernel), whole, "chunks change no bit");

    // Every block has its own of both.
    let least = bytes - (of(&chunked, Purpose::Jets) + of(&chunked, Purpose::Gradients)) / 2;
    kernel.limit_device_bytes(Some(least));
    assert!(planned(kernel).blocks < plan.blocks);
    evaluations(case, kernel, count);
    assert!(kernel.device_bytes() <= least);
    kernel.limit_device_bytes(Some(1000));
    let mut gradient = vec![0.0; case.plan.parameter_count()];
    let refused = kernel.evaluate(over(&case.plan, &points), &parameters, &mut gradient);
    assert!(matches!(refused, Err(KernelError::Cuda(CudaError::Memory { .. }))));
    kernel.limit_device_bytes(None);
    assert_eq!(run(kernel), whole);
}

/// With products by a library all channels of all points are planned for, and with less memory points come in chunks:
/// the numbers are the same but for rounding.
pub(crate) fn memory_limits_of_separate_launches(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let planned = |kernel: &mut Kernel| {
        kernel.plan_memory(Visits::Points(&points)).expect("arguments that fit").expect("memory of its own")
    };
    three_steps(kernel, Visits::Points(&points), &parameters);
    let plan = planned(kernel);
    assert_eq!(
        (plan.chunks, plan.bytes() - plan.kernels - plan.rest),
        (1, kernel.device_bytes()),
        "the plan is exact"
    );
    let jets = plan.pools.iter().find(|pool| pool.0 == Purpose::Jets).map_or(0, |pool| pool.1);
    let number = if kernel.precision() == kernel::Precision::F64 { 8 } else { 4 };
    let channels = case.plan.terms.iter().map(|term| term.channels.len()).max().unwrap_or(1);
    let neurons: usize = case.plan.architecture.widths.iter().sum();
    assert!(jets >= neurons * channels * count * number, "{jets} bytes hold all channels of all points");

    let limit = kernel.device_bytes() - jets / 2;
    kernel.limit_device_bytes(Some(limit));
    assert!(planned(kernel).chunks > 1);
    evaluations(case, kernel, count);
    three_steps(kernel, Visits::Points(&points), &parameters);
    assert!(kernel.device_bytes() <= limit);
}

/// Parameters and losses after three steps.
fn three_steps(kernel: &mut Kernel, visits: Visits<'_>, parameters: &[f64]) -> (Vec<f64>, Vec<Visited>) {
    let (mut parameters, mut history) = (parameters.to_vec(), Vec::new());
    let mut moments = Moments::new(parameters.len());
    let series = Series { update: ADAM, rates: &[1e-3; 3], bound: None };
    let factors = match visits {
        Visits::Points(points) => plan_factors(kernel.plan(), points.iter().map(Points::len)),
        Visits::Drawn { .. } => kernel.plan().weights(),
    };
    kernel
        .run_steps((visits, &factors), series, &mut moments, &mut parameters, &mut history)
        .expect("memory");
    (parameters, history)
}

/// Steps of Adam that stay on the device, and where they end.
pub(crate) fn steps(case: &Case, kernel: &mut Kernel, points: &[Points], count: usize) {
    let decaying = case.plan.architecture.weight_count();
    let (mean_decay, square_decay, floor) = (0.9, 0.999, 1e-8);
    let adam = Update::Adam { rate: 0.0, mean_decay, square_decay, floor, decay: 0.01, decaying };
    steps_by(adam, case, kernel, points, count);
}

/// The same by any rule.
pub(crate) fn steps_by(update: Update, case: &Case, kernel: &mut Kernel, points: &[Points], count: usize) {
    let factors = plan_factors(&case.plan, points.iter().map(Points::len));
    let rates: Vec<f64> = (0..count).map(|step| 1e-3 * (1.0 - 0.01 * step as f64)).collect();
    let run = |kernel: &mut Kernel| {
        let (mut parameters, mut history) = (parameters(case), Vec::new());
        let mut moments = Moments::new(parameters.len());
        let mut all = Vec::new();
        // In two calls: moments and the number of steps are carried over.
        for rates in [&rates[..count / 3], &rates[count / 3..]] {
            let series = Series { update, rates, bound: None };
            let visits = Visits::Points(points);
            let refused =
                kernel.run_steps((visits, &factors), series, &mut moments, &mut parameters, &mut history);
            assert_eq!(refused.expect("arguments that fit"), None);
            all.extend(history.iter().map(|visited| visited.loss));
        }
        assert_eq!(moments.steps, count as u64);
        (all, parameters)
    };
    let tolerance = case.tolerance(kernel.precision()) * count as f64;
    let ((got, moved), (wanted, wanted_moved)) = (run(kernel), run(&mut oracle(case)));
    assert_eq!(got.len(), count);
    ends_below_a_bound(kernel, points, Series { update, rates: &rates, bound: None });
    assert_close(&case.name, &got, &wanted, tolerance);
    assert_close(&case.name, &moved, &wanted_moved, tolerance.max(1e-9));

    let mut poisoned = parameters(case);
    poisoned[0] = f64::NAN;
    let (mut after, mut moments) = (poisoned.clone(), Moments::new(poisoned.len()));
    let (mut history, series) = (Vec::new(), Series { update, rates: &rates, bound: None });
    let refused =
        kernel.run_steps((Visits::Points(points), &factors), series, &mut moments, &mut after, &mut history);
    let refused = refused.expect("arguments that fit").expect("a refusal");
    assert!(!refused.loss.is_finite());
    assert!(history.is_empty() && moments == Moments::new(poisoned.len()), "a refused step changes nothing");
    assert!(poisoned.iter().zip(&after).all(|(before, after)| before.to_bits() == after.to_bits()));
}

/// A series ends after the first step from a loss below its bound.
fn ends_below_a_bound(kernel: &mut Kernel, points: &[Points], series: Series<'_>) {
    let factors = plan_factors(kernel.plan(), points.iter().map(Points::len));
    let mut run = |series: Series<'_>| {
        let mut parameters = kernel.plan().initialize(5);
        let (mut history, mut moments) = (Vec::new(), Moments::new(parameters.len()));
        let visits = Visits::Points(points);
        let refused =
            kernel.run_steps((visits, &factors), series, &mut moments, &mut parameters, &mut history);
        assert_eq!(refused.expect("arguments that fit"), None);
        let totals: Vec<f64> = history.iter().map(|visited| visited.loss).collect();
        (totals, moments.steps, parameters)
    };
    let (totals, ..) = run(series);
    let bound = totals[totals.len() / 2] * 1.0001;
    let taken = 1 + totals.iter().position(|&total| total < bound).expect("the middle is below");
    let (bounded, steps, parameters) = run(Series { bound: Some(bound), ..series });
    assert_eq!((bounded.len(), steps), (taken, taken as u64));
    assert_eq!(parameters, run(Series { rates: &series.rates[..taken], ..series }).2, "no step after it");
}

/// Residuals, Jacobian rows, and products with the Jacobian from either side.
pub(crate) fn jacobians(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let noise = Stream::new(21, 4);
    let direction: Vec<f64> = (0..parameters.len()).map(|index| noise.normal(index as u64)).collect();
    let tolerance = case.tolerance(kernel.precision());
    let mut oracle = oracle(case);
    for (term, set) in points.iter().enumerate() {
        let count = set.len() * case.plan.terms[term].residuals.len();
        let seeds: Vec<f64> = (0..count).map(|index| noise.normal(9999 + index as u64)).collect();
        let run = |kernel: &mut Kernel| {
            let mut residuals = vec![f64::NAN; count];
            kernel.residuals(term, set, &parameters, &mut residuals).expect("arguments that fit");
            let mut rows = vec![f64::NAN; count * parameters.len()];
            kernel.jacobian(term, set, &parameters, &mut rows).expect("arguments that fit");
            let mut along = vec![f64::NAN; count];
            kernel
                .jacobian_times(term, set, &parameters, &direction, &mut along)
                .expect("arguments that fit");
            let mut back = vec![f64::NAN; parameters.len()];
            kernel.transposed_times(term, set, &parameters, &seeds, &mut back).expect("arguments that fit");
            [residuals, rows, along, back]
        };
        let what = format!("{}, {}", case.name, kernel.precision());
        let factors = [1.0, 1.0, parameters.len() as f64, count as f64];
        for ((got, wanted), factor) in run(kernel).iter().zip(run(&mut oracle)).zip(factors) {
            assert_close(&what, got, &wanted, tolerance * factor);
        }
    }
}

/// All unknowns at points of the domain.
pub(crate) fn predictions(case: &Case, kernel: &mut Kernel, count: usize) {
    let (points, parameters) = (points(case, count), parameters(case));
    let mut places = Points::new(case.problem.domain.len());
    (0..count).for_each(|index| places.push(&points[0].row(index)[..case.problem.domain.len()]));
    let unknowns = case.problem.unknowns.len();
    let (mut got, mut wanted) = (vec![f64::NAN; count * unknowns], vec![0.0; count * unknowns]);
    kernel.predict(&places, &parameters, &mut got).expect("arguments that fit");
    oracle(case).predict(&places, &parameters, &mut wanted).expect("arguments that fit");
    assert_close(&case.name, &got, &wanted, case.tolerance(kernel.precision()));
}
