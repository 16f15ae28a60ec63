//! Exponential time differencing of fourth order (Cox and Matthews 2002).

use super::evolution::{Derived, Evolution};
use super::exponential::{Exponentials, Matrix};
use super::history::ROUGH;
use super::level::{largest, tail};
use super::transform::{GridShape, Transform};
use rayon::prelude::*;
use rustfft::num_complex::Complex64 as Complex;
use std::f64::consts::TAU;

/// Samples of a rough start, at most.
const MOST_SAMPLES: usize = 1 << 20;

/// The modes of every unknown.
pub(super) type State = Vec<Vec<Complex>>;

/// What one step multiplies the modes of one unknown with on their way to another.
#[derive(Clone, Debug)]
struct Way {
    from: usize,
    to: usize,
    factors: Vec<Factors>,
}

/// For one mode.
#[derive(Clone, Copy, Debug)]
struct Factors {
    /// exp(L h) - 1: beside the one, rounding would accumulate over the steps.
    growth: Complex,
    /// exp(L h/2)
    half: Complex,
    /// h/2 φ1(L h/2)
    stage: Complex,
    /// Weights of N at the start, in the middle (twice) and at the end.
    weights: [Complex; 3],
}

/// Takes the modes of all unknowns from time to time.
#[derive(Debug)]
pub(super) struct Stepper<'a> {
    evolution: &'a Evolution,
    shape: GridShape,
    step: f64,
    transform: Transform,
    places: [Vec<f64>; 2],
    ways: Vec<Way>,
    /// (ik)^n for everything that N mentions.
    powers: Vec<Vec<Complex>>,
    fields: Vec<Vec<f64>>,
    samples: Vec<f64>,
    scratch: Vec<Complex>,
}

impl<'a> Stepper<'a> {
    /// For so many samples and steps of length `step`.
    pub(super) fn new(evolution: &'a Evolution, shape: GridShape, step: f64) -> Self {
        let power = |derived: &Derived| {
            (0..shape.modes()).map(|mode| wave(evolution, shape, mode, derived.orders)).collect()
        };
        Stepper {
            evolution,
            shape,
            step,
            transform: Transform::new(shape),
            places: evolution.places(shape),
            ways: ways(evolution, shape, step),
            powers: evolution.mentioned.iter().map(power).collect(),
            fields: vec![vec![0.0; shape.len()]; evolution.mentioned.len()],
            samples: vec![0.0; shape.len()],
            scratch: vec![Complex::default(); shape.modes()],
        }
    }

    /// The modes of the start. Samples mistake what they cannot see of a kink for something else, so the modes
    /// of a rough start are those of many more samples.
    pub(super) fn start(&mut self) -> State {
        let modes = |unknown: usize| {
            let modes = modes_of_start(self.evolution, self.shape, unknown);
            if tail(self.shape, &modes) <= ROUGH * largest(&modes) {
                return modes;
            }
            let mut fine = self.shape;
            while 4 * fine.len() <= MOST_SAMPLES {
                fine.columns *= 2;
                fine.rows *= if fine.rows > 1 { 2 } else { 1 };
            }
            let all = modes_of_start(self.evolution, fine, unknown);
            let place = |mode: usize| {
                let [row, column] = self.shape.waves(mode);
                column as usize * fine.rows + row.rem_euclid(fine.rows as i64) as usize
            };
            (0..self.shape.modes()).map(|mode| all[place(mode)]).collect()
        };
        (0..self.evolution.unknowns()).map(modes).collect()
    }

    /// The modes of N at time `t`.
    fn rest(&mut self, t: f64, state: &State) -> State {
        for ((derived, powers), field) in
            self.evolution.mentioned.iter().zip(&self.powers).zip(&mut self.fields)
        {
            let modes = self.scratch.iter_mut().zip(&state[derived.unknown]);
            modes.zip(powers).for_each(|((target, mode), power)| *target = *mode * *power);
            self.transform.inverse(&self.scratch, field);
        }
        let modes = |unknown: usize| {
            self.evolution.rest(unknown, t, &self.places, &self.fields, &mut self.samples);
            let mut rest = vec![Complex::default(); self.shape.modes()];
            self.transform.forward(&self.samples, &mut rest);
            rest
        };
        (0..self.evolution.unknowns()).map(modes).collect()
    }

