//! The inside test for many points at once, in loops that the compiler makes vector instructions of. A point is inside or not as
//! [`Solid::contains`] says: both use the same expressions, and nothing is fused.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators are calls that may stay calls in functions with other instructions"
)]

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
#[derive(Clone, Debug)]
pub struct LaneScratch {
    masks: Vec<Mask>,
    /// Points, seen by a primitive.
    local: [Lane; 3],
}

impl Default for LaneScratch {
    fn default() -> Self {
        LaneScratch { masks: Vec::new(), local: [[0.0; LANES]; 3] }
    }
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
        let LaneScratch { masks, local } = scratch;
        // No stack is deeper than there are steps.
        if masks.len() < self.steps.len() {
            masks.resize(self.steps.len(), [0; LANES]);
        }
        for axis in points.len()..3 {
            local[axis] = [0.0; LANES];
        }
        // Masks in use.
        let mut count = 0;
        for step in &self.steps {
            match step {
                Step::Part(part) => {
                    part_of(part, points, local, &mut masks[count]);
                    count += 1;
                }
                Step::Within(bounds) => within(bounds, points, &mut masks[count - 1]),
                Step::Either => join(masks, &mut count, |below, top| below | top),
                Step::Both => join(masks, &mut count, |below, top| below & top),
                Step::Without => join(masks, &mut count, |below, top| below & !top),
            }
        }
        masks[0]
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
fn join(masks: &mut [Mask], count: &mut usize, how: impl Fn(u64, u64) -> u64) {
    *count -= 1;
    let (below, top) = masks.split_at_mut(*count);
    let (below, top) = (&mut below[*count - 1], &top[0]);
    for lane in 0..LANES {
        below[lane] = how(below[lane], top[lane]);
    }
}

#[inline(always)]
fn within(bounds: &Bounds, points: &[Lane], mask: &mut Mask) {
    for axis in 0..points.len().min(3) {
        let [low, high] = bounds.0[axis];
        if low > f64::NEG_INFINITY || high < f64::INFINITY {
            for lane in 0..LANES {
                let value = points[axis][lane];
                mask[lane] &= all_bits(low <= value) & all_bits(value <= high);
            }
        }
    }
}

/// What lies in a part.
#[inline(always)]
fn part_of(part: &Part, points: &[Lane], local: &mut [Lane; 3], mask: &mut Mask) {
    // Holes are many, most often: one loop with the same expressions does all of a disk that was neither turned nor scaled.
    if let (Primitive::Ball(ball), [x, y], Some(center)) = (part.primitive(), points, part.placement.shift())
    {
        let [[left, right], [bottom, top], _] = part.bounds.0;
        let square = ball.radius * ball.radius;
        for lane in 0..LANES {
            let (x, y) = (x[lane], y[lane]);
            let (across, up) = (x - center[0], y - center[1]);
            let in_bounds = (left <= x) & (x <= right) & (bottom <= y) & (y <= top);
            mask[lane] = all_bits(in_bounds & (across * across + up * up < square));
        }
        return;
    }
    *mask = [u64::MAX; LANES];
    within(&part.bounds, points, mask);
    in_part(part, points, local, mask);
}

/// Keeps of a mask what lies in a part.
#[inline(always)]
fn in_part(part: &Part, points: &[Lane], local: &mut [Lane; 3], mask: &mut Mask) {
    part.placement.inwards_lanes(points, local);
    let local = &*local;
    match part.primitive() {
        // The number of coordinates is known to each loop: those of a plane have no third one, whose square is zero.
        Primitive::Ball(ball) if points.len() == 2 => {
            keep(local, mask, |[x, y, _]| x * x + y * y < ball.radius * ball.radius);
        }
        Primitive::Ball(ball) => keep(local, mask, |point| ball.holds(point)),
        Primitive::Block(block) => {
            for axis in 0..block.dimension.min(3) {
                let (low, high) = (block.low[axis], block.high[axis]);
                for lane in 0..LANES {
                    let value = local[axis][lane];
                    mask[lane] &= all_bits(low < value) & all_bits(value < high);
                }
            }
        }
        Primitive::HalfSpace(half_space) => keep(local, mask, |point| half_space.depth(point) < 0.0),
        Primitive::Cylinder(cylinder) => keep(local, mask, |point| cylinder.holds(point)),
        Primitive::Torus(torus) => keep(local, mask, |point| torus.to_circle(point) < torus.tube),
        Primitive::Polygon(polygon) if polygon.corner_count() <= MOST_CORNERS => {
            let mut odd = [0; LANES];
            for side in polygon.sides() {
                for lane in 0..LANES {
                    odd[lane] ^= all_bits(is_passed([local[0][lane], local[1][lane]], side));
                }
            }
            for lane in 0..LANES {
                mask[lane] &= odd[lane];
            }
        }
        Primitive::Ellipsoid(ellipsoid) => {
            let (mut sums, axes) = ([0.0; LANES], ellipsoid.axes());
            for axis in 0..axes.len().min(3) {
                for lane in 0..LANES {
                    let share = local[axis][lane] / axes[axis];
                    sums[lane] += share * share;
                }
            }
            for lane in 0..LANES {
                mask[lane] &= all_bits(sums[lane] < 1.0);
            }
        }
        Primitive::Polygon(_)
        | Primitive::Spline(_)
        | Primitive::Cone(_)
        | Primitive::Mesh(_)
        | Primitive::Outline(_) => {
            // Where nothing is left of a mask there is nothing to ask.
            for lane in 0..LANES {
                let point = [local[0][lane], local[1][lane], local[2][lane]];
                mask[lane] = all_bits(mask[lane] != 0 && part.form().contains(point));
            }
        }
    }
}

#[inline(always)]
fn keep(local: &[Lane; 3], mask: &mut Mask, inside: impl Fn(Vector) -> bool) {
    for lane in 0..LANES {
        mask[lane] &= all_bits(inside([local[0][lane], local[1][lane], local[2][lane]]));
    }
}
