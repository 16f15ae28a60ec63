//! Taking a problem apart into rates, what is linear in them, the rest, and the start.

use super::evolution::{Derived, Linear, Unfit};
use equation::expression::{Derivative, Expression, Field, Leaf, Node, Pool};
use equation::problem::{Place, Problem};

/// Whether the ends of a coordinate are identified, by the network or by a condition.
pub(super) fn periodic(problem: &Problem, axis: usize) -> bool {
    let wraps = |place: &Place| matches!(place, Place::Wrap { axis: around } if *around == axis);
    problem.network.periodic.iter().any(|periodic| periodic.axis == axis)
        || problem.conditions.iter().any(|condition| wraps(&condition.place))
}

/// Whether expressions hold nothing but coordinates, fields and smooth operations.
pub(super) fn is_smooth(pool: &Pool, roots: &[Expression]) -> bool {
    let mut smooth = pool.overflow().is_none();
    pool.visit(roots, |_, node| {
        smooth &= match node {
            Node::Leaf(leaf) => matches!(leaf, Leaf::Coordinate(_) | Leaf::Field(_)),
            Node::Number(_) | Node::Sum(..) | Node::Product(_) | Node::Power(..) | Node::Apply(..) => true,
            Node::Min(..) | Node::Max(..) | Node::Compare(..) | Node::Where(..) => false,
        };
    });
    smooth
}

/// L, and N of every unknown.
pub(super) fn equations(
    problem: &Problem,
    pool: &mut Pool,
    time: usize,
    space: &[usize],
) -> Result<(Vec<Linear>, Vec<Expression>), Unfit> {
    let (mut linear, mut rest) = (Vec::new(), vec![None; problem.unknowns.len()]);
    if problem.equations.len() != rest.len() {
        return Err(Unfit::System);
    }
    for equation in &problem.equations {
        let (rate, terms, remainder) = split(pool, equation.residual, time, space)?;
        linear.extend(terms);
        if rest[rate].replace(remainder).is_some() {
            return Err(Unfit::System);
        }
    }
    // As many rates as unknowns, none of them twice.
    Ok((linear, rest.into_iter().flatten().collect()))
}

/// The unknown, L and N of a residual a·u_t - a·L u - a·N.
fn split(
    pool: &mut Pool,
    residual: Expression,
    time: usize,
    space: &[usize],
) -> Result<(usize, Vec<Linear>, Expression), Unfit> {
    let fields = pool.leaves(&[residual]).into_iter().filter_map(|leaf| match leaf {
        Leaf::Field(field) => Some(field),
        _ => None,
    });
    let in_time = |field: &Field| field.derivative.axes().iter().any(|&axis| usize::from(axis) == time);
    let (rates, others): (Vec<Field>, Vec<Field>) = fields.partition(in_time);
    let [rate] = rates.as_slice() else { return Err(Unfit::TimeDerivative) };
    if rate.derivative.order() != 1 {
        return Err(Unfit::TimeDerivative);
    }
    let slope = pool.derivative(residual, Leaf::Field(*rate));
    let Some(factor) = pool.as_number(slope).filter(|factor| *factor != 0.0) else {
        return Err(Unfit::TimeDerivative);
    };
    let mut linear = Vec::new();
    let mut terms = vec![(residual, -1.0 / factor), (pool.leaf(Leaf::Field(*rate)), 1.0)];
    for field in others {
        let slope = pool.derivative(residual, Leaf::Field(field));
        if let Some(coefficient) = pool.as_number(slope) {
            let of = Derived::of(field, space);
            linear.push(Linear { rate: usize::from(rate.unknown), of, coefficient: -coefficient / factor });
            terms.push((pool.leaf(Leaf::Field(field)), coefficient / factor));
        }
    }
    Ok((usize::from(rate.unknown), linear, pool.combine(&terms)))
}

/// What a condition `u = formula` on the start of time says.
pub(super) fn start(problem: &Problem, pool: &mut Pool, time: usize, unknown: usize) -> Option<Expression> {
    let low = problem.domain.coordinates[time].low;
    let value = Leaf::Field(Field { unknown: unknown as u16, derivative: Derivative::NONE, site: 0 });
    let whole = |place: &Place| match place {
        Place::Pieces(pieces) => {
            pieces.iter().any(|piece| piece.filter.is_none() && piece.fixed.as_slice() == [(time, low)])
        }
        Place::Wrap { .. } | Place::Interface { .. } => false,
    };
    let stated = problem.conditions.iter().filter(|condition| whole(&condition.place));
    stated.flat_map(|condition| &condition.equations).find_map(|equation| {
        let slope = pool.derivative(equation.residual, value);
        let factor = pool.as_number(slope).filter(|factor| *factor != 0.0)?;
        let field = pool.leaf(value);
        let formula = pool.combine(&[(equation.residual, -1.0 / factor), (field, 1.0)]);
        (!pool.mentions(formula, |leaf| matches!(leaf, Leaf::Field(_)))).then_some(formula)
    })
}
