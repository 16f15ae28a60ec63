//! Intervals, rectangles and boxes along the axes.

use super::{Form, Window};
use crate::primitive::patch::{Patch, Spot};
use crate::vector::{Vector, length};

/// All points between two corners.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Block {
    /// 1, 2 or 3.
    pub(crate) dimension: usize,
    /// Below `high` in every dimension there is, zero in the others.
    pub(crate) low: Vector,
    pub(crate) high: Vector,
}

/// What the two ends of each axis are called.
const ENDS: [[&str; 2]; 3] = [["left", "right"], ["bottom", "top"], ["back", "front"]];

impl Block {
    fn side(&self, axis: usize, upper: bool) -> Patch {
        let mut normal = [0.0; 3];
        normal[axis] = if upper { 1.0 } else { -1.0 };
        let mut corner = self.low;
        corner[axis] = if upper { self.high[axis] } else { self.low[axis] };
        let mut edges = (0..self.dimension).filter(|other| *other != axis).map(|other| {
            let mut edge = [0.0; 3];
            edge[other] = self.high[other] - self.low[other];
            (other, edge)
        });
        match (edges.next(), edges.next()) {
            (Some((other, _)), None) => {
                let mut to = corner;
                to[other] = self.high[other];
                Patch::Segment { from: corner, to, normal }
            }
            (Some((_, first)), Some((_, second))) => {
                Patch::Parallelogram { corner, edges: [first, second], normal }
            }
            (None, _) => Patch::End(Spot { point: corner, normal }),
        }
    }
}

impl Form for Block {
    fn contains(&self, point: Vector) -> bool {
        (0..self.dimension).all(|axis| self.low[axis] < point[axis] && point[axis] < self.high[axis])
    }

    fn distance(&self, point: Vector) -> f64 {
        let mut over = [0.0; 3];
        let mut nearest = f64::NEG_INFINITY;
        for axis in 0..self.dimension {
            let beyond = (self.low[axis] - point[axis]).max(point[axis] - self.high[axis]);
            nearest = nearest.max(beyond);
            over[axis] = beyond.max(0.0);
        }
        if nearest > 0.0 { length(over) } else { nearest }
    }

    fn support(&self, direction: Vector) -> f64 {
        (0..self.dimension)
            .map(|axis| (self.low[axis] * direction[axis]).max(self.high[axis] * direction[axis]))
            .sum()
    }

    fn measure(&self) -> f64 {
        (0..self.dimension).map(|axis| self.high[axis] - self.low[axis]).product()
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        let ends = ENDS.iter().enumerate().take(self.dimension);
        ends.flat_map(|(axis, [low, high])| {
            [((*low).to_owned(), self.side(axis, false)), ((*high).to_owned(), self.side(axis, true))]
        })
        .collect()
    }
}
