//! Points as a recipe, for devices that draw them themselves: the same numbers as [`draw`](super::draw), bit for bit.

use super::condition::{free, shares};
use super::draw::{Draw, SEEDS, elsewhere};
use super::inside::tested;
use super::sobol::directions;
use crate::table::Tables;
use equation::problem::{Coordinate, Piece, Place, Problem, Sampler};
use equation::taylor::{Plan, Row, Source, Term};
use kernel::{DrawnColumn, DrawnInside, DrawnPart, EpochOrder, Points, Recipe, Sequence, Supply};
use std::fmt;

/// Points of a sequence that devices know: they number them with 32 binary digits, and a shape may take some more than was estimated.
const MOST: usize = 1 << 31;

/// Why a device cannot draw the points of a phase by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostPoints {
    /// Whether a point lies inside of the shape takes more than a few steps: it has a mesh, a spline, or very many parts.
    Shape,
    /// The shape changes with coordinates that are its parameters.
    Family,
    /// The shape is so thin that candidates come from cells.
    Thin,
    /// Points of a condition lie on a shape or in it.
    Conditions,
    /// Points bring values of known functions.
    Functions,
    /// A condition has a filter.
    Filter,
    /// Points lie where regions meet.
    Interface,
    /// The window before says what holds at the start.
    Window,
    /// Only the host has the sequence.
    Sequence(Sampler),
    /// Only the host has it inside shapes.
    Inside(Sampler),
    /// There are more points than devices number.
    Many,
}

impl fmt::Display for HostPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostPoints::Shape => f.write_str(
                "whether a point lies inside of a mesh, a spline or a shape of very many parts is found on the host",
            ),
            HostPoints::Family => f.write_str("inside of a shape with parameters, points are found on the host"),
            HostPoints::Thin => f.write_str(
                "the shape fills less than a hundredth of its box: its points come from cells, which the host has",
            ),
            HostPoints::Conditions => f.write_str("points of conditions of a shape are found on the host"),
            HostPoints::Functions => {
                f.write_str("points bring values of known functions, which are computed on the host")
            }
            HostPoints::Filter => f.write_str("filters of conditions (`where`) are evaluated on the host"),
            HostPoints::Interface => f.write_str("points on interfaces of regions are found on the host"),
            HostPoints::Window => {
                f.write_str("the network of the time window before is evaluated on the host")
            }
            HostPoints::Sequence(sampler) => {
                write!(
                    f,
                    "GPUs have the sequences sobol, uniform and latin-hypercube, not {}",
                    sampler.name()
                )
            }
            HostPoints::Many => write!(f, "GPUs have the first {MOST} points of a sequence"),
            HostPoints::Inside(sampler) => {
                write!(f, "inside shapes, GPUs have the sequences sobol and uniform, not {}", sampler.name())
            }
        }
    }
}

/// The recipe of a phase's points, or why some of them cannot be had on a device. The draw's number does not count.
pub fn recipe(problem: &Problem, plan: &Plan, tables: &Tables, draw: Draw) -> Result<Recipe, HostPoints> {
    if plan.terms.iter().any(|term| term.given.is_some()) {
        return Err(HostPoints::Functions);
    }
    let terms = plan.terms.iter().enumerate();
    let terms = terms.map(|(position, term)| supply(problem, tables, (draw, None), position, term));
    Ok(Recipe::new(draw.seed, SEEDS, terms.collect::<Result<_, _>>()?))
}

/// The same of steps that visit a part of the points of a term, in an order.
pub(crate) fn recipe_in_order(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    draw: Draw,
    (number, order): (usize, EpochOrder),
) -> Result<Recipe, HostPoints> {
    if plan.terms.iter().any(|term| term.given.is_some()) {
        return Err(HostPoints::Functions);
    }
    let supply = |(position, term): (usize, &std::sync::Arc<Term>)| {
        let order = (position == number).then_some(order);
        supply(problem, tables, (draw, order), position, term)
    };
    let terms = plan.terms.iter().enumerate().map(supply);
    Ok(Recipe::new(draw.seed, SEEDS, terms.collect::<Result<_, _>>()?))
}

/// A recipe for the points inside alone, in an order where there is one; those of all other terms are given.
pub(crate) fn recipe_inside(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    (draw, order): (Draw, Option<EpochOrder>),
    others: &[Points],
) -> Result<Recipe, HostPoints> {
    let own = |(position, term): (usize, &std::sync::Arc<Term>)| match term.source {
        Source::Interior if term.given.is_some() => Err(HostPoints::Functions),
        Source::Interior => supply(problem, tables, (draw, order), position, term),
        Source::Condition(_) | Source::Data(_) | Source::Prediction => {
            Ok(Supply::Given(others[position].clone()))
        }
    };
    let terms = plan.terms.iter().enumerate().map(own).collect::<Result<_, _>>()?;
    Ok(Recipe::new(draw.seed, SEEDS, terms))
}

