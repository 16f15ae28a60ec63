//! Boxes along the coordinates that hold a shape.

use crate::vector::Vector;

/// Per coordinate the lower and the upper end, infinite where there is none. Coordinates that a shape does not have go
/// from minus to plus infinity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounds(pub(crate) [[f64; 2]; 3]);

impl Bounds {
    /// Everything.
    pub(crate) const ALL: Bounds = Bounds([[f64::NEG_INFINITY, f64::INFINITY]; 3]);

    /// The box around a sequence of points in a space of so many dimensions; inside out without points.
    pub(crate) fn around(points: impl Iterator<Item = Vector>, dimension: usize) -> Bounds {
        let mut bounds = Bounds::ALL;
        bounds.0[..dimension].fill([f64::INFINITY, f64::NEG_INFINITY]);
        for point in points {
            for (ends, value) in bounds.0[..dimension].iter_mut().zip(point) {
                *ends = [ends[0].min(value), ends[1].max(value)];
            }
        }
        bounds
    }

    pub(crate) fn contain(&self, point: Vector) -> bool {
        let [x, y, z] = self.0;
        x[0] <= point[0]
            && point[0] <= x[1]
            && y[0] <= point[1]
            && point[1] <= y[1]
            && z[0] <= point[2]
            && point[2] <= z[1]
    }

    pub(crate) fn hull(&self, other: &Bounds) -> Bounds {
        let mut hull = *self;
        for (ends, others) in hull.0.iter_mut().zip(other.0) {
            *ends = [ends[0].min(others[0]), ends[1].max(others[1])];
        }
        hull
    }

    pub(crate) fn overlap(&self, other: &Bounds) -> Bounds {
        let mut overlap = *self;
        for (ends, others) in overlap.0.iter_mut().zip(other.0) {
            *ends = [ends[0].max(others[0]), ends[1].min(others[1])];
        }
        overlap
    }

    /// Whether boxes come closer than `reach` to one another.
    pub(crate) fn meet(&self, other: &Bounds, reach: f64) -> bool {
        self.0
            .iter()
            .zip(other.0)
            .all(|(own, other)| own[0] - reach <= other[1] && other[0] <= own[1] + reach)
    }

    /// Whether no interior is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().any(|ends| ends[0] >= ends[1])
    }

    /// The middle, of the coordinates there are.
    pub(crate) fn middle(&self, dimension: usize) -> Vector {
        let mut middle = [0.0; 3];
        for (to, ends) in middle.iter_mut().zip(self.0).take(dimension) {
            *to = 0.5 * ends[0] + 0.5 * ends[1];
        }
        middle
    }
}
