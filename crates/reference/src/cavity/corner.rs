//! What a lid does to the flow in the corners where it meets the walls, in closed form.
//!
//! Near such a corner the flow is slow: to leading orders, a solution of Stokes' equations in a wedge. With X
//! along the lid and Y down the wall, a lid of speed 1 gives the stream function of Taylor (1962), a lid of
//! speed X one with an angle times the square of the distance. Neither is smooth, nor is what inertia adds to them,
//! and what is left without both nearly is (Botella and Peyret 1998, for the lid of speed 1).

use super::wedge::{Harmonic, Wedge};
use std::f64::consts::{FRAC_PI_2, PI};

/// The corner's distance along the lid is x or 1 - x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// The lid's speed near a corner: `value + slope·X`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Corner {
    pub(super) side: Side,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// A stream function and what the flow needs of it, in x and y: u is its `y`, v is minus its `x`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Stream {
    pub(super) value: f64,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) xx: f64,
    pub(super) xy: f64,
    pub(super) yy: f64,
    /// Derivatives of its Laplacian.
    pub(super) laplacian_x: f64,
    pub(super) laplacian_y: f64,
    /// The pressure that balances it at viscosity 1, without inertia.
    pub(super) pressure: f64,
}

impl Stream {
    /// The sum with a multiple of another.
    pub(super) fn plus(self, other: Stream, factor: f64) -> Stream {
        Stream {
            value: self.value + factor * other.value,
            x: self.x + factor * other.x,
            y: self.y + factor * other.y,
            xx: self.xx + factor * other.xx,
            xy: self.xy + factor * other.xy,
            yy: self.yy + factor * other.yy,
            laplacian_x: self.laplacian_x + factor * other.laplacian_x,
            laplacian_y: self.laplacian_y + factor * other.laplacian_y,
            pressure: self.pressure + factor * other.pressure,
        }
    }

    /// From derivatives along X and Y to those along x and y: y = 1 - Y, and x = X or x = 1 - X.
    fn turned(self, side: Side) -> Stream {
        let sign = if side == Side::Left { 1.0 } else { -1.0 };
        Stream {
            x: sign * self.x,
            y: -self.y,
            xy: -sign * self.xy,
            laplacian_x: sign * self.laplacian_x,
            laplacian_y: -self.laplacian_y,
            pressure: sign * self.pressure,
            ..self
        }
    }
}

/// What inertia adds to slow flow in a corner, to its leading order, for Re = 1: in proportion to Re otherwise.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Inertia {
    /// The stream function, and a pressure that does not depend on Re.
    pub(super) stream: Stream,
    /// The inertia of slow flow, (u·∇)u, that is balanced by it.
    pub(super) force: [f64; 2],
    /// The same of its vorticity.
    pub(super) torque: f64,
}

impl Corner {
    /// At a place of the unit square. At the corner itself, what is infinite is so here.
    pub(super) fn stream(self, x: f64, y: f64) -> Stream {
        let [constant, linear] = self.parts(x, y, constant, linear);
        constant.plus(linear, 1.0)
    }

    /// The correction by inertia; that of a speed that jumps and then grows has a part more, which is left out.
    pub(super) fn inertia(self, x: f64, y: f64) -> Inertia {
        let slow = self.parts(x, y, constant, linear);
        // What carries itself along is turned around twice.
        let sign = if self.side == Side::Left { 1.0 } else { -1.0 };
        let squared =
            Corner { value: sign * self.value * self.value, slope: sign * self.slope * self.slope, ..self };
        let [constant, linear] = squared.parts(x, y, constant_inertia, linear_inertia);
        let stream = constant.plus(linear, 1.0);
        let sum = |of: fn(&Stream) -> f64| slow.iter().map(of).sum::<f64>();
        Inertia {
            stream,
            force: [
                sum(|slow| slow.y * slow.xy - slow.x * slow.yy),
                sum(|slow| -slow.y * slow.xx + slow.x * slow.xy),
            ],
            torque: sum(|slow| slow.y * slow.laplacian_x - slow.x * slow.laplacian_y),
        }
    }

    /// What belongs to a speed that jumps, and to one that grows.
    fn parts(
        self,
        x: f64,
        y: f64,
        jump: fn(f64, f64) -> Stream,
        growth: fn(f64, f64) -> Stream,
    ) -> [Stream; 2] {
        let (across, down) = (if self.side == Side::Left { x } else { 1.0 - x }, 1.0 - y);
        // Where there is nothing to take off, nothing is infinite either.
        [(self.value, jump), (self.slope, growth)].map(|(factor, stream)| match factor {
            0.0 => Stream::default(),
            _ => Stream::default().plus(stream(across, down), factor).turned(self.side),
        })
    }
}

