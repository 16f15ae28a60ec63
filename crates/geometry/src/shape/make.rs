//! Primitives, from numbers that are checked here and nowhere else.

use super::{Node, Shape};
use crate::GeometryError;
use crate::placement::Placement;
use crate::primitive::mesh::Mesh;
use crate::primitive::outline::Outline;
use crate::primitive::{
    Ball, Block, Cone, Cylinder, Ellipsoid, HalfSpace, MOST_CORNERS, Polygon, Primitive, Spline, Torus,
};
use crate::vector::{Vector, frame, length, padded, subtract, unit};
use std::f64::consts::PI;
use std::sync::Arc;

impl Shape {
    /// All numbers between two.
    pub fn interval(low: f64, high: f64) -> Result<Shape, GeometryError> {
        block("interval", &[low], &[high])
    }

    /// The rectangle between the corner with the lower and the one with the higher coordinates.
    pub fn rectangle(low: [f64; 2], high: [f64; 2]) -> Result<Shape, GeometryError> {
        block("rectangle", &low, &high)
    }

    /// The box between the corner with the lower and the one with the higher coordinates. Its ends are called `left` and
    /// `right` along the first coordinate, `bottom` and `top` along the second, `back` and `front` along the third.
    pub fn cuboid(low: [f64; 3], high: [f64; 3]) -> Result<Shape, GeometryError> {
        block("box", &low, &high)
    }

    /// The inside of a circle.
    pub fn disk(center: [f64; 2], radius: f64) -> Result<Shape, GeometryError> {
        ball("disk", &center, radius)
    }

    /// The inside of a sphere.
    pub fn sphere(center: [f64; 3], radius: f64) -> Result<Shape, GeometryError> {
        ball("sphere", &center, radius)
    }

    /// The inside of an ellipse with its axes along the coordinates.
    pub fn ellipse(center: [f64; 2], semi_axes: [f64; 2]) -> Result<Shape, GeometryError> {
        ellipsoid("ellipse", &center, &semi_axes)
    }

    /// The inside of an ellipsoid with its axes along the coordinates.
    pub fn ellipsoid(center: [f64; 3], semi_axes: [f64; 3]) -> Result<Shape, GeometryError> {
        ellipsoid("ellipsoid", &center, &semi_axes)
    }

    /// The inside of a closed line through the vertices, in either direction. Its sides are called `side1`, from the first
    /// vertex to the second, `side2` and so on.
    pub fn polygon(vertices: Vec<[f64; 2]>) -> Result<Shape, GeometryError> {
        vertices.iter().try_for_each(|vertex| finite("vertex", vertex))?;
        Ok(made("polygon", 2, Primitive::Polygon(Polygon::new(vertices)?), Placement::HERE))
    }

    /// A star with its first tip upwards: a polygon whose sides are called `side1` and so on, anticlockwise from that tip.
    pub fn star(center: [f64; 2], outer: f64, inner: f64, tips: usize) -> Result<Shape, GeometryError> {
        finite("center", &center)?;
        positive("outer radius", outer)?;
        positive("inner radius", inner)?;
        if inner >= outer {
            return Err(GeometryError::BluntStar { inner, outer });
        }
        if tips < 3 {
            return Err(GeometryError::TooFewPoints { shape: "star", found: tips, needed: 3 });
        }
        // Before the points are made: a count can be any number.
        if tips > MOST_CORNERS / 2 {
            let limit = MOST_CORNERS / 2;
            return Err(GeometryError::TooManyPoints { shape: "star", found: tips, limit });
        }
        let corner = |index: usize| {
            let (sine, cosine) = (PI * (0.5 + index as f64 / tips as f64)).sin_cos();
            let radius = if index.is_multiple_of(2) { outer } else { inner };
            [radius * cosine, radius * sine]
        };
        let polygon = Polygon::new((0..2 * tips).map(corner).collect())?;
        Ok(made("star", 2, Primitive::Polygon(polygon), Placement::at(padded(&center))))
    }

    /// The inside of a closed smooth line through the points, in either direction: a periodic cubic spline over the sum of
    /// the distances between points. For airfoils and the like.
    pub fn spline(points: Vec<[f64; 2]>) -> Result<Shape, GeometryError> {
        points.iter().try_for_each(|point| finite("point", point))?;
        Ok(made("spline", 2, Primitive::Spline(Arc::new(Spline::new(points)?)), Placement::HERE))
    }

    /// The cylinder around the line between two points. Its surface is the `mantle`, and the disks at `start` and `end`.
    pub fn cylinder(start: [f64; 3], end: [f64; 3], radius: f64) -> Result<Shape, GeometryError> {
        let (placement, length) = axis("cylinder", ["start", "end"], start, end)?;
        positive("radius", radius)?;
        Ok(made("cylinder", 3, Primitive::Cylinder(Cylinder { length, radius }), placement))
    }

