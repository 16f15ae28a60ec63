//! Rings.

use super::{Form, Window};
use crate::primitive::patch::Patch;
use crate::vector::{Vector, length};
use std::f64::consts::PI;

/// All points closer to a circle around the third axis than the radius of the tube.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Torus {
    pub(crate) ring: f64,
    /// Below the radius of the ring.
    pub(crate) tube: f64,
}

impl Torus {
    #[inline(always)]
    pub(crate) fn to_circle(&self, [x, y, z]: Vector) -> f64 {
        let beside = (x * x + y * y).sqrt() - self.ring;
        (beside * beside + z * z).sqrt()
    }
}

impl Form for Torus {
    fn contains(&self, point: Vector) -> bool {
        self.to_circle(point) < self.tube
    }

    fn distance(&self, point: Vector) -> f64 {
        self.to_circle(point) - self.tube
    }

    fn support(&self, direction: Vector) -> f64 {
        let [x, y, _] = direction;
        self.ring * (x * x + y * y).sqrt() + self.tube * length(direction)
    }

    fn measure(&self) -> f64 {
        2.0 * PI * PI * self.ring * self.tube * self.tube
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        vec![(String::new(), Patch::Torus { ring: self.ring, tube: self.tube })]
    }
}
