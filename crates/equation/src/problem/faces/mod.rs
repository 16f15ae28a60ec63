//! Faces of the box on which a condition seems to be missing. Unlike a [`super::Gap`], such a problem may be meant as
//! it is written: it is trained, and told of. A false alarm is worse than a miss, so whatever cannot be counted passes.
//!
//! Read in this order: this file (what derivatives ask for, against what is stated), `stated` (what conditions say at an end),
//! `part` (whether a filter leaves anything of a face), `kind` (where nothing is needed after all), `sentence` (what is told).

mod kind;
mod part;
mod sentence;
mod stated;

use super::{Problem, Role};
use crate::expression::{Expression, Leaf, Pool};
use crate::problem::places;
use stated::{Stated, Statements};
use std::collections::BTreeSet;

/// Systems with more distinct subexpressions are not looked at: nobody writes them, and it would take long.
const MOST_NODES: usize = 5_000;

/// One in so many places is looked at where formulas are evaluated.
const SPARSE: usize = 6;

/// Fewer conditions at the ends of a coordinate than the derivatives along it ask for.
#[derive(Clone, PartialEq, Debug)]
pub struct BareFace {
    /// The coordinate.
    pub axis: usize,
    /// The ends with the fewest conditions: one or both.
    pub ends: Vec<f64>,
    /// The fields that are differentiated along it: those that equations or conditions tie together.
    pub unknowns: Vec<usize>,
    /// The highest derivative of each along it.
    pub orders: Vec<usize>,
    /// Conditions that these derivatives ask for, at both ends together.
    pub needed: usize,
    /// Conditions that are stated there.
    pub found: usize,
}

/// Fields that equations or conditions tie together, and the equations of them.
struct CoordinateSystem {
    unknowns: BTreeSet<usize>,
    equations: Vec<Expression>,
}

/// A field and its highest derivative along a coordinate.
type Steep = (usize, usize);

/// One end of a coordinate.
#[derive(Clone, Copy)]
struct FaceEnd {
    axis: usize,
    value: f64,
    open: bool,
}

/// All faces on which a condition seems to be missing.
pub(crate) fn bare_faces(problem: &Problem) -> Vec<BareFace> {
    // Measurements may stand in for any condition.
    if !problem.data.is_empty() || problem.domain.geometry.is_some() {
        return Vec::new();
    }
    let statements = Statements::new(problem);
    let systems = systems(problem);
    let small = systems.iter().filter(|system| !is_large(&problem.pool, &system.equations));
    let small: Vec<&CoordinateSystem> = small.collect();
    let axes = (0..problem.domain.len()).filter(|&axis| {
        let circle = problem.network.periodic.iter().any(|periodic| periodic.axis == axis);
        problem.domain.coordinates[axis].role == Role::Space && !circle
    });
    let judged = axes.flat_map(|axis| small.iter().map(move |system| (axis, *system)));
    judged.filter_map(|(axis, system)| judge(problem, &statements, system, axis)).collect()
}

fn fields(pool: &Pool, expression: Expression) -> BTreeSet<usize> {
    let leaves = pool.leaves(&[expression]).into_iter();
    leaves
        .filter_map(|leaf| match leaf {
            Leaf::Field(field) => Some(usize::from(field.unknown)),
            _ => None,
        })
        .collect()
}

fn systems(problem: &Problem) -> Vec<CoordinateSystem> {
    let residuals = problem.equations.iter().map(|equation| equation.residual);
    let stated = problem.conditions.iter().flat_map(|condition| &condition.equations);
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for residual in residuals.chain(stated.map(|equation| equation.residual)) {
        let mut group = fields(&problem.pool, residual);
        groups.retain(|other| {
            let apart = other.is_disjoint(&group);
            if !apart {
                group.extend(other);
            }
            apart
        });
        groups.push(group);
    }
    let system = |unknowns: BTreeSet<usize>| {
        let own = |residual: &Expression| !fields(&problem.pool, *residual).is_disjoint(&unknowns);
        let equations = problem.equations.iter().map(|equation| equation.residual).filter(own).collect();
        CoordinateSystem { equations, unknowns }
    };
    groups.into_iter().map(system).collect()
}

