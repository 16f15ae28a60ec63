//! One closed line of straight sides.

use crate::primitive::bands::is_passed;
use crate::primitive::patch::Spot;
use crate::vector::padded;

/// A closed line that is a part of the boundary of a region.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ring {
    pub(super) corners: Vec<[f64; 2]>,
    /// Lengths of all sides up to each.
    lengths: Vec<f64>,
    /// Positive when the corners run anticlockwise.
    pub(super) signed_area: f64,
    /// Whether the region lies around it.
    pub(super) is_hole: bool,
}

impl Ring {
    pub(super) fn new(corners: Vec<[f64; 2]>) -> Ring {
        let mut ring = Ring { corners, lengths: Vec::new(), signed_area: 0.0, is_hole: false };
        let [x, y] = ring.corners[0];
        let cross = |[from, to]: [[f64; 2]; 2]| (from[0] - x) * (to[1] - y) - (from[1] - y) * (to[0] - x);
        ring.signed_area = 0.5 * ring.sides().map(cross).sum::<f64>();
        let mut sum = 0.0;
        let lengths = ring.sides().map(|[from, to]| {
            sum += (to[0] - from[0]).hypot(to[1] - from[1]);
            sum
        });
        ring.lengths = lengths.collect();
        ring
    }

    pub(super) fn side(&self, index: usize) -> [[f64; 2]; 2] {
        [self.corners[index], self.corners[(index + 1) % self.corners.len()]]
    }

    pub(super) fn sides(&self) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
        (0..self.corners.len()).map(|index| self.side(index))
    }

    /// Whether a point lies within the line, whatever that encloses.
    pub(super) fn winds_around(&self, point: [f64; 2]) -> bool {
        self.sides().filter(|side| is_passed(point, *side)).count() % 2 == 1
    }

    pub(crate) fn corners(&self) -> &[[f64; 2]] {
        &self.corners
    }

    pub(crate) fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    /// The spot at a share of the length.
    pub(crate) fn spot(&self, place: f64) -> Spot {
        let wanted = place * self.length();
        // The first side that reaches beyond: never one without length.
        let index = self.lengths.partition_point(|sum| *sum <= wanted).min(self.lengths.len() - 1);
        let before = if index == 0 { 0.0 } else { self.lengths[index - 1] };
        let own = self.lengths[index] - before;
        let share = ((wanted - before) / own).clamp(0.0, 1.0);
        let [from, to] = self.side(index);
        let point: [f64; 2] = std::array::from_fn(|axis| from[axis] * (1.0 - share) + to[axis] * share);
        let outwards = if (self.signed_area > 0.0) == self.is_hole { -1.0 } else { 1.0 };
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let normal = [(to[1] - from[1]) / length * outwards, (from[0] - to[0]) / length * outwards, 0.0];
        Spot { point: padded(&point), normal }
    }
}
