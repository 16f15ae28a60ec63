//! The inside test for many points at once, in loops that the compiler makes vector instructions of. A point is inside or not as
//! [`Solid::contains`] says: both use the same expressions, and nothing is fused.

use super::Solid;
use super::branch::{Branch, Outline};
use super::part::Part;
use crate::bounds::Bounds;
use crate::primitive::{Primitive, is_passed};
use crate::vector::Vector;

/// Points that are tested together.
pub const LANES: usize = 64;

/// One coordinate of as many points.
pub type Lane = [f64; LANES];

/// Per point all bits where it is inside, and none where it is not.
pub type Mask = [u64; LANES];

/// Shapes of more primitives are tested point by point: there, most of them are never looked at.
const MOST_PARTS: usize = 64;

/// Polygons of more corners are tested point by point, for the same reason.
const MOST_CORNERS: usize = 32;

/// A solid, prepared for tests of many points.
#[derive(Clone, Debug)]
pub struct Lanes<'solid> {
    solid: &'solid Solid,
    /// What is done one after the other on a stack of masks; empty where points are tested one by one.
    steps: Vec<Step<'solid>>,
}

#[derive(Clone, Debug)]
enum Step<'solid> {
    /// What lies in a primitive comes on top.
    Part(&'solid Part),
    /// Of what is on top, that stays which lies in a box.
    Within(Bounds),
    /// The two on top become one.
    Either,
    Both,
    /// What is below, without what is on top.
    Without,
}

/// Memory for tests, which takes no other.
#[derive(Clone, Debug, Default)]
pub struct LaneScratch {
    masks: Vec<Mask>,
}

impl Solid {
    /// The same solid, for tests of many points.
    pub fn lanes(&self) -> Lanes<'_> {
        let mut steps = Vec::new();
        if self.parts.len() <= MOST_PARTS {
            write(&self.root, &self.parts, &mut steps);
        }
        Lanes { solid: self, steps }
    }
}

fn write<'solid>(branch: &Branch, parts: &'solid [Part], steps: &mut Vec<Step<'solid>>) {
    let members = |members: &[Branch], join: Step<'solid>, steps: &mut Vec<Step<'solid>>| {
        for (number, member) in members.iter().enumerate() {
            write(member, parts, steps);
            if number > 0 {
                steps.push(join.clone());
            }
        }
    };
    match branch.outline() {
        // Its box is that of the part.
        Outline::Part(index) => return steps.push(Step::Part(&parts[index])),
        Outline::Union(of) => members(of, Step::Either, steps),
        Outline::Intersection(of) => members(of, Step::Both, steps),
        Outline::Difference(of) => members(of, Step::Without, steps),
    }
    steps.push(Step::Within(branch.bounds));
}

impl Lanes<'_> {
    /// Which of these points, given by one lane per coordinate, lie inside.
    #[inline(always)]
    pub fn contain(&self, points: &[Lane], scratch: &mut LaneScratch) -> Mask {
        if self.steps.is_empty() {
            return self.one_by_one(points);
        }
        let masks = &mut scratch.masks;
        masks.clear();
        for step in &self.steps {
            match step {
                Step::Part(part) => {
                    let mut mask = [u64::MAX; LANES];
                    within(&part.bounds, points, &mut mask);
                    in_part(part, points, &mut mask);
                    masks.push(mask);
                }
                Step::Within(bounds) => {
                    if let Some(top) = masks.last_mut() {
                        within(bounds, points, top);
                    }
                }
                Step::Either => join(masks, |below, top| below | top),
                Step::Both => join(masks, |below, top| below & top),
                Step::Without => join(masks, |below, top| below & !top),
            }
        }
        masks.pop().unwrap_or([0; LANES])
    }

    #[inline(never)]
    fn one_by_one(&self, points: &[Lane]) -> Mask {
        let mut point = [0.0; 3];
        std::array::from_fn(|lane| {
            point.iter_mut().zip(points).for_each(|(to, from)| *to = from[lane]);
            all_bits(self.solid.root.contains(point, &self.solid.parts))
        })
    }
}

