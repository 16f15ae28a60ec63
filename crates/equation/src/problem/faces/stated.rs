//! What conditions state at the ends of a coordinate.

use super::{CoordinateSystem, FaceEnd, Steep, few_places, fields, is_large, part};
use crate::expression::Expression;
use crate::problem::value;
use crate::problem::{Piece, Place, Problem};
use std::collections::BTreeSet;

/// What conditions say at an end.
pub(super) struct Stated {
    pub(super) count: usize,
    /// Whether one is about a field that has no second derivatives along the coordinate, such as a pressure: how much
    /// that fixes cannot be counted.
    pub(super) uncounted: bool,
}

/// The conditions of a problem.
pub(super) struct Statements<'p> {
    problem: &'p Problem,
    /// The fields of every equation of every condition.
    fields: Vec<Vec<BTreeSet<usize>>>,
}

impl<'p> Statements<'p> {
    pub(super) fn new(problem: &'p Problem) -> Self {
        let of = |equation: &crate::problem::Equation| fields(&problem.pool, equation.residual);
        let conditions = problem.conditions.iter();
        Statements {
            problem,
            fields: conditions.map(|condition| condition.equations.iter().map(of).collect()).collect(),
        }
    }

    /// Places of conditions, each with the fields of its equations that mention the system.
    fn of<'s>(
        &'s self,
        system: &'s CoordinateSystem,
    ) -> impl Iterator<Item = (&'s Place, Vec<&'s BTreeSet<usize>>)> {
        self.problem.conditions.iter().zip(&self.fields).map(|(condition, equations)| {
            let own = equations.iter().filter(|fields| !fields.is_disjoint(&system.unknowns));
            (&condition.place, own.collect())
        })
    }

    /// Counts the equations that hold on a face and mention the system. Of those on parts of it, as many count as hold at
    /// one place.
    pub(super) fn at(&self, system: &CoordinateSystem, steep: &[Steep], end: FaceEnd) -> Stated {
        let mut whole = 0;
        let mut parts: Vec<(Expression, usize)> = Vec::new();
        let mut uncounted = false;
        for (place, own) in self.of(system) {
            let pieces: &[Piece] = match place {
                Place::Pieces(pieces) => pieces,
                Place::Wrap { .. } | Place::Interface { .. } => &[],
            };
            let here = pieces.iter().filter(|piece| piece.fixed == [(end.axis, end.value)]);
            let here = here
                .filter(|piece| piece.filter.is_none_or(|filter| part::is_left(self.problem, filter, end)));
            let filters: Vec<Option<Expression>> = here.map(|piece| piece.filter).collect();
            if filters.is_empty() {
                continue;
            }
            let is_steep =
                |fields: &BTreeSet<usize>| steep.iter().any(|(unknown, _)| fields.contains(unknown));
            uncounted |= own.iter().any(|fields| !is_steep(fields));
            if filters.contains(&None) {
                whole += own.len();
            } else {
                parts.extend(filters.into_iter().flatten().map(|filter| (filter, own.len())));
            }
        }
        Stated { count: whole + self.together(&parts, end), uncounted }
    }

    /// How many of the equations on parts of a face hold at one place: at the one where most do.
    fn together(&self, parts: &[(Expression, usize)], end: FaceEnd) -> usize {
        let pool = &self.problem.pool;
        let filters: Vec<Expression> = parts.iter().map(|(filter, _)| *filter).collect();
        if parts.is_empty() || is_large(pool, &filters) {
            return parts.iter().map(|(_, count)| count).sum();
        }
        let at = |place: &Vec<f64>| -> usize {
            let holds = |filter: Expression| value(pool, filter, place) != 0.0;
            parts.iter().filter(|(filter, _)| holds(*filter)).map(|(_, count)| count).sum()
        };
        let most = few_places(self.problem, &[(end.axis, end.value)]).iter().map(at).max().unwrap_or(0);
        // A part may be too small to be met.
        let largest = parts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        most.max(largest)
    }

    /// Equations that tie both ends together, or hold on a plane between them.
    pub(super) fn elsewhere(&self, system: &CoordinateSystem, [low, high]: [FaceEnd; 2]) -> usize {
        let counts = |place: &Place| match place {
            Place::Wrap { axis } => *axis == low.axis,
            Place::Interface { .. } => false,
            Place::Pieces(pieces) => pieces.iter().any(|piece| match piece.fixed[..] {
                [(axis, value)] => axis == low.axis && value != low.value && value != high.value,
                _ => false,
            }),
        };
        self.of(system).filter(|(place, _)| counts(place)).map(|(_, own)| own.len()).sum()
    }
}
