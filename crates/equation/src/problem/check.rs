//! Whether a problem as a whole can have one solution: facts about what is missing.

use super::{Equation, Place, Problem, Role};
use crate::expression::{Expression, Leaf};

/// What keeps a problem from having one solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// There are no conditions, no data and no ansatz.
    NothingPins,
    /// Fewer conditions at the ends of time than time derivatives.
    Initial {
        /// The field that lacks one.
        unknown: usize,
        /// The time coordinate.
        axis: usize,
        /// An equation with the highest time derivative.
        equation: usize,
        /// Time derivatives in the equations.
        needed: usize,
        /// Conditions at the ends of time.
        found: usize,
    },
    /// A space coordinate with second derivatives and no condition that fixes it.
    Boundary {
        /// The coordinate.
        axis: usize,
    },
    /// A field with second derivatives along a space coordinate that no condition mentions.
    Unpinned {
        /// The field.
        unknown: usize,
        /// The coordinate.
        axis: usize,
        /// An equation with such a derivative.
        equation: usize,
    },
    /// An equation that holds or fails whatever the network does.
    EquationWithoutUnknown {
        /// The equation.
        equation: usize,
    },
    /// A condition that holds or fails whatever the network does.
    ConditionWithoutUnknown {
        /// The condition.
        condition: usize,
        /// Which of its equations.
        equation: usize,
    },
    /// A field that is not determined by any equation.
    UnusedUnknown {
        /// The field.
        unknown: usize,
    },
    /// A trainable scalar without effect.
    UnusedParameter {
        /// The scalar.
        parameter: usize,
    },
}

/// Everything that is missing; empty for a well-posed problem as far as counting can tell.
pub(crate) fn gaps(problem: &Problem) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let per_equation: Vec<Vec<Leaf>> = leaves(problem, &problem.equations);
    let per_condition: Vec<Vec<Vec<Leaf>>> =
        problem.conditions.iter().map(|condition| leaves(problem, &condition.equations)).collect();
    for (equation, leaves) in per_equation.iter().enumerate() {
        if !leaves.iter().any(is_field) {
            gaps.push(Gap::EquationWithoutUnknown { equation });
        }
    }
    for (condition, equations) in per_condition.iter().enumerate() {
        // A periodic condition of an expression that is periodic by itself cancels to nothing.
        if let Some(equation) = equations.iter().position(|leaves| !leaves.iter().any(is_field)) {
            gaps.push(Gap::ConditionWithoutUnknown { condition, equation });
        }
    }
    for unknown in 0..problem.unknowns.len() {
        if !per_equation.iter().flatten().any(|leaf| is_of(leaf, unknown)) {
            gaps.push(Gap::UnusedUnknown { unknown });
        }
    }
    unused_parameters(problem, &per_equation, &per_condition, &mut gaps);
    let ansatz = problem.unknowns.iter().any(|unknown| unknown.ansatz.is_some());
    if problem.conditions.is_empty() && problem.data.is_empty() && !ansatz {
        gaps.push(Gap::NothingPins);
        return gaps;
    }
    // Measurements may stand in for any condition: how many do cannot be counted here.
    if problem.data.is_empty() {
        missing_initial(problem, &per_equation, &per_condition, &mut gaps);
        missing_boundary(problem, &mut gaps);
        unpinned(problem, &per_equation, &per_condition, &mut gaps);
    }
    gaps
}

fn leaves(problem: &Problem, equations: &[Equation]) -> Vec<Vec<Leaf>> {
    equations.iter().map(|equation| problem.pool.leaves(&[equation.residual])).collect()
}

fn is_field(leaf: &Leaf) -> bool {
    matches!(leaf, Leaf::Field(_))
}

fn is_of(leaf: &Leaf, unknown: usize) -> bool {
    matches!(leaf, Leaf::Field(field) if usize::from(field.unknown) == unknown)
}

/// How often a leaf differentiates an unknown along an axis.
fn order(leaf: &Leaf, unknown: usize, axis: usize) -> usize {
    match leaf {
        Leaf::Field(field) if usize::from(field.unknown) == unknown => {
            field.derivative.axes().iter().filter(|&&other| usize::from(other) == axis).count()
        }
        _ => 0,
    }
}

fn unused_parameters(
    problem: &Problem,
    per_equation: &[Vec<Leaf>],
    per_condition: &[Vec<Vec<Leaf>>],
    gaps: &mut Vec<Gap>,
) {
    let mut rest: Vec<Expression> = problem.unknowns.iter().filter_map(|unknown| unknown.ansatz).collect();
    rest.extend(problem.data.iter().flat_map(|data| &data.equations).map(|equation| equation.residual));
    let rest = problem.pool.leaves(&rest);
    let mut used = vec![false; problem.parameters.len()];
    for leaf in per_equation.iter().flatten().chain(per_condition.iter().flatten().flatten()).chain(&rest) {
        if let Leaf::Parameter(index) = leaf {
            used[usize::from(*index)] = true;
        }
    }
    let unused = used.iter().enumerate().filter(|(_, used)| !**used);
    gaps.extend(unused.map(|(parameter, _)| Gap::UnusedParameter { parameter }));
}

