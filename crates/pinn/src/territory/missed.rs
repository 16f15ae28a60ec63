//! Pieces of the boundary on which a condition holds and has no point.

use super::short;
use crate::sample::draw;
use crate::{Experiment, Points};
use equation::problem::{Place, Problem};
use equation::taylor::Source;
use geometry::{Piece, Solid};

/// Candidates on a piece for every point that it is to have, as drawing tries.
const TRIES: f64 = 256.0;

/// With fewer hits to be expected than these, there may be none.
const FEW: f64 = 8.0;

/// Places on a piece by which what is left of it is known.
const PLACES: usize = 4096;

/// Sentences about pieces without a point in the first draw.
pub(super) fn warnings(experiment: &Experiment) -> Vec<String> {
    let problem = experiment.problem();
    // Of what operations leave for other parameters nothing is known.
    let fixed = problem.domain.geometry.as_ref().filter(|geometry| geometry.family.is_none());
    let Some(geometry) = fixed else { return Vec::new() };
    let candidates = candidates(problem, &geometry.solid);
    let Some(settings) = experiment.settled().first().filter(|_| !candidates.is_empty()) else {
        return Vec::new();
    };
    let which = crate::sample::Draw { interior: 1, ..settings.draw(problem, 0) };
    // What cannot be drawn is an error where it is trained.
    let Ok(points) = draw(problem, experiment.plan(), &experiment.tables, which) else { return Vec::new() };
    let mut lines = Vec::new();
    for (condition, surface) in candidates {
        let terms = experiment.plan().terms.iter().zip(&points);
        let mut own =
            terms.filter(|(term, _)| term.source == Source::Condition(condition)).map(|(_, points)| points);
        let piece = &geometry.solid.pieces()[surface];
        if own.clone().next().is_none()
            || own.any(|points| is_met(&geometry.solid, surface, &geometry.axes, points))
        {
            continue;
        }
        lines.push(format!(
            "condition `{}` has no point on `{}`, of which operations have left {} %: give the piece a condition of its own, or more \
             `points`",
            problem.conditions[condition].name,
            piece.name(),
            short(100.0 * piece.left()),
        ));
    }
    lines
}

/// Conditions, and pieces of their places on which they may have no point: by position.
fn candidates(problem: &Problem, solid: &Solid) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (condition, own) in problem.conditions.iter().enumerate() {
        let Place::Pieces(pieces) = &own.place else { continue };
        let count = own.points.unwrap_or(problem.training.condition_points) as f64;
        // Of a filter that keeps nothing of a piece nobody wants a point there.
        let surfaces =
            || pieces.iter().filter(|piece| piece.filter.is_none()).filter_map(|piece| piece.surface);
        let measure = |surface: usize| solid.pieces()[surface].measure().value;
        let whole: f64 = surfaces().map(measure).sum();
        for surface in surfaces() {
            let share = (count * measure(surface) / whole).max(1.0);
            if share * TRIES * solid.pieces()[surface].left() < FEW {
                found.push((condition, surface));
            }
        }
    }
    found
}

/// Whether some point of a condition lies on a piece: near one of the places that are left of it.
fn is_met(solid: &Solid, surface: usize, axes: &[usize], points: &Points) -> bool {
    let piece: &Piece = &solid.pieces()[surface];
    let dimension = solid.dimension();
    // One number places along a line, where samples are even; over a surface as many along each parameter.
    let across = if piece.parameters() > 1 { 256 } else { 1 };
    let whole = piece.measure().value / piece.left();
    let reach = match piece.parameters() {
        1 => 2.0 * whole / PLACES as f64,
        _ => 4.0 * (whole / (PLACES * 16) as f64).sqrt(),
    };
    let along = if across > 1 { 256 } else { PLACES };
    let (mut point, mut normal) = (vec![0.0; dimension], vec![0.0; dimension]);
    for index in 0..along * across {
        let unit =
            [((index % along) as f64 + 0.5) / along as f64, ((index / along) as f64 + 0.5) / across as f64];
        piece.place(&unit[..piece.parameters()], &mut point, &mut normal);
        if solid.outward(surface, &point, &normal).is_none() {
            continue;
        }
        let near = |row: &[f64]| {
            let offsets = axes.iter().zip(&point).map(|(&axis, value)| (row[axis] - value).powi(2));
            offsets.sum::<f64>().sqrt() <= reach
        };
        if points.iter().any(near) {
            return true;
        }
    }
    false
}
