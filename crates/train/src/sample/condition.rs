//! Points on the faces, edges, corners and inner planes of the box.

use super::{Sequence, affine};
use crate::TrainError;
use equation::expression::{Leaf, evaluate};
use equation::problem::{Piece, Place, Problem};
use equation::taylor::Row;
use kernel::Points;
use rayon::prelude::*;

/// Candidates looked at for each point that a filter should leave: a filter that keeps less than this
/// share of its piece gets fewer points than asked for.
const TRIES_PER_POINT: usize = 256;

/// Points of the condition at `index`; `sequence` gives each of its pieces, by (part, dimensions, number
/// of points), points of a unit cube.
pub(super) fn draw(
    problem: &Problem,
    index: usize,
    row: Row,
    sequence: impl Fn(usize, usize, usize) -> Sequence + Sync,
) -> Result<Points, TrainError> {
    let condition = &problem.conditions[index];
    let count = condition.points.unwrap_or(problem.training.condition_points);
    let mut points = Points::new(row.width());
    match &condition.place {
        Place::Pieces(pieces) => {
            let shares = shares(problem, pieces, count);
            // A cube in many dimensions has many faces.
            let parts = pieces.par_iter().zip(shares).enumerate().map(|(part, (piece, share))| {
                let free = free(problem, piece);
                let sequence = sequence(part, free.len(), share);
                on_piece(problem, piece, row, share, &free, &sequence)
            });
            points = Points::from_rows(row.width(), parts.collect::<Vec<_>>().concat());
        }
        &Place::Wrap { axis } => {
            // On a line the two ends are one pair of points, however many are asked for.
            let count = if problem.domain.len() == 1 { 1 } else { count };
            let sequence = sequence(0, problem.domain.len() - 1, count);
            wrapped(problem, axis, row, count, &sequence, &mut points);
        }
    }
    if points.is_empty() {
        return Err(TrainError::EmptyPlace { condition: condition.name.clone() });
    }
    Ok(points)
}

/// Divides `count` points over pieces in proportion to their measure, at least one each. A corner has
/// one point and no more: it would only repeat.
pub(super) fn shares(problem: &Problem, pieces: &[Piece], count: usize) -> Vec<usize> {
    let measures: Vec<f64> = pieces
        .iter()
        .map(|piece| {
            let free = free(problem, piece);
            let length =
                |&axis: &usize| problem.domain.coordinates[axis].high - problem.domain.coordinates[axis].low;
            if free.is_empty() { 0.0 } else { free.iter().map(length).product() }
        })
        .collect();
    let total: f64 = measures.iter().sum();
    let corners = measures.iter().filter(|&&measure| measure == 0.0).count();
    let divided = count.saturating_sub(corners) as f64;
    // Rounding the running total, and not each share, keeps the sum right.
    let mut covered = 0.0;
    measures
        .iter()
        .map(|&measure| {
            if measure == 0.0 {
                return 1;
            }
            let before = (divided * covered / total).round();
            covered += measure;
            (((divided * covered / total).round() - before) as usize).max(1)
        })
        .collect()
}

pub(super) fn free(problem: &Problem, piece: &Piece) -> Vec<usize> {
    (0..problem.domain.len()).filter(|axis| piece.fixed.iter().all(|(fixed, _)| fixed != axis)).collect()
}

fn on_piece(
    problem: &Problem,
    piece: &Piece,
    row: Row,
    count: usize,
    free: &[usize],
    sequence: &Sequence,
) -> Vec<f64> {
    let mut rows = Vec::with_capacity(count * row.width());
    let mut unit = vec![0.0; free.len()];
    let mut numbers = vec![0.0; row.width()];
    for &(axis, value) in &piece.fixed {
        numbers[axis] = value;
    }
    if let (true, Some((axis, sign))) = (row.normals, piece.normal) {
        numbers[row.coordinates * row.sites + axis] = sign;
    }
    let tries = match (&piece.filter, free.is_empty()) {
        (None, _) => count,
        (Some(_), true) => 1,
        (Some(_), false) => count.saturating_mul(TRIES_PER_POINT),
    };
    for index in 0..tries {
        sequence.point(index as u32, &mut unit);
        for (&axis, &unit) in free.iter().zip(&unit) {
            numbers[axis] = affine(&problem.domain.coordinates[axis], unit);
        }
        if keeps(problem, piece, &numbers) {
            rows.extend_from_slice(&numbers);
            if rows.len() == count * row.width() {
                break;
            }
        }
    }
    rows
}

fn keeps(problem: &Problem, piece: &Piece, place: &[f64]) -> bool {
    piece.filter.is_none_or(|filter| {
        let value: f64 = evaluate(&problem.pool, filter, &|leaf| match leaf {
            Leaf::Coordinate(axis) => place[usize::from(axis)],
            // The parser admits coordinates only; anything else keeps nothing and is reported as empty.
            _ => f64::NAN,
        });
        value != 0.0 && !value.is_nan()
    })
}

fn wrapped(problem: &Problem, axis: usize, row: Row, count: usize, sequence: &Sequence, points: &mut Points) {
    let others: Vec<usize> = (0..problem.domain.len()).filter(|&other| other != axis).collect();
    let mut unit = vec![0.0; others.len()];
    let mut numbers = vec![0.0; row.width()];
    numbers[axis] = problem.domain.coordinates[axis].low;
    numbers[row.coordinates + axis] = problem.domain.coordinates[axis].high;
    for index in 0..count {
        sequence.point(index as u32, &mut unit);
        for (&other, &unit) in others.iter().zip(&unit) {
            let value = affine(&problem.domain.coordinates[other], unit);
            numbers[other] = value;
            numbers[row.coordinates + other] = value;
        }
        points.push(&numbers);
    }
}
