//! Reading u_t = L u + N(t, x, u, u_x, …) and its start off a problem.

use super::samples::Samples;
use equation::expression::{Derivative, Expression, Field, Leaf, Node, Pool, evaluate};
use equation::problem::{Place, Problem, Role};

/// Why a problem is not of the form that can be solved here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// Not one time, one space coordinate.
    #[error("the coordinates are not t and one of space")]
    Coordinates,
    /// Several equations or unknowns.
    #[error("there is not exactly one unknown and one equation")]
    System,
    /// The ends of space are not identified.
    #[error("the space coordinate is not periodic")]
    NotPeriodic,
    /// Not u_t with a number before it, or other derivatives in time.
    #[error("the equation is not of first order in time with a number before the time derivative")]
    TimeDerivative,
    /// Trainable scalars, comparisons or choices.
    #[error("the equation or the start holds parameters, comparisons, min, max or where")]
    NotSmooth,
    /// No condition that says what u is at the start.
    #[error("no condition of the form `u = formula` holds on the whole start of time")]
    NoStart,
}

/// u_t = L u + N with a linear L of constant coefficients, from a start, on a periodic interval.
#[derive(Clone, Debug)]
pub struct Evolution {
    pool: Pool,
    /// L as coefficients of derivatives along x, by order.
    pub(super) linear: Vec<(usize, f64)>,
    /// N.
    rest: Expression,
    /// The derivatives along x that N mentions, by order.
    pub(super) mentioned: Vec<usize>,
    start: Expression,
    /// Position of t.
    pub(super) time: usize,
    /// Position of x.
    pub(super) space: usize,
    /// The ends of t.
    pub(super) times: (f64, f64),
    /// The ends of x.
    pub(super) interval: (f64, f64),
}

impl Evolution {
    /// The problem in this form, if it has it.
    pub fn of(problem: &Problem) -> Result<Self, Unfit> {
        let role = |role: Role| problem.domain.coordinates.iter().position(|other| other.role == role);
        let (Some(time), Some(space), 2) = (role(Role::Time), role(Role::Space), problem.domain.len()) else {
            return Err(Unfit::Coordinates);
        };
        let ([equation], 1) = (problem.equations.as_slice(), problem.unknowns.len()) else {
            return Err(Unfit::System);
        };
        let wraps = |place: &Place| matches!(place, Place::Wrap { axis } if *axis == space);
        if !problem.network.periodic.iter().any(|periodic| periodic.axis == space)
            && !problem.conditions.iter().any(|condition| wraps(&condition.place))
        {
            return Err(Unfit::NotPeriodic);
        }
        let mut pool = problem.pool.clone();
        let (linear, rest) = split(&mut pool, equation.residual, time, space)?;
        let start = start(problem, &mut pool, time).ok_or(Unfit::NoStart)?;
        if !is_smooth(&pool, &[rest, start]) {
            return Err(Unfit::NotSmooth);
        }
        let mut mentioned: Vec<usize> = pool.leaves(&[rest]).into_iter().filter_map(order).collect();
        mentioned.sort_unstable();
        let ends = |axis: usize| {
            let coordinate = &problem.domain.coordinates[axis];
            (coordinate.low, coordinate.high)
        };
        let (times, interval) = (ends(time), ends(space));
        Ok(Evolution { pool, linear, rest, mentioned, start, time, space, times, interval })
    }

    /// u at the start, at these places.
    pub(super) fn start(&self, places: &[f64], values: &mut [f64]) {
        self.evaluate(self.start, self.times.0, places, &[], values);
    }

    /// N at time `t`, where `fields` holds the derivatives of `mentioned`.
    pub(super) fn rest(&self, t: f64, places: &[f64], fields: &[Vec<f64>], values: &mut [f64]) {
        self.evaluate(self.rest, t, places, fields, values);
    }

    fn evaluate(&self, root: Expression, t: f64, places: &[f64], fields: &[Vec<f64>], values: &mut [f64]) {
        let samples = evaluate(&self.pool, root, &|leaf: Leaf| match leaf {
            Leaf::Coordinate(axis) if usize::from(axis) == self.time => Samples::Same(t),
            Leaf::Coordinate(_) => Samples::Each(places.to_vec()),
            other => {
                let position = self.mentioned.iter().position(|mentioned| Some(*mentioned) == order(other));
                position.map_or(Samples::Same(f64::NAN), |position| Samples::Each(fields[position].clone()))
            }
        });
        samples.spread(values);
    }
}

/// How often a field is differentiated.
fn order(leaf: Leaf) -> Option<usize> {
    match leaf {
        Leaf::Field(field) => Some(field.derivative.order()),
        _ => None,
    }
}

/// Whether expressions hold nothing but coordinates, fields and smooth operations.
fn is_smooth(pool: &Pool, roots: &[Expression]) -> bool {
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

/// L and N of a residual a·u_t - a·L u - a·N.
fn split(
    pool: &mut Pool,
    residual: Expression,
    time: usize,
    space: usize,
) -> Result<(Vec<(usize, f64)>, Expression), Unfit> {
    let along = |axes: &[usize]| Derivative::new(axes).unwrap_or_default();
    let rate = Leaf::Field(Field { unknown: 0, derivative: along(&[time]), site: 0 });
    let slope = pool.derivative(residual, rate);
    let Some(factor) = pool.as_number(slope).filter(|factor| *factor != 0.0) else {
        return Err(Unfit::TimeDerivative);
    };
    let mut linear = Vec::new();
    let mut terms = vec![(residual, -1.0 / factor), (pool.leaf(rate), 1.0)];
    for leaf in pool.leaves(&[residual]) {
        let Leaf::Field(field) = leaf else { continue };
        if leaf == rate {
            continue;
        }
        if field.derivative.axes().iter().any(|&axis| usize::from(axis) != space) {
            return Err(Unfit::TimeDerivative);
        }
        let slope = pool.derivative(residual, leaf);
        if let Some(coefficient) = pool.as_number(slope) {
            linear.push((field.derivative.order(), -coefficient / factor));
            terms.push((pool.leaf(leaf), coefficient / factor));
        }
    }
    Ok((linear, pool.combine(&terms)))
}

/// What a condition `u = formula` on the start of time says.
fn start(problem: &Problem, pool: &mut Pool, time: usize) -> Option<Expression> {
    let low = problem.domain.coordinates[time].low;
    let value = Leaf::Field(Field { unknown: 0, derivative: Derivative::NONE, site: 0 });
    let whole = |place: &Place| match place {
        Place::Pieces(pieces) => {
            pieces.iter().any(|piece| piece.filter.is_none() && piece.fixed.as_slice() == [(time, low)])
        }
        Place::Wrap { .. } => false,
    };
    let stated = problem.conditions.iter().filter(|condition| whole(&condition.place));
    stated.flat_map(|condition| &condition.equations).find_map(|equation| {
        let slope = pool.derivative(equation.residual, value);
        let factor = pool.as_number(slope).filter(|factor| *factor != 0.0)?;
        let field = pool.leaf(value);
        let formula = pool.combine(&[(equation.residual, -1.0 / factor), (field, 1.0)]);
        (!pool.mentions(formula, |leaf| order(leaf).is_some())).then_some(formula)
    })
}
