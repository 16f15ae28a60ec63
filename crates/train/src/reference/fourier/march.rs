//! Exponential time differencing of fourth order (Cox and Matthews 2002), its coefficients by contour
//! integrals (Kassam and Trefethen 2005).

use super::complex::Complex;
use super::evolution::Evolution;
use super::transform::Transform;
use std::f64::consts::TAU;

/// Points on the circle of the contour integrals: their error falls like 1/CONTOUR!.
const CONTOUR: usize = 32;

/// What one step multiplies a mode with.
#[derive(Clone, Copy, Debug)]
struct Factors {
    /// exp(L h)
    whole: Complex,
    /// exp(L h/2)
    half: Complex,
    /// h (exp(L h/2) - 1)/(L h)
    stage: Complex,
    /// Weights of N at the start, in the middle (twice) and at the end.
    weights: [Complex; 3],
}

/// Takes the modes of u from time to time.
#[derive(Clone, Debug)]
pub(super) struct March<'a> {
    evolution: &'a Evolution,
    step: f64,
    transform: Transform,
    places: Vec<f64>,
    factors: Vec<Factors>,
    /// (ik)^n for every derivative that N mentions.
    powers: Vec<Vec<Complex>>,
    fields: Vec<Vec<f64>>,
    samples: Vec<f64>,
    scratch: Vec<Complex>,
}

impl<'a> March<'a> {
    /// For `length` samples along x and steps of length `step`.
    pub(super) fn new(evolution: &'a Evolution, length: usize, step: f64) -> Self {
        let (low, high) = evolution.interval;
        let modes = length / 2 + 1;
        let wave = |mode: usize, order: usize| {
            // The highest mode has no direction: its odd derivatives vanish on the samples.
            let frequency = TAU * mode as f64 / (high - low);
            let turn = if mode + 1 == modes && order % 2 == 1 { 0.0 } else { frequency.powi(order as i32) };
            (0..order).fold(Complex::new(turn, 0.0), |power, _| power.turned())
        };
        let symbol = |mode: usize| {
            evolution.linear.iter().fold(Complex::default(), |sum, &(order, coefficient)| {
                sum + wave(mode, order).scale(coefficient)
            })
        };
        March {
            evolution,
            step,
            transform: Transform::new(length),
            places: (0..length).map(|j| low + (high - low) * j as f64 / length as f64).collect(),
            factors: (0..modes).map(|mode| factors(symbol(mode), step)).collect(),
            powers: evolution
                .mentioned
                .iter()
                .map(|&order| (0..modes).map(|mode| wave(mode, order)).collect())
                .collect(),
            fields: vec![vec![0.0; length]; evolution.mentioned.len()],
            samples: vec![0.0; length],
            scratch: vec![Complex::default(); modes],
        }
    }

    /// The modes of the start.
    pub(super) fn start(&mut self) -> Vec<Complex> {
        self.evolution.start(&self.places, &mut self.samples);
        let mut modes = vec![Complex::default(); self.factors.len()];
        self.transform.forward(&self.samples, &mut modes);
        modes
    }

    /// The modes of N at time `t`.
    fn rest(&mut self, t: f64, modes: &[Complex]) -> Vec<Complex> {
        for (powers, field) in self.powers.iter().zip(&mut self.fields) {
            for ((target, mode), power) in self.scratch.iter_mut().zip(modes).zip(powers) {
                *target = *mode * *power;
            }
            self.transform.inverse(&self.scratch, field);
        }
        self.evolution.rest(t, &self.places, &self.fields, &mut self.samples);
        let mut rest = vec![Complex::default(); modes.len()];
        self.transform.forward(&self.samples, &mut rest);
        rest
    }

    /// One step from time `t`.
    pub(super) fn advance(&mut self, t: f64, modes: &mut [Complex]) {
        let middle = t + 0.5 * self.step;
        let mut stage = modes.to_vec();
        let first = self.rest(t, modes);
        let blend = |stage: &mut [Complex],
                     from: &[Complex],
                     factors: &[Factors],
                     rest: &dyn Fn(usize) -> Complex| {
            for (k, target) in stage.iter_mut().enumerate() {
                *target = factors[k].half * from[k] + factors[k].stage * rest(k);
            }
        };
        blend(&mut stage, modes, &self.factors, &|k| first[k]);
        let second = self.rest(middle, &stage);
        let halfway = stage.clone();
        blend(&mut stage, modes, &self.factors, &|k| second[k]);
        let third = self.rest(middle, &stage);
        blend(&mut stage, &halfway, &self.factors, &|k| third[k].scale(2.0) - first[k]);
        let fourth = self.rest(t + self.step, &stage);
        for (k, mode) in modes.iter_mut().enumerate() {
            let Factors { whole, weights: [start, between, end], .. } = self.factors[k];
            *mode = whole * *mode + start * first[k] + between * (second[k] + third[k]) + end * fourth[k];
        }
    }
}

/// The factors for a mode with L = `symbol`. The formulas cancel badly for small L h, so each is the mean
/// over a circle of radius 1 around it.
fn factors(symbol: Complex, step: f64) -> Factors {
    let center = symbol.scale(step);
    let mut sums = [Complex::default(); 4];
    for point in 0..CONTOUR {
        let z = center + Complex::on_circle(TAU * (point as f64 + 0.5) / CONTOUR as f64);
        let (exp, half) = (z.exp(), z.scale(0.5).exp());
        let inverse = z.reciprocal();
        let cube = inverse * inverse * inverse;
        let number = |value: f64| Complex::new(value, 0.0);
        let square = z * z;
        let terms = [
            (half - Complex::ONE) * inverse,
            (number(-4.0) - z + exp * (number(4.0) - z.scale(3.0) + square)) * cube,
            (number(2.0) + z + exp * (z - number(2.0))) * cube,
            (number(-4.0) - z.scale(3.0) - square + exp * (number(4.0) - z)) * cube,
        ];
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum = *sum + term;
        }
    }
    let [stage, start, between, end] = sums.map(|sum| sum.scale(step / CONTOUR as f64));
    Factors {
        whole: center.exp(),
        half: center.scale(0.5).exp(),
        stage,
        weights: [start, between.scale(2.0), end],
    }
}
