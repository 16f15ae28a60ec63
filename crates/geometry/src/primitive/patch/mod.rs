//! Smooth pieces of surfaces, in the frame of their primitive, with points that are uniform in length or area.

mod round;

use crate::bounds::Bounds;
use crate::cumulative::Cumulative;
use crate::placement::Placement;
use crate::primitive::Spline;
use crate::primitive::mesh::Mesh;
use crate::primitive::outline::Ring;
use crate::quadric::LocalQuadric;
use crate::vector::{Vector, along, cross, length, padded};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// A point of a surface, and the unit normal that points out of the surface's own primitive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    pub(crate) point: Vector,
    pub(crate) normal: Vector,
}

/// A surface by its shape. Round ones are around the origin and the third axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Patch {
    /// An end of an interval.
    End(Spot),
    /// A line between two points.
    Segment {
        from: Vector,
        to: Vector,
        normal: Vector,
    },
    /// Two edges from a corner.
    Parallelogram {
        corner: Vector,
        edges: [Vector; 2],
        normal: Vector,
    },
    Circle {
        radius: f64,
    },
    Ellipse {
        semi_axes: [f64; 2],
    },
    Sphere {
        radius: f64,
    },
    /// With the areas up to every height of the sphere it is stretched from.
    Ellipsoid {
        semi_axes: Vector,
        zones: Arc<Cumulative>,
    },
    /// A flat disk at a height, with its normal along the axis or against it.
    Disc {
        radius: f64,
        height: f64,
        up: bool,
    },
    /// Of a cylinder from the origin up.
    Mantle {
        radius: f64,
        length: f64,
    },
    /// The mantle of a cone from a circle around the origin up to its tip.
    Cone {
        radius: f64,
        height: f64,
    },
    Torus {
        ring: f64,
        tube: f64,
    },
    Curve(Arc<Spline>),
    Ring(Arc<Ring>),
    /// A face of a surface.
    Triangles {
        mesh: Arc<Mesh>,
        face: usize,
    },
}

impl Patch {
    pub(crate) fn ellipsoid(semi_axes: Vector) -> Patch {
        Patch::Ellipsoid { semi_axes, zones: Arc::new(round::ellipsoid_zones(semi_axes)) }
    }

    /// How many numbers place a point.
    pub(crate) fn parameters(&self) -> usize {
        match self {
            Patch::End(_) => 0,
            Patch::Segment { .. }
            | Patch::Circle { .. }
            | Patch::Ellipse { .. }
            | Patch::Curve(_)
            | Patch::Ring(_) => 1,
            Patch::Parallelogram { .. }
            | Patch::Sphere { .. }
            | Patch::Ellipsoid { .. }
            | Patch::Disc { .. }
            | Patch::Mantle { .. }
            | Patch::Cone { .. }
            | Patch::Torus { .. }
            | Patch::Triangles { .. } => 2,
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
            Patch::Ellipse { semi_axes } => round::ellipse(*semi_axes, place),
            Patch::Sphere { radius } => round::sphere(*radius, place),
            Patch::Ellipsoid { semi_axes, zones } => round::ellipsoid(*semi_axes, zones, place),
            Patch::Disc { radius, height, up } => round::disc(*radius, *height, *up, place),
            Patch::Mantle { radius, length } => round::mantle(*radius, *length, place),
            Patch::Cone { radius, height } => round::cone(*radius, *height, place),
            Patch::Torus { ring, tube } => round::torus(*ring, *tube, place),
            Patch::Curve(spline) => spline.spot(place[0]),
            Patch::Ring(ring) => ring.spot(place[0]),
            Patch::Triangles { mesh, face } => mesh.spot(*face, place),
        }
    }

    /// The length or area, or one for an end.
    pub(crate) fn measure(&self) -> f64 {
        match self {
            Patch::End(_) => 1.0,
            Patch::Segment { from, to, .. } => length(along(*to, *from, -1.0)),
            Patch::Parallelogram { edges, .. } => length(cross(edges[0], edges[1])),
            Patch::Circle { radius } => TAU * radius,
            Patch::Ellipse { semi_axes } => round::ellipse_length(*semi_axes),
            Patch::Sphere { radius } => 2.0 * TAU * radius * radius,
            Patch::Ellipsoid { zones, .. } => zones.whole(),
            Patch::Disc { radius, .. } => PI * radius * radius,
            Patch::Mantle { radius, length } => TAU * radius * length,
            Patch::Cone { radius, height } => PI * radius * (radius * radius + height * height).sqrt(),
            Patch::Torus { ring, tube } => TAU * ring * TAU * tube,
            Patch::Curve(spline) => spline.length(),
            Patch::Ring(ring) => ring.length(),
            Patch::Triangles { mesh, face } => mesh.face_area(*face),
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
            Patch::Disc { height, up, .. } => {
                let normal = [0.0, 0.0, if *up { 1.0 } else { -1.0 }];
                Some(LocalQuadric::plane([0.0, 0.0, *height], normal))
            }
            Patch::Circle { radius } | Patch::Mantle { radius, .. } => {
                Some(LocalQuadric::round([*radius, *radius, f64::INFINITY]))
            }
            Patch::Ellipse { semi_axes: [a, b] } => Some(LocalQuadric::round([*a, *b, f64::INFINITY])),
            Patch::Sphere { radius } => Some(LocalQuadric::round([*radius; 3])),
            Patch::Ellipsoid { semi_axes, .. } => Some(LocalQuadric::round(*semi_axes)),
            Patch::Cone { .. }
            | Patch::Torus { .. }
            | Patch::Curve(_)
            | Patch::Ring(_)
            | Patch::Triangles { .. } => None,
        }
    }

    /// Whether near parameters place near points.
    pub(crate) fn is_continuous(&self) -> bool {
        !matches!(self, Patch::Triangles { .. })
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
            Patch::Disc { radius, height, .. } => {
                let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
                corners.map(|[x, y]| [radius * x, radius * y, *height]).to_vec()
            }
            Patch::Ring(ring) => ring.corners().iter().map(|corner| padded(corner)).collect(),
            Patch::Circle { .. }
            | Patch::Ellipse { .. }
            | Patch::Sphere { .. }
            | Patch::Ellipsoid { .. }
            | Patch::Mantle { .. }
            | Patch::Cone { .. }
            | Patch::Torus { .. }
            | Patch::Curve(_)
            | Patch::Triangles { .. } => return None,
        };
        Some(Bounds::around(points.into_iter().map(|point| placement.outwards(point)), dimension))
    }
}
