//! Weights by formulas of the papers that they are from. Parts that state a weight keep it, and count where all parts are compared.

use crate::objective::GradientExtent;
use equation::counter::Stream;
use equation::problem::Balance;

/// A part whose gradient vanishes gets no more than so many times the mean weight.
const LEAST_SHARE: f64 = 1e-5;

/// One part of the loss, as rules see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    /// Whether its weight is to be found.
    pub(super) free: bool,
    /// The weight that it has.
    pub(super) weight: f64,
}

/// Weights with which all parts are as large as their mean, of sizes without weights; of parts that are not free with them.
pub(super) fn equal(sizes: &[f64], parts: &[Part]) -> Vec<f64> {
    let size = |(&size, part): (&f64, &Part)| if part.free { size } else { part.weight * size };
    let mean = sizes.iter().zip(parts).map(size).sum::<f64>() / sizes.len().max(1) as f64;
    let weight = |(&size, part): (&f64, &Part)| match part.free && mean > 0.0 {
        true => mean / (size + LEAST_SHARE * mean),
        false => part.weight,
    };
    sizes.iter().zip(parts).map(weight).collect()
}

/// Weights with which the mean slope of every part is the largest slope of the equations inside, which keep a weight of one (Wang, Teng,
/// Perdikaris 2021, algorithm 1); where no equation is weighed, of all parts.
pub(super) fn anneal(sizes: &[GradientExtent], inside: &[bool], parts: &[Part]) -> Vec<f64> {
    let own = |part: &Part| if part.free { 1.0 } else { part.weight };
    let any = inside.contains(&true);
    let leading = sizes.iter().zip(inside).zip(parts).filter(|((_, inside), _)| **inside || !any);
    let largest = leading.map(|((size, _), part)| own(part) * size.largest).fold(0.0, f64::max);
    let weight = |((size, &inside), part): ((&GradientExtent, &bool), &Part)| {
        if inside || !part.free || largest == 0.0 {
            own(part)
        } else {
            largest / (size.mean + LEAST_SHARE * largest)
        }
    };
    sizes.iter().zip(inside).zip(parts).map(weight).collect()
}

/// Old weights that follow new ones.
pub(super) fn follow(decay: f64, found: &[f64], parts: &[Part]) -> Vec<f64> {
    let weight = |(found, part): (&f64, &Part)| decay * part.weight + (1.0 - decay) * found;
    let all = found.iter().zip(parts);
    all.map(|(found, part)| if part.free { weight((found, part)) } else { part.weight }).collect()
}

/// Weights that grow with mean squares: gradient ascent, in units of the mean of all mean squares, so that the rate has none.
pub(super) fn ascend(rate: f64, squares: &[f64], parts: &[Part]) -> Vec<f64> {
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    let grown = |(square, part): (&f64, &Part)| match part.free && mean > 0.0 {
        true => part.weight + rate * square / mean,
        false => part.weight,
    };
    squares.iter().zip(parts).map(grown).collect()
}

/// As many weights as there are free parts, with mean one: shares of exponentials.
fn shares(exponents: &[f64], parts: &[Part]) -> Vec<f64> {
    let free = || exponents.iter().zip(parts).filter(|(_, part)| part.free);
    // Exponentials of large numbers overflow, those of differences do not.
    let largest = free().map(|(exponent, _)| *exponent).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = free().map(|(exponent, _)| (exponent - largest).exp()).sum();
    let count = free().count() as f64;
    let weight = |(exponent, part): (&f64, &Part)| match part.free {
        true => count * (exponent - largest).exp() / sum,
        false => part.weight,
    };
    exponents.iter().zip(parts).map(weight).collect()
}

/// SoftAdapt (Heydari, Thompson, Mehmood 2019, normalised): by how mean squares changed, relative to the largest change.
pub(super) fn by_change(strength: f64, before: &[f64], squares: &[f64], parts: &[Part]) -> Vec<f64> {
    let changes: Vec<f64> =
        squares.iter().zip(before).map(|(now, before)| relative(*now, *before) - 1.0).collect();
    let largest = changes.iter().fold(0.0f64, |most, change| most.max(change.abs()));
    let scale = if largest > 0.0 { strength / largest } else { 0.0 };
    shares(&changes.iter().map(|change| scale * change).collect::<Vec<_>>(), parts)
}

