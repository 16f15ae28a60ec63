//! Straight cylinders.

use super::{Form, Window};
use crate::primitive::patch::Patch;
use crate::vector::Vector;
use std::f64::consts::PI;

/// Around the third axis, from the origin up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cylinder {
    pub(crate) length: f64,
    pub(crate) radius: f64,
}

impl Cylinder {
    #[inline(always)]
    pub(crate) fn holds(&self, [x, y, z]: Vector) -> bool {
        0.0 < z && z < self.length && x * x + y * y < self.radius * self.radius
    }
}

impl Form for Cylinder {
    fn contains(&self, point: Vector) -> bool {
        self.holds(point)
    }

    fn distance(&self, [x, y, z]: Vector) -> f64 {
        let beside = (x * x + y * y).sqrt() - self.radius;
        let beyond = (-z).max(z - self.length);
        if beside > 0.0 && beyond > 0.0 {
            (beside * beside + beyond * beyond).sqrt()
        } else {
            beside.max(beyond)
        }
    }

    fn support(&self, [x, y, z]: Vector) -> f64 {
        (self.length * z).max(0.0) + self.radius * (x * x + y * y).sqrt()
    }

    fn measure(&self) -> f64 {
        PI * self.radius * self.radius * self.length
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        let Cylinder { length, radius } = *self;
        vec![
            ("mantle".to_owned(), Patch::Mantle { radius, length }),
            ("start".to_owned(), Patch::Disc { radius, height: 0.0, up: false }),
            ("end".to_owned(), Patch::Disc { radius, height: length, up: true }),
        ]
    }
}
