//! Closed lines of straight and curved parts, and the chords that take their place.

use super::super::{Loop, MOST_CORNERS, OutlineError};
use super::affine::Affine;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Arcs are followed by cubics over no more than this angle, a sixteenth of a circle: to better than a ten-millionth of the radius.
const ARC: f64 = PI / 8.0;

/// A closed line as it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) line: usize,
    start: [f64; 2],
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Straight([f64; 2]),
    /// Two control points, and the end.
    Cubic([[f64; 2]; 3]),
}

impl Curve {
    pub(super) fn new(line: usize, start: [f64; 2]) -> Curve {
        Curve { line, start, parts: Vec::new() }
    }

    pub(super) fn is_point(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn here(&self) -> [f64; 2] {
        match self.parts.last() {
            Some(Part::Straight(end) | Part::Cubic([_, _, end])) => *end,
            None => self.start,
        }
    }

    pub(super) fn straight(&mut self, end: [f64; 2]) {
        self.parts.push(Part::Straight(end));
    }

    pub(super) fn cubic(&mut self, first: [f64; 2], second: [f64; 2], end: [f64; 2]) {
        self.parts.push(Part::Cubic([first, second, end]));
    }

    pub(super) fn quadratic(&mut self, control: [f64; 2], end: [f64; 2]) {
        let here = self.here();
        let between =
            |from: [f64; 2]| [0, 1].map(|axis| from[axis] + 2.0 / 3.0 * (control[axis] - from[axis]));
        self.cubic(between(here), between(end), end);
    }

    /// An arc of an ellipse, by the conversion from end points to the center in the SVG specification (appendix B.2.4).
    pub(super) fn arc(&mut self, radii: [f64; 2], turned: f64, [large, sweep]: [bool; 2], end: [f64; 2]) {
        let start = self.here();
        let [mut rx, mut ry] = radii.map(f64::abs);
        if start == end {
            return;
        }
        if rx == 0.0 || ry == 0.0 {
            return self.straight(end);
        }
        let (sine, cosine) = turned.to_radians().sin_cos();
        let half = [0, 1].map(|axis| 0.5 * (start[axis] - end[axis]));
        let [x, y] = [cosine * half[0] + sine * half[1], cosine * half[1] - sine * half[0]];
        // Radii that are too small to reach are enlarged until they do.
        let reach = (x / rx).powi(2) + (y / ry).powi(2);
        if reach > 1.0 {
            (rx, ry) = (rx * reach.sqrt(), ry * reach.sqrt());
        }
        let left = (1.0 / reach.min(1.0) - 1.0).max(0.0).sqrt();
        let side = if large == sweep { -left } else { left };
        let (across, up) = (side * rx * y / ry, -side * ry * x / rx);
        let center = [
            cosine * across - sine * up + 0.5 * (start[0] + end[0]),
            sine * across + cosine * up + 0.5 * (start[1] + end[1]),
        ];
        let from = ((y - up) / ry).atan2((x - across) / rx);
        let to = ((-y - up) / ry).atan2((-x - across) / rx);
        let mut sweep_angle = (to - from) % TAU;
        if sweep && sweep_angle < 0.0 {
            sweep_angle += TAU;
        } else if !sweep && sweep_angle > 0.0 {
            sweep_angle -= TAU;
        }
        self.elliptic(center, [rx, ry], [sine, cosine], from, sweep_angle);
        // To the letter: rounding must not leave a gap.
        if let Some(Part::Cubic([_, _, last])) = self.parts.last_mut() {
            *last = end;
        }
    }

    /// Cubics along an ellipse from the angle `from` on.
    fn elliptic(&mut self, center: [f64; 2], radii: [f64; 2], turn: [f64; 2], from: f64, sweep: f64) {
        let [sine, cosine] = turn;
        let count = (sweep.abs() / ARC).ceil().clamp(1.0, 64.0);
        let step = sweep / count;
        let handle = 4.0 / 3.0 * (step / 4.0).tan();
        let placed = |x: f64, y: f64| {
            let (x, y) = (radii[0] * x, radii[1] * y);
            [center[0] + cosine * x - sine * y, center[1] + sine * x + cosine * y]
        };
        for part in 0..count as usize {
            let [(s, c), (t, d)] = [part, part + 1].map(|part| (from + part as f64 * step).sin_cos());
            self.cubic(
                placed(c - handle * s, s + handle * c),
                placed(d + handle * t, t - handle * d),
                placed(d, t),
            );
        }
    }

    /// All of an ellipse with its axes along the coordinates.
    pub(super) fn ellipse(line: usize, center: [f64; 2], radii: [f64; 2]) -> Curve {
        let start = [center[0] + radii[0], center[1]];
        let mut curve = Curve::new(line, start);
        curve.elliptic(center, radii, [0.0, 1.0], 0.0, TAU);
        if let Some(Part::Cubic([_, _, last])) = curve.parts.last_mut() {
            *last = start;
        }
        curve
    }

    /// A rectangle whose corners are quarters of ellipses.
    pub(super) fn rectangle(
        line: usize,
        [x, y]: [f64; 2],
        [width, height]: [f64; 2],
        [rx, ry]: [f64; 2],
    ) -> Curve {
        let (right, bottom) = (x + width, y + height);
        let mut curve = Curve::new(line, [x + rx, y]);
        let corners = [
            ([right - rx, y], [right - rx, y + ry], -FRAC_PI_2),
            ([right, bottom - ry], [right - rx, bottom - ry], 0.0),
            ([x + rx, bottom], [x + rx, bottom - ry], FRAC_PI_2),
            ([x, y + ry], [x + rx, y + ry], PI),
        ];
        for (before, center, from) in corners {
            curve.straight(before);
            if rx > 0.0 && ry > 0.0 {
                curve.elliptic(center, [rx, ry], [0.0, 1.0], from, FRAC_PI_2);
            }
        }
        curve
    }

    pub(super) fn moved(mut self, affine: &Affine) -> Curve {
        self.start = affine.of(self.start);
        for part in &mut self.parts {
            *part = match part {
                Part::Straight(end) => Part::Straight(affine.of(*end)),
                Part::Cubic(points) => Part::Cubic(points.map(|point| affine.of(point))),
            };
        }
        self
    }

    /// Points around which the whole line lies.
    pub(super) fn hull(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        let parts = self.parts.iter().flat_map(|part| match part {
            Part::Straight(end) => vec![*end],
            Part::Cubic(points) => points.to_vec(),
        });
        std::iter::once(self.start).chain(parts)
    }

    /// Chords that are no further from the line than `tolerance`.
    pub(super) fn chords(&self, tolerance: f64) -> Result<Loop, OutlineError> {
        let mut corners = vec![self.start];
        for part in &self.parts {
            let from = corners[corners.len() - 1];
            match *part {
                Part::Straight(end) => corners.push(end),
                Part::Cubic([first, second, end]) => {
                    let bend = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
                        (a[0] - 2.0 * b[0] + c[0]).hypot(a[1] - 2.0 * b[1] + c[1])
                    };
                    // The second derivative is no larger than six times this, and a chord is off by an eighth of it over its
                    // length squared.
                    let bend = bend(from, first, second).max(bend(first, second, end));
                    let count = (0.75 * bend / tolerance).sqrt().ceil().max(1.0);
                    if count.is_nan() || count > MOST_CORNERS as f64 {
                        return Err(OutlineError::TooMany);
                    }
                    for place in 1..count as usize {
                        let t = place as f64 / count;
                        let s = 1.0 - t;
                        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
                        let points = [from, first, second, end];
                        corners.push([0, 1].map(|axis| {
                            points.iter().zip(weights).map(|(point, weight)| weight * point[axis]).sum()
                        }));
                    }
                    corners.push(end);
                }
            }
            if corners.len() > 2 * MOST_CORNERS {
                return Err(OutlineError::TooMany);
            }
        }
        Ok(Loop { line: self.line, corners })
    }
}
