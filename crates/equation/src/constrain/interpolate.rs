//! The ansatz `g + φ·N` from what is prescribed on faces.
//!
//! `g` is the Boolean sum of one interpolation per coordinate (Gordon, Hall 1973): each adds what the ones
//! before it leave to be met at the ends of its own coordinate. Since the data agree where faces meet, that
//! leaves the earlier faces alone.

use super::claim::Datum;
use super::face::{End, Face};
use crate::expression::{Expression, Leaf, Node, Pool};
use crate::problem::{Coordinate, Domain, Role};
use crate::problem::{largest, places};

/// Terms this small, as a share of the largest datum, are rounding: `sin(pi)`.
const ROUNDING: f64 = 1e-14;

/// The coordinates that have data, time first: what holds at its start is then taken as it is, and the other
/// coordinates add only what changes later.
fn axes(domain: &Domain, data: &[Datum]) -> Vec<usize> {
    let mut axes: Vec<usize> = data.iter().map(|datum| datum.face.axis).collect();
    axes.sort_by_key(|&axis| (domain.coordinates[axis].role != Role::Time, axis));
    axes.dedup();
    axes
}

/// A function of the coordinates that takes the prescribed values: `g`.
pub(super) fn interpolant(pool: &mut Pool, domain: &Domain, data: &[Datum]) -> Expression {
    let scale = data.iter().map(|datum| datum.scale).fold(0.0, f64::max);
    let mut sum = pool.number(0.0);
    for axis in axes(domain, data) {
        let own: Vec<&Datum> = data.iter().filter(|datum| datum.face.axis == axis).collect();
        // What is missing, each with its shape. Equal ones share theirs: the shapes of two ends sum to one.
        let mut missing: Vec<(Expression, Expression)> = Vec::new();
        for datum in &own {
            let met = datum.face.of(pool, domain, sum);
            let rest = pool.subtract(datum.data, met);
            let rest = without_rounding(pool, domain, datum.face, rest, scale);
            let shape = shape(pool, domain, datum.face, &own);
            match missing.iter_mut().find(|(other, _)| *other == rest) {
                Some((_, shared)) => *shared = pool.add(*shared, shape),
                None => missing.push((rest, shape)),
            }
        }
        let mut terms = vec![sum];
        terms.extend(missing.into_iter().map(|(rest, shape)| pool.multiply(rest, shape)));
        sum = pool.sum(&terms);
    }
    sum
}

/// A function of order one that vanishes as fast as the prescribed values and slopes demand: `φ`.
pub(super) fn distance(pool: &mut Pool, domain: &Domain, data: &[Datum]) -> Expression {
    let mut factors = Vec::new();
    for axis in axes(domain, data) {
        let own: Vec<&Datum> = data.iter().filter(|datum| datum.face.axis == axis).collect();
        let (low, high) = (multiplicity(&own, End::Low) as f64, multiplicity(&own, End::High) as f64);
        let coordinate = &domain.coordinates[axis];
        let length = coordinate.high - coordinate.low;
        let [from_low, from_high] = distances(pool, coordinate, axis);
        factors.extend([(from_low, low), (from_high, high)]);
        let largest = if low == 0.0 || high == 0.0 {
            // One minus what `shape` lets the value fade with.
            let near = if high == 0.0 { from_low } else { from_high };
            let square = pool.powers(&[(near, 2.0)]);
            // 1 - (1-s)³ = s (s² - 3s + 3), and 1 - (1-s)³ (1+3s) = s² (3s² - 8s + 6) where slopes are given.
            let [a, b, c] = if low + high == 1.0 { [1.0, -3.0, 3.0] } else { [3.0, -8.0, 6.0] };
            let constant = pool.number(c * length * length);
            let rest = pool.combine(&[(square, a), (near, b * length), (constant, 1.0)]);
            factors.push((rest, 1.0));
            length.powf(low + high + 2.0)
        } else {
            // The largest value of s^m (1 - s)^n.
            let share = low.powf(low) * high.powf(high) / (low + high).powf(low + high);
            share * length.powf(low + high)
        };
        factors.push((pool.number(1.0 / largest), 1.0));
    }
    pool.powers(&factors)
}

