//! Smooth pieces of surfaces, in the frame of their primitive, with points that are uniform in length or area.

use crate::bounds::Bounds;
use crate::elliptic::{angle_at, arc};
use crate::placement::Placement;
use crate::quadric::LocalQuadric;
use crate::vector::{Vector, along, cross, length, unit};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A point of a surface, and the unit normal that points out of the surface's own primitive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    pub(crate) point: Vector,
    pub(crate) normal: Vector,
}

/// A surface by its shape. Every variant is centred as its primitive is.
#[derive(Clone, Debug)]
pub(crate) enum Patch {
    /// An end of an interval.
    End(Spot),
    /// A line between two points.
    Segment { from: Vector, to: Vector, normal: Vector },
    /// Two edges from a corner.
    Parallelogram { corner: Vector, edges: [Vector; 2], normal: Vector },
    /// A circle around the origin.
    Circle { radius: f64 },
    /// An ellipse around the origin.
    Ellipse { semi_axes: [f64; 2] },
    /// A sphere around the origin.
    Sphere { radius: f64 },
}

impl Patch {
    /// How many numbers place a point.
    pub(crate) fn parameters(&self) -> usize {
        match self {
            Patch::End(_) => 0,
            Patch::Segment { .. } | Patch::Circle { .. } | Patch::Ellipse { .. } => 1,
            Patch::Parallelogram { .. } | Patch::Sphere { .. } => 2,
        }
    }

    /// The spot at parameters between zero and one.
    pub(crate) fn spot(&self, place: &[f64]) -> Spot {
        match self {
            Patch::End(spot) => *spot,
            Patch::Segment { from, to, normal } => {
                let point = std::array::from_fn(|axis| from[axis] * (1.0 - place[0]) + to[axis] * place[0]);
                Spot { point, normal: *normal }
            }
            Patch::Parallelogram { corner, edges, normal } => {
                let point = along(along(*corner, edges[0], place[0]), edges[1], place[1]);
                Spot { point, normal: *normal }
            }
            Patch::Circle { radius } => {
                let (sine, cosine) = (TAU * place[0]).sin_cos();
                Spot { point: [radius * cosine, radius * sine, 0.0], normal: [cosine, sine, 0.0] }
            }
            Patch::Ellipse { semi_axes: [a, b] } => {
                let [cosine, sine] = quarters(b * b, a * a, place[0]);
                let point = [a * cosine, b * sine, 0.0];
                Spot { point, normal: unit([cosine / a, sine / b, 0.0]).unwrap_or([1.0, 0.0, 0.0]) }
            }
            Patch::Sphere { radius } => {
                // Archimedes: zones of equal height have equal areas.
                let height = 2.0 * place[0] - 1.0;
                let around = 2.0 * (place[0] * (1.0 - place[0])).sqrt();
                let (sine, cosine) = (TAU * place[1]).sin_cos();
                let normal = [around * cosine, around * sine, height];
                Spot { point: normal.map(|value| radius * value), normal }
            }
        }
    }

    /// The length or area, or one for an end.
    pub(crate) fn measure(&self) -> f64 {
        match self {
            Patch::End(_) => 1.0,
            Patch::Segment { from, to, .. } => length(along(*to, *from, -1.0)),
            Patch::Parallelogram { edges, .. } => length(cross(edges[0], edges[1])),
            Patch::Circle { radius } => TAU * radius,
            Patch::Ellipse { semi_axes: [a, b] } => 4.0 * arc(b * b, a * a, FRAC_PI_2),
            Patch::Sphere { radius } => 2.0 * TAU * radius * radius,
        }
    }

    /// A function that is zero on the surface and positive where the primitive's inside is.
    pub(crate) fn level(&self) -> Option<LocalQuadric> {
        match self {
            Patch::End(Spot { point, normal })
            | Patch::Segment { from: point, normal, .. }
            | Patch::Parallelogram { corner: point, normal, .. } => {
                Some(LocalQuadric::plane(*point, *normal))
            }
            Patch::Circle { radius } => Some(LocalQuadric::round([*radius, *radius, f64::INFINITY])),
            Patch::Ellipse { semi_axes: [a, b] } => Some(LocalQuadric::round([*a, *b, f64::INFINITY])),
            Patch::Sphere { radius } => Some(LocalQuadric::round([*radius; 3])),
        }
    }

    /// Whether near parameters place near points.
    pub(crate) fn is_continuous(&self) -> bool {
        true
    }

    /// A box around the placed surface where that is less than the box around its primitive.
    pub(crate) fn bounds(&self, placement: &Placement, dimension: usize) -> Option<Bounds> {
        let points = match self {
            Patch::End(spot) => vec![spot.point],
            Patch::Segment { from, to, .. } => vec![*from, *to],
            Patch::Parallelogram { corner, edges: [first, second], .. } => {
                let [left, right] = [*corner, along(*corner, *first, 1.0)];
                vec![left, right, along(left, *second, 1.0), along(right, *second, 1.0)]
            }
            Patch::Circle { .. } | Patch::Ellipse { .. } | Patch::Sphere { .. } => return None,
        };
        Some(Bounds::around(points.into_iter().map(|point| placement.outwards(point)), dimension))
    }
}

/// Cosine and sine of the angle that divides the integral of `sqrt(cosine_part·cos² + sine_part·sin²)` over a full turn.
/// Accurate to rounding for all ratios of the parts.
pub(crate) fn quarters(cosine_part: f64, sine_part: f64, share: f64) -> [f64; 2] {
    let quarter = (4.0 * share).floor().clamp(0.0, 3.0);
    let within = 4.0 * share - quarter;
    // The second and fourth quarter run backwards.
    let backwards = quarter == 1.0 || quarter == 3.0;
    let angle = angle_at(cosine_part, sine_part, if backwards { 1.0 - within } else { within });
    let (sine, cosine) = angle.sin_cos();
    let left = quarter == 1.0 || quarter == 2.0;
    let below = quarter >= 2.0;
    [if left { -cosine } else { cosine }, if below { -sine } else { sine }]
}