    /// The cone over a disk. Its surface is the `mantle` and the `base`.
    pub fn cone(base_center: [f64; 3], tip: [f64; 3], radius: f64) -> Result<Shape, GeometryError> {
        let (placement, height) = axis("cone", ["base", "tip"], base_center, tip)?;
        positive("radius", radius)?;
        Ok(made("cone", 3, Primitive::Cone(Cone { height, radius }), placement))
    }

    /// The ring of all points close to a circle around an axis.
    pub fn torus(
        center: [f64; 3],
        axis: [f64; 3],
        ring_radius: f64,
        tube_radius: f64,
    ) -> Result<Shape, GeometryError> {
        finite("center", &center)?;
        let axis = direction("axis", &axis)?;
        positive("ring radius", ring_radius)?;
        positive("tube radius", tube_radius)?;
        if tube_radius >= ring_radius {
            return Err(GeometryError::ThickTube { ring: ring_radius, tube: tube_radius });
        }
        let torus = Torus { ring: ring_radius, tube: tube_radius };
        Ok(made("torus", 3, Primitive::Torus(torus), Placement::framed(frame(axis), center)))
    }

    /// The inside of a closed surface of triangles.
    pub fn mesh(mesh: Mesh) -> Shape {
        made("mesh", 3, Primitive::Mesh(Arc::new(mesh)), Placement::HERE)
    }

    /// The region between closed lines. An only line has the name of the part; of several, those around something are called
    /// `outer`, the others `hole`, numbered where there are more than one.
    pub fn outline(outline: Outline) -> Shape {
        made("outline", 2, Primitive::Outline(Arc::new(outline)), Placement::HERE)
    }

    /// All points on the other side of a plane than its normal points to, in as many dimensions as there are coordinates.
    /// It has no end: intersect it with something.
    pub fn half_space(point: Vec<f64>, outward_normal: Vec<f64>) -> Result<Shape, GeometryError> {
        let dimension = point.len();
        if !(1..=3).contains(&dimension) {
            return Err(GeometryError::Dimension { found: dimension });
        }
        if outward_normal.len() != dimension {
            let found = outward_normal.len();
            return Err(GeometryError::Coordinates { what: "normal", found, wanted: dimension });
        }
        finite("point", &point)?;
        let normal = direction("normal", &outward_normal)?;
        let primitive = Primitive::HalfSpace(HalfSpace { dimension, point: padded(&point), normal });
        Ok(made("half_space", dimension, primitive, Placement::HERE))
    }
}

fn made(kind: &'static str, dimension: usize, primitive: Primitive, placement: Placement) -> Shape {
    Shape { dimension, node: Node::Primitive { kind, primitive: Arc::new(primitive), placement } }
}

fn block(kind: &'static str, low: &[f64], high: &[f64]) -> Result<Shape, GeometryError> {
    finite("corner", low)?;
    finite("corner", high)?;
    for (axis, (low, high)) in low.iter().zip(high).enumerate() {
        if low >= high {
            let axis = ['x', 'y', 'z'][axis];
            return Err(GeometryError::Reversed { shape: kind, axis, low: *low, high: *high });
        }
    }
    let dimension = low.len();
    let block = Block { dimension, low: padded(low), high: padded(high) };
    Ok(made(kind, dimension, Primitive::Block(block), Placement::HERE))
}

fn ball(kind: &'static str, center: &[f64], radius: f64) -> Result<Shape, GeometryError> {
    finite("center", center)?;
    positive("radius", radius)?;
    let ball = Ball { dimension: center.len(), radius };
    Ok(made(kind, center.len(), Primitive::Ball(ball), Placement::at(padded(center))))
}

fn ellipsoid(kind: &'static str, center: &[f64], semi_axes: &[f64]) -> Result<Shape, GeometryError> {
    finite("center", center)?;
    semi_axes.iter().try_for_each(|axis| positive("semi-axis", *axis))?;
    let primitive = Primitive::Ellipsoid(Ellipsoid::new(semi_axes));
    Ok(made(kind, center.len(), primitive, Placement::at(padded(center))))
}

/// The place of something that stands on the first point and reaches up to the second one, and how far that is.
fn axis(
    shape: &'static str,
    names: [&str; 2],
    from: Vector,
    to: Vector,
) -> Result<(Placement, f64), GeometryError> {
    finite("point", &from)?;
    finite("point", &to)?;
    let upwards = subtract(to, from);
    let Some(axis) = unit(upwards) else {
        let [first, second] = names.map(|name| format!("the {name}"));
        return Err(GeometryError::SamePoint { shape, first, second });
    };
    Ok((Placement::framed(frame(axis), from), length(upwards)))
}

pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), GeometryError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(GeometryError::NotFinite { what, value: *value }),
        None => Ok(()),
    }
}

pub(super) fn positive(what: &'static str, value: f64) -> Result<(), GeometryError> {
    finite(what, &[value])?;
    if value > 0.0 { Ok(()) } else { Err(GeometryError::NotPositive { what, value }) }
}

pub(super) fn direction(what: &'static str, vector: &[f64]) -> Result<Vector, GeometryError> {
    finite(what, vector)?;
    unit(padded(vector)).ok_or(GeometryError::NoDirection { what })
}
