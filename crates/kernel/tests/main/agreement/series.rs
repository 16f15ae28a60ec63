//! Steps whose parts are launched in different ways are the same, bit for bit.

use super::ADAM;
use crate::cases::{Case, parameters, points};
use kernel::{DrawnColumn, DrawnPart, Kernel, Recipe, Sequence, Supply, Visits};
use linear::{Moments, Series, Update};
use std::sync::Arc;

/// Everything that a series leaves behind, as bits.
type Left = (Vec<Vec<u64>>, [Vec<u64>; 3], u64, bool);

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn left_by(case: &Case, kernel: &mut Kernel, visits: Visits<'_>, series: Series<'_>) -> Left {
    let (mut parameters, mut history) = (parameters(case), Vec::new());
    let mut moments = Moments::new(parameters.len());
    let factors = case.plan.weights();
    let refused = kernel.run_steps((visits, &factors), series, &mut moments, &mut parameters, &mut history);
    let refused = refused.expect("arguments that fit");
    let mut found: Vec<Vec<u64>> = history.iter().map(|losses| bits(&losses.sums.squares)).collect();
    found.extend(refused.iter().map(|losses| vec![losses.sums.squares.len() as u64]));
    let state = [&parameters, &moments.mean, &moments.square].map(|numbers| bits(numbers));
    (found, state, moments.steps, refused.is_some())
}

/// A recipe for `count` points of every term between zero and one.
fn recipe(case: &Case, count: usize) -> Recipe {
    let supply = |(number, term): (usize, &Arc<equation::taylor::Term>)| {
        let stretched = |dimension| DrawnColumn::Stretched { dimension, low: 0.1, length: 0.8 };
        let columns = (0..term.row.width()).map(stretched).collect();
        let sequence = if number == 0 { Sequence::LatinHypercube } else { Sequence::Uniform };
        // In two parts, of which tiles see the seam.
        let part = |stream, count| DrawnPart {
            count,
            sequence: sequence.clone(),
            stream,
            columns: Vec::clone(&columns),
            inside: None,
            order: None,
        };
        let stream = 10 * number as u64;
        Supply::Drawn(vec![part(stream, count - count / 3), part(stream + 1, count / 3)])
    };
    Recipe::new(7, 5, case.plan.terms.iter().enumerate().map(supply).collect())
}

/// `one` records steps, `other` launches them one by one.
pub(crate) fn series(case: &Case, kernels: [&mut Kernel; 2], count: usize) {
    series_by(ADAM, case, kernels, count);
}

/// The same by any rule.
pub(crate) fn series_by(update: Update, case: &Case, [one, other]: [&mut Kernel; 2], count: usize) {
    let rates: Vec<f64> = (0..19).map(|step| 1e-3 * (1.0 - 0.01 * f64::from(step))).collect();
    let mut diverging = rates.clone();
    diverging[10] = 1e300;
    let (points, recipe) = (points(case, count), recipe(case, count));
    let series = Series { update, rates: &rates, bound: None };
    let drawn = |interval| Visits::Drawn { recipe: &recipe, first: 3, interval, step: 5 };
    let mut same = |what: &str, visits: Visits<'_>, series: Series<'_>| {
        let [got, wanted] = [&mut *one, &mut *other].map(|kernel| left_by(case, kernel, visits, series));
        assert_eq!(got, wanted, "{}, {what}", case.name);
        got
    };
    let fixed = same("given points", Visits::Points(&points), series);
    assert_eq!((fixed.0.len(), fixed.2), (19, 19));
    let fresh = same("points that are drawn at every step", drawn(Some(1)), series);
    assert_ne!(fresh, same("points that are drawn now and then", drawn(Some(4)), series));
    same("points that are drawn once", drawn(None), series);

    let visits = Visits::Points(&points);
    let refused = same("a step that is no number", visits, Series { rates: &diverging, ..series });
    assert_eq!((refused.2, refused.3), (11, true));
    let mut history = Vec::new();
    let mut start = parameters(case);
    let mut moments = Moments::new(start.len());
    one.run_steps((visits, &case.plan.weights()), series, &mut moments, &mut start, &mut history)
        .expect("arguments that fit");
    let bound = history[8].loss * 1.0001;
    let [got, wanted] =
        [one, other].map(|kernel| left_by(case, kernel, visits, Series { bound: Some(bound), ..series }));
    assert_eq!(got, wanted, "{}, a bound", case.name);
    assert!(got.2 <= 9);
}
