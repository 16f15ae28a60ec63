//! Conditions that hold by construction. From the values (and slopes) that conditions prescribe on faces
//! of the box an ansatz `u = g + φ·N` is built: `g` interpolates what is prescribed, `φ` vanishes where it
//! is. Such conditions need no penalty. The others keep theirs, with the reason. `N` is in units of what is
//! prescribed.
//!
//! Read in this order: `claim` (what a condition prescribes), `smooth` and `compatible` (whether that can
//! be built in), `select` (which conditions are), `interpolate` (the ansatz), `fast` (whether a start is built in after
//! all). What a file states about a condition comes before all of them.

mod claim;
mod compatible;
mod face;
mod fast;
mod interpolate;
mod polygon;
mod select;
mod shape;
mod smooth;
mod unit;

use crate::expression::{Leaf, Pool};
use crate::oscillation::sizes;
use crate::problem::{Enforcement, HardConstraints, PenaltyReason, Problem, Treatment};
use claim::Claim;

/// Builds into the ansatz of every unknown what its conditions prescribe, where that is possible, and
/// removes the equations that then always hold. [`Problem::enforcements`] says what became of each. Subdomains have outputs of their own then.
pub fn constrain(problem: Problem) -> Problem {
    let mut problem = with_conditions(problem);
    if !problem.domain.subdomains.is_empty() {
        problem.divide();
    }
    problem
}

fn with_conditions(mut problem: Problem) -> Problem {
    let followed = sizes(&problem);
    for unknown in problem.open.units.clone() {
        problem.unknowns[unknown].unit = unit::unit(&problem.pool, &problem, unknown, followed.as_deref());
    }
    if problem.training.hard_constraints == HardConstraints::Off {
        return in_units(problem);
    }
    let mut pool = problem.pool.clone();
    let mut claims: Vec<Claim> = Vec::new();
    let mut enforcements: Vec<Enforcement> = Vec::new();
    let mut wanted: Vec<Option<bool>> = Vec::new();
    for (position, condition) in problem.conditions.iter().enumerate() {
        for equation in 0..condition.equations.len() {
            // What is refused leaves nothing behind.
            let mut trial = pool.clone();
            let claim = claim::read(&mut trial, &problem, position, equation)
                .and_then(|claim| smooth::check(&trial, &problem, &claim).map(|()| claim));
            let treatment = match claim {
                Ok(claim) => {
                    let unknown = claim.unknown;
                    claims.push(Claim { number: enforcements.len(), ..claim });
                    pool = trial;
                    Treatment::Exact { unknown }
                }
                Err(reason) => Treatment::Penalty(reason),
            };
            wanted.push(condition.exact.as_ref().map(|exact| exact[equation]));
            let (name, stated) = (condition.name.clone(), &condition.equations[equation]);
            let (text, weight) = (stated.text.clone(), stated.weight);
            let fixed = condition.place.fixed().collect();
            let surfaces = condition.place.surfaces().collect();
            enforcements.push(Enforcement {
                condition: name,
                equation: text,
                weight,
                fixed,
                surfaces,
                treatment,
            });
        }
    }
    let stated: Vec<_> = problem.unknowns.iter().map(|unknown| unknown.ansatz).collect();
    let unknowns = 0..problem.unknowns.len();
    for unknown in unknowns.clone() {
        let own = claims.iter().filter(|claim| claim.unknown == unknown).collect();
        build(&mut pool, &mut problem, &mut enforcements, unknown, own);
    }
    // What is stated is looked at only now: a file that states what would be decided gets the same formulas, bit for bit.
    let left_out: Vec<Vec<(usize, PenaltyReason)>> =
        unknowns.clone().map(|unknown| left_out(&pool, &problem, &claims, &wanted, unknown)).collect();
    for (unknown, left_out) in unknowns.zip(left_out) {
        let own = claims.iter().filter(|claim| claim.unknown == unknown);
        let is_out = |claim: &Claim| left_out.iter().any(|(number, _)| *number == claim.number);
        let others: Vec<&Claim> = own.filter(|claim| !is_out(claim)).collect();
        let is_exact = |number: usize| matches!(enforcements[number].treatment, Treatment::Exact { .. });
        let refused =
            others.iter().any(|claim| wanted[claim.number] == Some(true) && !is_exact(claim.number));
        let built =
            left_out.iter().any(|(number, reason)| *reason == PenaltyReason::Fast || is_exact(*number));
        if refused || built {
            problem.unknowns[unknown].ansatz = stated[unknown];
            for claim in &others {
                enforcements[claim.number].treatment = Treatment::Exact { unknown };
            }
            build(&mut pool, &mut problem, &mut enforcements, unknown, others);
        }
        for (number, reason) in left_out {
            let treatment = &mut enforcements[number].treatment;
            // What could not be built in anyway keeps the reason for that.
            if reason == PenaltyReason::Fast || matches!(treatment, Treatment::Exact { .. }) {
                *treatment = Treatment::Penalty(reason);
            }
        }
    }
    problem.pool = pool;
    let mut treatments = enforcements.iter().map(|enforcement| &enforcement.treatment);
    for condition in &mut problem.conditions {
        condition.equations.retain(|_| !matches!(treatments.next(), Some(Treatment::Exact { .. })));
    }
    problem.conditions.retain(|condition| !condition.equations.is_empty());
    problem.enforcements = enforcements;
    in_units(problem)
}

/// Claims on an unknown that stay penalties though they could be built in: the file says so, or what they start is too
/// fast.
fn left_out(
    pool: &Pool,
    problem: &Problem,
    claims: &[Claim],
    wanted: &[Option<bool>],
    unknown: usize,
) -> Vec<(usize, PenaltyReason)> {
    let own = claims.iter().filter(|claim| claim.unknown == unknown);
    let is_open = |claim: &Claim| wanted[claim.number].is_none() && fast::is_start(problem, claim);
    let fast = own.clone().any(is_open) && fast::is_fast(pool, problem, unknown);
    let reason = |claim: &Claim| match wanted[claim.number] {
        Some(false) => Some((claim.number, PenaltyReason::Stated)),
        None if fast && is_open(claim) => Some((claim.number, PenaltyReason::Fast)),
        Some(true) | None => None,
    };
    own.filter_map(reason).collect()
}

/// Builds the ansatz of an unknown from claims, and says which of them it leaves out.
fn build(
    pool: &mut Pool,
    problem: &mut Problem,
    enforcements: &mut [Enforcement],
    unknown: usize,
    claims: Vec<&Claim>,
) {
    let selected = match problem.domain.geometry.is_some() {
        true => shape::select_on_shape(pool, problem, unknown, claims),
        false => select::select(pool, problem, claims),
    };
    for (number, reason) in selected.refused {
        enforcements[number].treatment = Treatment::Penalty(reason);
    }
    if let Some(ansatz) = selected.ansatz {
        problem.unknowns[unknown].ansatz = Some(ansatz);
    }
}

/// Multiplies what is left of raw outputs by their units.
fn in_units(mut problem: Problem) -> Problem {
    let Problem { pool, unknowns, .. } = &mut problem;
    for (position, unknown) in unknowns.iter_mut().enumerate() {
        if unknown.ansatz.is_none() && unknown.unit != 1.0 {
            let raw = pool.leaf(Leaf::Raw(position as u16));
            unknown.ansatz = Some(pool.scale(raw, unknown.unit));
        }
    }
    if problem.domain.geometry.is_some() {
        shape::give(&mut problem);
    }
    problem
}
