//! Straight cones.

use super::{Form, Window};
use crate::primitive::patch::Patch;
use crate::vector::Vector;
use std::f64::consts::PI;

/// Around the third axis, from a disk around the origin up to a tip.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cone {
    pub(crate) height: f64,
    pub(crate) radius: f64,
}

impl Form for Cone {
    fn contains(&self, [x, y, z]: Vector) -> bool {
        let radius = self.radius * (1.0 - z / self.height);
        0.0 < z && z < self.height && x * x + y * y < radius * radius
    }

    fn distance(&self, point: Vector) -> f64 {
        let [x, y, z] = point;
        let beside = (x * x + y * y).sqrt();
        // In the half-plane through the axis: the base, and the line from the rim to the tip.
        let over_rim = (beside - self.radius).max(0.0);
        let to_base = over_rim * over_rim + z * z;
        let (run, rise) = (-self.radius, self.height);
        let share = ((beside - self.radius) * run + z * rise) / (run * run + rise * rise);
        let share = share.clamp(0.0, 1.0);
        let (across, up) = (beside - self.radius - share * run, z - share * rise);
        let distance = to_base.min(across * across + up * up).sqrt();
        if self.contains(point) { -distance } else { distance }
    }

    fn support(&self, [x, y, z]: Vector) -> f64 {
        (self.height * z).max(self.radius * (x * x + y * y).sqrt())
    }

    fn measure(&self) -> f64 {
        PI * self.radius * self.radius * self.height / 3.0
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        let Cone { height, radius } = *self;
        vec![
            ("mantle".to_owned(), Patch::Cone { radius, height }),
            ("base".to_owned(), Patch::Disc { radius, height: 0.0, up: false }),
        ]
    }
}
