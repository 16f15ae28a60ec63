//! Ellipses and ellipsoids along the axes, around the origin.

use super::{Form, Window};
use crate::primitive::patch::Patch;
use crate::vector::{Vector, length, padded};
use std::f64::consts::PI;

/// All points with `Σ (x_i/a_i)² < 1`, in two or three dimensions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ellipsoid {
    dimension: usize,
    /// Above zero in every dimension there is.
    semi_axes: Vector,
    patch: Patch,
}

impl Ellipsoid {
    /// From two or three semi-axes above zero.
    pub(crate) fn new(semi_axes: &[f64]) -> Ellipsoid {
        let (dimension, semi_axes) = (semi_axes.len(), padded(semi_axes));
        let [a, b, _] = semi_axes;
        let patch =
            if dimension == 2 { Patch::Ellipse { semi_axes: [a, b] } } else { Patch::ellipsoid(semi_axes) };
        Ellipsoid { dimension, semi_axes, patch }
    }

    pub(crate) fn axes(&self) -> &[f64] {
        &self.semi_axes[..self.dimension]
    }

    /// Σ (x_i/a_i)².
    fn quotient(&self, point: Vector) -> f64 {
        self.axes().iter().zip(point).map(|(axis, value)| (value / axis) * (value / axis)).sum()
    }

    /// The nearest point of the surface. After D. Eberly, "Distance from a point to an ellipse, an ellipsoid, or a
    /// hyperellipsoid" (2013): with m the smallest semi-axis, r_i = (a_i/m)² and z_i = |x_i|/a_i it has the coordinates
    /// a_i·r_i·z_i/(s + r_i - 1), where s is the largest root of `Σ (r_i z_i/(s + r_i - 1))² = 1`.
    fn nearest(&self, point: Vector) -> Vector {
        let smallest = self.axes().iter().fold(f64::INFINITY, |least, axis| least.min(*axis));
        let mut ratios = [1.0; 3];
        let mut relative = [0.0; 3];
        // Where the function of s is not below one, yet: every term alone is one or less.
        let mut root = f64::MIN_POSITIVE;
        for (index, axis) in self.axes().iter().enumerate() {
            ratios[index] = (axis / smallest) * (axis / smallest);
            relative[index] = point[index].abs() / axis;
            if *axis == smallest {
                // Points of the medial plane have two nearest ones: a tiny step decides for one of them.
                relative[index] = relative[index].max(1e-150);
            }
            root = root.max(ratios[index] * relative[index] - (ratios[index] - 1.0));
        }
        // Newton's method climbs to the root of a convex and falling function without passing it.
        for _ in 0..200 {
            let (mut excess, mut slope) = (-1.0, 0.0);
            for index in 0..self.dimension {
                let below = root + (ratios[index] - 1.0);
                let term = ratios[index] * relative[index] / below;
                excess += term * term;
                slope += 2.0 * term * term / below;
            }
            let next = root + excess / slope;
            if next <= root || next.is_nan() {
                break;
            }
            root = next;
        }
        let mut nearest = [0.0; 3];
        for (index, axis) in self.axes().iter().enumerate() {
            let share = ratios[index] * relative[index] / (root + (ratios[index] - 1.0));
            nearest[index] = (axis * share).copysign(point[index]);
        }
        nearest
    }
}

impl Form for Ellipsoid {
    fn contains(&self, point: Vector) -> bool {
        self.quotient(point) < 1.0
    }

    fn distance(&self, point: Vector) -> f64 {
        let nearest = self.nearest(point);
        let distance = length(std::array::from_fn(|axis| point[axis] - nearest[axis]));
        if self.contains(point) { -distance } else { distance }
    }

    fn support(&self, direction: Vector) -> f64 {
        length(std::array::from_fn(|axis| self.semi_axes[axis] * direction[axis]))
    }

    fn measure(&self) -> f64 {
        let product: f64 = self.axes().iter().product();
        if self.dimension == 2 { PI * product } else { 4.0 / 3.0 * PI * product }
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        vec![(String::new(), self.patch.clone())]
    }
}
