//! Whether a filter leaves anything of a face.

use super::FaceEnd;
use crate::expression::{Expression, Leaf};
use crate::problem::{Problem, value};

/// Places looked at along the only free coordinate that a filter mentions.
const ON_A_LINE: usize = 4_001;

/// Places looked at along each of two.
const ON_A_SQUARE: usize = 101;

/// Filters with more distinct subexpressions are taken to leave something: looking at them would take long.
const MOST_NODES: usize = 64;

/// Whether a filter keeps a place of a face. A filter of more than two free coordinates may keep a part too small to be met,
/// and is taken to keep one.
pub(super) fn is_left(problem: &Problem, filter: Expression, end: FaceEnd) -> bool {
    let pool = &problem.pool;
    let mut nodes = 0;
    pool.visit(&[filter], |_, _| nodes += 1);
    if nodes > MOST_NODES {
        return true;
    }
    // What it does not mention makes no difference.
    let free: Vec<usize> = (0..problem.domain.len())
        .filter(|&axis| axis != end.axis)
        .filter(|&axis| pool.mentions(filter, |leaf| leaf == Leaf::Coordinate(axis as u16)))
        .collect();
    let along = match free.len() {
        0 => 1,
        1 => ON_A_LINE,
        2 => ON_A_SQUARE,
        _ => return true,
    };
    let mut place: Vec<f64> = problem.domain.coordinates.iter().map(|coordinate| coordinate.low).collect();
    place[end.axis] = end.value;
    (0..along.pow(free.len() as u32)).any(|index| {
        let mut rest = index;
        for &axis in &free {
            let coordinate = &problem.domain.coordinates[axis];
            let share = (rest % along) as f64 / (along - 1) as f64;
            place[axis] = coordinate.low + (coordinate.high - coordinate.low) * share;
            rest /= along;
        }
        let kept = value(pool, filter, &place);
        kept != 0.0 && !kept.is_nan()
    })
}
