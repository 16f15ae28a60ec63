//! Everything on one side of a point, a line or a plane.

use super::{Form, Window};
use crate::primitive::patch::{Patch, Spot};
use crate::vector::{Vector, along, cross, dot, frame, subtract, times};

/// All points with `(x - point)·normal < 0`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct HalfSpace {
    /// 1, 2 or 3.
    pub(crate) dimension: usize,
    pub(crate) point: Vector,
    /// Of length one, and out of the half-space.
    pub(crate) normal: Vector,
}

impl HalfSpace {
    /// Negative inside.
    #[inline(always)]
    pub(crate) fn depth(&self, point: Vector) -> f64 {
        dot(subtract(point, self.point), self.normal)
    }
}

impl Form for HalfSpace {
    fn contains(&self, point: Vector) -> bool {
        self.distance(point) < 0.0
    }

    fn distance(&self, point: Vector) -> f64 {
        self.depth(point)
    }

    fn support(&self, direction: Vector) -> f64 {
        let across = cross(direction, self.normal);
        let along_normal = dot(direction, self.normal);
        // A quarter turn leaves rounding behind where there should be zeros.
        let parallel = dot(across, across) < 1e-28 * dot(direction, direction);
        if parallel && along_normal > 0.0 {
            along_normal * dot(self.point, self.normal)
        } else {
            f64::INFINITY
        }
    }

    fn measure(&self) -> f64 {
        f64::INFINITY
    }

    fn surface(&self, window: &Window) -> Vec<(String, Patch)> {
        let depth = self.distance(window.center);
        let middle = along(window.center, self.normal, -depth);
        let reach = (window.radius * window.radius - depth * depth).max(0.0).sqrt();
        let normal = self.normal;
        let patch = match self.dimension {
            1 => Patch::End(Spot { point: self.point, normal }),
            _ if reach == 0.0 => return Vec::new(),
            2 => {
                let tangent = [-normal[1], normal[0], 0.0];
                Patch::Segment {
                    from: along(middle, tangent, -reach),
                    to: along(middle, tangent, reach),
                    normal,
                }
            }
            _ => {
                let [first, second, _] = frame(normal);
                let corner = along(along(middle, first, -reach), second, -reach);
                Patch::Parallelogram {
                    corner,
                    edges: [first, second].map(|edge| times(edge, 2.0 * reach)),
                    normal,
                }
            }
        };
        vec![(String::new(), patch)]
    }
}
