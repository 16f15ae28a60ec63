//! What a condition prescribes, if it prescribes anything that an ansatz can hold.

use super::face::{End, Face};
use super::select;
use crate::expression::{Expression, Field, Leaf, Pool};
use crate::problem::PenaltyReason;
use crate::problem::{HardConstraints, Piece, Place, Problem};
use crate::problem::{largest, places, prescribed, surface_places, value};

/// An equation `a·u = f` (or of a slope of `u`) on whole faces of the box.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Which equation of all conditions, counted in their order.
    pub(super) number: usize,
    /// The condition, by position.
    pub(super) condition: usize,
    pub(super) unknown: usize,
    /// One per face of the box.
    pub(super) data: Vec<Datum>,
    /// One per piece of the boundary of a shape that is no face of the box.
    pub(super) surfaces: Vec<SurfaceDatum>,
}

/// What is prescribed on a piece of the boundary of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurfaceDatum {
    /// Which piece.
    pub(super) surface: usize,
    /// A function of all coordinates.
    pub(super) data: Expression,
    /// Its largest absolute value there.
    pub(super) scale: f64,
}

/// What is prescribed on one face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datum {
    pub(super) face: Face,
    /// A function of the other coordinates. Nothing but its values on the face may enter an ansatz: the
    /// formula of a condition may well be the solution.
    pub(super) data: Expression,
    /// Its largest absolute value.
    pub(super) scale: f64,
    /// Differences that do not count where it meets others.
    pub(super) slack: f64,
}

/// A function this small, as a share of the function that it is a part of, is rounding: `sin(pi)`.
pub(super) const ROUNDING: f64 = 1e-14;

/// What an ansatz of the file misses of a condition, as a share of both, is a hair that keeps its quotients finite in a
/// corner (`atan(x/(y + 1e-12))`): the condition holds.
const HAIR: f64 = 1e-8;

/// Reads one equation of one condition.
pub(super) fn read(
    pool: &mut Pool,
    problem: &Problem,
    condition: usize,
    equation: usize,
) -> Result<Claim, PenaltyReason> {
    let stated = &problem.conditions[condition];
    let pieces = match &stated.place {
        Place::Pieces(pieces) => pieces,
        Place::Wrap { .. } => return Err(PenaltyReason::Wrapped),
        Place::Interface { .. } => return Err(PenaltyReason::TwoSides),
    };
    let residual = stated.equations[equation].residual;
    let (field, function) = prescribed(pool, residual)?;
    let unknown = usize::from(field.unknown);
    let known = problem.added(pool, unknown).ok_or(PenaltyReason::OwnAnsatz { unknown })?.known;
    if problem.unknowns[unknown].hard_constraints == HardConstraints::Off {
        return Err(PenaltyReason::Off { unknown });
    }
    let (faces, pieces) = faces(problem, pieces, field)?;
    if [function, known].iter().any(|&part| pool.mentions(part, |leaf| matches!(leaf, Leaf::Parameter(_)))) {
        return Err(PenaltyReason::Trained);
    }
    select::few_nodes(pool, function)?;
    select::few_axes(faces.iter().map(|face| face.axis))?;
    let size = finite_scale(pool, problem, function).max(finite_scale(pool, problem, known));
    let surfaces = surfaces(pool, problem, pieces, function)?;
    let mut data = Vec::with_capacity(faces.len());
    for face in faces {
        // The face's slope is given as such: only the coordinate is fixed.
        let on_face = Face { order: 0, ..face }.of(pool, &problem.domain, function);
        // What the network is added to is there already.
        let met = face.of(pool, &problem.domain, known);
        let on_face = pool.subtract(on_face, met);
        let places = places(&problem.domain, &[face.fixed(&problem.domain)]);
        let (index, scale) = largest(pool, on_face, &places);
        if problem.unknowns[unknown].ansatz.is_some() && is_met(pool, problem, (face, on_face), &places, size)
        {
            data.push(Datum { face, data: pool.number(0.0), scale: 0.0, slack: HAIR * size });
            continue;
        }
        if !scale.is_finite() {
            return Err(PenaltyReason::NotFinite { axis: face.axis, order: 0, place: places[index].clone() });
        }
        let zero = scale <= ROUNDING * size;
        data.push(Datum {
            face,
            data: if zero { pool.number(0.0) } else { on_face },
            scale: if zero { 0.0 } else { scale },
            slack: 0.0,
        });
    }
    match pool.overflow() {
        Some(overflow) => Err(PenaltyReason::Overflow(overflow)),
        None => Ok(Claim { number: 0, condition, unknown, data, surfaces }),
    }
}

