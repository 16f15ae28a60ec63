//! SOAP (Vyas, Morwani, Zhao, Shapira, Brandfonbrener, Janson, Kakade 2024, algorithms 3 and 4): Adam in the basis in which Shampoo (Gupta,
//! Koren, Singer 2018) would scale the gradient of a matrix.
//!
//! A matrix has its row of biases with it, as the weights of an input that is always one. What belongs to no matrix moves by Adam.

mod side;

use super::loose::{Decays, FLOOR, loose, range};
use super::{AffineMap, Optimizer, Roles, StepOutcome};
use crate::{Loss, Refusal, State, StateError};
use linear::SmallMatrix;
use rayon::prelude::*;
use side::Side;
use std::ops::Range;

/// Decays of the gradient's running mean, of that of its square, and of those of its products with itself.
const DECAYS: Decays = Decays { mean: 0.95, square: 0.95 };

/// Names in a saved state.
const STEPS: &str = "soap.steps";
const MEAN: &str = "soap.mean";
const SQUARE: &str = "soap.square";
const SIDES: &str = "soap.sides";

/// The state of SOAP.
#[derive(Clone, PartialEq, Debug)]
pub struct Soap {
    /// Steps between two looks for other bases.
    every: u64,
    steps: u64,
    maps: Vec<Map>,
    /// Numbers of no matrix.
    loose: Vec<Range<usize>>,
    /// Of the gradient.
    mean: Vec<f64>,
    /// Of its square; those of a matrix in the basis of its sides.
    square: Vec<f64>,
    gradient: Vec<f64>,
}

/// A matrix and the bases of its rows and of its columns.
#[derive(Clone, PartialEq, Debug)]
struct Map {
    place: Range<usize>,
    size: [usize; 2],
    rows: Side,
    columns: Side,
}

/// Running means of a matrix, its gradient and its weights.
struct Part<'step> {
    map: &'step mut Map,
    mean: &'step mut [f64],
    square: &'step mut [f64],
    gradient: &'step [f64],
    weights: &'step mut [f64],
}

impl Soap {
    /// The state before the first step, which looks for other bases so often.
    pub fn new(roles: &Roles, every: usize) -> Self {
        let map = |map: &AffineMap| {
            let size = map.with_bias();
            let [rows, columns] = size.map(Side::new);
            Map { place: range(map, size), size, rows, columns }
        };
        let maps: Vec<Map> = roles.maps.iter().map(map).collect();
        let loose = loose(roles.count, maps.iter().map(|map| map.place.clone()));
        let zero = vec![0.0; roles.count];
        let every = every.max(1) as u64;
        Soap { every, steps: 0, maps, loose, mean: zero.clone(), square: zero.clone(), gradient: zero }
    }

    /// Numbers that it remembers between two steps.
    pub fn kept(roles: &Roles) -> usize {
        let soap = Soap::new(roles, 1);
        let sides: usize = soap.maps.iter().map(|map| map.rows.count() + map.columns.count()).sum();
        2 * roles.count + sides
    }

    /// Moves `parameters` against `self.gradient`; by how long a step. The first one only finds bases: it would follow the gradient that they
    /// are made of.
    fn move_along(&mut self, parameters: &mut [f64], rate: f64) -> f64 {
        let Soap { every, maps, loose, mean, square, gradient, .. } = self;
        self.steps += 1;
        if self.steps == 1 {
            for map in maps {
                map.learn(&map.packed(gradient), 0.0);
                map.begin();
            }
            return 0.0;
        }
        let corrections = DECAYS.corrections(rate, self.steps - 1);
        for range in &*loose {
            let moments = (&mut mean[range.clone()], &mut square[range.clone()]);
            DECAYS.step(corrections, moments, &gradient[range.clone()], &mut parameters[range.clone()]);
        }
        let turns = self.steps.is_multiple_of(*every);
        // Each matrix by itself, so that no number depends on how many threads there are.
        parts(maps, [mean, square, parameters], gradient)
            .into_par_iter()
            .for_each(|part| part.step(corrections, turns));
        rate
    }
}

/// What belongs to each matrix, in their order.
fn parts<'step>(
    maps: &'step mut [Map],
    [mut mean, mut square, mut weights]: [&'step mut [f64]; 3],
    mut gradient: &'step [f64],
) -> Vec<Part<'step>> {
    let mut next = 0;
    let mut parts = Vec::with_capacity(maps.len());
    for map in maps {
        let (skipped, count) = (map.place.start - next, map.place.len());
        next = map.place.end;
        let cut = |from: &mut &'step mut [f64]| {
            let (own, rest) = std::mem::take(from)[skipped..].split_at_mut(count);
            *from = rest;
            own
        };
        let [mean, square, weights] = [&mut mean, &mut square, &mut weights].map(cut);
        let (own, rest) = gradient[skipped..].split_at(count);
        gradient = rest;
        parts.push(Part { map, mean, square, gradient: own, weights });
    }
    parts
}

