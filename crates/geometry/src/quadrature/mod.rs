//! Integrals over a solid and over pieces of its boundary, as points with weights.
//!
//! `gauss` has the rule on a line, `boundary` lays it along pieces, `inside` along chords through the solid. Where
//! operations cut a piece or a chord, the ends are searched for and the rule lies between them: integrands stay smooth.

mod boundary;
mod gauss;
mod inside;

pub use gauss::gauss;

/// A point of a quadrature rule.
#[derive(Clone, PartialEq, Debug)]
pub struct QuadratureNode {
    /// Where it lies.
    pub point: Vec<f64>,
    /// The outward unit normal; empty inside.
    pub normal: Vec<f64>,
    /// Its share of the length, area or volume.
    pub weight: f64,
}

/// Steps of a search for an end, by halving: to rounding.
const HALVINGS: usize = 60;

/// The place between `low`, where `holds` has the value `at_low`, and `high`, where it has the other, at which it changes.
fn change(mut low: f64, mut high: f64, at_low: bool, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if holds(middle) == at_low {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The intervals of `[low, high]` in which something holds. From a place it is next asked `step` further on.
fn intervals(low: f64, high: f64, step: impl Fn(f64) -> f64, holds: impl Fn(f64) -> bool) -> Vec<[f64; 2]> {
    // The ends themselves lie on a boundary: a rounding away from them it is certain what holds.
    let rim = 1e-12 * (high - low);
    let (first, last) = (low + rim, high - rim);
    let mut found = Vec::new();
    let (mut at, mut before) = (first, holds(first));
    let mut start = before.then_some(low);
    while at < last {
        let next = (at + step(at)).min(last);
        let now = holds(next);
        if now != before {
            let place = change(at, next, before, &holds);
            match start.take() {
                Some(start) => found.push([start, place]),
                None => start = Some(place),
            }
        }
        (at, before) = (next, now);
    }
    found.extend(start.map(|start| [start, high]));
    found
}
