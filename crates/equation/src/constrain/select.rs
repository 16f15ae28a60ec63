//! Which of the conditions of an unknown are built into its ansatz.

use super::claim::{Claim, Datum};
use super::compatible::{Clash, clash};
use super::face::Face;
use super::interpolate::{distance, interpolant};
use crate::expression::{Expression, Leaf, Pool};
use crate::problem::PenaltyReason;
use crate::problem::{Added, Problem};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Coordinates with values other than zero at their ends: the Boolean sum over d of them has 3^d - 1 terms.
const MAX_AXES: usize = 3;

/// Coordinates with any data: the product of more distances is small nearly everywhere.
const MAX_ZERO_AXES: usize = 6;

/// Distinct subexpressions of `g`, all of which are computed at every point in every step.
const MAX_NODES: usize = 400;

/// Equations that prescribe one unknown: every two are compared.
const MAX_CLAIMS: usize = 100;

/// What became of the claims on one unknown.
pub(super) struct Selected {
    /// Claims that stay penalties, by [`Claim::number`].
    pub(super) refused: Vec<(usize, PenaltyReason)>,
    /// The ansatz that meets all the others; `None` when there are none.
    pub(super) ansatz: Option<Expression>,
}

/// Chooses among claims on one unknown. On a limit, those on the most faces go first.
pub(super) fn select(pool: &mut Pool, problem: &Problem, mut claims: Vec<&Claim>) -> Selected {
    if claims.len() > MAX_CLAIMS {
        let reason = PenaltyReason::TooManyEquations { count: claims.len(), limit: MAX_CLAIMS };
        let refused = claims.iter().map(|claim| (claim.number, reason.clone())).collect();
        return Selected { refused, ansatz: None };
    }
    let mut refused = Vec::new();
    let mut clashes = clashes(pool, problem, &claims);
    let mut gone = BTreeSet::new();
    while let Some((position, reason)) = yielding(problem, &claims, &clashes) {
        clashes.retain(|(one, other, _)| *one != position && *other != position);
        refused.push((claims[position].number, reason));
        gone.insert(claims[position].number);
    }
    claims.retain(|claim| !gone.contains(&claim.number));
    let mut refuse = |claims: &mut Vec<&Claim>, position: usize, reason: PenaltyReason| {
        refused.push((claims.remove(position).number, reason));
    };
    loop {
        if let Some(position) = slope_alone(&claims) {
            refuse(&mut claims, position, PenaltyReason::SlopeAlone);
            continue;
        }
        let widest = (0..claims.len()).max_by_key(|&position| claims[position].data.len());
        let Some(widest) = widest else { return Selected { refused, ansatz: None } };
        let data = distinct(&claims);
        if let Err(reason) = few_data(&data) {
            refuse(&mut claims, widest, reason);
            continue;
        }
        // What is refused leaves nothing behind.
        let mut trial = pool.clone();
        let known = interpolant(&mut trial, &problem.domain, &data);
        if let Some(overflow) = trial.overflow() {
            refuse(&mut claims, widest, PenaltyReason::Overflow(overflow));
            continue;
        }
        if let Err(reason) = few_nodes(&trial, known) {
            let costs = |&position: &usize| claims[position].data.iter().filter(|d| d.scale > 0.0).count();
            let costliest = (0..claims.len()).max_by_key(costs).unwrap_or(widest);
            refuse(&mut claims, costliest, reason);
            continue;
        }
        let distance = distance(&mut trial, &problem.domain, &data);
        let unknown = claims[widest].unknown;
        // Only unknowns of this form have claims.
        let Some(Added { known: stated, factor }) = problem.added(&mut trial, unknown) else {
            return Selected { refused, ansatz: None };
        };
        let raw = trial.leaf(Leaf::Raw(unknown as u16));
        let raw = trial.scale(raw, factor);
        let free = trial.multiply(distance, raw);
        let ansatz = trial.sum(&[stated, known, free]);
        *pool = trial;
        return Selected { refused, ansatz: Some(ansatz) };
    }
}

/// Two claims, by position, that clash.
type Pair = (usize, usize, Clash);

fn clashes(pool: &Pool, problem: &Problem, claims: &[&Claim]) -> Vec<Pair> {
    let mut scratch = pool.clone();
    let mut clashes = Vec::new();
    for (position, first) in claims.iter().enumerate() {
        for (other, second) in claims.iter().enumerate().skip(position + 1) {
            let found = clash(&mut scratch, &problem.domain, first, second);
            clashes.extend(found.map(|clash| (position, other, clash)));
        }
    }
    clashes
}

/// The claim that should give way: the one with the most clashes; among equals the one on the fewest faces,
/// then the later one.
fn yielding(problem: &Problem, claims: &[&Claim], clashes: &[Pair]) -> Option<(usize, PenaltyReason)> {
    let of = |claim: usize| clashes.iter().filter(move |(one, other, _)| *one == claim || *other == claim);
    let yielding = (0..claims.len())
        .filter(|&claim| of(claim).next().is_some())
        .max_by_key(|&claim| (of(claim).count(), Reverse(claims[claim].data.len()), claim))?;
    let (first, second, clash) = of(yielding).next()?.clone();
    let (other, own, others) = if first == yielding {
        (second, clash.first, clash.second)
    } else {
        (first, clash.second, clash.first)
    };
    let other = problem.conditions[claims[other].condition].name.clone();
    let unknown = claims[yielding].unknown;
    let Clash { derivative, place, .. } = clash;
    Some((yielding, PenaltyReason::Clash { other, unknown, derivative, place, own, others }))
}

/// A claim on slopes where nothing prescribes the value.
fn slope_alone(claims: &[&Claim]) -> Option<usize> {
    let known = |face: Face| {
        let value = Face { order: 0, ..face };
        claims.iter().flat_map(|claim| &claim.data).any(|datum| datum.face == value)
    };
    claims.iter().position(|claim| claim.data.iter().any(|datum| datum.face.order > 0 && !known(datum.face)))
}

/// All data, those that two conditions state once.
fn distinct(claims: &[&Claim]) -> Vec<Datum> {
    let mut data: Vec<Datum> = Vec::new();
    for datum in claims.iter().flat_map(|claim| &claim.data) {
        if data.iter().all(|known| known.face != datum.face) {
            data.push(*datum);
        }
    }
    data
}

fn few_data(data: &[Datum]) -> Result<(), PenaltyReason> {
    let stated = data.iter().filter(|datum| datum.scale > 0.0);
    let axes = count(stated.map(|datum| datum.face.axis));
    if axes > MAX_AXES {
        return Err(PenaltyReason::TooManyAxes { axes });
    }
    few_axes(data.iter().map(|datum| datum.face.axis))
}

/// Whether the ends of so many coordinates can have data, were they all zero.
pub(super) fn few_axes(axes: impl Iterator<Item = usize>) -> Result<(), PenaltyReason> {
    let axes = count(axes);
    if axes > MAX_ZERO_AXES { Err(PenaltyReason::TooManyAxes { axes }) } else { Ok(()) }
}

/// Whether a function of the coordinates is small enough to be computed in every step.
pub(super) fn few_nodes(pool: &Pool, function: Expression) -> Result<(), PenaltyReason> {
    let mut nodes = 0;
    pool.visit(&[function], |_, _| nodes += 1);
    if nodes > MAX_NODES { Err(PenaltyReason::TooLarge { nodes, limit: MAX_NODES }) } else { Ok(()) }
}

/// How many distinct ones there are.
fn count(axes: impl Iterator<Item = usize>) -> usize {
    axes.collect::<BTreeSet<usize>>().len()
}
