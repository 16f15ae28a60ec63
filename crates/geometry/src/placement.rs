//! Where a primitive stands: similarities, which turn, scale and move.

use crate::vector::{Vector, add, dot, subtract, times};

/// `point ↦ origin + scale·turn·point`. All transforms of shapes are of this kind, so that distances stay exact and
/// normals stay normals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Placement {
    /// Columns of a rotation matrix: the images of the three axes.
    axes: [Vector; 3],
    turned: bool,
    /// Above zero.
    scale: f64,
    origin: Vector,
}

/// Where the axes are when nothing is turned.
pub(crate) const AXES: [Vector; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Placement {
    pub(crate) const HERE: Placement = Placement { axes: AXES, turned: false, scale: 1.0, origin: [0.0; 3] };

    pub(crate) fn at(origin: Vector) -> Placement {
        Placement { origin, ..Placement::HERE }
    }

    /// Turned so that the axes become these, and then moved. The axes are orthonormal and right-handed.
    pub(crate) fn framed(axes: [Vector; 3], origin: Vector) -> Placement {
        Placement { axes, turned: axes != AXES, scale: 1.0, origin }
    }

    /// Turned and scaled about a point that stays where it is.
    pub(crate) fn about(fixed: Vector, axes: [Vector; 3], scale: f64) -> Placement {
        let turned = Placement { axes, turned: axes != AXES, scale, origin: [0.0; 3] };
        Placement { origin: subtract(fixed, turned.outwards(fixed)), ..turned }
    }

    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Where the primitive's origin is, if nothing else was done to it.
    pub(crate) fn shift(&self) -> Option<Vector> {
        (!self.turned && self.scale == 1.0).then_some(self.origin)
    }

    fn turn(&self, local: Vector) -> Vector {
        if !self.turned {
            return local;
        }
        let [first, second, third] = self.axes;
        add(add(times(first, local[0]), times(second, local[1])), times(third, local[2]))
    }

    /// A direction of the world, seen by the primitive.
    pub(crate) fn turn_back(&self, world: Vector) -> Vector {
        if self.turned { self.axes.map(|axis| dot(axis, world)) } else { world }
    }

    /// A point of the primitive, in the world.
    pub(crate) fn outwards(&self, local: Vector) -> Vector {
        let turned = self.turn(local);
        if self.scale == 1.0 { add(self.origin, turned) } else { add(self.origin, times(turned, self.scale)) }
    }

    /// A direction of the primitive, in the world: unit vectors stay that.
    pub(crate) fn direction(&self, local: Vector) -> Vector {
        self.turn(local)
    }

    /// A point of the world, seen by the primitive.
    pub(crate) fn inwards(&self, world: Vector) -> Vector {
        let turned = self.turn_back(subtract(world, self.origin));
        if self.scale == 1.0 { turned } else { turned.map(|value| value / self.scale) }
    }

    /// What [`Self::inwards`] does: subtracts a point, takes products with axes where it turns, and divides by a number.
    pub(crate) fn inward_steps(&self) -> (Vector, Option<[Vector; 3]>, f64) {
        (self.origin, self.turned.then_some(self.axes), self.scale)
    }

    /// The same of many points, one array per coordinate. Those of coordinates that there are not have to be zero, and stay that.
    #[expect(
        clippy::needless_range_loop,
        reason = "iterators are calls that may stay calls in functions with other instructions"
    )]
    #[inline(always)]
    pub(crate) fn inwards_lanes<const LANES: usize>(
        &self,
        world: &[[f64; LANES]],
        local: &mut [[f64; LANES]; 3],
    ) {
        let count = world.len().min(3);
        for axis in 0..count {
            for lane in 0..LANES {
                local[axis][lane] = world[axis][lane] - self.origin[axis];
            }
        }
        if self.turned {
            for lane in 0..LANES {
                let point = [local[0][lane], local[1][lane], local[2][lane]];
                for axis in 0..count {
                    local[axis][lane] = dot(self.axes[axis], point);
                }
            }
        }
        if self.scale != 1.0 {
            for axis in 0..count {
                for lane in 0..LANES {
                    local[axis][lane] /= self.scale;
                }
            }
        }
    }

    /// This first, and the other one after it.
    pub(crate) fn then(&self, after: &Placement) -> Placement {
        Placement {
            axes: if after.turned { self.axes.map(|axis| after.turn(axis)) } else { self.axes },
            turned: self.turned || after.turned,
            scale: self.scale * after.scale,
            origin: after.outwards(self.origin),
        }
    }
}

/// The images of the axes under a turn about a unit vector, by Rodrigues' formula.
pub(crate) fn turned_axes(about: Vector, angle: f64) -> [Vector; 3] {
    let (sine, cosine) = angle.sin_cos();
    let [x, y, z] = about;
    let rest = 1.0 - cosine;
    [
        [cosine + rest * x * x, rest * x * y + sine * z, rest * x * z - sine * y],
        [rest * x * y - sine * z, cosine + rest * y * y, rest * y * z + sine * x],
        [rest * x * z + sine * y, rest * y * z - sine * x, cosine + rest * z * z],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{length, unit};

    #[test]
    fn a_point_goes_there_and_back() {
        let axis = unit([1.0, 2.0, -0.5]).unwrap();
        let first = Placement::about([1.0, 2.0, 3.0], turned_axes(axis, 0.7), 2.5);
        let second = Placement::at([-4.0, 0.25, 9.0]);
        let both = first.then(&second);
        let point = [0.3, -0.8, 5.0];
        let world = both.outwards(point);
        assert!(length(subtract(world, second.outwards(first.outwards(point)))) < 1e-14);
        assert!(length(subtract(both.inwards(world), point)) < 1e-14);
        assert!(length(subtract(first.outwards([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])) < 1e-14);
    }

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        let axes = turned_axes([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
        assert!(length(subtract(axes[0], [0.0, 1.0, 0.0])) < 1e-15);
        assert!(length(subtract(axes[1], [-1.0, 0.0, 0.0])) < 1e-15);
    }
}