/// ReLoBRaLo (Bischof, Kraus 2021, equations 10 and 11), with mean squares at the last look and at the start.
pub(super) fn by_progress(
    balance: Balance,
    (start, before): (&[f64], &[f64]),
    squares: &[f64],
    parts: &[Part],
    (stream, look): (Stream, u64),
) -> Vec<f64> {
    let Balance::ReLoBRaLo { decay, temperature, lookback, .. } = balance else { return Vec::new() };
    let since = |from: &[f64]| {
        let progress = squares.iter().zip(from).map(|(now, from)| relative(*now, *from) / temperature);
        shares(&progress.collect::<Vec<_>>(), parts)
    };
    let looks_back = stream.uniform(look) < lookback;
    let (at_start, recent) = (since(start), since(before));
    let weight = |number: usize| {
        let part = parts[number];
        let history = if looks_back { at_start[number] } else { part.weight };
        if part.free { decay * history + (1.0 - decay) * recent[number] } else { part.weight }
    };
    (0..parts.len()).map(weight).collect()
}

/// A mean square in multiples of another one; what was zero has not grown.
fn relative(now: f64, before: f64) -> f64 {
    if before > 0.0 { now / before } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: Part = Part { free: true, weight: 1.0 };
    const STATED: Part = Part { free: false, weight: 5.0 };

    fn near(found: &[f64], wanted: &[f64]) {
        let close = |(found, wanted): (&f64, &f64)| (found - wanted).abs() < 1e-4 * wanted.abs();
        assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(close), "{found:?} {wanted:?}");
    }

    #[test]
    fn parts_become_as_large_as_their_mean() {
        // The mean of 1, 8 and five times 3.
        near(&equal(&[1.0, 8.0, 3.0], &[FREE, FREE, STATED]), &[8.0, 1.0, 5.0]);
        assert_eq!(equal(&[0.0, 0.0], &[FREE, FREE]), [1.0, 1.0]);
        near(&equal(&[0.0, 2.0], &[FREE, FREE])[..1], &[1e5]);
        near(&follow(0.75, &[9.0, 9.0], &[FREE, STATED]), &[3.0, 5.0]);
    }

    #[test]
    fn mean_slopes_of_conditions_become_the_largest_of_equations() {
        let sizes = [[8.0, 2.0], [3.0, 0.5], [9.0, 0.1]];
        let sizes = sizes.map(|[largest, mean]| GradientExtent { norm: 1.0, largest, mean });
        near(&anneal(&sizes, &[true, false, false], &[FREE, FREE, STATED]), &[1.0, 8.0 / (0.5 + 8e-5), 5.0]);
        near(
            &anneal(&sizes, &[true, false, false], &[STATED, FREE, FREE]),
            &[5.0, 40.0 / (0.5 + 4e-4), 40.0 / (0.1 + 4e-4)],
        );
    }

    #[test]
    fn weights_grow_where_mean_squares_are_large() {
        near(&ascend(0.5, &[3.0, 1.0, 2.0], &[FREE, FREE, STATED]), &[1.75, 1.25, 5.0]);
    }

    #[test]
    fn parts_that_fall_slowly_weigh_more() {
        // Changes -0.5 and 0: exponents -1 and 0.
        let found = by_change(1.0, &[2.0, 2.0, 1.0], &[1.0, 2.0, 1.0], &[FREE, FREE, STATED]);
        let first = 2.0 * (-1f64).exp() / (1.0 + (-1f64).exp());
        near(&found, &[first, 2.0 - first, 5.0]);
        assert_eq!(by_change(1.0, &[0.0, 1.0], &[0.0, 1.0], &[FREE, FREE]), [1.0, 1.0]);
    }

    #[test]
    fn progress_is_compared_with_the_last_look_and_at_times_with_the_start() {
        let (start, before, now) = ([4.0, 1.0], [2.0, 1.0], [1.0, 1.0]);
        let found = |lookback: f64| {
            let rule = Balance::ReLoBRaLo { every: 1, decay: 0.5, temperature: 1.0, lookback };
            by_progress(rule, (&start, &before), &now, &[FREE, FREE], (Stream::new(1, 2), 3))
        };
        let share = |first: f64| 2.0 * first.exp() / (first.exp() + 1f64.exp());
        let recent = share(0.5);
        near(&found(0.0), &[0.5 + 0.5 * recent, 0.5 + 0.5 * (2.0 - recent)]);
        let far = share(0.25);
        near(&found(1.0), &[0.5 * far + 0.5 * recent, 2.0 - (0.5 * far + 0.5 * recent)]);
    }
}
