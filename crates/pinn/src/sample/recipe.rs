//! Points as a recipe, for devices that draw them themselves: the same numbers as [`draw`](super::draw), bit for bit.

use super::condition::{free, shares};
use super::draw::{Draw, SEEDS, elsewhere};
use super::sobol::directions;
use crate::table::Tables;
use equation::problem::{Coordinate, Piece, Place, Problem, Sampler};
use equation::taylor::{Plan, Row, Source, Term};
use kernel::{DrawnColumn, DrawnPart, Recipe, Sequence, Supply};

/// The recipe of a phase's points; `None` where some of them cannot be had without evaluating formulas. The
/// draw's number does not count.
pub fn recipe(problem: &Problem, plan: &Plan, tables: &Tables, draw: Draw) -> Option<Recipe> {
    if problem.domain.geometry.is_some() || plan.terms.iter().any(|term| term.given.is_some()) {
        return None;
    }
    let terms = plan.terms.iter().enumerate();
    let terms = terms.map(|(position, term)| supply(problem, tables, draw, position, term));
    Some(Recipe::new(draw.seed, SEEDS, terms.collect::<Option<_>>()?))
}

fn supply(problem: &Problem, tables: &Tables, draw: Draw, position: usize, term: &Term) -> Option<Supply> {
    let part = |number: usize, dimensions: usize, count: usize, columns: Vec<DrawnColumn>| {
        let (sequence, stream) = (sequence(draw.sampler, dimensions)?, Draw::stream_name(position, number));
        let columns = with_sites(problem, term, columns);
        Some(DrawnPart { count, sequence, stream, columns })
    };
    let row = term.row;
    match term.source {
        Source::Interior | Source::Prediction => {
            let mut columns = vec![DrawnColumn::Constant(1.0); row.width()];
            for (dimension, coordinate) in problem.domain.coordinates.iter().enumerate() {
                columns[dimension] = stretched(coordinate, dimension);
            }
            Some(Supply::Drawn(vec![part(0, problem.domain.len(), draw.interior, columns)?]))
        }
        // What the window before says is no recipe's business.
        Source::Condition(_) if row.columns > 0 => None,
        Source::Condition(index) => {
            let condition = &problem.conditions[index];
            let count = condition.points.unwrap_or(problem.training.condition_points);
            match &condition.place {
                Place::Pieces(pieces) if pieces.iter().any(|piece| piece.filter.is_some()) => None,
                Place::Pieces(pieces) => {
                    let shares = shares(problem, pieces, count);
                    let parts = pieces.iter().zip(shares).enumerate().map(|(number, (piece, share))| {
                        let free = free(problem, piece);
                        part(number, free.len(), share, on_piece(problem, piece, row, &free))
                    });
                    Some(Supply::Drawn(parts.collect::<Option<_>>()?))
                }
                Place::Interface { .. } => None,
                &Place::Wrap { axis } => {
                    let count = if problem.domain.len() == 1 { 1 } else { count };
                    let columns = wrapped(problem, axis, row);
                    Some(Supply::Drawn(vec![part(0, problem.domain.len() - 1, count, columns)?]))
                }
            }
        }
        Source::Data(index) => Some(Supply::Given(tables.measurements(index).clone())),
    }
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
fn sequence(sampler: Sampler, dimensions: usize) -> Option<Sequence> {
    match sampler {
        Sampler::Sobol => Some(Sequence::Sobol { directions: (0..dimensions).map(directions).collect() }),
        Sampler::Uniform => Some(Sequence::Uniform),
        Sampler::LatinHypercube => Some(Sequence::LatinHypercube),
        Sampler::Halton | Sampler::Hammersley | Sampler::Grid | Sampler::Chebyshev => None,
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
