//! Regions of the plane between closed lines, from files of maps and drawings.

mod error;
mod geojson;
mod json;
mod ring;
mod svg;

pub use error::OutlineError;
pub(crate) use ring::Ring;

use crate::primitive::bands::{Bands, contact, is_passed, square_to_side};
use crate::primitive::patch::Patch;
use crate::primitive::{Form, Window};
use crate::vector::Vector;
use std::sync::Arc;

/// The most corners that outlines can have together: the check for crossings compares sides by pairs.
pub(crate) const MOST_CORNERS: usize = 20_000;

/// Squares of larger coordinates are still numbers.
const LARGEST: f64 = 1e75;

/// All points that lie within an odd number of closed lines, no two of which meet.
#[derive(Clone, PartialEq)]
pub struct Outline {
    rings: Vec<Arc<Ring>>,
    /// All sides: line, and place within it.
    sides: Vec<(u32, u32)>,
    bands: Bands,
    area: f64,
}

/// A closed line as it was read.
struct Loop {
    /// Where it begins.
    line: usize,
    corners: Vec<[f64; 2]>,
}

impl Outline {
    /// From the bytes of a GeoJSON file: polygons with holes, several polygons, features and collections of them.
    pub fn from_geojson(bytes: &[u8]) -> Result<Outline, OutlineError> {
        Outline::new(geojson::loops(text(bytes)?)?)
    }

    /// From the bytes of an SVG drawing, upright: its second coordinate, which counts downwards, is mirrored about the middle of its
    /// `viewBox`, or else of the outlines. Curves become chords that are no further from them than `tolerance`; without one, than
    /// a ten-thousandth of the drawing's larger extent.
    pub fn from_svg(bytes: &[u8], tolerance: Option<f64>) -> Result<Outline, OutlineError> {
        Outline::new(svg::loops(text(bytes)?, tolerance)?)
    }

    fn new(loops: Vec<Loop>) -> Result<Outline, OutlineError> {
        if loops.is_empty() {
            return Err(OutlineError::NoOutlines);
        }
        let lines: Vec<usize> = loops.iter().map(|own| own.line).collect();
        let mut rings = Vec::with_capacity(loops.len());
        let mut count = 0;
        for Loop { line, mut corners } in loops {
            if let Some(value) =
                corners.iter().flatten().find(|value| value.is_nan() || value.abs() > LARGEST)
            {
                return Err(OutlineError::Coordinate { line, value: *value });
            }
            corners.dedup();
            while corners.len() > 1 && corners.first() == corners.last() {
                corners.pop();
            }
            if corners.len() < 3 {
                return Err(OutlineError::TooFew { line, found: corners.len() });
            }
            count += corners.len();
            if count > MOST_CORNERS {
                return Err(OutlineError::TooMany);
            }
            rings.push(Ring::new(corners));
        }
        let corners: Vec<&[[f64; 2]]> = rings.iter().map(|ring| ring.corners.as_slice()).collect();
        if let Some(contact) = contact(&corners) {
            let [first, second] = contact.sides.map(|(ring, _)| lines[ring]);
            return Err(match contact.sides[0].0 == contact.sides[1].0 {
                true => OutlineError::MeetsItself { line: first, at: contact.at },
                false => OutlineError::Meet { first, second, at: contact.at },
            });
        }
        if let Some(flat) = rings.iter().position(|ring| ring.signed_area == 0.0) {
            return Err(OutlineError::Flat { line: lines[flat] });
        }
        Ok(Outline::of(rings))
    }