#[inline(always)]
fn all_bits(inside: bool) -> u64 {
    0u64.wrapping_sub(u64::from(inside))
}

#[inline(always)]
fn join(masks: &mut Vec<Mask>, how: impl Fn(u64, u64) -> u64) {
    let Some(top) = masks.pop() else { return };
    let Some(below) = masks.last_mut() else { return };
    for (below, top) in below.iter_mut().zip(&top) {
        *below = how(*below, *top);
    }
}

#[inline(always)]
fn within(bounds: &Bounds, points: &[Lane], mask: &mut Mask) {
    for (values, [low, high]) in points.iter().zip(bounds.0) {
        if low > f64::NEG_INFINITY || high < f64::INFINITY {
            for (mask, value) in mask.iter_mut().zip(values) {
                *mask &= all_bits(low <= *value) & all_bits(*value <= high);
            }
        }
    }
}

/// Keeps of a mask what lies in a part.
#[inline(always)]
fn in_part(part: &Part, points: &[Lane], mask: &mut Mask) {
    let local = part.placement.inwards_lanes(points);
    match part.primitive() {
        // The number of coordinates is known to each loop: those of a plane have no third one, whose square is zero.
        Primitive::Ball(ball) if points.len() == 2 => {
            keep(&local, mask, |[x, y, _]| x * x + y * y < ball.radius * ball.radius);
        }
        Primitive::Ball(ball) => keep(&local, mask, |point| ball.holds(point)),
        Primitive::Block(block) => {
            for (axis, values) in local.iter().enumerate().take(block.dimension) {
                let (low, high) = (block.low[axis], block.high[axis]);
                for (mask, value) in mask.iter_mut().zip(values) {
                    *mask &= all_bits(low < *value) & all_bits(*value < high);
                }
            }
        }
        Primitive::HalfSpace(half_space) => keep(&local, mask, |point| half_space.depth(point) < 0.0),
        Primitive::Cylinder(cylinder) => keep(&local, mask, |point| cylinder.holds(point)),
        Primitive::Torus(torus) => keep(&local, mask, |point| torus.to_circle(point) < torus.tube),
        Primitive::Polygon(polygon) if polygon.corner_count() <= MOST_CORNERS => {
            let mut odd = [0; LANES];
            for side in polygon.sides() {
                for ((odd, x), y) in odd.iter_mut().zip(&local[0]).zip(&local[1]) {
                    *odd ^= all_bits(is_passed([*x, *y], side));
                }
            }
            mask.iter_mut().zip(&odd).for_each(|(mask, odd)| *mask &= odd);
        }
        Primitive::Ellipsoid(ellipsoid) => {
            let mut sums = [0.0; LANES];
            for (axis, values) in ellipsoid.axes().iter().zip(&local) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += (value / axis) * (value / axis));
            }
            mask.iter_mut().zip(&sums).for_each(|(mask, sum)| *mask &= all_bits(*sum < 1.0));
        }
        Primitive::Polygon(_)
        | Primitive::Spline(_)
        | Primitive::Cone(_)
        | Primitive::Mesh(_)
        | Primitive::Outline(_) => {
            // Where nothing is left of a mask there is nothing to ask.
            for (lane, mask) in mask.iter_mut().enumerate().filter(|(_, mask)| **mask != 0) {
                *mask = all_bits(part.form().contains([local[0][lane], local[1][lane], local[2][lane]]));
            }
        }
    }
}

#[inline(always)]
fn keep(local: &[Lane; 3], mask: &mut Mask, inside: impl Fn(Vector) -> bool) {
    let [x, y, z] = local;
    for (((mask, x), y), z) in mask.iter_mut().zip(x).zip(y).zip(z) {
        *mask &= all_bits(inside([*x, *y, *z]));
    }
}
