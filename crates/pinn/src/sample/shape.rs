//! Points inside shapes and on their boundaries. The i-th point inside is the i-th candidate in the box around the shape that
//! lies inside: a function of its index, however many threads look.

use super::PointSequence;
use crate::TrainError;
use equation::problem::{Domain, Geometry, Piece};
use equation::taylor::Row;
use rayon::prelude::*;
use std::ops::Range;

/// Candidates that a thread looks at in one go.
const BLOCK: usize = 1024;

/// Candidates beyond those that the shape's share of its box asks for: its measure is an estimate.
const MORE: f64 = 1.05;

/// The least share of its box that a shape may have.
const LEAST_SHARE: f64 = 1e-6;

/// Numbers from (0, 1) to the part of a coordinate in which there is anything.
pub(super) fn stretched(domain: &Domain, axis: usize, unit: f64) -> f64 {
    let (low, high) = domain.reach(axis);
    low + (high - low) * unit
}

/// Which share of the box around it a shape has.
fn share(geometry: &Geometry) -> Result<f64, TrainError> {
    let sides = geometry.solid.bounds().iter().map(|[low, high]| high - low);
    let share = geometry.solid.measure().value / sides.product::<f64>();
    // Written so that no number is refused, too.
    if share >= LEAST_SHARE { Ok(share.min(1.0)) } else { Err(TrainError::ThinShape { share }) }
}

/// Rows of the points of a range, by index, at places inside; `sequence` gives candidates of the unit cube over all
/// coordinates, where so many will be looked at. Numbers behind the coordinates are ones.
pub(super) fn inside(
    domain: &Domain,
    geometry: &Geometry,
    row: Row,
    wanted: Range<usize>,
    sequence: impl Fn(usize) -> PointSequence,
) -> Result<Vec<f64>, TrainError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut candidates = (MORE * wanted.end as f64 / share(geometry)?) as usize + BLOCK;
    loop {
        let sequence = sequence(candidates);
        let blocks = (0..candidates.div_ceil(BLOCK)).into_par_iter();
        let found: Vec<Vec<f64>> = blocks
            .map(|block| {
                let mut rows = Vec::new();
                let mut numbers = vec![1.0; row.width()];
                for index in block * BLOCK..((block + 1) * BLOCK).min(candidates) {
                    sequence.point(index as u32, &mut numbers[..domain.len()]);
                    for (axis, value) in numbers[..domain.len()].iter_mut().enumerate() {
                        *value = stretched(domain, axis, *value);
                    }
                    if geometry.contains(&numbers) {
                        rows.extend_from_slice(&numbers);
                    }
                }
                rows
            })
            .collect();
        let rows: Vec<f64> = found.concat();
        let range = wanted.start * row.width()..wanted.end * row.width();
        if let Some(own) = rows.get(range) {
            return Ok(own.to_vec());
        }
        candidates += candidates / 2;
    }
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
