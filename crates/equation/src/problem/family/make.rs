//! Shapes as steps that are done one after the other: each takes the shapes that it is made of from those before it.

use crate::expression::Expression;
use geometry::{GeometryError, Shape};

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub enum ShapeStep {
    /// A primitive by its name in problem files, from its numbers as they are written there.
    Primitive {
        /// Its name.
        kind: &'static str,
        /// Its numbers.
        numbers: Vec<Expression>,
        /// How many tips it has, if it has any.
        counted: Option<usize>,
    },
    /// A shape without numbers.
    Known(Shape),
    /// Of the last two.
    Union,
    /// Of the last two.
    Intersection,
    /// The last but one without the last.
    Difference,
    /// By a vector.
    Translate(Vec<Expression>),
    /// In the plane by an angle, about a point if there is one; in space about an axis by an angle, through a point if there is
    /// one.
    Rotate(Vec<Expression>),
    /// By a factor, about a point if there is one.
    Scale(Vec<Expression>),
    /// By steps, so many times.
    Repeat {
        /// From each copy to the next.
        step: Vec<Expression>,
        /// How many.
        count: usize,
    },
    /// A name for what has none.
    Named(String),
}

impl ShapeStep {
    /// The numbers of the step.
    pub fn numbers(&self) -> &[Expression] {
        match self {
            ShapeStep::Primitive { numbers, .. }
            | ShapeStep::Translate(numbers)
            | ShapeStep::Rotate(numbers)
            | ShapeStep::Scale(numbers)
            | ShapeStep::Repeat { step: numbers, .. } => numbers,
            ShapeStep::Known(_)
            | ShapeStep::Union
            | ShapeStep::Intersection
            | ShapeStep::Difference
            | ShapeStep::Named(_) => &[],
        }
    }
}

/// What steps make of the numbers of all of them. They were read from a file that was checked: there is something to take.
pub(super) fn make(steps: &[ShapeStep], mut numbers: &[f64]) -> Result<Shape, GeometryError> {
    let mut made: Vec<Shape> = Vec::new();
    for step in steps {
        let (own, rest) = numbers.split_at(step.numbers().len());
        numbers = rest;
        let mut take = || made.pop().ok_or(GeometryError::Empty);
        let shape = match step {
            ShapeStep::Primitive { kind, counted, .. } => primitive(kind, own, counted.unwrap_or(0))?,
            ShapeStep::Known(shape) => shape.clone(),
            ShapeStep::Union | ShapeStep::Intersection | ShapeStep::Difference => {
                let (other, one) = (take()?, take()?);
                match step {
                    ShapeStep::Union => one.union(other)?,
                    ShapeStep::Intersection => one.intersection(other)?,
                    _ => one.difference(other)?,
                }
            }
            ShapeStep::Translate(_) => take()?.translate(own)?,
            ShapeStep::Rotate(_) => match *own {
                [angle] => take()?.rotate2(angle, [0.0, 0.0])?,
                [angle, x, y] => take()?.rotate2(angle, [x, y])?,
                [a, b, c, angle, ref about @ ..] => {
                    let about = about.try_into().unwrap_or([0.0; 3]);
                    take()?.rotate3([a, b, c], angle, about)?
                }
                _ => take()?,
            },
            ShapeStep::Scale(_) => {
                let shape = take()?;
                let about = if own.len() > 1 { own[1..].to_vec() } else { vec![0.0; shape.dimension()] };
                shape.scale(own[0], &about)?
            }
            ShapeStep::Repeat { count, .. } => take()?.repeat(own, *count)?,
            ShapeStep::Named(name) => take()?.named(name),
        };
        made.push(shape);
    }
    made.pop().ok_or(GeometryError::Empty)
}

fn primitive(kind: &str, numbers: &[f64], tips: usize) -> Result<Shape, GeometryError> {
    let pairs = || numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
    match (kind, numbers) {
        ("interval", &[low, high]) => Shape::interval(low, high),
        ("rectangle", &[a, b, c, d]) => Shape::rectangle([a, b], [c, d]),
        ("box", &[a, b, c, d, e, f]) => Shape::cuboid([a, b, c], [d, e, f]),
        ("disk", &[x, y, radius]) => Shape::disk([x, y], radius),
        ("ellipse", &[x, y, a, b]) => Shape::ellipse([x, y], [a, b]),
        ("sphere", &[x, y, z, radius]) => Shape::sphere([x, y, z], radius),
        ("ellipsoid", &[x, y, z, a, b, c]) => Shape::ellipsoid([x, y, z], [a, b, c]),
        ("cylinder", &[a, b, c, d, e, f, radius]) => Shape::cylinder([a, b, c], [d, e, f], radius),
        ("cone", &[a, b, c, d, e, f, radius]) => Shape::cone([a, b, c], [d, e, f], radius),
        ("torus", &[x, y, z, a, b, c, ring, tube]) => Shape::torus([x, y, z], [a, b, c], ring, tube),
        ("star", &[x, y, outer, inner]) => Shape::star([x, y], outer, inner, tips),
        ("polygon", _) => Shape::polygon(pairs()),
        ("spline", _) => Shape::spline(pairs()),
        ("half_space", _) => {
            let (point, normal) = numbers.split_at(numbers.len() / 2);
            Shape::half_space(point.to_vec(), normal.to_vec())
        }
        _ => Err(GeometryError::Empty),
    }
}
