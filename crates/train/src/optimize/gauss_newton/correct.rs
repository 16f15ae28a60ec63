//! What the equations of a step's start say at its end.

use super::dot;
use super::system::System;
use crate::{Extent, LeastSquares, Refusal};
use linear::{Cholesky, Correction};

/// The damping with which ends of steps are corrected, in multiples of the root of their own. The longer a step, the fewer
/// directions mean the same at its end as at its start; between damping and one there is room for both to be small.
const DAMPING: f64 = 1.0;

/// Rows per parameter from which on ends are corrected.
const ROWS: f64 = 1.5;

/// Steps that achieve this part of their predicted reduction need no correction.
const KEPT: f64 = 0.9;

/// With how much damping the ends of steps with these are corrected.
pub(super) fn damping([_, larger]: [f64; 2]) -> f64 {
    DAMPING * larger.sqrt()
}

/// Whether the points of a step are enough to tell which end is better: with hardly more rows than parameters, corrections
/// only fit them more closely.
pub(super) fn can_be_judged(extent: Extent) -> bool {
    extent.rows as f64 >= ROWS * extent.parameters as f64
}

/// Whether a step does what its model says, given the losses before and after it.
pub(super) fn achieves_prediction(predicted: f64, before: f64, after: f64) -> bool {
    before - after >= KEPT * predicted
}

/// A factor of the equations, damped for the ends of steps.
#[derive(Clone, Debug)]
pub(super) struct Corrector {
    factor: Cholesky,
    added: f64,
    factorized: bool,
}

impl Corrector {
    pub(super) fn new() -> Self {
        Corrector { factor: Cholesky::new(0), added: 0.0, factorized: false }
    }

    /// Whether there are corrections; not in forms without a factor, where they would cost as much as another step.
    pub(super) fn is_ready(&self) -> bool {
        self.factorized
    }

    /// Prepares for steps with these dampings, in multiples of the mean of the diagonal.
    pub(super) fn factorize(&mut self, system: &System, dampings: [f64; 2], mean: f64, extent: Extent) {
        self.added = mean * damping(dampings);
        let matrix = system.matrix().filter(|_| can_be_judged(extent));
        self.factorized = matrix.is_some_and(|matrix| {
            if self.factor.size() != matrix.size() {
                self.factor = Cholesky::new(matrix.size());
            }
            self.factor.factorize(matrix, self.added)
        });
    }

    /// Moves the end of a step, where the rows are `there`, and finds them where it is then. The square of those.
    pub(super) fn correct(
        &self,
        system: &System,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        end: &mut [f64],
        there: &mut [f64],
    ) -> Result<f64, Refusal> {
        let mut correction = vec![0.0; end.len()];
        for _ in 0..Correction::TIMES {
            system.solve((&self.factor, self.added), squares, parameters, there.to_vec(), &mut correction)?;
            end.iter_mut().zip(&correction).for_each(|(end, correction)| *end -= correction);
            squares.rows(end, there)?;
        }
        Ok(dot(there, there))
    }
}