/// Whether nothing is left of a condition on a face but at its edges, where conditions that contradict each other meet.
fn is_met(
    pool: &Pool,
    problem: &Problem,
    (face, rest): (Face, Expression),
    places: &[Vec<f64>],
    size: f64,
) -> bool {
    let inside = |place: &&Vec<f64>| {
        let mut coordinates = problem.domain.coordinates.iter().zip(place.iter()).enumerate();
        coordinates.all(|(axis, (coordinate, &value))| {
            axis == face.axis || (coordinate.low < value && value < coordinate.high)
        })
    };
    let inside: Vec<Vec<f64>> = places.iter().filter(inside).cloned().collect();
    !inside.is_empty() && largest(pool, rest, &inside).1 <= HAIR * size
}

/// What is prescribed on pieces of the boundary of a shape.
fn surfaces(
    pool: &mut Pool,
    problem: &Problem,
    pieces: Vec<usize>,
    function: Expression,
) -> Result<Vec<SurfaceDatum>, PenaltyReason> {
    let mut surfaces = Vec::with_capacity(pieces.len());
    for surface in pieces {
        let places = surface_places(&problem.domain, surface);
        let (index, scale) = largest(pool, function, &places);
        if !scale.is_finite() {
            let axis = problem.domain.space().first().copied().unwrap_or(0);
            let place = places.get(index).cloned().unwrap_or_default();
            return Err(PenaltyReason::NotFinite { axis, order: 0, place });
        }
        let zero = scale <= ROUNDING;
        let data = if zero { pool.number(0.0) } else { function };
        surfaces.push(SurfaceDatum { surface, data, scale: if zero { 0.0 } else { scale } });
    }
    Ok(surfaces)
}

/// The face of the box that a piece of the boundary of a shape lies on.
fn box_face(problem: &Problem, surface: usize) -> Option<(usize, f64)> {
    let geometry = problem.domain.geometry.as_ref().filter(|own| !own.moves(&problem.pool, surface))?;
    let level = geometry.solid.pieces()[surface].level().filter(|level| level.is_plane())?;
    let size = level.linear.iter().fold(0.0, |size: f64, slope| size.max(slope.abs()));
    let mut across = level.linear.iter().enumerate().filter(|(_, slope)| slope.abs() > 1e-12 * size);
    let ((own, slope), None) = (across.next()?, across.next()) else { return None };
    let axis = geometry.axes[own];
    let coordinate = &problem.domain.coordinates[axis];
    let place = -level.constant / slope;
    let near = |end: f64| (place - end).abs() <= 1e-9 * (coordinate.high - coordinate.low);
    [coordinate.low, coordinate.high].into_iter().find(|end| near(*end)).map(|end| (axis, end))
}

/// The faces of a condition that holds on nothing else but pieces of the boundary of a shape, which follow.
fn faces(
    problem: &Problem,
    pieces: &[Piece],
    field: Field,
) -> Result<(Vec<Face>, Vec<usize>), PenaltyReason> {
    let mut faces: Vec<Face> = Vec::with_capacity(pieces.len());
    let mut surfaces = Vec::new();
    for piece in pieces {
        if let (Some(surface), None) = (piece.surface, piece.filter) {
            if field.derivative.order() > 0 {
                return Err(PenaltyReason::NotPrescribed);
            }
            let Some((axis, value)) = box_face(problem, surface) else {
                if !surfaces.contains(&surface) {
                    surfaces.push(surface);
                }
                continue;
            };
            let end = if value == problem.domain.coordinates[axis].low { End::Low } else { End::High };
            let face = Face { axis, end, order: 0 };
            if !faces.contains(&face) {
                faces.push(face);
            }
            continue;
        }
        let (&[(axis, value)], None) = (&piece.fixed[..], piece.filter) else {
            return Err(PenaltyReason::Partial);
        };
        // A plane through a shape is no face of it.
        let in_shape = problem.domain.geometry.as_ref().is_some_and(|geometry| geometry.axes.contains(&axis));
        if in_shape {
            return Err(PenaltyReason::Partial);
        }
        let coordinate = &problem.domain.coordinates[axis];
        let end = match value {
            low if low == coordinate.low => End::Low,
            high if high == coordinate.high => End::High,
            _ => return Err(PenaltyReason::Partial),
        };
        let order = match field.derivative.axes() {
            [] => 0,
            [across] if usize::from(*across) == axis => 1,
            _ => return Err(PenaltyReason::NotPrescribed),
        };
        if problem.training.windows.count() > 1 && problem.time() == Some(axis) {
            return Err(PenaltyReason::Windows);
        }
        if problem.network.periodic.iter().any(|periodic| periodic.axis == axis) {
            return Err(PenaltyReason::Periodic { axis });
        }
        let face = Face { axis, end, order };
        if !faces.contains(&face) {
            faces.push(face);
        }
    }
    Ok((faces, surfaces))
}

/// The largest absolute value in the whole box, poles left out.
pub(super) fn finite_scale(pool: &Pool, problem: &Problem, function: Expression) -> f64 {
    let places = places(&problem.domain, &[]);
    let values = places.iter().map(|place| value(pool, function, place).abs());
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}