/// For a lid of speed 1 the correction by inertia is r² times a function of the angle.
fn constant_inertia(x: f64, y: f64) -> Stream {
    let h = FRAC_PI_2;
    let square = h * h;
    let [even, odd] =
        [h * (2.0 * square * square + 7.0 * square - 3.0) / 64.0, square * (square + 2.0) / 16.0];
    let harmonics = [
        Harmonic { multiple: 0.0, cosine: [even, -odd, 0.0], sine: [0.0; 3] },
        Harmonic {
            multiple: 2.0,
            cosine: [-even, -(square + 3.0) / 32.0, h / 8.0],
            sine: [
                (square + 1.0) * (2.0 * square + 3.0) / 64.0,
                -h * (2.0 * square + 3.0) / 16.0,
                (square - 1.0) / 16.0,
            ],
        },
    ];
    let scale = (square - 1.0).powi(-2);
    let pressure = square * (2.0 - square) / 8.0 * (x * x + y * y).ln();
    Stream::default().plus(wedge(2, &harmonics, pressure, x, y), scale)
}

/// For a lid of speed X it is r⁴ times one.
fn linear_inertia(x: f64, y: f64) -> Stream {
    let h = FRAC_PI_2;
    let harmonic = |multiple, cosine, sine| Harmonic { multiple, cosine, sine };
    let harmonics = [
        harmonic(0.0, [h / 64.0, -1.0 / 32.0, 0.0], [0.0; 3]),
        harmonic(2.0, [-5.0 * h / 192.0, 1.0 / 48.0, 0.0], [(h * h - 1.0) / 96.0, -h / 48.0, 0.0]),
        harmonic(4.0, [h / 96.0, 0.0, 0.0], [(3.0 - 2.0 * h * h) / 384.0, 0.0, 0.0]),
    ];
    let (square, angle) = (x * x + y * y, y.atan2(x));
    let pressure = (x * x - y * y) * (h * h / 8.0 - 0.25 * h * angle - 1.0 / 3.0)
        + 2.0 * x * y * (25.0 * h / 48.0 - 0.25 * angle)
        + 0.5 * square * (angle * angle - h * angle - 1.0);
    wedge(4, &harmonics, pressure, x, y)
}

/// Minus a stream function of a wedge, in which velocity along y is down, with its pressure.
fn wedge(power: i32, harmonics: &[Harmonic], pressure: f64, x: f64, y: f64) -> Stream {
    let (distance, angle) = (x.hypot(y), y.atan2(x));
    let value = Wedge::new(power, harmonics, angle);
    let [along, down, laplacian] = [value.x(), value.y(), value.laplacian()];
    let at = |wedge: &Wedge| -wedge.at(distance);
    Stream {
        value: at(&value),
        x: at(&along),
        y: at(&down),
        xx: at(&along.x()),
        xy: at(&along.y()),
        yy: at(&down.y()),
        laplacian_x: at(&laplacian.x()),
        laplacian_y: at(&laplacian.y()),
        pressure,
    }
}

/// For a lid of speed X: πY²/4 - XY/2 - r²θ/2.
fn linear(x: f64, y: f64) -> Stream {
    let (square, angle) = (x * x + y * y, y.atan2(x));
    Stream {
        value: 0.25 * PI * y * y - 0.5 * x * y - 0.5 * square * angle,
        x: -x * angle,
        y: 0.5 * PI * y - x - y * angle,
        xx: -angle + x * y / square,
        xy: -x * x / square,
        yy: 0.5 * PI - angle - x * y / square,
        laplacian_x: 2.0 * y / square,
        laplacian_y: -2.0 * x / square,
        pressure: square.ln(),
    }
}

