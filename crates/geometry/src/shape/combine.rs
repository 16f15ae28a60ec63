//! Shapes from shapes: set operations, transforms, names.

use super::make::{direction, finite, positive};
use super::{Node, Shape};
use crate::GeometryError;
use crate::placement::{AXES, Placement, turned_axes};
use crate::vector::padded;

impl Shape {
    /// What is in one of two shapes.
    pub fn union(self, other: Shape) -> Result<Shape, GeometryError> {
        let dimension = agreed(&self, &other)?;
        let mut shapes = match self.node {
            Node::Union(shapes) => shapes,
            node => vec![Shape { node, dimension }],
        };
        shapes.push(other);
        Shape { dimension, node: Node::Union(shapes) }.limited()
    }

    /// What is in both of two shapes.
    pub fn intersection(self, other: Shape) -> Result<Shape, GeometryError> {
        let dimension = agreed(&self, &other)?;
        let mut shapes = match self.node {
            Node::Intersection(shapes) => shapes,
            node => vec![Shape { node, dimension }],
        };
        shapes.push(other);
        Shape { dimension, node: Node::Intersection(shapes) }.limited()
    }

    /// What is in this shape and not in the other.
    pub fn difference(self, other: Shape) -> Result<Shape, GeometryError> {
        let dimension = agreed(&self, &other)?;
        let (first, mut others) = match self.node {
            Node::Difference(first, others) => (first, others),
            node => (Box::new(Shape { node, dimension }), Vec::new()),
        };
        others.push(other);
        Shape { dimension, node: Node::Difference(first, others) }.limited()
    }

    /// Moved by a vector.
    pub fn translate(self, by: &[f64]) -> Result<Shape, GeometryError> {
        self.coordinates("translation", by)?;
        self.moved(Placement::at(padded(by)))
    }

    /// Turned anticlockwise about a point of the plane.
    pub fn rotate2(self, angle_radians: f64, about: [f64; 2]) -> Result<Shape, GeometryError> {
        if self.dimension != 2 {
            return Err(GeometryError::Turn { found: self.dimension, wanted: 2 });
        }
        finite("angle", &[angle_radians])?;
        finite("center", &about)?;
        let axes = turned_axes([0.0, 0.0, 1.0], angle_radians);
        self.moved(Placement::about(padded(&about), axes, 1.0))
    }

    /// Turned about an axis through a point, anticlockwise seen from the axis' tip.
    pub fn rotate3(self, axis: [f64; 3], angle: f64, about: [f64; 3]) -> Result<Shape, GeometryError> {
        if self.dimension != 3 {
            return Err(GeometryError::Turn { found: self.dimension, wanted: 3 });
        }
        finite("angle", &[angle])?;
        finite("center", &about)?;
        let axes = turned_axes(direction("axis", &axis)?, angle);
        self.moved(Placement::about(about, axes, 1.0))
    }

    /// Larger or smaller by a factor, about a point that stays where it is.
    pub fn scale(self, factor: f64, about: &[f64]) -> Result<Shape, GeometryError> {
        self.coordinates("center", about)?;
        positive("factor", factor)?;
        self.moved(Placement::about(padded(about), AXES, factor))
    }

    /// The union of `count` copies, the first where the shape is and every other one a step further.
    pub fn repeat(self, step: &[f64], count: usize) -> Result<Shape, GeometryError> {
        self.coordinates("step", step)?;
        if count == 0 {
            return Err(GeometryError::NoCopies);
        }
        if step.iter().all(|value| *value == 0.0) {
            return Err(GeometryError::NoDirection { what: "step" });
        }
        let dimension = self.dimension;
        let node = Node::Repeated { step: padded(step), count, shape: Box::new(self) };
        Shape { dimension, node }.limited()
    }

    /// A name for the pieces of everything inside that has none yet.
    pub fn named(self, name: &str) -> Shape {
        if matches!(self.node, Node::Named(..)) {
            return self;
        }
        Shape { dimension: self.dimension, node: Node::Named(name.to_owned(), Box::new(self)) }
    }

    fn coordinates(&self, what: &'static str, vector: &[f64]) -> Result<(), GeometryError> {
        if vector.len() != self.dimension {
            return Err(GeometryError::Coordinates { what, found: vector.len(), wanted: self.dimension });
        }
        finite(what, vector)
    }

    fn moved(self, after: Placement) -> Result<Shape, GeometryError> {
        let dimension = self.dimension;
        let node = match self.node {
            Node::Primitive { kind, primitive, placement } => {
                Node::Primitive { kind, primitive, placement: placement.then(&after) }
            }
            Node::Moved(placement, shape) => Node::Moved(placement.then(&after), shape),
            node => Node::Moved(after, Box::new(Shape { dimension, node })),
        };
        Shape { dimension, node }.limited()
    }
}

fn agreed(first: &Shape, second: &Shape) -> Result<usize, GeometryError> {
    if first.dimension == second.dimension {
        Ok(first.dimension)
    } else {
        Err(GeometryError::DimensionsDiffer { first: first.dimension, second: second.dimension })
    }
}
