//! One unknown at one time, as the part of its Fourier series that matters.

use super::transform::GridShape;
use rustfft::num_complex::Complex64 as Complex;
use std::f64::consts::TAU;

/// Modes smaller than this, relative to the largest, are rounding.
const ROUNDING: f64 = 1e-15;

/// Modes with up to `reach` waves along each coordinate, column by column, each from -reach to reach.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Spectrum {
    pub(super) reach: [usize; 2],
    pub(super) modes: Vec<Complex>,
}

/// A level along the last coordinate, the first one fixed.
#[derive(Clone, Debug)]
pub(super) struct Line(Vec<Complex>);

impl Spectrum {
    /// What matters of modes as a transform gives them; the highest along a coordinate has no direction and
    /// is left out.
    pub(super) fn of(shape: GridShape, modes: &[Complex]) -> Self {
        let largest = largest(modes);
        let highest = [(shape.rows - 1) / 2, shape.columns / 2 - 1];
        let mut reach = [0; 2];
        for (place, mode) in modes.iter().enumerate() {
            let waves = shape.waves(place).map(|waves| waves.unsigned_abs() as usize);
            // Modes that are no numbers count, so that they are noticed.
            let rounding = size(*mode) <= ROUNDING * largest;
            if !rounding && (0..2).all(|axis| waves[axis] <= highest[axis]) {
                reach = [reach[0].max(waves[0]), reach[1].max(waves[1])];
            }
        }
        let row = |waves: i64| waves.rem_euclid(shape.rows as i64) as usize;
        let kept = (0..=reach[1]).flat_map(|column| {
            (-(reach[0] as i64)..=reach[0] as i64).map(move |waves| modes[column * shape.rows + row(waves)])
        });
        Spectrum { reach, modes: kept.collect() }
    }

    /// A weighted sum of levels.
    pub(super) fn blend(parts: &[(f64, &Spectrum)]) -> Self {
        let most = |axis: usize| parts.iter().map(|(_, level)| level.reach[axis]).max().unwrap_or(0);
        let reach = [most(0), most(1)];
        let rows = 2 * reach[0] + 1;
        let mut modes = vec![Complex::default(); rows * (reach[1] + 1)];
        for (weight, level) in parts {
            let margin = reach[0] - level.reach[0];
            for (column, part) in level.modes.chunks_exact(2 * level.reach[0] + 1).enumerate() {
                let targets = &mut modes[column * rows + margin..];
                for (target, mode) in targets.iter_mut().zip(part) {
                    *target += mode.scale(*weight);
                }
            }
        }
        Spectrum { reach, modes }
    }

    /// Along the last coordinate at a place of the first one, given as a part of its interval.
    pub(super) fn line(&self, part: f64) -> Line {
        let rows = 2 * self.reach[0] + 1;
        let turn = Complex::cis(TAU * part);
        let back = Complex::cis(-TAU * (part * self.reach[0] as f64).fract());
        let sum = |column: &[Complex]| {
            column.iter().rev().fold(Complex::default(), |sum, mode| sum * turn + *mode) * back
        };
        Line(self.modes.chunks_exact(rows).map(sum).collect())
    }
}

impl Line {
    /// The value at a place, given as a part of the interval.
    pub(super) fn value(&self, part: f64) -> f64 {
        let turn = Complex::cis(TAU * part);
        // All modes but the first stand for two, themselves and their conjugates.
        let series = self.0.iter().rev().fold(Complex::default(), |sum, mode| sum * turn + *mode);
        2.0 * series.re - self.0.first().map_or(0.0, |mean| mean.re)
    }
}

/// The largest among the highest eighth of the modes along either coordinate.
pub(super) fn tail(shape: GridShape, modes: &[Complex]) -> f64 {
    let high = |waves: i64, count: usize| 16 * waves.unsigned_abs() as usize > 7 * count;
    let highest = modes.iter().enumerate().filter(|(place, _)| {
        let [row, column] = shape.waves(*place);
        high(row, shape.rows) && shape.rows > 1 || high(column, shape.columns)
    });
    highest.map(|(_, mode)| size(*mode)).fold(0.0, most)
}

/// The largest of some modes.
pub(super) fn largest(modes: &[Complex]) -> f64 {
    modes.iter().map(|mode| size(*mode)).fold(0.0, most)
}

/// The larger one; infinite where one is no number.
pub(super) fn most(one: f64, other: f64) -> f64 {
    if other.is_finite() { one.max(other) } else { f64::INFINITY }
}

fn size(mode: Complex) -> f64 {
    mode.re.abs() + mode.im.abs()
}
