//! The solution at all times: refined until refining changes nothing, evaluated anywhere.

use super::evolution::Evolution;
use super::level::{Spectrum, largest, most, tail};
use super::stepper::Stepper;
use super::transform::GridShape;

/// Levels that a value between them is interpolated from: an error of order (distance of levels)^8.
const STENCIL: usize = 8;

/// The first attempt: steps. A multiple of the intervals of the usual test grids, so that these need no
/// interpolation.
const FIRST_STEPS: usize = 200;

/// Steps with which a solution that is not finite is given up: more do not tame a true explosion.
const EXPLODED: usize = 6400;

/// A start whose highest modes are larger than this, relative to the largest, has kinks or jumps.
pub(super) const ROUGH: f64 = 1e-13;

/// How finely a solution is looked for, and kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// Solutions of which one has twice the steps, or twice the modes along each coordinate, may differ by
    /// this much, relative to the largest value.
    pub tolerance: f64,
    /// Samples along each coordinate at first.
    samples: usize,
    /// Samples times steps of the last attempt at most: some seconds along a line, some minutes in the plane.
    largest: usize,
    /// Times at which the solution is kept, at most, besides the start.
    kept: usize,
}

impl Effort {
    /// For so many coordinates of space.
    pub fn new(dimensions: usize, tolerance: Option<f64>) -> Self {
        let usual = Effort { tolerance: 1e-9, samples: 128, largest: 1 << 27, kept: 800 };
        let usual = match dimensions {
            1 => usual,
            _ => Effort { tolerance: 1e-6, samples: 32, largest: 1 << 29, kept: 200 },
        };
        Effort { tolerance: tolerance.unwrap_or(usual.tolerance), ..usual }
    }
}

/// Refining still changed the solution when the work became too much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unsettled {
    /// The last change, relative to the largest value.
    pub change: f64,
}

/// What is known about the accuracy of a solution, relative to its largest value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accuracy {
    /// Samples along each coordinate of space; a line's second.
    pub samples: [usize; 2],
    /// Steps in time.
    pub steps: usize,
    /// The change from half the steps. The solution with more is kept, which is sixteen times closer.
    pub by_steps: f64,
    /// The change with twice the samples where the start is rough; otherwise the size of the highest modes.
    pub by_samples: f64,
    /// The estimated error of interpolation between the times at which the solution is kept.
    pub between: f64,
}

/// The solution of an [`Evolution`].
#[derive(Clone, PartialEq, Debug)]
pub struct History {
    pub(super) times: (f64, f64),
    /// Every unknown at evenly spaced times, both ends included.
    pub(super) levels: Vec<Vec<Spectrum>>,
    pub(super) accuracy: Accuracy,
}

/// A solution with so many samples and steps, not yet compared with any other.
struct Solved {
    history: History,
    /// The highest modes relative to the largest, at the start and later.
    tails: (f64, f64),
}

impl History {
    /// Solves with more and more samples and steps until the solution no longer changes.
    pub fn settle(evolution: &Evolution, effort: Effort) -> Result<Self, Unsettled> {
        let shape = |samples: usize| GridShape {
            rows: if evolution.space.len() == 2 { samples } else { 1 },
            columns: samples,
        };
        let solve = |samples: usize, steps: usize| solve(evolution, shape(samples), steps, effort.kept);
        // Modes beyond those that are kept are smaller than the highest of these.
        let enough = 0.1 * effort.tolerance;
        let (mut samples, mut steps) = (effort.samples, FIRST_STEPS);
        let mut coarse = solve(samples, steps);
        let mut change = f64::INFINITY;
        while 2 * shape(samples).len() * steps <= effort.largest {
            let (start, later) = coarse.tails;
            if later.is_finite() && later > enough {
                samples *= 2;
                coarse = solve(samples, steps);
                continue;
            }
            if !later.is_finite() && steps >= EXPLODED {
                break;
            }
            steps *= 2;
            let mut fine = solve(samples, steps);
            change = coarse.history.distance(&fine.history);
            let between = fine.history.between();
            let kept = steps >= effort.kept || between <= effort.tolerance;
            if change <= effort.tolerance && fine.tails.1 <= enough && kept {
                let mut by_samples = fine.tails.1;
                if start > ROUGH {
                    // What the samples miss of a rough start does not depend on the steps.
                    let few = (steps / 4).max(FIRST_STEPS);
                    by_samples = solve(samples, few).history.distance(&solve(2 * samples, few).history);
                }
                if by_samples <= effort.tolerance {
                    let found = fine.history.accuracy;
                    fine.history.accuracy = Accuracy { by_steps: change, by_samples, between, ..found };
                    return Ok(fine.history);
                }
                samples *= 2;
                fine = solve(samples, steps);
            }
            coarse = fine;
        }
        Err(Unsettled { change })
    }

    /// What is known about its accuracy.
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// By how much the solution changes with twice the samples and twice the steps.
    #[cfg(test)]
    pub(super) fn change_when_refined(&self, evolution: &Evolution) -> f64 {
        let Accuracy { samples: [rows, columns], steps, .. } = self.accuracy;
        let shape = GridShape { rows: if rows > 1 { 2 * rows } else { 1 }, columns: 2 * columns };
        let finer = solve(evolution, shape, 2 * steps, self.levels.len() - 1);
        self.distance(&finer.history)
    }

