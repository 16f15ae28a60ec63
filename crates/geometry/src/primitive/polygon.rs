//! Polygons without crossings.

use super::bands::{Bands, contact, is_passed, square_to_side};
use super::{Form, Window};
use crate::GeometryError;
use crate::primitive::patch::Patch;
use crate::vector::{Vector, padded, unit};

/// The inside of a closed line of straight sides.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Polygon {
    /// In the order they were written; the last one is joined to the first.
    corners: Vec<[f64; 2]>,
    bands: Bands,
    /// Positive when the corners run anticlockwise.
    signed_area: f64,
}

/// The check for crossings compares sides by pairs.
pub(crate) const MOST_CORNERS: usize = 20_000;

impl Polygon {
    /// Checked: three or more finite corners, of which neighbours differ, and sides that meet in corners only.
    pub(crate) fn new(mut corners: Vec<[f64; 2]>) -> Result<Polygon, GeometryError> {
        let shape = "polygon";
        if corners.len() > 3 && corners.first() == corners.last() {
            corners.pop();
        }
        let count = corners.len();
        if count < 3 {
            return Err(GeometryError::TooFewPoints { shape, found: count, needed: 3 });
        }
        if count > MOST_CORNERS {
            return Err(GeometryError::TooManyPoints { shape, found: count, limit: MOST_CORNERS });
        }
        if let Some(same) = (0..count).find(|&index| corners[index] == corners[(index + 1) % count]) {
            let vertex = |index: usize| format!("vertex {}", index % count + 1);
            return Err(GeometryError::SamePoint { shape, first: vertex(same), second: vertex(same + 1) });
        }
        if let Some(contact) = contact(&[&corners]) {
            let [(_, first), (_, second)] = contact.sides;
            return Err(GeometryError::Crossing { first: first + 1, second: second + 1, at: contact.at });
        }
        let sides = (0..count).map(|index| [corners[index], corners[(index + 1) % count]]);
        let heights: Vec<[f64; 2]> =
            sides.map(|[from, to]| [from[1].min(to[1]), from[1].max(to[1])]).collect();
        let [x, y] = corners[0];
        let doubled: f64 = corners
            .windows(2)
            .map(|pair| (pair[0][0] - x) * (pair[1][1] - y) - (pair[0][1] - y) * (pair[1][0] - x))
            .sum();
        Ok(Polygon { bands: Bands::new(&heights), corners, signed_area: 0.5 * doubled })
    }

    pub(crate) fn corner_count(&self) -> usize {
        self.corners.len()
    }

    pub(crate) fn sides(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        (0..self.corners.len()).map(|index| self.side(index))
    }

    fn side(&self, index: usize) -> [[f64; 2]; 2] {
        [self.corners[index], self.corners[(index + 1) % self.corners.len()]]
    }
}

impl Form for Polygon {
    fn contains(&self, point: Vector) -> bool {
        let sides = self.bands.at(point[1]).iter();
        let passed = sides.filter(|&&side| is_passed([point[0], point[1]], self.side(side as usize)));
        passed.count() % 2 == 1
    }

    fn distance(&self, point: Vector) -> f64 {
        let square = |side: usize| square_to_side([point[0], point[1]], self.side(side));
        let least = (0..self.corners.len()).map(square).fold(f64::INFINITY, f64::min);
        if self.contains(point) { -least.sqrt() } else { least.sqrt() }
    }

    fn support(&self, direction: Vector) -> f64 {
        let along = |corner: &[f64; 2]| corner[0] * direction[0] + corner[1] * direction[1];
        self.corners.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
    }

    fn measure(&self) -> f64 {
        self.signed_area.abs()
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        let side = |index: usize| {
            let [from, to] = self.side(index);
            let out = [to[1] - from[1], from[0] - to[0], 0.0].map(|value| value * self.signed_area.signum());
            let normal = unit(out).unwrap_or([1.0, 0.0, 0.0]);
            let patch = Patch::Segment { from: padded(&from), to: padded(&to), normal };
            (format!("side{}", index + 1), patch)
        };
        (0..self.corners.len()).map(side).collect()
    }
}