/// How often a leaf differentiates an unknown along an axis.
fn order(leaf: Leaf, unknown: usize, axis: usize) -> usize {
    match leaf {
        Leaf::Field(field) if usize::from(field.unknown) == unknown => {
            field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count()
        }
        _ => 0,
    }
}

/// Whether looking at all these formulas would take too long.
fn is_large(pool: &Pool, formulas: &[Expression]) -> bool {
    let mut nodes = 0;
    pool.visit(formulas, |_, _| nodes += 1);
    nodes > MOST_NODES
}

/// A few places of the box with some coordinates fixed.
fn few_places(problem: &Problem, fixed: &[(usize, f64)]) -> Vec<Vec<f64>> {
    places(&problem.domain, fixed).into_iter().step_by(SPARSE).collect()
}

fn judge(
    problem: &Problem,
    statements: &Statements<'_>,
    system: &CoordinateSystem,
    axis: usize,
) -> Option<BareFace> {
    let pool = &problem.pool;
    let leaves = pool.leaves(&system.equations);
    let highest = |unknown: usize| leaves.iter().map(|leaf| order(*leaf, unknown, axis)).max().unwrap_or(0);
    let coordinate = &problem.domain.coordinates[axis];
    let ends = [
        FaceEnd { axis, value: coordinate.low, open: coordinate.open.low },
        FaceEnd { axis, value: coordinate.high, open: coordinate.open.high },
    ];
    if system.unknowns.iter().any(|&unknown| holds_by_itself(problem, unknown, axis)) {
        return None;
    }
    let orders = system.unknowns.iter().map(|&unknown| (unknown, highest(unknown)));
    let steep: Vec<Steep> = orders.filter(|(_, order)| *order >= 2).collect();
    let stated = ends.map(|end| statements.at(system, &steep, end));
    let elsewhere = statements.elsewhere(system, ends);
    if steep.is_empty() {
        let none = stated.iter().all(|stated| stated.count == 0) && elsewhere == 0;
        return if none { kind::inflow(problem, system, ends) } else { None };
    }
    // Equations beyond the number of fields hold on faces too: the divergence of a field is one of them.
    let beyond = system.equations.len().saturating_sub(system.unknowns.len());
    let asked: usize = steep.iter().map(|&field| kind::asked(pool, system, field, axis)).sum();
    let needed = asked.saturating_sub(2 * beyond);
    let share = needed.div_ceil(2);
    let found = |excused: [bool; 2]| {
        let at_end = |(stated, excused): (&Stated, bool)| {
            if stated.uncounted || excused { stated.count.max(share) } else { stated.count }
        };
        stated.iter().zip(excused).map(at_end).sum::<usize>() + elsewhere
    };
    // What costs time is looked at only where it matters.
    if found(ends.map(|end| end.open)) >= needed
        || found(ends.map(|end| end.open || kind::is_singular(problem, system, &steep, end))) >= needed
        || kind::changes_sign(problem, system, &steep, axis)
    {
        return None;
    }
    let fewest = stated.iter().map(|stated| stated.count).min().unwrap_or(0);
    let bare = ends.iter().zip(&stated).filter(|(end, stated)| !end.open && stated.count == fewest);
    let mut bare: Vec<f64> = bare.map(|(end, _)| end.value).collect();
    if bare.is_empty() {
        // The end with fewer is open: what is missing, is at the other.
        bare = ends.iter().filter(|end| !end.open).map(|end| end.value).collect();
    }
    let (unknowns, orders) = steep.into_iter().unzip();
    let found = stated.iter().map(|stated| stated.count).sum::<usize>() + elsewhere;
    Some(BareFace { axis, ends: bare, unknowns, orders, needed, found })
}

/// Whether the file's own ansatz may hold something at the ends of a coordinate: more than adding to the network.
fn holds_by_itself(problem: &Problem, unknown: usize, axis: usize) -> bool {
    let Some(ansatz) = problem.unknowns[unknown].ansatz else { return false };
    let mut pool = problem.pool.clone();
    let slope = pool.derivative(ansatz, Leaf::Raw(unknown as u16));
    pool.mentions(slope, |leaf| leaf == Leaf::Coordinate(axis as u16))
}
