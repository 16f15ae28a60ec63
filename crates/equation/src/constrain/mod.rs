//! Conditions that hold by construction. From the values (and slopes) that conditions prescribe on faces
//! of the box an ansatz `u = g + φ·N` is built: `g` interpolates what is prescribed, `φ` vanishes where it
//! is. Such conditions need no penalty. The others keep theirs, with the reason. `N` is in units of what is
//! prescribed.
//!
//! Read in this order: `claim` (what a condition prescribes), `smooth` and `compatible` (whether that can
//! be built in), `select` (which conditions are), `interpolate` (the ansatz), `fast` (whether a start is built in after
//! all), `outcome` (what is told).

mod claim;
mod compatible;
mod face;
mod fast;
mod interpolate;
mod select;
mod smooth;
mod unit;

use crate::expression::{Leaf, Pool};
use crate::problem::{Enforcement, HardConstraints, Outcome, Problem, Reason};
use crate::swings::sizes;
use claim::Claim;

/// Builds into the ansatz of every unknown what its conditions prescribe, where that is possible, and
/// removes the equations that then always hold. [`Problem::enforcements`] says what became of each.
pub fn constrain(mut problem: Problem) -> Problem {
    let followed = sizes(&problem);
    for unknown in 0..problem.unknowns.len() {
        if problem.unknowns[unknown].ansatz.is_none() {
            problem.unknowns[unknown].unit =
                unit::unit(&problem.pool, &problem, unknown, followed.as_deref());
        }
    }
    if problem.training.hard_constraints == HardConstraints::Off {
        return in_units(problem);
    }
    let mut pool = problem.pool.clone();
    let mut claims: Vec<Claim> = Vec::new();
    let mut enforcements: Vec<Enforcement> = Vec::new();
    for (position, condition) in problem.conditions.iter().enumerate() {
        for equation in 0..condition.equations.len() {
            // What is refused leaves nothing behind.
            let mut trial = pool.clone();
            let claim = claim::read(&mut trial, &problem, position, equation)
                .and_then(|claim| smooth::check(&trial, &problem, &claim).map(|()| claim));
            let outcome = match claim {
                Ok(claim) => {
                    let unknown = claim.unknown;
                    claims.push(Claim { number: enforcements.len(), ..claim });
                    pool = trial;
                    Outcome::Exact { unknown }
                }
                Err(reason) => Outcome::Penalty(reason),
            };
            let (name, stated) = (condition.name.clone(), &condition.equations[equation]);
            let (text, weight) = (stated.text.clone(), stated.weight);
            let fixed = condition.place.fixed().collect();
            enforcements.push(Enforcement { condition: name, equation: text, weight, fixed, outcome });
        }
    }
    let stated: Vec<_> = problem.unknowns.iter().map(|unknown| unknown.ansatz).collect();
    let unknowns = 0..problem.unknowns.len();
    for unknown in unknowns.clone() {
        let own = claims.iter().filter(|claim| claim.unknown == unknown).collect();
        build(&mut pool, &mut problem, &mut enforcements, unknown, own);
    }
    let fast: Vec<usize> = unknowns.filter(|&unknown| fast::is_fast(&pool, &problem, unknown)).collect();
    for unknown in fast {
        let own = claims.iter().filter(|claim| claim.unknown == unknown);
        let (starts, others): (Vec<&Claim>, Vec<&Claim>) =
            own.partition(|claim| fast::is_start(&problem, claim));
        if starts.is_empty() {
            continue;
        }
        problem.unknowns[unknown].ansatz = stated[unknown];
        build(&mut pool, &mut problem, &mut enforcements, unknown, others);
        starts.iter().for_each(|claim| enforcements[claim.number].outcome = Outcome::Penalty(Reason::Fast));
    }
    problem.pool = pool;
    let mut outcomes = enforcements.iter().map(|enforcement| &enforcement.outcome);
    for condition in &mut problem.conditions {
        condition.equations.retain(|_| !matches!(outcomes.next(), Some(Outcome::Exact { .. })));
    }
    problem.conditions.retain(|condition| !condition.equations.is_empty());
    problem.enforcements = enforcements;
    in_units(problem)
}

/// Builds the ansatz of an unknown from claims, and says which of them it leaves out.
fn build(
    pool: &mut Pool,
    problem: &mut Problem,
    enforcements: &mut [Enforcement],
    unknown: usize,
    claims: Vec<&Claim>,
) {
    let selected = select::select(pool, problem, claims);
    for (number, reason) in selected.refused {
        enforcements[number].outcome = Outcome::Penalty(reason);
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
    problem
}
