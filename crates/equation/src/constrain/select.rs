//! Which of the conditions of an unknown are built into its ansatz.

use super::claim::{Claim, Datum};
use super::compatible::{Clash, clash};
use super::face::Face;
use super::interpolate::{distance, interpolant};
use super::outcome::Reason;
use crate::expression::{Expression, Leaf, Pool};
use crate::problem::Problem;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Coordinates with values other than zero at their ends: the Boolean sum over d of them has 3^d - 1 terms.
const MAX_AXES: usize = 3;

/// Coordinates with any data: the product of more distances is small nearly everywhere.
const MAX_ZERO_AXES: usize = 6;

/// Distinct subexpressions of `g`, all of which are computed at every point in every step.
const MAX_NODES: usize = 400;

/// What became of the claims on one unknown.
pub(super) struct Selected {
    /// Claims that stay penalties, by [`Claim::number`].
    pub(super) refused: Vec<(usize, Reason)>,
    /// The ansatz that meets all the others; `None` when there are none.
    pub(super) ansatz: Option<Expression>,
}

/// Chooses among claims on one unknown. On a limit, those on the most faces go first.
pub(super) fn select(pool: &mut Pool, problem: &Problem, mut claims: Vec<&Claim>) -> Selected {
    let mut refused = Vec::new();
    let mut refuse = |claims: &mut Vec<&Claim>, position: usize, reason: Reason| {
        refused.push((claims.remove(position).number, reason));
    };
    while let Some((position, reason)) = clashing(pool, problem, &claims) {
        refuse(&mut claims, position, reason);
    }
    loop {
        if let Some(position) = slope_alone(&claims) {
            refuse(&mut claims, position, Reason::SlopeAlone);
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
        let mut nodes = 0;
        trial.visit(&[known], |_, _| nodes += 1);
        if let Some(overflow) = trial.overflow() {
            refuse(&mut claims, widest, Reason::Overflow(overflow));
            continue;
        }
        if nodes > MAX_NODES {
            let costs = |&position: &usize| claims[position].data.iter().filter(|d| d.scale > 0.0).count();
            let costliest = (0..claims.len()).max_by_key(costs).unwrap_or(widest);
            refuse(&mut claims, costliest, Reason::TooLarge { nodes, limit: MAX_NODES });
            continue;
        }
        let distance = distance(&mut trial, &problem.domain, &data);
        let raw = trial.leaf(Leaf::Raw(claims[widest].unknown as u16));
        let free = trial.multiply(distance, raw);
        let ansatz = trial.add(known, free);
        *pool = trial;
        return Selected { refused, ansatz: Some(ansatz) };
    }
}

/// The claim that should give way, if any two clash: the one with the most clashes; among equals the one on
/// the fewest faces, then the later one.
fn clashing(pool: &Pool, problem: &Problem, claims: &[&Claim]) -> Option<(usize, Reason)> {
    let mut scratch = pool.clone();
    let mut clashes: Vec<(usize, usize, Clash)> = Vec::new();
    for (position, first) in claims.iter().enumerate() {
        for (other, second) in claims.iter().enumerate().skip(position + 1) {
            let found = clash(&mut scratch, &problem.domain, first, second);
            clashes.extend(found.map(|clash| (position, other, clash)));
        }
    }
    let count =
        |claim: usize| clashes.iter().filter(|(one, other, _)| *one == claim || *other == claim).count();
    let yielding = (0..claims.len())
        .filter(|&claim| count(claim) > 0)
        .max_by_key(|&claim| (count(claim), Reverse(claims[claim].data.len()), claim))?;
    let (first, second, clash) =
        clashes.iter().find(|(one, other, _)| *one == yielding || *other == yielding)?.clone();
    let (other, own, others) = if first == yielding {
        (second, clash.first, clash.second)
    } else {
        (first, clash.second, clash.first)
    };
    let other = problem.conditions[claims[other].condition].name.clone();
    let unknown = claims[yielding].unknown;
    let Clash { derivative, place, .. } = clash;
    Some((yielding, Reason::Clash { other, unknown, derivative, place, own, others }))
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

fn few_data(data: &[Datum]) -> Result<(), Reason> {
    let stated = data.iter().filter(|datum| datum.scale > 0.0);
    let axes = count(stated.map(|datum| datum.face.axis));
    if axes > MAX_AXES {
        return Err(Reason::TooManyAxes { axes });
    }
    few_axes(data.iter().map(|datum| datum.face.axis))
}

/// Whether the ends of so many coordinates can have data, were they all zero.
pub(super) fn few_axes(axes: impl Iterator<Item = usize>) -> Result<(), Reason> {
    let axes = count(axes);
    if axes > MAX_ZERO_AXES { Err(Reason::TooManyAxes { axes }) } else { Ok(()) }
}

/// How many distinct ones there are.
fn count(axes: impl Iterator<Item = usize>) -> usize {
    axes.collect::<BTreeSet<usize>>().len()
}
