//! What conditions prescribe, and places at which functions of the coordinates are looked at.

use super::{Domain, PenaltyReason};
use crate::counter::Stream;
use crate::expression::{Expression, Field, Leaf, Pool, evaluate};

/// Places looked at on every face and edge. Odd, so that the middle of a line is among them.
const COUNT: usize = 201;

/// One in this many coordinates of a place lies at its low end, as many at its high end: functions differ
/// most at corners.
const SHARE_OF_ENDS: u64 = 8;

/// Places of the box with these coordinates fixed: always the same ones. Those inside the shape, where there is one and
/// a few of them are; all of a face of the box, as what is built from it uses its values beyond the shape.
pub(crate) fn places(domain: &Domain, fixed: &[(usize, f64)]) -> Vec<Vec<f64>> {
    /// Places looked at for each that is wanted.
    const TRIES: usize = 20;
    let Some(geometry) = &domain.geometry else { return box_places(domain, fixed, COUNT) };
    if fixed.iter().any(|(axis, _)| geometry.axes.contains(axis)) {
        return box_places(domain, fixed, COUNT);
    }
    let mut inside = box_places(domain, fixed, TRIES * COUNT);
    inside.retain(|place| domain.contains(place));
    inside.truncate(COUNT);
    if inside.is_empty() { box_places(domain, fixed, COUNT) } else { inside }
}

/// Places on a piece of the boundary of a shape, at any values of the other coordinates.
pub(crate) fn surface_places(domain: &Domain, surface: usize) -> Vec<Vec<f64>> {
    let Some(geometry) = &domain.geometry else { return Vec::new() };
    let stream = Stream::new(0, 0x9b << 56);
    let dimension = geometry.axes.len();
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    let mut places = box_places(domain, &[], COUNT);
    let mut draw = 0;
    places.retain_mut(|place| {
        let solid = geometry.at(place);
        let piece = &solid.pieces()[surface];
        let unit: Vec<f64> =
            (0..piece.parameters()).map(|number| stream.uniform(draw + number as u64)).collect();
        draw += piece.parameters() as u64;
        piece.place(&unit, &mut point, &mut normal);
        geometry.axes.iter().zip(&point).for_each(|(&axis, &value)| place[axis] = value);
        solid.outward(surface, &point, &normal).is_some()
    });
    places
}

/// Places on a piece of the boundary of a shape in even steps, at the middle of all other coordinates.
pub(crate) fn dense_places(domain: &Domain, surface: usize) -> Vec<Vec<f64>> {
    let Some(geometry) = &domain.geometry else { return Vec::new() };
    let piece = &geometry.solid.pieces()[surface];
    let steps: usize = match piece.parameters() {
        0 => 1,
        1 => 2048,
        _ => 64,
    };
    let dimension = geometry.axes.len();
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    let middle: Vec<f64> = domain.coordinates.iter().map(|own| 0.5 * (own.low + own.high)).collect();
    let mut places = Vec::new();
    for index in 0..steps.pow(piece.parameters() as u32) {
        let mut rest = index;
        let unit = (0..piece.parameters()).map(|_| {
            let step = rest % steps;
            rest /= steps;
            (step as f64 + 0.5) / steps as f64
        });
        piece.place(&unit.collect::<Vec<f64>>(), &mut point, &mut normal);
        if geometry.solid.outward(surface, &point, &normal).is_some() {
            let mut place = middle.clone();
            geometry.axes.iter().zip(&point).for_each(|(&axis, &value)| place[axis] = value);
            places.push(place);
        }
    }
    places
}

fn box_places(domain: &Domain, fixed: &[(usize, f64)], count: usize) -> Vec<Vec<f64>> {
    let free: Vec<usize> =
        (0..domain.len()).filter(|axis| fixed.iter().all(|(other, _)| other != axis)).collect();
    let stream = Stream::new(0, 0x9a << 56);
    let place = |index: usize| {
        let mut place = vec![0.0; domain.len()];
        fixed.iter().for_each(|&(axis, value)| place[axis] = value);
        for (number, &axis) in free.iter().enumerate() {
            // A shape may fill very little of the box.
            let (low, high) = domain.reach(axis);
            let draw = (index * free.len() + number) as u64;
            place[axis] = match stream.bits(2 * draw) % SHARE_OF_ENDS {
                0 => low,
                1 => high,
                // On a line evenly, so that nothing wide hides between two places.
                _ if free.len() == 1 => low + (high - low) * index as f64 / (count - 1) as f64,
                _ => low + (high - low) * stream.uniform(2 * draw + 1),
            };
        }
        place
    };
    (0..if free.is_empty() { 1 } else { count }).map(place).collect()
}

/// A function of the coordinates at a place; no number where it mentions anything else.
pub(crate) fn value(pool: &Pool, function: Expression, place: &[f64]) -> f64 {
    evaluate(pool, function, &|leaf| match leaf {
        Leaf::Coordinate(axis) => place[usize::from(axis)],
        _ => f64::NAN,
    })
}

/// Where the absolute value of a function is largest, and that value. A place where it is no number counts
/// as infinite.
pub(crate) fn largest(pool: &Pool, function: Expression, places: &[Vec<f64>]) -> (usize, f64) {
    let mut found = (0, 0.0);
    if let Some(number) = pool.as_number(function) {
        return (0, if number.is_nan() { f64::INFINITY } else { number.abs() });
    }
    for (index, place) in places.iter().enumerate() {
        let size = value(pool, function, place).abs();
        let size = if size.is_nan() { f64::INFINITY } else { size };
        if size > found.1 {
            found = (index, size);
        }
    }
    found
}

/// The field of an equation that is linear in one field and mentions no other, and what it equals.
pub(crate) fn prescribed(
    pool: &mut Pool,
    residual: Expression,
) -> Result<(Field, Expression), PenaltyReason> {
    let leaves = pool.leaves(&[residual]);
    if leaves.iter().any(|leaf| matches!(leaf, Leaf::Given(_))) {
        return Err(PenaltyReason::Tabulated);
    }
    let known = |leaf: &Leaf| matches!(leaf, Leaf::Coordinate(_) | Leaf::Parameter(_) | Leaf::Field(_));
    let mut fields = leaves.iter().filter_map(|leaf| match leaf {
        Leaf::Field(field) => Some(*field),
        _ => None,
    });
    let (Some(field), None, true) = (fields.next(), fields.next(), leaves.iter().all(known)) else {
        return Err(PenaltyReason::NotPrescribed);
    };
    // What holds for a field elsewhere holds nowhere here.
    if field.site > 0 {
        return Err(PenaltyReason::NotPrescribed);
    }
    let slope = pool.derivative(residual, Leaf::Field(field));
    let factor = match pool.as_number(slope) {
        Some(factor) if factor != 0.0 && factor.is_finite() => factor,
        _ => return Err(PenaltyReason::NotPrescribed),
    };
    let leaf = pool.leaf(Leaf::Field(field));
    let rest = pool.combine(&[(residual, -1.0 / factor), (leaf, 1.0)]);
    // A choice between two equations has a constant slope too.
    let linear = !pool.mentions(rest, |leaf| matches!(leaf, Leaf::Field(_)));
    linear.then_some((field, rest)).ok_or(PenaltyReason::NotPrescribed)
}