    /// The largest difference at places that no grid of either solution has, relative to the largest value;
    /// infinite where a solution is not finite.
    fn distance(&self, finer: &History) -> f64 {
        let last = self.levels.len().min(finer.levels.len()) - 1;
        // The start itself is known exactly, and its modes need not be what they are.
        let moments = (1..=MOMENTS).map(|moment| (moment * last / MOMENTS).max(1));
        relative(moments.map(|moment| {
            let level = |history: &History| moment * (history.levels.len() - 1) / last;
            (self.levels[level(self)].clone(), finer.levels[level(finer)].clone())
        }))
    }

    /// The error of interpolation: every second level is compared with what the others give for it, whose
    /// distance is twice as large.
    fn between(&self) -> f64 {
        let last = self.levels.len() - 1;
        let odd = (0..MOMENTS).map(|moment| (moment * last / MOMENTS) | 1).filter(|&level| level < last);
        let unknowns = 0..self.levels[0].len();
        let pairs = odd.map(|level| {
            let guess = unknowns.clone().map(|unknown| self.interpolate(level as f64, 2, unknown));
            (guess.collect(), self.levels[level].clone())
        });
        relative(pairs) / f64::from(1 << STENCIL)
    }

    /// An unknown at one time.
    pub(super) fn at(&self, t: f64, unknown: usize) -> Spectrum {
        let last = self.levels.len() - 1;
        let position = (t - self.times.0) / (self.times.1 - self.times.0) * last as f64;
        let nearest = position.round().clamp(0.0, last as f64);
        match (position - nearest).abs() < 1e-9 {
            true => self.levels[nearest as usize][unknown].clone(),
            false => self.interpolate(position, 1, unknown),
        }
    }

    /// Between every `stride`-th level, by Lagrange's polynomial.
    fn interpolate(&self, position: f64, stride: usize, unknown: usize) -> Spectrum {
        let (position, last) = (position / stride as f64, (self.levels.len() - 1) / stride);
        let first = (position.floor().max(0.0) as usize + 1).saturating_sub(STENCIL / 2);
        let first = first.min((last + 1).saturating_sub(STENCIL));
        let nodes = first..(first + STENCIL).min(last + 1);
        let part = |node: usize| {
            // One at this node and zero at the others.
            let others = nodes.clone().filter(|other| *other != node);
            let weight: f64 =
                others.map(|other| (position - other as f64) / (node as f64 - other as f64)).product();
            (weight, &self.levels[node * stride][unknown])
        };
        Spectrum::blend(&nodes.clone().map(part).collect::<Vec<_>>())
    }
}

/// Times at which solutions are compared.
const MOMENTS: usize = 20;

/// Places at which they are compared, as parts of both intervals: all over them, and near their ends, where
/// periodic starts have their kinks.
fn places() -> impl Iterator<Item = [f64; 2]> {
    const EDGES: [f64; 8] = [0.0, 1e-4, 1e-3, 1e-2, 0.99, 0.999, 0.9999, 0.5];
    let share = |index: u32, ratio: f64| (ratio * (f64::from(index) + 0.5)).fract();
    let scattered = (0..56).map(move |index| [share(index, 0.618), share(index, 0.755)]);
    scattered.chain((0..8).map(|index| [EDGES[(3 * index + 1) % 8], EDGES[index]]))
}

/// The largest difference between two solutions at some moments, relative to the largest value.
fn relative(moments: impl Iterator<Item = (Vec<Spectrum>, Vec<Spectrum>)>) -> f64 {
    let (mut difference, mut size) = (0.0, 0.0);
    for (one, other) in moments {
        for (one, other) in one.iter().zip(&other) {
            for [row, column] in places() {
                let (one, other) = (one.line(row).value(column), other.line(row).value(column));
                difference = most(difference, (one - other).abs());
                size = most(size, other.abs());
            }
        }
    }
    match difference {
        0.0 => 0.0,
        _ if size.is_finite() => difference / size,
        _ => f64::INFINITY,
    }
}

fn solve(evolution: &Evolution, shape: GridShape, steps: usize, kept: usize) -> Solved {
    let (from, to) = evolution.times;
    let step = (to - from) / steps as f64;
    let mut stepper = Stepper::new(evolution, shape, step);
    let mut state = stepper.start();
    let keep = |state: &[Vec<_>]| -> Vec<Spectrum> {
        state.iter().map(|modes| Spectrum::of(shape, modes)).collect()
    };
    let highest = |state: &[Vec<_>]| state.iter().map(|modes| tail(shape, modes)).fold(0.0, most);
    let size = |levels: &[Spectrum]| levels.iter().map(|level| largest(&level.modes)).fold(0.0, most);
    let mut levels = vec![keep(&state)];
    let (start, mut later, mut all) = (highest(&state), 0.0, size(&levels[0]));
    for number in 0..steps {
        stepper.advance(from + step * number as f64, &mut state);
        let exploded = state.iter().any(|modes| !modes[0].re.is_finite());
        if exploded || (number + 1) % steps.div_ceil(kept) == 0 {
            let level = keep(&state);
            later = most(later, highest(&state));
            all = most(all, size(&level));
            levels.push(level);
        }
        if exploded {
            later = f64::INFINITY;
            break;
        }
    }
    let relative = |size: f64| if size == 0.0 { 0.0 } else { size / all };
    let tails = if all.is_finite() { (relative(start), relative(later)) } else { (relative(start), all) };
    let accuracy = Accuracy {
        samples: [shape.rows, shape.columns],
        steps,
        by_steps: f64::INFINITY,
        by_samples: f64::INFINITY,
        between: f64::INFINITY,
    };
    Solved { history: History { times: evolution.times, levels, accuracy }, tails }
}