impl Map {
    fn packed(&self, all: &[f64]) -> SmallMatrix {
        let [rows, columns] = self.size;
        SmallMatrix::packed(rows, columns, &all[self.place.clone()])
    }

    /// Takes note of a gradient, beside which `keep` of what is known is kept.
    fn learn(&mut self, gradient: &SmallMatrix, keep: f64) {
        let turned = gradient.transposed();
        self.rows.learn(|| gradient.times(&turned), keep);
        self.columns.learn(|| turned.times(gradient), keep);
    }

    /// Finds the first bases.
    fn begin(&mut self) {
        self.rows.begin();
        self.columns.begin();
    }

    /// A matrix in terms of the bases.
    fn inside(&self, matrix: &SmallMatrix) -> SmallMatrix {
        self.columns.inside_columns(self.rows.inside_rows(matrix))
    }

    /// What a matrix in terms of the bases is.
    fn outside(&self, matrix: &SmallMatrix) -> SmallMatrix {
        self.columns.outside_columns(self.rows.outside_rows(matrix))
    }

    /// Turns the bases to where the gradients of late lie, and with them the order of what is known of their squares.
    fn turn(&mut self, square: &mut [f64]) {
        let (row_order, column_order) = (self.rows.turn(), self.columns.turn());
        let columns = self.size[1];
        let before = square.to_vec();
        for (row, from) in row_order.iter().enumerate() {
            for (column, other) in column_order.iter().enumerate() {
                square[row * columns + column] = before[from * columns + other];
            }
        }
    }
}

impl Part<'_> {
    /// Adam in the bases, which look for better ones after that.
    fn step(self, [length, correction]: [f64; 2], turns: bool) {
        let Part { map, mean, square, gradient, weights } = self;
        let [rows, columns] = map.size;
        let gradient = SmallMatrix::packed(rows, columns, gradient);
        let seen = map.inside(&gradient);
        for (square, slope) in square.iter_mut().zip(seen.iter()) {
            *square = DECAYS.square * *square + (1.0 - DECAYS.square) * slope * slope;
        }
        for (mean, slope) in mean.iter_mut().zip(gradient.iter()) {
            *mean = DECAYS.mean * *mean + (1.0 - DECAYS.mean) * slope;
        }
        let mut step = map.inside(&SmallMatrix::packed(rows, columns, mean));
        for (row, square) in (0..rows).zip(square.chunks_exact(columns)) {
            for (number, square) in step.row_mut(row).iter_mut().zip(square) {
                *number /= (square * correction).sqrt() + FLOOR;
            }
        }
        let step = map.outside(&step);
        weights.iter_mut().zip(step.iter()).for_each(|(weight, step)| *weight -= length * step);
        map.learn(&gradient, DECAYS.square);
        if turns {
            map.turn(square);
        }
    }
}

impl Optimizer for Soap {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let losses = loss.eval(parameters, &mut self.gradient)?;
        let length = self.move_along(parameters, rate);
        Ok(StepOutcome::Taken { losses, length, evaluations: 1, trust: None })
    }

    /// Running means of gradients are worth as much with other points: nothing is forgotten.
    fn forget_loss(&mut self) {}

    fn save(&self) -> State {
        let sides = self.maps.iter().flat_map(|map| [&map.rows, &map.columns]);
        State::default()
            .with_counts(STEPS, [self.steps])
            .with_numbers(MEAN, self.mean.as_slice())
            .with_numbers(SQUARE, self.square.as_slice())
            .with_numbers(SIDES, sides.flat_map(Side::numbers).collect::<Vec<_>>())
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let count = self.gradient.len();
        let sides: usize = self.maps.iter().map(|map| map.rows.count() + map.columns.count()).sum();
        let (steps, mean, square) =
            (state.count(STEPS)?, state.sized(MEAN, count)?.to_vec(), state.sized(SQUARE, count)?.to_vec());
        let mut left = state.sized(SIDES, sides)?;
        for side in self.maps.iter_mut().flat_map(|map| [&mut map.rows, &mut map.columns]) {
            let (own, rest) = left.split_at(side.count());
            side.set(own);
            left = rest;
        }
        (self.steps, self.mean, self.square) = (steps, mean, square);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
