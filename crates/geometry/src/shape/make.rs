//! Primitives, from numbers that are checked here and nowhere else.

use super::{Node, Shape};
use crate::GeometryError;
use crate::placement::Placement;
use crate::primitive::{Ball, Block, Ellipsoid, HalfSpace, Polygon, Primitive};
use crate::vector::{Vector, padded, unit};
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
        finite("center", &center)?;
        semi_axes.iter().try_for_each(|axis| positive("semi-axis", *axis))?;
        let primitive = Primitive::Ellipsoid(Ellipsoid { dimension: 2, semi_axes: padded(&semi_axes) });
        Ok(made("ellipse", 2, primitive, Placement::at(padded(&center))))
    }

    /// The inside of a closed line through the vertices, in either direction. Its sides are called `side1`, from the first
    /// vertex to the second, `side2` and so on.
    pub fn polygon(vertices: Vec<[f64; 2]>) -> Result<Shape, GeometryError> {
        vertices.iter().try_for_each(|vertex| finite("vertex", vertex))?;
        Ok(made("polygon", 2, Primitive::Polygon(Polygon::new(vertices)?), Placement::HERE))
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