    /// Of lines that do not meet.
    fn of(mut rings: Vec<Ring>) -> Outline {
        let holes: Vec<bool> = (0..rings.len())
            .map(|own| {
                let around = rings.iter().enumerate().filter(|(other, _)| *other != own);
                around.filter(|(_, ring)| ring.winds_around(rings[own].corners[0])).count() % 2 == 1
            })
            .collect();
        rings.iter_mut().zip(holes).for_each(|(ring, is_hole)| ring.is_hole = is_hole);
        let numbered = rings.iter().enumerate();
        let sides: Vec<(u32, u32)> = numbered
            .flat_map(|(ring, own)| (0..own.corners.len()).map(move |side| (ring as u32, side as u32)))
            .collect();
        let heights: Vec<[f64; 2]> = rings
            .iter()
            .flat_map(|ring| ring.sides().map(|[from, to]| [from[1].min(to[1]), from[1].max(to[1])]))
            .collect();
        let area = |ring: &Ring| if ring.is_hole { -ring.signed_area.abs() } else { ring.signed_area.abs() };
        let area = rings.iter().map(area).sum();
        Outline { rings: rings.into_iter().map(Arc::new).collect(), sides, bands: Bands::new(&heights), area }
    }

    /// Per coordinate the lowest and the highest value.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        let ends = |axis: usize| {
            let values = self.rings.iter().flat_map(|ring| &ring.corners).map(|corner| corner[axis]);
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
                [low.min(value), high.max(value)]
            })
        };
        [ends(0), ends(1)]
    }

    /// How many corners there are.
    pub fn corners(&self) -> usize {
        self.sides.len()
    }

    pub(crate) fn sides(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        (0..self.sides.len()).map(|index| self.side(index as u32))
    }

    fn side(&self, index: u32) -> [[f64; 2]; 2] {
        let (ring, side) = self.sides[index as usize];
        self.rings[ring as usize].side(side as usize)
    }

    /// What the lines are called: by what they are, and numbered where there are several.
    fn names(&self) -> Vec<String> {
        if self.rings.len() == 1 {
            return vec![String::new()];
        }
        let holes = self.rings.iter().filter(|ring| ring.is_hole).count();
        let mut numbers = [0, 0];
        let name = |ring: &Arc<Ring>| {
            let (kind, count) =
                if ring.is_hole { ("hole", holes) } else { ("outer", self.rings.len() - holes) };
            let number = &mut numbers[usize::from(ring.is_hole)];
            *number += 1;
            if count == 1 { kind.to_owned() } else { format!("{kind}{number}") }
        };
        self.rings.iter().map(name).collect()
    }
}

fn text(bytes: &[u8]) -> Result<&str, OutlineError> {
    if bytes.is_empty() {
        return Err(OutlineError::Empty);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| OutlineError::NotText {
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count(),
    })?;
    Ok(text.trim_start_matches('\u{feff}'))
}

impl std::fmt::Debug for Outline {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (lines, corners) = (self.rings.len(), self.sides.len());
        formatter
            .debug_struct("Outline")
            .field("lines", &lines)
            .field("corners", &corners)
            .finish_non_exhaustive()
    }
}

impl Form for Arc<Outline> {
    fn contains(&self, point: Vector) -> bool {
        let passed = self.bands.at(point[1]).iter();
        let place = [point[0], point[1]];
        passed.filter(|&&side| is_passed(place, self.side(side))).count() % 2 == 1
    }

    fn distance(&self, point: Vector) -> f64 {
        let place = [point[0], point[1]];
        let distance = self.bands.least(point[1], |side| square_to_side(place, self.side(side))).sqrt();
        if self.contains(point) { -distance } else { distance }
    }

    fn support(&self, direction: Vector) -> f64 {
        let along = |corner: &[f64; 2]| corner[0] * direction[0] + corner[1] * direction[1];
        let corners = self.rings.iter().flat_map(|ring| &ring.corners);
        corners.map(along).fold(f64::NEG_INFINITY, f64::max)
    }

    fn measure(&self) -> f64 {
        self.area
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        self.names()
            .into_iter()
            .zip(&self.rings)
            .map(|(name, ring)| (name, Patch::Ring(ring.clone())))
            .collect()
    }
}
