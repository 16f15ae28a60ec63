//! Whether two conditions agree where their faces meet.

use super::claim::{Claim, Datum};
use super::face::Face;
use crate::expression::{Derivative, Pool};
use crate::problem::Domain;
use crate::problem::{largest, places, value};

/// A difference this small, as a share of the larger function, is rounding.
const TOLERANCE: f64 = 1e-12;

/// Two conditions that no field can meet.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// What they disagree on: the unknown, or a derivative.
    pub(super) derivative: Derivative,
    /// Where they differ most.
    pub(super) place: Vec<f64>,
    /// What the first asks for.
    pub(super) first: f64,
    /// What the second asks for.
    pub(super) second: f64,
}

/// The first disagreement of two claims on the same unknown.
pub(super) fn clash(pool: &mut Pool, domain: &Domain, first: &Claim, second: &Claim) -> Option<Clash> {
    let pairs = first.data.iter().flat_map(|one| second.data.iter().map(move |other| (one, other)));
    pairs.into_iter().find_map(|(one, other)| of_data(pool, domain, one, other))
}

fn of_data(pool: &mut Pool, domain: &Domain, one: &Datum, other: &Datum) -> Option<Clash> {
    let (left, right, fixed) = if one.face == other.face {
        (one.data, other.data, vec![one.face.fixed(domain)])
    } else if one.face.axis != other.face.axis {
        // On the common edge each functional of the other's data is the same derivative of the field.
        let left = other.face.of(pool, domain, one.data);
        let right = one.face.of(pool, domain, other.data);
        (left, right, vec![one.face.fixed(domain), other.face.fixed(domain)])
    } else {
        return None;
    };
    if left == right {
        return None;
    }
    let places = places(domain, &fixed);
    let difference = pool.subtract(left, right);
    let (index, size) = largest(pool, difference, &places);
    if size <= (TOLERANCE * one.scale.max(other.scale)).max(one.slack).max(other.slack) {
        return None;
    }
    let place = places[index].clone();
    let (first, second) = (value(pool, left, &place), value(pool, right, &place));
    let derivative = derivative(one.face, other.face);
    Some(Clash { derivative, place, first, second })
}

fn derivative(one: Face, other: Face) -> Derivative {
    let mut axes = vec![one.axis; one.order];
    if one != other {
        axes.extend(vec![other.axis; other.order]);
    }
    Derivative::new(&axes).unwrap_or(Derivative::NONE)
}
