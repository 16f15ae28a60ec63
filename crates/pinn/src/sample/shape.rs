//! Points on the boundaries of shapes.

use equation::problem::{Domain, Geometry, Piece};
use equation::taylor::Row;

/// Numbers from (0, 1) to the part of a coordinate in which there is anything.
pub(super) fn stretched(domain: &Domain, axis: usize, unit: f64) -> f64 {
    let (low, high) = domain.reach(axis);
    low + (high - low) * unit
}

/// A place on a piece of the boundary.
pub(super) struct Surface<'s> {
    geometry: &'s Geometry,
    position: usize,
    point: Vec<f64>,
    normal: Vec<f64>,
}

impl<'s> Surface<'s> {
    /// The piece of a condition's place, if that is one of a shape.
    pub(super) fn of(domain: &'s Domain, piece: &Piece) -> Option<Self> {
        let (geometry, position) = (domain.geometry.as_ref()?, piece.surface?);
        let dimension = geometry.axes.len();
        Some(Surface { geometry, position, point: vec![0.0; dimension], normal: vec![0.0; dimension] })
    }

    /// Numbers that a place follows from.
    pub(super) fn parameters(&self) -> usize {
        self.geometry.solid.pieces()[self.position].parameters()
    }

    /// Length or area of what is left of it.
    pub(super) fn measure(&self) -> f64 {
        self.geometry.solid.pieces()[self.position].measure().value
    }

    /// Puts a place and its outward normal into a row that has all other coordinates; whether the boundary is there.
    pub(super) fn put(&mut self, unit: &[f64], row: Row, numbers: &mut [f64]) -> bool {
        let Surface { geometry, position, point, normal } = self;
        let solid = geometry.at(numbers);
        solid.pieces()[*position].place(unit, point, normal);
        let Some(sign) = solid.outward(*position, point, normal) else { return false };
        for ((&axis, &value), &slope) in geometry.axes.iter().zip(point.iter()).zip(normal.iter()) {
            numbers[axis] = value;
            if row.normals {
                numbers[row.coordinates * row.sites + axis] = sign * slope;
            }
        }
        true
    }
}
