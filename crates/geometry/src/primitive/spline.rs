//! Closed smooth lines through points.

use super::bands::{Bands, contact};
use super::cubic::{Cubic, periodic};
use super::{Form, Window};
use crate::GeometryError;
use crate::cumulative::{Cumulative, integral};
use crate::primitive::patch::{Patch, Spot};
use crate::vector::{Vector, unit};
use std::sync::Arc;

/// The inside of the closed line through points that is a cubic polynomial between neighbours and has two continuous
/// derivatives by a parameter that grows with the distances of the points.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spline {
    cubics: Vec<Cubic>,
    /// Parts that rise or fall, and run left or right, all the way.
    arcs: Vec<Rise>,
    bands: Bands,
    lengths: Cumulative,
    /// Positive when the points run anticlockwise.
    signed_area: f64,
    /// How closely distances are found.
    rounding: f64,
}

/// A part of a cubic without a turning point.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Rise {
    cubic: usize,
    /// Parameters of its ends.
    span: [f64; 2],
    /// The points there.
    ends: [[f64; 2]; 2],
}

/// The check for crossings compares parts by pairs.
const MOST_POINTS: usize = 2000;

/// Straight lines per cubic in the check for crossings.
const CHORDS: usize = 16;

impl Spline {
    /// Checked: three or more finite points, of which neighbours differ, and a line that does not meet itself.
    pub(crate) fn new(mut points: Vec<[f64; 2]>) -> Result<Spline, GeometryError> {
        let shape = "spline";
        if points.len() > 3 && points.first() == points.last() {
            points.pop();
        }
        let count = points.len();
        if count < 3 {
            return Err(GeometryError::TooFewPoints { shape, found: count, needed: 3 });
        }
        if count > MOST_POINTS {
            return Err(GeometryError::TooManyPoints { shape, found: count, limit: MOST_POINTS });
        }
        if let Some(same) = (0..count).find(|&index| points[index] == points[(index + 1) % count]) {
            let point = |index: usize| format!("point {}", index % count + 1);
            return Err(GeometryError::SamePoint { shape, first: point(same), second: point(same + 1) });
        }
        let cubics = periodic(&points);
        let chords: Vec<[f64; 2]> = cubics
            .iter()
            .flat_map(|cubic| (0..CHORDS).map(|chord| cubic.point(chord as f64 / CHORDS as f64)))
            .collect();
        if let Some(contact) = contact(&[&chords]) {
            let [first, second] = contact.sides.map(|(_, side)| side / CHORDS + 1);
            return Err(GeometryError::SplineCrossing { first, second, at: contact.at });
        }
        let arcs = arcs(&cubics);
        let heights = arcs.iter().map(|arc| sorted(arc.ends[0][1], arc.ends[1][1])).collect::<Vec<_>>();
        let lengths = Cumulative::new((0..=count).map(|index| index as f64), &speed(&cubics));
        let [x, y] = points[0];
        let swept = |cubic: &Cubic| {
            let rate = |t: f64| {
                let (point, slope) = (cubic.point(t), cubic.slope(t));
                0.5 * ((point[0] - x) * slope[1] - (point[1] - y) * slope[0])
            };
            integral(0.0, 1.0, &rate)
        };
        let signed_area = cubics.iter().map(swept).sum();
        let rounding = 1e-15 * lengths.whole();
        Ok(Spline { bands: Bands::new(&heights), arcs, lengths, signed_area, rounding, cubics })
    }

    pub(crate) fn length(&self) -> f64 {
        self.lengths.whole()
    }

    /// At a share of the length.
    pub(crate) fn spot(&self, share: f64) -> Spot {
        let place = self.lengths.at(share, &speed(&self.cubics));
        let (index, within) = split(place, self.cubics.len());
        let cubic = &self.cubics[index];
        let ([x, y], slope) = (cubic.point(within), cubic.slope(within));
        let out = [slope[1], -slope[0], 0.0].map(|value| value * self.signed_area.signum());
        Spot { point: [x, y, 0.0], normal: unit(out).unwrap_or([1.0, 0.0, 0.0]) }
    }
}

/// A place along all cubics as the cubic and the parameter within it.
fn split(place: f64, count: usize) -> (usize, f64) {
    let index = (place.max(0.0) as usize).min(count - 1);
    (index, place - index as f64)
}

fn speed(cubics: &[Cubic]) -> impl Fn(f64) -> f64 {
    |place| {
        let (index, within) = split(place, cubics.len());
        let [x, y] = cubics[index].slope(within);
        (x * x + y * y).sqrt()
    }
}

fn sorted(one: f64, other: f64) -> [f64; 2] {
    [one.min(other), one.max(other)]
}

fn arcs(cubics: &[Cubic]) -> Vec<Rise> {
    let mut arcs = Vec::new();
    for (index, cubic) in cubics.iter().enumerate() {
        let mut turns = cubic.turns();
        turns.sort_by(f64::total_cmp);
        let (mut from, mut start) = (0.0, cubic.point(0.0));
        for to in turns.into_iter().chain([1.0]) {
            // The end of one cubic is the start of the next one, to the last bit.
            let end = if to == 1.0 { cubics[(index + 1) % cubics.len()].point(0.0) } else { cubic.point(to) };
            arcs.push(Rise { cubic: index, span: [from, to], ends: [start, end] });
            (from, start) = (to, end);
        }
    }
    arcs
}

impl Form for Arc<Spline> {
    fn contains(&self, point: Vector) -> bool {
        let [x, y, _] = point;
        let mut inside = false;
        for &arc in self.bands.at(y) {
            let arc = &self.arcs[arc as usize];
            let [start, end] = arc.ends;
            if (start[1] > y) == (end[1] > y) {
                continue;
            }
            let [left, right] = sorted(start[0], end[0]);
            inside ^= if x < left {
                true
            } else if x >= right {
                false
            } else {
                let cubic = &self.cubics[arc.cubic];
                x < cubic.point(cubic.at_height(y, arc.span, end[1] > start[1]))[0]
            };
        }
        inside
    }

    fn distance(&self, point: Vector) -> f64 {
        let [x, y, _] = point;
        let mut least = f64::INFINITY;
        for cubic in &self.cubics {
            let [from, to] = [cubic.point(0.0), [x, y]];
            least = least.min((from[0] - to[0]).hypot(from[1] - to[1]));
        }
        for cubic in &self.cubics {
            least = cubic.nearer([x, y], least, self.rounding);
        }
        if self.contains(point) { -least } else { least }
    }

    fn support(&self, direction: Vector) -> f64 {
        let across = [direction[0], direction[1]];
        let highest = |cubic: &Cubic| cubic.highest(across);
        self.cubics.iter().map(highest).fold(f64::NEG_INFINITY, f64::max)
    }

    fn measure(&self) -> f64 {
        self.signed_area.abs()
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        vec![(String::new(), Patch::Curve(self.clone()))]
    }
}
