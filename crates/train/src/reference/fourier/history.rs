//! The solution at all times: refined until refining changes nothing, evaluated anywhere.

use super::complex::Complex;
use super::evolution::Evolution;
use super::march::March;
use std::f64::consts::TAU;

/// Two solutions, the finer with twice the steps, may differ by this much, relative to the largest value.
/// The finer one is kept, which is sixteen times closer to the truth.
const TOLERANCE: f64 = 1e-9;

/// The highest eighth of the modes may be this large, relative to the largest mode: what lies beyond
/// them is then smaller still.
const TAIL: f64 = 1e-10;

/// The first attempt: samples along x, steps.
const FIRST: (usize, usize) = (128, 128);

/// Steps with which a solution that is not finite is given up: more do not tame a true explosion.
const EXPLODED: usize = 4096;

/// Samples times steps of the last attempt at most: some seconds.
const LARGEST: usize = 1 << 26;

/// Times at which the solution is kept, at most, besides the start.
const KEPT: usize = 1024;

/// Levels that a value between them is interpolated from: an error of order (distance of levels)^8.
const STENCIL: usize = 8;

/// Refining still changed the solution when the work became too much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unsettled {
    /// The last change, relative to the largest value.
    pub change: f64,
}

/// The solution of an [`Evolution`].
#[derive(Clone, Debug)]
pub struct History {
    times: (f64, f64),
    interval: (f64, f64),
    /// Modes at evenly spaced times, both ends included.
    levels: Vec<Vec<Complex>>,
    /// Samples and steps.
    #[cfg(test)]
    size: (usize, usize),
}

impl History {
    /// Solves with more and more samples and steps until the solution no longer changes.
    pub fn settle(evolution: &Evolution) -> Result<Self, Unsettled> {
        let (mut length, mut steps) = FIRST;
        let mut coarse = History::solve(evolution, length, steps);
        let mut change = f64::INFINITY;
        while 2 * length * steps <= LARGEST {
            let tail = coarse.tail();
            if tail.is_finite() && tail > TAIL {
                length *= 2;
                coarse = History::solve(evolution, length, steps);
                continue;
            }
            if !tail.is_finite() && steps >= EXPLODED {
                break;
            }
            steps *= 2;
            let fine = History::solve(evolution, length, steps);
            change = coarse.distance(&fine);
            if change <= TOLERANCE && fine.tail() <= TAIL {
                return Ok(fine);
            }
            coarse = fine;
        }
        Err(Unsettled { change })
    }

    fn solve(evolution: &Evolution, length: usize, steps: usize) -> Self {
        let (from, to) = evolution.times;
        let step = (to - from) / steps as f64;
        let mut march = March::new(evolution, length, step);
        let mut modes = march.start();
        let mut levels = vec![modes.clone()];
        for number in 0..steps {
            march.advance(from + step * number as f64, &mut modes);
            if !modes[0].real.is_finite() {
                levels.push(modes);
                break;
            }
            if (number + 1) % steps.div_ceil(KEPT) == 0 {
                levels.push(modes.clone());
            }
        }
        History {
            times: evolution.times,
            interval: evolution.interval,
            levels,
            #[cfg(test)]
            size: (length, steps),
        }
    }

    /// The largest of the highest modes at any time, relative to the largest mode; not finite where the
    /// solution is not.
    fn tail(&self) -> f64 {
        let kept = self.levels[0].len();
        let largest = |from: usize| {
            let modes = self.levels.iter().flat_map(|modes| &modes[from..]);
            modes
                .map(|mode| mode.real.abs() + mode.imaginary.abs())
                .fold(0.0, |most, size| if size.is_finite() { f64::max(most, size) } else { f64::INFINITY })
        };
        let (highest, all) = (largest(kept - kept / 8), largest(0));
        match highest {
            _ if !all.is_finite() => f64::INFINITY,
            0.0 => 0.0,
            _ => highest / all,
        }
    }

    /// By how much the solution changes with twice the samples and twice the steps.
    #[cfg(test)]
    pub(super) fn change_when_refined(&self, evolution: &Evolution) -> f64 {
        let (length, steps) = self.size;
        self.distance(&History::solve(evolution, 2 * length, 2 * steps))
    }

    /// The largest difference at places that no grid of either solution has, relative to the largest value;
    /// infinite where a solution is not finite.
    fn distance(&self, finer: &History) -> f64 {
        let share = |index: usize, ratio: f64| (ratio * (index as f64 + 0.5)).fract();
        let (mut difference, mut size) = (0.0, 0.0);
        for moment in 0..=16 {
            let t = self.times.0
                + (self.times.1 - self.times.0) * if moment == 16 { 1.0 } else { share(moment, 0.618) };
            let lines = (self.at(t), finer.at(t));
            for place in 0..64 {
                let x = self.interval.0 + (self.interval.1 - self.interval.0) * share(place, 0.755);
                let (coarse, fine) = (lines.0.value(x), lines.1.value(x));
                if !(coarse - fine).is_finite() {
                    return f64::INFINITY;
                }
                difference = f64::max(difference, (coarse - fine).abs());
                size = f64::max(size, fine.abs());
            }
        }
        if difference == 0.0 { 0.0 } else { difference / size }
    }

    /// The solution at one time.
    pub fn at(&self, t: f64) -> Line {
        let last = self.levels.len() - 1;
        let position = (t - self.times.0) / (self.times.1 - self.times.0) * last as f64;
        let nearest = position.round().clamp(0.0, last as f64) as usize;
        let mut modes = vec![Complex::default(); self.levels[0].len()];
        if (position - nearest as f64).abs() < 1e-9 {
            modes.copy_from_slice(&self.levels[nearest]);
        } else {
            let first = (position.floor().max(0.0) as usize + 1).saturating_sub(STENCIL / 2);
            let first = first.min((last + 1).saturating_sub(STENCIL));
            let nodes = first..(first + STENCIL).min(last + 1);
            for node in nodes.clone() {
                // Lagrange's polynomial that is one at this node and zero at the others.
                let others = nodes.clone().filter(|other| *other != node);
                let weight: f64 =
                    others.map(|other| (position - other as f64) / (node as f64 - other as f64)).product();
                for (target, mode) in modes.iter_mut().zip(&self.levels[node]) {
                    *target = *target + mode.scale(weight);
                }
            }
        }
        Line { interval: self.interval, modes }
    }
}

/// The solution at one time.
#[derive(Clone, Debug)]
pub struct Line {
    interval: (f64, f64),
    modes: Vec<Complex>,
}

impl Line {
    /// The value at a place, by its Fourier series.
    pub fn value(&self, x: f64) -> f64 {
        let turn = Complex::on_circle(TAU * (x - self.interval.0) / (self.interval.1 - self.interval.0));
        // All modes but the first and the last stand for two, themselves and their conjugates.
        let (Some((last, most)), Some(mean)) = (self.modes.split_last(), self.modes.first()) else {
            return f64::NAN;
        };
        let series = most.iter().rev().fold(last.scale(0.5), |sum, mode| sum * turn + *mode);
        2.0 * series.real - mean.real
    }
}
