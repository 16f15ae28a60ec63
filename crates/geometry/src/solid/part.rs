//! Primitives in their places.

use crate::bounds::Bounds;
use crate::placement::Placement;
use crate::primitive::{Form, Primitive, Window};
use crate::vector::Vector;
use std::sync::Arc;

/// A primitive where it stands in the solid.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    primitive: Arc<Primitive>,
    pub(crate) placement: Placement,
    /// Of the written primitive, for its label.
    pub(crate) written: usize,
    /// Which copy of which repetition it is, from the outermost one.
    pub(crate) copies: Vec<usize>,
    pub(crate) bounds: Bounds,
}

impl Part {
    pub(crate) fn new(
        primitive: Arc<Primitive>,
        placement: Placement,
        dimension: usize,
        written: usize,
        copies: Vec<usize>,
    ) -> Part {
        let reach = |direction: Vector| {
            // A function's largest value in the world is what it is in the primitive's frame, scaled, plus the origin's.
            let local = primitive.form().support(placement.turn_back(direction));
            let origin = placement.outwards([0.0; 3]);
            placement.scale() * local
                + origin.iter().zip(direction).map(|(one, other)| one * other).sum::<f64>()
        };
        let mut bounds = Bounds::ALL;
        for axis in 0..dimension {
            let mut direction = [0.0; 3];
            direction[axis] = 1.0;
            let high = reach(direction);
            direction[axis] = -1.0;
            bounds.0[axis] = [-reach(direction), high];
        }
        Part { primitive, placement, written, copies, bounds }
    }

    pub(crate) fn primitive(&self) -> &Primitive {
        &self.primitive
    }

    pub(crate) fn form(&self) -> &dyn Form {
        self.primitive.form()
    }

    pub(crate) fn contains(&self, point: Vector) -> bool {
        self.form().contains(self.placement.inwards(point))
    }

    pub(crate) fn distance(&self, point: Vector) -> f64 {
        self.placement.scale() * self.form().distance(self.placement.inwards(point))
    }

    pub(crate) fn measure(&self, dimension: usize) -> f64 {
        self.form().measure() * self.placement.scale().powi(dimension as i32)
    }

    /// A ball of the world, seen by the primitive.
    pub(crate) fn window(&self, center: Vector, radius: f64) -> Window {
        Window { center: self.placement.inwards(center), radius: radius / self.placement.scale() }
    }

    /// The box that everything outside of the part is in: a half-space along an axis leaves less than all.
    pub(crate) fn complement_bounds(&self) -> Bounds {
        let mut bounds = Bounds::ALL;
        if !matches!(*self.primitive, Primitive::HalfSpace(_)) {
            return bounds;
        }
        for (outside, inside) in bounds.0.iter_mut().zip(self.bounds.0) {
            match inside.map(f64::is_finite) {
                [true, false] => outside[1] = inside[0],
                [false, true] => outside[0] = inside[1],
                [true, true] | [false, false] => {}
            }
        }
        bounds
    }
}
