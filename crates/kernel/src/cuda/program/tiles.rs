//! How many points a block works on at a time.

use equation::taylor::{Plan, Term};
use std::sync::Arc;

/// Points of the smallest tile: a row of a signal is then still whole 16-byte pieces.
pub(crate) const FEWEST: usize = 8;
pub(crate) const MOST: usize = 64;

/// Columns (channels times places) of a matrix up to which a tile may grow.
const COLUMNS: usize = 128;

/// The largest tile that the terms' channels allow.
fn allowed<'a>(terms: impl Iterator<Item = &'a Term>) -> usize {
    let columns = terms.map(|term| term.channels.len() * term.row.sites).max().unwrap_or(1);
    let mut points = MOST;
    while points > FEWEST && points * columns > COLUMNS {
        points /= 2;
    }
    points
}

/// Halves a tile while blocks would stay without work.
fn shared_out(mut points: usize, tiles: impl Fn(usize) -> usize, blocks: usize) -> usize {
    while points > FEWEST && tiles(points) < blocks {
        points /= 2;
    }
    points
}

/// For many points.
pub(crate) fn largest(plan: &Plan) -> usize {
    allowed(plan.terms.iter().map(Arc::as_ref))
}

/// For any number of points of one term.
pub(crate) fn for_any(plan: &Plan, term: &Term) -> usize {
    // All terms are in one kernel, whose scratch memory fits the widest of them.
    allowed(plan.terms.iter().map(Arc::as_ref).chain([term]))
}

/// For `count` points of one term.
pub(crate) fn for_term(plan: &Plan, term: &Term, count: usize, blocks: usize) -> usize {
    shared_out(for_any(plan, term), |size| count.div_ceil(size), blocks)
}