    /// One step from time `t`.
    pub(super) fn advance(&mut self, t: f64, state: &mut State) {
        let middle = t + 0.5 * self.step;
        let first = self.rest(t, state);
        let halfway = self.blend(|way, k| {
            way.factors[k].half * state[way.from][k] + way.factors[k].stage * first[way.from][k]
        });
        let second = self.rest(middle, &halfway);
        let again = self.blend(|way, k| {
            way.factors[k].half * state[way.from][k] + way.factors[k].stage * second[way.from][k]
        });
        let third = self.rest(middle, &again);
        let ahead = self.blend(|way, k| {
            let rest = third[way.from][k].scale(2.0) - first[way.from][k];
            way.factors[k].half * halfway[way.from][k] + way.factors[k].stage * rest
        });
        let fourth = self.rest(t + self.step, &ahead);
        let change = self.blend(|way, k| {
            let (from, Factors { growth, weights: [start, between, end], .. }) = (way.from, way.factors[k]);
            growth * state[from][k]
                + start * first[from][k]
                + between * (second[from][k] + third[from][k])
                + end * fourth[from][k]
        });
        let modes = state.iter_mut().flatten().zip(change.iter().flatten());
        modes.for_each(|(mode, change)| *mode += *change);
    }

    /// The sum over all ways.
    fn blend(&self, part: impl Fn(&Way, usize) -> Complex) -> State {
        let mut state = vec![vec![Complex::default(); self.shape.modes()]; self.evolution.unknowns()];
        for way in &self.ways {
            for (k, target) in state[way.to].iter_mut().enumerate() {
                *target += part(way, k);
            }
        }
        state
    }
}

/// The modes of an unknown at the start, as so many samples see them.
fn modes_of_start(evolution: &Evolution, shape: GridShape, unknown: usize) -> Vec<Complex> {
    let mut samples = vec![0.0; shape.len()];
    evolution.start(unknown, &evolution.places(shape), &mut samples);
    let mut modes = vec![Complex::default(); shape.modes()];
    Transform::new(shape).forward(&samples, &mut modes);
    modes
}

/// (ik)^n of a mode, along both coordinates.
fn wave(evolution: &Evolution, shape: GridShape, mode: usize, orders: [usize; 2]) -> Complex {
    let (waves, counts) = (shape.waves(mode), [shape.rows, shape.columns]);
    (0..2).fold(Complex::new(1.0, 0.0), |power, axis| {
        let (low, high) = evolution.intervals[axis];
        let frequency = TAU * waves[axis] as f64 / (high - low);
        // The highest mode has no direction: its odd derivatives vanish on the samples.
        let highest = 2 * waves[axis].unsigned_abs() as usize == counts[axis];
        let size = if highest && orders[axis] % 2 == 1 { 0.0 } else { frequency.powi(orders[axis] as i32) };
        (0..orders[axis]).fold(power.scale(size), |power, _| power * Complex::i())
    })
}

/// All ways from unknown to unknown: each to itself, and all to all where L couples any.
fn ways(evolution: &Evolution, shape: GridShape, step: f64) -> Vec<Way> {
    let unknowns = evolution.unknowns();
    let coupled = evolution.linear.iter().any(|term| term.rate != term.of.unknown);
    let groups: Vec<Vec<usize>> = match coupled {
        true => vec![(0..unknowns).collect()],
        false => (0..unknowns).map(|unknown| vec![unknown]).collect(),
    };
    let mut ways = Vec::new();
    for group in groups {
        let symbol = |mode: usize| {
            let mut entries = vec![Complex::default(); group.len() * group.len()];
            let place = |unknown: usize| group.iter().position(|&member| member == unknown);
            for term in &evolution.linear {
                if let (Some(row), Some(column)) = (place(term.rate), place(term.of.unknown)) {
                    let entry = &mut entries[row * group.len() + column];
                    *entry += wave(evolution, shape, mode, term.of.orders).scale(term.coefficient);
                }
            }
            Matrix::new(group.len(), entries)
        };
        let matrices: Vec<[Matrix; 6]> =
            (0..shape.modes()).into_par_iter().map(|mode| factors(&symbol(mode), step)).collect();
        for (row, &to) in group.iter().enumerate() {
            for (column, &from) in group.iter().enumerate() {
                let entries = |matrices: &[Matrix; 6]| {
                    let [growth, half, stage, start, between, end] =
                        matrices.each_ref().map(|matrix| matrix.entry(row, column));
                    Factors { growth, half, stage, weights: [start, between, end] }
                };
                ways.push(Way { from, to, factors: matrices.iter().map(entries).collect() });
            }
        }
    }
    ways
}

/// The factors of modes with L = `symbol`: growth, half, stage, and the weights.
fn factors(symbol: &Matrix, step: f64) -> [Matrix; 6] {
    let halves = Exponentials::of(&symbol.scale(0.5 * step));
    let Exponentials([_, first, second, third]) = halves.doubled();
    let Exponentials([half, stage, ..]) = halves;
    [
        symbol.scale(step).times(&first),
        half,
        stage.scale(0.5 * step),
        first.plus(&second, -3.0).plus(&third, 4.0).scale(step),
        second.plus(&third, -2.0).scale(2.0 * step),
        third.scale(4.0).plus(&second, -1.0).scale(step),
    ]
}