/// Whether a coordinate's ends are identified.
fn is_periodic(problem: &Problem, axis: usize) -> bool {
    let wrapped = |place: &Place| matches!(place, Place::Wrap { axis: other } if *other == axis);
    problem.network.periodic.iter().any(|periodic| periodic.axis == axis)
        || problem.conditions.iter().any(|condition| wrapped(&condition.place))
}

fn missing_initial(
    problem: &Problem,
    per_equation: &[Vec<Leaf>],
    per_condition: &[Vec<Vec<Leaf>>],
    gaps: &mut Vec<Gap>,
) {
    for (axis, coordinate) in problem.domain.coordinates.iter().enumerate() {
        if coordinate.role != Role::Time || coordinate.open.both() || is_periodic(problem, axis) {
            continue;
        }
        let at_an_end = |place: &Place| match place {
            Place::Pieces(pieces) => pieces.iter().any(|piece| {
                let end = |value: f64| value == coordinate.low || value == coordinate.high;
                piece.fixed.iter().any(|&(other, value)| other == axis && end(value))
            }),
            Place::Wrap { .. } | Place::Interface { .. } => false,
        };
        for (unknown, field) in problem.unknowns.iter().enumerate() {
            let highest = per_equation.iter().enumerate().map(|(equation, leaves)| {
                let order = leaves.iter().map(|leaf| order(leaf, unknown, axis)).max().unwrap_or(0);
                (order, std::cmp::Reverse(equation))
            });
            let Some((needed, std::cmp::Reverse(equation))) = highest.max() else { continue };
            let stated = problem.conditions.iter().zip(per_condition);
            let found = stated
                .filter(|(condition, _)| at_an_end(&condition.place))
                .flat_map(|(_, equations)| equations)
                .filter(|leaves| leaves.iter().any(|leaf| is_of(leaf, unknown)))
                .count();
            if found < needed && field.ansatz.is_none() {
                gaps.push(Gap::Initial { unknown, axis, equation, needed, found });
            }
        }
    }
}

fn missing_boundary(problem: &Problem, gaps: &mut Vec<Gap>) {
    let on_shape = problem.conditions.iter().any(|condition| match &condition.place {
        Place::Pieces(pieces) => pieces.iter().any(|piece| piece.surface.is_some()),
        Place::Wrap { .. } | Place::Interface { .. } => false,
    });
    if on_shape {
        return;
    }
    for (axis, coordinate) in problem.domain.coordinates.iter().enumerate() {
        let fixed = problem.conditions.iter().any(|condition| match &condition.place {
            Place::Pieces(pieces) => {
                pieces.iter().any(|piece| piece.fixed.iter().any(|&(other, _)| other == axis))
            }
            Place::Wrap { .. } | Place::Interface { .. } => false,
        });
        let built_in = problem
            .unknowns
            .iter()
            .filter_map(|unknown| unknown.ansatz)
            .any(|ansatz| problem.pool.mentions(ansatz, |leaf| leaf == Leaf::Coordinate(axis as u16)));
        let needs =
            coordinate.role == Role::Space && !coordinate.open.both() && problem.order_along(axis) >= 2;
        if needs && !fixed && !built_in && !is_periodic(problem, axis) {
            gaps.push(Gap::Boundary { axis });
        }
    }
}

/// Fields that nothing holds at the ends of a coordinate. One that some condition mentions, wherever,
/// passes: how much a condition fixes cannot be counted. So does one with first derivatives only, such
/// as a pressure.
fn unpinned(
    problem: &Problem,
    per_equation: &[Vec<Leaf>],
    per_condition: &[Vec<Vec<Leaf>>],
    gaps: &mut Vec<Gap>,
) {
    for (unknown, field) in problem.unknowns.iter().enumerate() {
        let mentioned = per_condition.iter().flatten().flatten().any(|leaf| is_of(leaf, unknown));
        let told = gaps.iter().any(|gap| match *gap {
            Gap::Initial { unknown: other, .. } => other == unknown,
            _ => false,
        });
        if mentioned || told || field.ansatz.is_some() {
            continue;
        }
        let held = |axis: usize| {
            let coordinate = &problem.domain.coordinates[axis];
            let told = gaps.contains(&Gap::Boundary { axis });
            coordinate.role != Role::Space || coordinate.open.both() || told || is_periodic(problem, axis)
        };
        let steep = |axis: usize| {
            per_equation.iter().position(|leaves| leaves.iter().any(|leaf| order(leaf, unknown, axis) >= 2))
        };
        let axes = (0..problem.domain.len()).filter(|&axis| !held(axis));
        let gap = axes.filter_map(|axis| Some((axis, steep(axis)?))).next();
        gaps.extend(gap.map(|(axis, equation)| Gap::Unpinned { unknown, axis, equation }));
    }
}
