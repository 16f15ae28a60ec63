//! Adam for what belongs to no matrix, beside a method for matrices.

use super::AffineMap;
use std::iter;
use std::ops::Range;

/// Added to the root of a square, so that a vanishing gradient gives no step.
pub(super) const FLOOR: f64 = 1e-8;

/// Decays of running means, of the gradient and of its square.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Decays {
    pub(super) mean: f64,
    pub(super) square: f64,
}

impl Decays {
    /// What a mean is multiplied by in step number `steps` of this length, and what a square is: both start from zero.
    pub(super) fn corrections(self, rate: f64, steps: u64) -> [f64; 2] {
        let steps = steps as f64;
        [rate / (1.0 - self.mean.powf(steps)), 1.0 / (1.0 - self.square.powf(steps))]
    }

    /// A step of Adam of one part of the parameters.
    pub(super) fn step(
        self,
        [length, correction]: [f64; 2],
        (mean, square): (&mut [f64], &mut [f64]),
        gradient: &[f64],
        parameters: &mut [f64],
    ) {
        let moments = mean.iter_mut().zip(square);
        for ((parameter, (mean, square)), &gradient) in parameters.iter_mut().zip(moments).zip(gradient) {
            *mean = self.mean * *mean + (1.0 - self.mean) * gradient;
            *square = self.square * *square + (1.0 - self.square) * gradient * gradient;
            *parameter -= length * *mean / ((*square * correction).sqrt() + FLOOR);
        }
    }
}

/// The numbers of a matrix: with its biases, or without.
pub(super) fn range(map: &AffineMap, [rows, columns]: [usize; 2]) -> Range<usize> {
    map.first..map.first + rows * columns
}

/// All of `count` numbers that are in none of some ranges, which are in their order.
pub(super) fn loose(count: usize, taken: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut next = 0;
    let mut left = Vec::new();
    for range in taken.chain(iter::once(count..count)) {
        if next < range.start {
            left.push(next..range.start);
        }
        next = range.end;
    }
    left
}
