//! The inside test as plain data, for whoever asks about many points elsewhere: on a device.

use super::Solid;
use super::branch::{Branch, Outline};
use super::part::Part;
use crate::primitive::Primitive;

/// Primitives and sides of a test, at most: it looks at all of them for every point.
const MOST: usize = 1024;

/// Truth values on its stack, at most: the binary digits of a word.
const DEEPEST: usize = 64;

/// A test of points, one step after the other on a stack of truth values. It says what [`Solid::contains`] says, where every sum and
/// product is rounded by itself.
#[derive(Clone, PartialEq, Debug)]
pub struct InsideTest {
    /// Coordinates of a point.
    pub dimension: usize,
    /// From the first to the last; one value is left.
    pub steps: Vec<InsideStep>,
}

/// A step of a test.
#[derive(Clone, PartialEq, Debug)]
pub enum InsideStep {
    /// Whether a point lies in a primitive comes on top.
    Part {
        /// The box that it has to be in as well, ends included.
        bounds: [[f64; 2]; 3],
        /// What is subtracted from the point.
        origin: [f64; 3],
        /// Coordinates are its products with these after that, where there are any.
        axes: Option<[[f64; 3]; 3]>,
        /// What they are divided by after that, unless it is one.
        scale: f64,
        /// The primitive, in its own frame.
        primitive: InsidePrimitive,
    },
    /// What is on top stays true only in a box, ends included.
    Within([[f64; 2]; 3]),
    /// The two on top become one: whether any of them is true.
    Either,
    /// Whether both are.
    Both,
    /// Whether the lower one is and the upper one is not.
    Without,
}

/// What a primitive asks of a point (x, y, z) in its own frame.
#[derive(Clone, PartialEq, Debug)]
pub enum InsidePrimitive {
    /// x² + y² + z² below the square of a radius.
    Ball {
        /// That square.
        square: f64,
    },
    /// Each coordinate between two numbers, these excluded.
    Block {
        /// Of every coordinate there is.
        ends: Vec<[f64; 2]>,
    },
    /// The sum of squares of coordinates over semi-axes below one.
    Ellipsoid {
        /// Of every coordinate there is.
        semi_axes: Vec<f64>,
    },
    /// The product of the difference from a point with a direction below zero.
    HalfSpace {
        /// The point.
        point: [f64; 3],
        /// The direction.
        normal: [f64; 3],
    },
    /// z between zero and the length, x² + y² below a square.
    Cylinder {
        /// The length.
        length: f64,
        /// The square of the radius.
        square: f64,
    },
    /// z between zero and the height, and the root of x² + y² below what is left of the radius there.
    Cone {
        /// The height.
        height: f64,
        /// The radius at zero.
        radius: f64,
    },
    /// The distance to a circle around the third axis below a radius.
    Torus {
        /// The radius of that circle.
        ring: f64,
        /// The radius around it.
        tube: f64,
    },
    /// A ray to the right passes an odd number of sides.
    Sides {
        /// From one end to the other.
        sides: Vec<[[f64; 2]; 2]>,
    },
}

impl Solid {
    /// The test as data; `None` where it is more than few steps: of meshes, of splines, and of shapes with very many parts, or of parts
    /// within parts.
    pub fn inside_test(&self) -> Option<InsideTest> {
        let mut steps = Vec::new();
        let mut count = self.parts.len();
        write(&self.root, &self.parts, &mut steps, &mut count)?;
        let fits = count <= MOST && depth(&steps) <= DEEPEST;
        fits.then(|| InsideTest { dimension: self.dimension(), steps })
    }
}

/// How many truth values are on the stack at most.
fn depth(steps: &[InsideStep]) -> usize {
    let mut depth = 0;
    let depths = steps.iter().map(|step| {
        match step {
            InsideStep::Part { .. } => depth += 1,
            InsideStep::Either | InsideStep::Both | InsideStep::Without => depth -= 1,
            InsideStep::Within(_) => {}
        }
        depth
    });
    depths.max().unwrap_or(0)
}

fn write(branch: &Branch, parts: &[Part], steps: &mut Vec<InsideStep>, count: &mut usize) -> Option<()> {
    let (members, join) = match branch.outline() {
        // Its box is that of the part.
        Outline::Part(index) => {
            steps.push(part(&parts[index], count)?);
            return Some(());
        }
        Outline::Union(members) => (members, InsideStep::Either),
        Outline::Intersection(members) => (members, InsideStep::Both),
        Outline::Difference(pair) => (&pair[..], InsideStep::Without),
    };
    for (number, member) in members.iter().enumerate() {
        write(member, parts, steps, count)?;
        if number > 0 {
            steps.push(join.clone());
        }
    }
    steps.push(InsideStep::Within(branch.bounds.0));
    Some(())
}

fn part(part: &Part, count: &mut usize) -> Option<InsideStep> {
    let primitive = match part.primitive() {
        Primitive::Ball(ball) => InsidePrimitive::Ball { square: ball.radius * ball.radius },
        Primitive::Block(block) => {
            let ends = block.low.iter().zip(&block.high).map(|(&low, &high)| [low, high]);
            InsidePrimitive::Block { ends: ends.take(block.dimension).collect() }
        }
        Primitive::Ellipsoid(ellipsoid) => {
            InsidePrimitive::Ellipsoid { semi_axes: ellipsoid.axes().to_vec() }
        }
        Primitive::HalfSpace(half_space) => {
            InsidePrimitive::HalfSpace { point: half_space.point, normal: half_space.normal }
        }
        Primitive::Cylinder(cylinder) => {
            InsidePrimitive::Cylinder { length: cylinder.length, square: cylinder.radius * cylinder.radius }
        }
        Primitive::Cone(cone) => InsidePrimitive::Cone { height: cone.height, radius: cone.radius },
        Primitive::Torus(torus) => InsidePrimitive::Torus { ring: torus.ring, tube: torus.tube },
        Primitive::Polygon(polygon) => InsidePrimitive::Sides { sides: polygon.sides().collect() },
        Primitive::Outline(outline) => InsidePrimitive::Sides { sides: outline.sides().collect() },
        Primitive::Spline(_) | Primitive::Mesh(_) => return None,
    };
    if let InsidePrimitive::Sides { sides } = &primitive {
        *count += sides.len();
    }
    let (origin, axes, scale) = part.placement.inward_steps();
    Some(InsideStep::Part { bounds: part.bounds.0, origin, axes, scale, primitive })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    /// A disk without a smaller one without a smaller one …
    fn rings(count: usize) -> Solid {
        let disk = |number: usize| Shape::disk([0.0; 2], 1.0 + number as f64).expect("a disk");
        let shape = (1..count).fold(disk(0), |inner, number| disk(number).difference(inner).expect("a ring"));
        Solid::unmeasured(shape).expect("a shape")
    }

    #[test]
    fn a_test_has_as_many_values_at_a_time_as_shapes_lie_within_each_other() {
        let test = rings(10).inside_test().expect("few steps");
        assert_eq!((depth(&test.steps), test.dimension), (10, 2));
        let parts = test.steps.iter().filter(|step| matches!(step, InsideStep::Part { .. }));
        assert_eq!(parts.count(), 10);
        assert!(rings(DEEPEST).inside_test().is_some());
        assert_eq!(rings(DEEPEST + 1).inside_test(), None);
    }
}
