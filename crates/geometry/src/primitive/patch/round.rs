//! Points on surfaces of revolution and on ellipsoids, uniform in area.

use super::Spot;
use crate::cumulative::Cumulative;
use crate::elliptic::{angle_at, arc};
use crate::vector::{Vector, unit};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Cosine and sine of the angle that divides the integral of `sqrt(cosine_part·cos² + sine_part·sin²)` over a full turn.
/// Accurate to rounding for all ratios of the parts.
fn divided_turn(cosine_part: f64, sine_part: f64, share: f64) -> [f64; 2] {
    let quarter = (4.0 * share).floor().clamp(0.0, 3.0);
    let within = 4.0 * share - quarter;
    // The second and fourth quarter run backwards.
    let backwards = quarter == 1.0 || quarter == 3.0;
    let angle = angle_at(cosine_part, sine_part, if backwards { 1.0 - within } else { within });
    let (sine, cosine) = angle.sin_cos();
    let left = quarter == 1.0 || quarter == 2.0;
    let below = quarter >= 2.0;
    [if left { -cosine } else { cosine }, if below { -sine } else { sine }]
}

pub(super) fn ellipse([a, b]: [f64; 2], place: &[f64]) -> Spot {
    let [cosine, sine] = divided_turn(b * b, a * a, place[0]);
    let point = [a * cosine, b * sine, 0.0];
    Spot { point, normal: unit([cosine / a, sine / b, 0.0]).unwrap_or([1.0, 0.0, 0.0]) }
}

pub(super) fn ellipse_length([a, b]: [f64; 2]) -> f64 {
    4.0 * arc(b * b, a * a, FRAC_PI_2)
}

pub(super) fn sphere(radius: f64, place: &[f64]) -> Spot {
    // Archimedes: zones of equal height have equal areas.
    let height = 2.0 * place[0] - 1.0;
    let around = 2.0 * (place[0] * (1.0 - place[0])).sqrt();
    let (sine, cosine) = (TAU * place[1]).sin_cos();
    let normal = [around * cosine, around * sine, height];
    Spot { point: normal.map(|value| radius * value), normal }
}

/// The points of an ellipsoid are those of the unit sphere, stretched. This is what that does to areas at a height of the
/// sphere, as factors of cos² and sin² of the longitude under a root.
fn stretch([a, b, c]: Vector, height: f64) -> [f64; 2] {
    let around = 1.0 - height * height;
    let up = a * b * height;
    [b * b * c * c * around + up * up, a * a * c * c * around + up * up]
}

/// The area of a zone per height of the unit sphere.
fn zone(semi_axes: Vector) -> impl Fn(f64) -> f64 {
    move |height| {
        let [cosine_part, sine_part] = stretch(semi_axes, height);
        4.0 * arc(cosine_part, sine_part, FRAC_PI_2)
    }
}

/// Areas up to every height of the unit sphere.
pub(super) fn ellipsoid_zones(semi_axes: Vector) -> Cumulative {
    Cumulative::new([-1.0, 0.0, 1.0].into_iter(), &zone(semi_axes))
}

pub(super) fn ellipsoid(semi_axes: Vector, zones: &Cumulative, place: &[f64]) -> Spot {
    let height = zones.at(place[0], &zone(semi_axes)).clamp(-1.0, 1.0);
    let [cosine_part, sine_part] = stretch(semi_axes, height);
    let [cosine, sine] = divided_turn(cosine_part, sine_part, place[1]);
    let around = (1.0 - height * height).sqrt();
    let [x, y, z] = [around * cosine, around * sine, height];
    let [a, b, c] = semi_axes;
    let normal = unit([x / a, y / b, z / c]).unwrap_or([0.0, 0.0, 1.0]);
    Spot { point: [a * x, b * y, c * z], normal }
}

pub(super) fn disc(radius: f64, height: f64, up: bool, place: &[f64]) -> Spot {
    let beside = radius * place[0].sqrt();
    let (sine, cosine) = (TAU * place[1]).sin_cos();
    let normal = [0.0, 0.0, if up { 1.0 } else { -1.0 }];
    Spot { point: [beside * cosine, beside * sine, height], normal }
}

pub(super) fn mantle(radius: f64, length: f64, place: &[f64]) -> Spot {
    let (sine, cosine) = (TAU * place[1]).sin_cos();
    Spot { point: [radius * cosine, radius * sine, length * place[0]], normal: [cosine, sine, 0.0] }
}

pub(super) fn cone(radius: f64, height: f64, place: &[f64]) -> Spot {
    let from_tip = place[0].sqrt();
    let (sine, cosine) = (TAU * place[1]).sin_cos();
    let point = [radius * from_tip * cosine, radius * from_tip * sine, height * (1.0 - from_tip)];
    let slant = (radius * radius + height * height).sqrt();
    Spot { point, normal: [height * cosine / slant, height * sine / slant, radius / slant] }
}

pub(super) fn torus(ring: f64, tube: f64, place: &[f64]) -> Spot {
    let (sine, cosine) = divided_tube(tube / ring, place[0]).sin_cos();
    let (around_sine, around_cosine) = (TAU * place[1]).sin_cos();
    let normal = [cosine * around_cosine, cosine * around_sine, sine];
    let beside = ring + tube * cosine;
    Spot { point: [beside * around_cosine, beside * around_sine, tube * sine], normal }
}

/// The angle t in the tube with `t + ratio·sin t = 2π·share`: areas outside of the ring are larger than inside.
fn divided_tube(ratio: f64, share: f64) -> f64 {
    let wanted = TAU * share;
    let (mut low, mut high) = (0.0, TAU);
    let mut angle = wanted;
    for _ in 0..100 {
        let over = angle + ratio * angle.sin() - wanted;
        if over > 0.0 {
            high = angle;
        } else {
            low = angle;
        }
        let mut next = angle - over / (1.0 + ratio * angle.cos());
        if !(low <= next && next <= high) {
            next = 0.5 * (low + high);
        }
        let step = (next - angle).abs();
        angle = next;
        if step <= 1e-15 {
            break;
        }
    }
    angle
}
