//! Disks and balls around the origin.

use super::{Form, Window};
use crate::primitive::patch::Patch;
use crate::vector::{Vector, dot, length};
use std::f64::consts::PI;

/// All points closer to the origin than the radius, in two or three dimensions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ball {
    pub(crate) dimension: usize,
    pub(crate) radius: f64,
}

impl Ball {
    #[inline(always)]
    pub(crate) fn holds(&self, point: Vector) -> bool {
        dot(point, point) < self.radius * self.radius
    }
}

impl Form for Ball {
    fn contains(&self, point: Vector) -> bool {
        self.holds(point)
    }

    fn distance(&self, point: Vector) -> f64 {
        length(point) - self.radius
    }

    fn support(&self, direction: Vector) -> f64 {
        self.radius * length(direction)
    }

    fn measure(&self) -> f64 {
        let square = PI * self.radius * self.radius;
        if self.dimension == 2 { square } else { 4.0 / 3.0 * square * self.radius }
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        let radius = self.radius;
        let patch = if self.dimension == 2 { Patch::Circle { radius } } else { Patch::Sphere { radius } };
        vec![(String::new(), patch)]
    }
}
