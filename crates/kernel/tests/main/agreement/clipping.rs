//! Gradients that a device makes shorter between two launches are those that the host makes shorter.

use super::{ADAM, assert_close, oracle};
use crate::cases::{Case, parameters, points};
use crate::weighing::{over, plan_factors};
use kernel::{Kernel, Points, Visits};
use linear::clip::{Clipping, Partition};
use linear::{Carried, Moments, Series};
use method::Clip;

/// Every matrix of the network with its biases, and what is left.
fn partition(case: &Case) -> Partition {
    let mut parts = Partition::default();
    let tensors = &case.plan.architecture.tensors;
    let mut end = 0;
    for pair in tensors.chunks(2) {
        end = parts.add_map(pair[0].offset, pair[0].shape, true);
    }
    parts.add_loose(end..case.plan.parameter_count());
    parts
}

/// What a series leaves behind: losses, parameters, the rules with what they remember, and which steps were shorter.
type Left = (Vec<f64>, Vec<f64>, Clipping, Vec<bool>);

/// Takes steps of these lengths, in calls of at most so many.
fn run(
    case: &Case,
    kernel: &mut Kernel,
    points: &[Points],
    clips: &[Clip],
    lengths: (&[f64], usize),
) -> Left {
    let (mut parameters, mut history, mut losses) = (parameters(case), Vec::new(), Vec::new());
    let mut moments = Moments::new(parameters.len());
    let (mut clipping, mut shortened) = (Clipping::new(clips, partition(case)), Vec::new());
    let factors = plan_factors(&case.plan, points.iter().map(Points::len));
    for rates in lengths.0.chunks(lengths.1) {
        let series = Series { update: ADAM, rates, bound: None };
        let carried = Carried { moments: &mut moments, clipping: Some(&mut clipping) };
        let over = (Visits::Points(points), &factors[..]);
        let refused = kernel.run_steps(over, series, carried, &mut parameters, &mut history);
        losses.extend(history.iter().map(|visited| visited.loss));
        shortened.extend(std::iter::from_fn(|| clipping.next_step()));
        if refused.expect("arguments that fit").is_some() {
            break;
        }
    }
    (losses, parameters, clipping, shortened)
}

/// All rules, with limits that some gradients of a case are beyond.
fn rules(case: &Case, points: &[Points]) -> Vec<Vec<Clip>> {
    let mut gradient = vec![0.0; case.plan.parameter_count()];
    oracle(case)
        .evaluate(over(&case.plan, points), &parameters(case), &mut gradient)
        .expect("arguments that fit");
    let norm = gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
    let largest = gradient.iter().fold(0.0f64, |most, slope| most.max(slope.abs()));
    let single = [
        Clip::Value { limit: 0.5 * largest },
        Clip::Norm { limit: 0.3 * norm },
        Clip::Layer { limit: 0.3 * norm },
        Clip::GlobalNorm { limit: 0.5 * norm },
        Clip::Adaptive { factor: 0.5, window: 3 },
        Clip::Relative { ratio: 0.01 },
        Clip::Percentile { percentile: 60.0, window: 4 },
        Clip::Average { decay: 0.5, factor: 0.5, floor: 1e-3 * norm },
    ];
    let chained = vec![single[0], single[4], single[1], single[7], single[6]];
    single.into_iter().map(|clip| vec![clip]).chain([chained]).collect()
}

/// By every rule, alone and one after the other, against the host; calls of any length leave the same bits.
pub(crate) fn clipped_steps(case: &Case, kernel: &mut Kernel, count: usize) {
    let points = points(case, count);
    // Now and then too long a step: gradients grow by it.
    let rates: Vec<f64> = (0..11).map(|step| if step % 4 == 2 { 0.5 } else { 1e-2 }).collect();
    let tolerance = (case.tolerance(kernel.precision()) * rates.len() as f64).max(1e-9);
    for clips in rules(case, &points) {
        let what = format!("{}, {clips:?}", case.name);
        let wanted = run(case, &mut oracle(case), &points, &clips, (&rates, rates.len()));
        let got = run(case, kernel, &points, &clips, (&rates, rates.len()));
        assert_close(&what, &got.0, &wanted.0, tolerance);
        assert_close(&what, &got.1, &wanted.1, tolerance);
        for (got, wanted) in got.2.save().iter().zip(wanted.2.save()) {
            assert_eq!(got.len(), wanted.len(), "{what}");
            assert_close(&what, got, &wanted, tolerance);
        }
        assert_eq!(got.3, wanted.3, "{what}");
        assert!(got.3.contains(&true), "{what}: nothing was made shorter");
        assert_eq!(run(case, kernel, &points, &clips, (&rates, 4)), got, "{what}: calls of four steps");
    }
    refused_steps(case, kernel, &points);
}

/// A step that is refused leaves no trace in what rules remember.
fn refused_steps(case: &Case, kernel: &mut Kernel, points: &[Points]) {
    let clips =
        [Clip::Adaptive { factor: 10.0, window: 5 }, Clip::Average { decay: 0.5, factor: 10.0, floor: 1e6 }];
    let rates = [1e-3, 1e-3, 1e300, 1e-3, 1e-3];
    let (losses, .., clipping, shortened) = run(case, kernel, points, &clips, (&rates, rates.len()));
    let (before, .., remembered, _) = run(case, kernel, points, &clips, (&rates[..3], 3));
    assert_eq!((losses.len(), shortened.len()), (3, 3), "the fourth step has no number to go by");
    assert_eq!((losses, clipping.save()), (before, remembered.save()));
}