fn supply(
    problem: &Problem,
    tables: &Tables,
    (draw, order): (Draw, Option<EpochOrder>),
    position: usize,
    term: &Term,
) -> Result<Supply, HostPoints> {
    let part = |number: usize, dimensions: usize, count: usize, columns: Vec<DrawnColumn>| {
        let (sequence, stream) = (sequence(draw.sampler, dimensions)?, Draw::stream_name(position, number));
        let columns = with_sites(problem, term, columns);
        Ok(DrawnPart { count, sequence, stream, columns, inside: None, order: None })
    };
    let row = term.row;
    match term.source {
        Source::Interior | Source::Prediction if row.columns > 0 => Err(HostPoints::Window),
        Source::Interior | Source::Prediction => {
            let inside = inside(problem, draw)?;
            let mut columns = vec![DrawnColumn::Constant(1.0); row.width()];
            for (dimension, column) in columns.iter_mut().enumerate().take(problem.domain.len()) {
                let (low, high) = problem.domain.reach(dimension);
                *column = DrawnColumn::Stretched { dimension, low, length: high - low };
            }
            let count = order.map_or(draw.interior, |order| order.size.min(order.count));
            let part = part(0, problem.domain.len(), count, columns)?;
            Ok(Supply::Drawn(vec![DrawnPart { inside, order, ..part }]))
        }
        Source::Condition(_) if row.columns > 0 => Err(HostPoints::Window),
        Source::Condition(_) if problem.domain.geometry.is_some() => Err(HostPoints::Conditions),
        Source::Condition(index) => {
            let condition = &problem.conditions[index];
            let count = condition.points.unwrap_or(problem.training.condition_points);
            match &condition.place {
                Place::Pieces(pieces) if pieces.iter().any(|piece| piece.filter.is_some()) => {
                    Err(HostPoints::Filter)
                }
                Place::Pieces(pieces) => {
                    let shares = shares(problem, pieces, count);
                    let parts = pieces.iter().zip(shares).enumerate().map(|(number, (piece, share))| {
                        let free = free(problem, piece);
                        part(number, free.len(), share, on_piece(problem, piece, row, &free))
                    });
                    Ok(Supply::Drawn(parts.collect::<Result<_, _>>()?))
                }
                Place::Interface { .. } => Err(HostPoints::Interface),
                &Place::Wrap { axis } => {
                    let count = if problem.domain.len() == 1 { 1 } else { count };
                    let columns = wrapped(problem, axis, row);
                    Ok(Supply::Drawn(vec![part(0, problem.domain.len() - 1, count, columns)?]))
                }
            }
        }
        Source::Data(index) => Ok(Supply::Given(tables.measurements(index).clone())),
    }
}

/// Which candidates are points inside, where there is a shape.
fn inside(problem: &Problem, draw: Draw) -> Result<Option<DrawnInside>, HostPoints> {
    if draw.interior > MOST {
        return Err(HostPoints::Many);
    }
    let Some(geometry) = &problem.domain.geometry else { return Ok(None) };
    match draw.sampler {
        Sampler::Sobol | Sampler::Uniform => {}
        Sampler::LatinHypercube => return Err(HostPoints::Inside(draw.sampler)),
        Sampler::Halton | Sampler::Hammersley | Sampler::Grid | Sampler::Chebyshev => {
            return Err(HostPoints::Sequence(draw.sampler));
        }
    }
    let inside = tested(&problem.domain, geometry, draw.sampler, draw.interior)?;
    if inside.candidates > MOST { Err(HostPoints::Many) } else { Ok(Some(inside)) }
}

/// The columns of a point with those of further sites: its own, but for coordinates that are stated.
fn with_sites(problem: &Problem, term: &Term, mut columns: Vec<DrawnColumn>) -> Vec<DrawnColumn> {
    let count = term.row.coordinates;
    for (number, stated) in elsewhere(problem, term).iter().enumerate() {
        let start = (number + 1) * count;
        (0..count).for_each(|axis| columns[start + axis] = columns[axis]);
        stated.iter().for_each(|&(axis, value)| columns[start + axis] = DrawnColumn::Constant(value));
    }
    columns
}

/// The sequence of a sampler, where devices know it.
fn sequence(sampler: Sampler, dimensions: usize) -> Result<Sequence, HostPoints> {
    match sampler {
        Sampler::Sobol => Ok(Sequence::Sobol { directions: (0..dimensions).map(directions).collect() }),
        Sampler::Uniform => Ok(Sequence::Uniform),
        Sampler::LatinHypercube => Ok(Sequence::LatinHypercube),
        Sampler::Halton | Sampler::Hammersley | Sampler::Grid | Sampler::Chebyshev => {
            Err(HostPoints::Sequence(sampler))
        }
    }
}

fn zeros(row: Row) -> Vec<DrawnColumn> {
    vec![DrawnColumn::Constant(0.0); row.width()]
}

fn stretched(coordinate: &Coordinate, dimension: usize) -> DrawnColumn {
    DrawnColumn::Stretched { dimension, low: coordinate.low, length: coordinate.high - coordinate.low }
}

fn on_piece(problem: &Problem, piece: &Piece, row: Row, free: &[usize]) -> Vec<DrawnColumn> {
    let mut columns = zeros(row);
    for &(axis, value) in &piece.fixed {
        columns[axis] = DrawnColumn::Constant(value);
    }
    if let (true, Some((axis, sign))) = (row.normals, piece.normal) {
        columns[row.coordinates * row.sites + axis] = DrawnColumn::Constant(sign);
    }
    for (dimension, &axis) in free.iter().enumerate() {
        columns[axis] = stretched(&problem.domain.coordinates[axis], dimension);
    }
    columns
}

fn wrapped(problem: &Problem, axis: usize, row: Row) -> Vec<DrawnColumn> {
    let mut columns = zeros(row);
    columns[axis] = DrawnColumn::Constant(problem.domain.coordinates[axis].low);
    columns[row.coordinates + axis] = DrawnColumn::Constant(problem.domain.coordinates[axis].high);
    let others = (0..problem.domain.len()).filter(|&other| other != axis);
    for (dimension, other) in others.enumerate() {
        let column = stretched(&problem.domain.coordinates[other], dimension);
        (columns[other], columns[row.coordinates + other]) = (column, column);
    }
    columns
}
