//! Shapes as they are written.

mod combine;
mod make;

use crate::GeometryError;
use crate::placement::Placement;
use crate::primitive::Primitive;
use crate::vector::Vector;
use std::sync::Arc;

/// The most primitives a shape can have, copies counted.
pub const MOST_PARTS: usize = 10_000;

/// The most operations within one another. Operations of one kind in a row count as one.
const MOST_LEVELS: usize = 200;

/// A shape as it is written: primitives, set operations, transforms. Of dimension 1, 2 or 3.
///
/// A shape may be empty or without end: making a [`Solid`](crate::Solid) of it finds that out.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    dimension: usize,
    pub(crate) node: Node,
}

/// How a shape is made.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node {
    /// `kind` is what the primitive is called in problem files.
    Primitive { kind: &'static str, primitive: Arc<Primitive>, placement: Placement },
    /// Two or more shapes.
    Union(Vec<Shape>),
    /// Two or more shapes.
    Intersection(Vec<Shape>),
    /// The first without the others.
    Difference(Box<Shape>, Vec<Shape>),
    /// Everything inside, elsewhere.
    Moved(Placement, Box<Shape>),
    /// Copies, each moved by the step from the one before.
    Repeated { step: Vector, count: usize, shape: Box<Shape> },
    /// A name for all primitives inside that have none.
    Named(String, Box<Shape>),
}

impl Shape {
    /// 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many primitives there are, copies counted.
    pub(crate) fn parts(&self) -> usize {
        let sum =
            |shapes: &[Shape]| shapes.iter().fold(0usize, |sum, shape| sum.saturating_add(shape.parts()));
        match &self.node {
            Node::Primitive { .. } => 1,
            Node::Union(shapes) | Node::Intersection(shapes) => sum(shapes),
            Node::Difference(first, others) => first.parts().saturating_add(sum(others)),
            Node::Moved(_, shape) | Node::Named(_, shape) => shape.parts(),
            Node::Repeated { count, shape, .. } => shape.parts().saturating_mul(*count),
        }
    }

    fn levels(&self) -> usize {
        let deepest = |shapes: &[Shape]| shapes.iter().map(Shape::levels).max().unwrap_or(0);
        match &self.node {
            Node::Primitive { .. } => 0,
            Node::Union(shapes) | Node::Intersection(shapes) => 1 + deepest(shapes),
            Node::Difference(first, others) => 1 + first.levels().max(deepest(others)),
            Node::Moved(_, shape) | Node::Repeated { shape, .. } | Node::Named(_, shape) => {
                1 + shape.levels()
            }
        }
    }

    /// The shape, unless it is too large to be handled.
    fn limited(self) -> Result<Shape, GeometryError> {
        let (parts, levels) = (self.parts(), self.levels());
        if parts > MOST_PARTS {
            return Err(GeometryError::TooManyParts { found: parts, limit: MOST_PARTS });
        }
        if levels > MOST_LEVELS {
            return Err(GeometryError::TooDeep { found: levels, limit: MOST_LEVELS });
        }
        Ok(self)
    }
}