/// How many derivatives are prescribed at one end, the value being the first.
fn multiplicity(own: &[&Datum], end: End) -> usize {
    own.iter().filter(|datum| datum.face.end == end).count()
}

/// `x - low` and `high - x`.
fn distances(pool: &mut Pool, coordinate: &Coordinate, axis: usize) -> [Expression; 2] {
    let leaf = pool.leaf(Leaf::Coordinate(axis as u16));
    let (low, high) = (pool.number(coordinate.low), pool.number(coordinate.high));
    [pool.subtract(leaf, low), pool.subtract(high, leaf)]
}

/// The polynomial of one coordinate for which `face` gives one and the other data of the coordinate zero.
fn shape(pool: &mut Pool, domain: &Domain, face: Face, own: &[&Datum]) -> Expression {
    let coordinate = &domain.coordinates[face.axis];
    let length = coordinate.high - coordinate.low;
    let mut shares = distances(pool, coordinate, face.axis).map(|part| pool.scale(part, 1.0 / length));
    let ends = [End::Low, End::High];
    let mut counts = ends.map(|end| multiplicity(own, end));
    // As seen from the other end: `far` grows away from the face, `near` vanishes at the other one.
    let inward = match face.end {
        End::Low => 1.0,
        End::High => {
            shares.reverse();
            counts.reverse();
            -1.0
        }
    };
    let [far, near] = shares;
    let slope = |pool: &mut Pool, powers: &[(Expression, f64)]| {
        let product = pool.powers(powers);
        pool.scale(product, inward * length)
    };
    let one = pool.number(1.0);
    match (face.order, counts) {
        // With nothing at the other end the value fades, so that there the network is the field itself.
        (0, [1, 0]) => pool.powers(&[(near, 3.0)]),
        (0, [_, 0]) => {
            let rising = pool.combine(&[(one, 1.0), (far, 3.0)]);
            pool.powers(&[(near, 3.0), (rising, 1.0)])
        }
        (0, [1, 1]) => near,
        (0, [1, _]) => pool.powers(&[(near, 2.0)]),
        (0, [_, 1]) => {
            let square = pool.powers(&[(far, 2.0)]);
            pool.subtract(one, square)
        }
        (0, _) => {
            let rising = pool.combine(&[(one, 1.0), (far, 2.0)]);
            pool.powers(&[(near, 2.0), (rising, 1.0)])
        }
        (_, [_, 0]) => slope(pool, &[(far, 1.0), (near, 3.0)]),
        (_, [_, other]) => slope(pool, &[(far, 1.0), (near, other as f64)]),
    }
}

/// The function without those of its terms that are nothing but rounding on the face.
fn without_rounding(
    pool: &mut Pool,
    domain: &Domain,
    face: Face,
    function: Expression,
    scale: f64,
) -> Expression {
    let places = places(domain, &[face.fixed(domain)]);
    let small = |pool: &Pool, term: Expression, factor: f64| {
        let (_, size) = largest(pool, term, &places);
        size * factor.abs() <= ROUNDING * scale
    };
    if small(pool, function, 1.0) {
        return pool.number(0.0);
    }
    let Node::Sum(constant, terms) = pool.node(function).clone() else { return function };
    let mut kept: Vec<(Expression, f64)> = terms
        .iter()
        .map(|&(term, factor)| (term, factor.get()))
        .filter(|&(term, factor)| !small(pool, term, factor))
        .collect();
    if constant.get().abs() > ROUNDING * scale {
        kept.push((pool.number(constant.get()), 1.0));
    }
    pool.combine(&kept)
}
