//! Shapes with parameters of a family: whether they keep their pieces over the whole range.

use super::beyond;
use crate::counter::Stream;
use crate::expression::{Leaf, Pool};
use crate::parse::expression::Workshop;
use crate::parse::source::Span;
use crate::problem::{Role, ShapeFamily, ShapeStep};
use geometry::{Piece, Solid};

/// Values of an only parameter that are looked at, both ends among them.
const VALUES: usize = 17;

/// The same of several parameters, beside the corners of their ranges.
const MIXED: u64 = 24;

/// Corners of ranges that are looked at: those of so many parameters.
const MOST_CORNERS: usize = 4;

/// Places at which a formula is compared with a shape.
const PLACES: u64 = 512;

/// The space coordinates, and the intervals of all.
type Space<'s> = (&'s [usize], &'s [Option<(f64, f64)>]);

/// The middle of every coordinate that is a parameter.
pub(super) fn middle(workshop: &Workshop, ranges: &[Option<(f64, f64)>]) -> Vec<Option<f64>> {
    let coordinates = workshop.scope.coordinates.iter().zip(ranges);
    coordinates
        .map(|((_, role), range)| {
            range.filter(|_| *role == Role::Parameter).map(|(low, high)| 0.5 * (low + high))
        })
        .collect()
}

/// Whether steps have numbers that depend on coordinates.
pub(super) fn depends(pool: &Pool, steps: &[ShapeStep]) -> bool {
    let is_coordinate = |leaf| matches!(leaf, Leaf::Coordinate(_));
    steps.iter().flat_map(ShapeStep::numbers).any(|number| pool.mentions(*number, is_coordinate))
}

/// The family of a shape, which is `solid` at the middle of all parameters; `None` inside where it depends on none. What is wrong
/// with it has been reported.
pub(super) fn read(
    solid: &Solid,
    steps: &[ShapeStep],
    (axes, ranges): Space<'_>,
    span: Span,
    workshop: &mut Workshop,
) -> Option<Option<ShapeFamily>> {
    let family = match ShapeFamily::new(&mut workshop.pool, steps, axes) {
        Ok(Some(family)) => family,
        Ok(None) => return Some(None),
        Err(reason) => {
            let message = format!("this shape cannot depend on parameters: {reason}");
            workshop.mistakes.report_with(span, message, MADE_OF);
            return None;
        }
    };
    for place in values(&family, ranges) {
        if let Err((wrong, hint)) = check(solid, &family, (axes, ranges), &place) {
            let at = listed(&family, &place, workshop);
            workshop.mistakes.report_with(span, format!("at {at} {wrong}"), hint);
            return None;
        }
    }
    Some(Some(family))
}

/// What a shape with parameters may consist of.
const MADE_OF: &str = "make it of intervals, rectangles, boxes, disks, ellipses, polygons without notches, spheres, ellipsoids, cylinders, half-spaces";

/// How to keep pieces.
const KEEP: &str =
    "choose ranges in which no piece vanishes and none meets another one that it did not meet before";

fn listed(family: &ShapeFamily, place: &[f64], workshop: &Workshop) -> String {
    let value = |axis: &usize| format!("{} = {}", workshop.scope.coordinates[*axis].0, place[*axis]);
    family.parameters.iter().map(value).collect::<Vec<_>>().join(", ")
}

/// Places with parameters from all over their ranges, the ends first.
fn values(family: &ShapeFamily, ranges: &[Option<(f64, f64)>]) -> Vec<Vec<f64>> {
    let at = |unit: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let range = ranges.iter().enumerate().map(|(axis, range)| {
            let (low, high) = range.unwrap_or((0.0, 0.0));
            let own = family.parameters.iter().position(|&parameter| parameter == axis);
            low + (high - low) * own.map_or(0.5, unit)
        });
        range.collect()
    };
    let count = family.parameters.len();
    if count == 1 {
        let mut all: Vec<usize> = (0..VALUES).collect();
        all.swap(1, VALUES - 1);
        return all.into_iter().map(|value| at(&|_| value as f64 / (VALUES - 1) as f64)).collect();
    }
    let corners = 0..1usize << count.min(MOST_CORNERS);
    let corners =
        corners.map(|corner| at(&|own| f64::from(u8::from(corner >> own.min(MOST_CORNERS - 1) & 1 == 1))));
    let stream = Stream::new(0, 0x9c << 56);
    let mixed = (0..MIXED).map(|draw| at(&|own| stream.uniform(draw * count as u64 + own as u64)));
    corners.chain(mixed).collect()
}

/// What is wrong with the shape at the parameters of a place, and what to do.
fn check(
    solid: &Solid,
    family: &ShapeFamily,
    (axes, ranges): Space<'_>,
    place: &[f64],
) -> Result<(), (String, String)> {
    let wrong = |error: geometry::GeometryError| (format!("it is wrong: {error}"), KEEP.to_owned());
    let own = Solid::unmeasured(family.shape(place).map_err(wrong)?).map_err(wrong)?;
    let names =
        |solid: &Solid| solid.pieces().iter().map(|piece| piece.name().to_owned()).collect::<Vec<_>>();
    let (here, usual) = (names(&own), names(solid));
    if let Some(gone) = usual.iter().find(|name| !here.contains(name)) {
        return Err((format!("nothing is left of `{gone}`"), KEEP.to_owned()));
    }
    if let Some(new) = here.iter().find(|name| !usual.contains(name)) {
        let message = format!("`{new}` is a piece of the boundary, and elsewhere it is not");
        return Err((message, KEEP.to_owned()));
    }
    let whole = |piece: &Piece| piece.left() == 1.0;
    let changed = own.pieces().iter().zip(solid.pieces()).find(|(here, usual)| whole(here) != whole(usual));
    if let Some((here, _)) = changed {
        let name = here.name();
        let message = if whole(here) {
            format!("`{name}` meets no other piece, and elsewhere it does")
        } else {
            format!("`{name}` meets another piece, and elsewhere it does not")
        };
        return Err((message, KEEP.to_owned()));
    }
    if let Some(Some((axis, [low, high]))) = beyond(&own, axes, ranges) {
        let at = axes.iter().position(|&other| other == axis).unwrap_or(0);
        let message = format!(
            "it lies between {low} and {high} along space coordinate {}, outside of [domain]",
            at + 1
        );
        return Err((message, "let [domain] hold the shape for all parameters".to_owned()));
    }
    let stream = Stream::new(0, 0x9d << 56);
    let mut place = place.to_vec();
    for number in 0..PLACES {
        let unit = |own: usize| stream.uniform(number * axes.len() as u64 + own as u64);
        for (own, (&axis, [low, high])) in axes.iter().zip(own.bounds()).enumerate() {
            place[axis] = low + (high - low) * unit(own);
        }
        let space: Vec<f64> = axes.iter().map(|&axis| place[axis]).collect();
        if own.contains(&space) != (family.depth(&place) > 0.0) {
            let message = "no inequalities describe what is inside: a polygon may have a notch";
            return Err((message.to_owned(), MADE_OF.to_owned()));
        }
    }
    Ok(())
}
