//! Points on the faces, edges, corners and inner planes of the box, and on the boundaries of shapes.

use super::shape::{Surface, stretched};
use super::{PointSequence, affine, interface};
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
    sequence: impl Fn(usize, usize, usize) -> PointSequence + Sync,
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
                let parameters =
                    Surface::of(&problem.domain, piece).map_or(0, |surface| surface.parameters());
                let sequence = sequence(part, free.len() + parameters, share);
                on_piece(problem, piece, row, share, &free, &sequence)
            });
            points = Points::from_rows(row.width(), parts.collect::<Vec<_>>().concat());
        }
        Place::Interface { .. } => {}
        &Place::Wrap { axis } => {
            // On a line the two ends are one pair of points, however many are asked for.
            let count = if problem.domain.len() == 1 { 1 } else { count };
            let sequence = sequence(0, problem.domain.len() - 1, count);
            wrapped(problem, axis, row, count, &sequence, &mut points);
        }
    }
    if let Place::Interface { subdomains } = &condition.place {
        let pieces = interface::pieces(problem, subdomains);
        let whole: f64 = pieces.iter().map(|(_, _, measure)| measure).sum();
        for (part, (subdomain, piece, measure)) in pieces.into_iter().enumerate() {
            let share = ((count as f64 * measure / whole).round() as usize).max(1);
            let sequence = sequence(part, problem.domain.len() - 1, share);
            interface::on_piece(problem, (subdomain, piece), row, share, &sequence, &mut points);
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
    let measures = measures(problem, pieces, count);
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

/// The measure of every piece in one unit; zero for corners, which have none.
fn measures(problem: &Problem, pieces: &[Piece], count: usize) -> Vec<f64> {
    let lengths = |piece: &Piece| -> Vec<f64> {
        let reaches = free(problem, piece).into_iter().map(|axis| problem.domain.reach(axis));
        let surface = Surface::of(&problem.domain, piece).filter(|surface| surface.parameters() > 0);
        reaches.map(|(low, high)| high - low).chain(surface.map(|surface| surface.measure())).collect()
    };
    let plain = |lengths: &Vec<f64>| if lengths.is_empty() { 0.0 } else { lengths.iter().product() };
    let lengths: Vec<Vec<f64>> = pieces.iter().map(lengths).collect();
    let measures: Vec<f64> = lengths.iter().map(plain).collect();
    let whole = count as f64 * measures.iter().sum::<f64>();
    let sizes = measures.iter().zip(&lengths).filter(|(_, lengths)| !lengths.is_empty());
    if whole.is_finite() && sizes.into_iter().all(|(measure, _)| measure.is_normal()) {
        return measures;
    }
    // Faces in many dimensions may be too large or too small for a number; their parts of the largest are not.
    let digits = |lengths: &Vec<f64>| lengths.iter().map(|length| length.ln()).sum::<f64>();
    let largest = lengths.iter().filter(|own| !own.is_empty()).map(digits).fold(f64::NEG_INFINITY, f64::max);
    let part = |own: &Vec<f64>| (digits(own) - largest).exp().max(f64::MIN_POSITIVE);
    lengths.iter().map(|own| if own.is_empty() { 0.0 } else { part(own) }).collect()
}

/// The coordinates that a piece leaves free, but for those of the space that a surface lies in.
pub(super) fn free(problem: &Problem, piece: &Piece) -> Vec<usize> {
    let surface = piece.surface.and(problem.domain.geometry.as_ref());
    let bound = |axis: &usize| surface.is_some_and(|geometry| geometry.axes.contains(axis));
    let free = (0..problem.domain.len()).filter(|axis| piece.fixed.iter().all(|(fixed, _)| fixed != axis));
    free.filter(|axis| !bound(axis)).collect()
}

fn on_piece(
    problem: &Problem,
    piece: &Piece,
    row: Row,
    count: usize,
    free: &[usize],
    sequence: &PointSequence,
) -> Vec<f64> {
    let mut rows = Vec::with_capacity(count * row.width());
    let mut surface = Surface::of(&problem.domain, piece);
    let parameters = surface.as_ref().map_or(0, Surface::parameters);
    let mut unit = vec![0.0; free.len() + parameters];
    let mut numbers = vec![0.0; row.width()];
    for &(axis, value) in &piece.fixed {
        numbers[axis] = value;
    }
    if let (true, Some((axis, sign))) = (row.normals, piece.normal) {
        numbers[row.coordinates * row.sites + axis] = sign;
    }
    let rejects = piece.filter.is_some() || problem.domain.geometry.is_some();
    let tries = match (rejects, unit.is_empty()) {
        (false, _) => count,
        (true, true) => 1,
        (true, false) => count.saturating_mul(TRIES_PER_POINT),
    };
    for index in 0..tries {
        sequence.point(index as u64, &mut unit);
        let (on_surface, others) = unit.split_at(parameters);
        for (&axis, &unit) in free.iter().zip(others) {
            numbers[axis] = stretched(&problem.domain, axis, unit);
        }
        let is_there = match &mut surface {
            Some(surface) => surface.put(on_surface, row, &mut numbers),
            // Corners, and the ends of lines, are places of the boundary.
            None => problem.domain.covers(&numbers),
        };
        if is_there && keeps(problem, piece, &numbers) {
            rows.extend_from_slice(&numbers);
            if rows.len() == count * row.width() {
                break;
            }
        }
    }
    rows
}

/// Whether a place passes the filter of a piece.
pub(crate) fn keeps(problem: &Problem, piece: &Piece, place: &[f64]) -> bool {
    piece.filter.is_none_or(|filter| {
        let value: f64 = evaluate(&problem.pool, filter, &|leaf| match leaf {
            Leaf::Coordinate(axis) => place[usize::from(axis)],
            // The parser admits coordinates only; anything else keeps nothing and is reported as empty.
            _ => f64::NAN,
        });
        value != 0.0 && !value.is_nan()
    })
}

fn wrapped(
    problem: &Problem,
    axis: usize,
    row: Row,
    count: usize,
    sequence: &PointSequence,
    points: &mut Points,
) {
    let others: Vec<usize> = (0..problem.domain.len()).filter(|&other| other != axis).collect();
    let mut unit = vec![0.0; others.len()];
    let mut numbers = vec![0.0; row.width()];
    numbers[axis] = problem.domain.coordinates[axis].low;
    numbers[row.coordinates + axis] = problem.domain.coordinates[axis].high;
    for index in 0..count {
        sequence.point(index as u64, &mut unit);
        for (&other, &unit) in others.iter().zip(&unit) {
            let value = affine(&problem.domain.coordinates[other], unit);
            numbers[other] = value;
            numbers[row.coordinates + other] = value;
        }
        points.push(&numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse;

    #[test]
    fn points_are_shared_out_by_measure_even_where_measures_are_no_numbers() {
        let shared = |length: &str, dimensions: usize| {
            let text = format!(
                "[domain]\nx = {{ range = [0, {length}], count = {dimensions} }}\n[unknowns]\nu = {{}}\n[equations]\na = \"laplacian(u) = 1\"\n\
                 [conditions]\nwalls = {{ on = \"boundary\", equation = \"u = 0\" }}\n"
            );
            let problem = parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
            let Place::Pieces(pieces) = &problem.conditions[0].place else { panic!("walls have faces") };
            shares(&problem, pieces, 1000)
        };
        for length in ["1e60", "1e-60", "1"] {
            // Ten dimensions have twenty faces of 1e540, 1e-540 or one.
            assert_eq!(shared(length, 10), [50; 20], "{length}");
        }
    }
}