/// For a lid of speed 1: BY + (CX + DY)θ.
fn constant(x: f64, y: f64) -> Stream {
    let (square, angle) = (x * x + y * y, y.atan2(x));
    let scale = 1.0 / (FRAC_PI_2 * FRAC_PI_2 - 1.0);
    let (b, c, d) = (-FRAC_PI_2 * FRAC_PI_2 * scale, scale, FRAC_PI_2 * scale);
    let sum = c * x + d * y;
    // Derivatives of the angle.
    let (ax, ay) = (-y / square, x / square);
    let (axx, axy) = (2.0 * x * y / (square * square), (y * y - x * x) / (square * square));
    let ayy = -axx;
    Stream {
        value: b * y + sum * angle,
        x: c * angle + sum * ax,
        y: b + d * angle + sum * ay,
        xx: 2.0 * c * ax + sum * axx,
        xy: c * ay + d * ax + sum * axy,
        yy: 2.0 * d * ay + sum * ayy,
        laplacian_x: 2.0 * c * axx + 2.0 * d * axy,
        laplacian_y: 2.0 * c * axy + 2.0 * d * ayy,
        pressure: -2.0 * sum / square,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Corner; 4] = [
        Corner { side: Side::Left, value: 1.0, slope: 0.0 },
        Corner { side: Side::Left, value: 0.0, slope: 1.0 },
        Corner { side: Side::Right, value: 1.0, slope: 0.0 },
        Corner { side: Side::Right, value: 0.0, slope: 1.0 },
    ];

    #[test]
    fn the_lid_moves_and_the_wall_does_not() {
        for corner in CORNERS {
            let wall = if corner.side == Side::Left { 0.0 } else { 1.0 };
            for part in [0.1, 0.4, 0.9] {
                let lid = corner.stream(part, 1.0);
                let distance = if corner.side == Side::Left { part } else { 1.0 - part };
                let speed = corner.value + corner.slope * distance;
                assert!(lid.value.abs() + lid.x.abs() + (lid.y - speed).abs() < 1e-14, "{lid:?}");
                let still = corner.stream(wall, part);
                assert!(still.value.abs() + still.x.abs() + still.y.abs() < 1e-14, "{still:?}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_stream_function_and_pressure_balances_friction() {
        let step = 1e-3;
        for corner in CORNERS {
            let (x, y) = (0.3, 0.6);
            let slope = |of: &dyn Fn(Stream) -> f64, dx: f64, dy: f64| {
                let at = |steps: f64| of(corner.stream(x + steps * step * dx, y + steps * step * dy));
                (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
            };
            let here = corner.stream(x, y);
            let laplacian = |stream: Stream| stream.xx + stream.yy;
            for (found, wanted) in [
                (here.x, slope(&|stream| stream.value, 1.0, 0.0)),
                (here.y, slope(&|stream| stream.value, 0.0, 1.0)),
                (here.xx, slope(&|stream| stream.x, 1.0, 0.0)),
                (here.xy, slope(&|stream| stream.x, 0.0, 1.0)),
                (here.yy, slope(&|stream| stream.y, 0.0, 1.0)),
                (here.laplacian_x, slope(&laplacian, 1.0, 0.0)),
                (here.laplacian_y, slope(&laplacian, 0.0, 1.0)),
                // ∇p = Δu with u = ψ_y, v = -ψ_x.
                (slope(&|stream| stream.pressure, 1.0, 0.0), here.laplacian_y),
                (slope(&|stream| stream.pressure, 0.0, 1.0), -here.laplacian_x),
                // The Laplacian is harmonic.
                (
                    slope(&|stream| stream.laplacian_x, 1.0, 0.0),
                    -slope(&|stream| stream.laplacian_y, 0.0, 1.0),
                ),
            ] {
                assert!((found - wanted).abs() < 1e-8, "{corner:?}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn inertia_of_slow_flow_is_balanced_and_walls_stay_as_they_are() {
        let step = 1e-3;
        for corner in CORNERS {
            let (x, y) = (0.3, 0.6);
            let slope = |of: &dyn Fn(Stream) -> f64, dx: f64, dy: f64| {
                let at = |steps: f64| of(corner.inertia(x + steps * step * dx, y + steps * step * dy).stream);
                (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)
            };
            let Inertia { stream: here, force, torque } = corner.inertia(x, y);
            let pressure = [(1.0, 0.0), (0.0, 1.0)].map(|(dx, dy)| slope(&|stream| stream.pressure, dx, dy));
            let biharmonic =
                slope(&|stream| stream.laplacian_x, 1.0, 0.0) + slope(&|stream| stream.laplacian_y, 0.0, 1.0);
            for (found, wanted) in [
                (here.x, slope(&|stream| stream.value, 1.0, 0.0)),
                (here.y, slope(&|stream| stream.value, 0.0, 1.0)),
                (here.xx, slope(&|stream| stream.x, 1.0, 0.0)),
                (here.xy, slope(&|stream| stream.x, 0.0, 1.0)),
                (here.yy, slope(&|stream| stream.y, 0.0, 1.0)),
                (here.laplacian_x, slope(&|stream| stream.xx + stream.yy, 1.0, 0.0)),
                (here.laplacian_y, slope(&|stream| stream.xx + stream.yy, 0.0, 1.0)),
                // (u·∇)u + ∇p = Δu of the correction, and the same of vorticity.
                (force[0] + pressure[0], here.laplacian_y),
                (force[1] + pressure[1], -here.laplacian_x),
                (torque, biharmonic),
            ] {
                assert!((found - wanted).abs() < 1e-8, "{corner:?}: {found} {wanted}");
            }
            let wall = if corner.side == Side::Left { 0.0 } else { 1.0 };
            for (x, y) in [(0.3, 1.0), (wall, 0.4)] {
                let Stream { value, x, y, .. } = corner.inertia(x, y).stream;
                assert!(value.abs() + x.abs() + y.abs() < 1e-14, "{corner:?}");
            }
        }
    }
}
