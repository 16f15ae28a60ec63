//! Points that follow what training leaves. Methods differ in what they prefer; [`pick`] is the one place that takes points by chance.
//!
//! `shares` (chances by residuals: RAD, Wu, Zhu, Tan, Kartha, Lu 2023), `gradient` and `uncertainty` (other priorities), `added` (points that
//! are only added: RAR, RAR-D), `retained` (points that stay while their residuals are large: R3), `cells` (a tree that splits and joins),
//! `statistics` (what is told of a move).

mod added;
mod cells;
mod gradient;
mod pick;
mod retained;
mod shares;
mod statistics;
mod uncertainty;

pub(crate) use added::largest;
pub use cells::Cell;
pub(crate) use cells::{Refinement, cell_shares, first_cells, refine};
pub(crate) use gradient::steepness;
pub(crate) use pick::{pick, taken};
pub(crate) use retained::retained;
pub(crate) use shares::{mix, shares, sizes};
pub(crate) use statistics::{PriorityRange, mean_square};
pub(crate) use uncertainty::variances;

use super::{Draw, draw, neighbours};
use crate::TrainError;
use crate::table::Tables;
use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use kernel::Points;

/// The points of a draw, with several candidates for each point inside the domain. Those come in an order in which
/// neighbours lie near one another, for whoever takes points by chance.
pub fn candidates(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    wanted: Draw,
    per_point: usize,
) -> Result<Vec<Points>, TrainError> {
    let wanted = Draw { interior: wanted.interior.saturating_mul(per_point), ..wanted };
    let mut sets = draw(problem, plan, tables, wanted)?;
    for (term, points) in plan.terms.iter().zip(&mut sets) {
        if term.source == Source::Interior {
            *points = neighbours::in_order(&problem.domain.coordinates, points);
        }
    }
    Ok(sets)
}
