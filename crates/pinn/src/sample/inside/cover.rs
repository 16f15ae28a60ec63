//! Cells around a shape that fills little of its box: candidates elsewhere would be drawn in vain.

use equation::problem::{Domain, Geometry};
use rayon::prelude::*;

/// More cells would take longer to find than they save.
const MOST_CELLS: usize = 1 << 16;

/// Distances to primitives that finding cells may ask for: half a second.
const MOST_QUESTIONS: usize = 1 << 25;

/// Cells are divided until this share of them lies inside entirely.
const ENOUGH_INSIDE: f64 = 0.5;

/// Cells are halved at most so often along a coordinate: its digits must tell places in a cell apart.
const MOST_HALVINGS: u32 = 20;

/// Radii are this much larger than they are, so that rounding drops no cell.
const MARGIN: f64 = 1.0 + 1e-9;

/// The cells of a regular tree that may meet a shape, all of one size and in the order of the tree.
#[derive(Clone, Debug)]
pub(super) struct Cover {
    /// How often each coordinate of the shape was halved.
    halvings: [u32; 3],
    /// Which of the parts of each coordinate a cell is.
    cells: Vec<[u32; 3]>,
}

/// How candidates for points inside a thin shape are found, for people.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CoverSummary {
    /// Cells that may meet the shape.
    pub cells: usize,
    /// Their share of the box around the shape.
    pub share: f64,
    /// The share of candidates in them that lies inside.
    pub inside: f64,
}

impl Cover {
    /// The cells around a shape, as fine as they are worth it. Distances bound how far the shape is away: no part of it is missed.
    pub(super) fn new(domain: &Domain, geometry: &Geometry) -> Cover {
        let solid = &geometry.solid;
        let reaches: Vec<[f64; 2]> = geometry.axes.iter().map(|&axis| domain.reach(axis).into()).collect();
        let most = (MOST_QUESTIONS / solid.pieces().len().max(1)).min(MOST_CELLS);
        let mut cover = Cover { halvings: [0; 3], cells: vec![[0; 3]] };
        loop {
            let halvings = cover.halvings;
            let width = |axis: usize| {
                let [low, high] = reaches[axis];
                (high - low) / f64::from(halvings[axis]).exp2()
            };
            let axis =
                (1..reaches.len()).fold(0, |most, axis| if width(axis) > width(most) { axis } else { most });
            if halvings[axis] == MOST_HALVINGS {
                return cover;
            }
            let mut finer = halvings;
            finer[axis] += 1;
            let size = |other: usize| if other == axis { 0.5 * width(other) } else { width(other) };
            let radius = 0.5 * MARGIN * (0..reaches.len()).map(|axis| size(axis).powi(2)).sum::<f64>().sqrt();
            let distance = |cell: &[u32; 3]| {
                let middle = (0..reaches.len()).map(|axis| {
                    let [low, high] = reaches[axis];
                    low + (high - low) * ((f64::from(cell[axis]) + 0.5) * (-f64::from(finer[axis])).exp2())
                });
                solid.signed_distance(&middle.collect::<Vec<f64>>())
            };
            let halves = cover.cells.par_iter().flat_map_iter(|cell| {
                [0, 1].map(|half| {
                    let mut finer = *cell;
                    finer[axis] = 2 * cell[axis] + half;
                    (finer, distance(&finer))
                })
            });
            let meets = |(_, distance): &([u32; 3], f64)| *distance <= radius || distance.is_nan();
            let near: Vec<([u32; 3], f64)> = halves.filter(meets).collect();
            if near.len() > most {
                return cover;
            }
            let inside = near.iter().filter(|(_, distance)| *distance < -radius).count();
            cover = Cover { halvings: finer, cells: near.into_iter().map(|(cell, _)| cell).collect() };
            if cover.cells.is_empty() || inside as f64 >= ENOUGH_INSIDE * cover.cells.len() as f64 {
                return cover;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The share of the box that is in cells.
    pub(super) fn share(&self) -> f64 {
        self.cells.len() as f64 * (-f64::from(self.halvings.iter().sum::<u32>())).exp2()
    }

    /// A place of a cell as one of the box, both from 0 to 1, along a coordinate of the shape; `choice` chooses the cell.
    pub(super) fn stretched(&self, choice: f64, place: usize, within: f64) -> f64 {
        let cell = ((choice * self.cells.len() as f64) as usize).min(self.cells.len() - 1);
        (f64::from(self.cells[cell][place]) + within) * (-f64::from(self.halvings[place])).exp2()
    }
}
