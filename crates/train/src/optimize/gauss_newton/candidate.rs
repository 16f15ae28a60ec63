//! The step for one damping.

use super::LeastSquares;
use crate::Refusal;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::{MatMut, MatRef, Par};
use kernel::NormalEquations;

/// The most that a step may bend: half its acceleration's length, in multiples of its own.
const MOST_BEND: f64 = 0.75;

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// To be subtracted from the parameters.
    pub(super) step: Vec<f64>,
    damping: f64,
    /// By how much the model says that the loss will fall.
    promise: f64,
    solved: bool,
    /// The factor of the damped normal equations, column by column.
    factor: Vec<f64>,
    direction: Vec<f64>,
    bend: Vec<f64>,
}

impl Candidate {
    pub(super) fn new(size: usize) -> Self {
        Candidate {
            step: vec![0.0; size],
            damping: 0.0,
            promise: 0.0,
            solved: false,
            factor: vec![0.0; size * size],
            direction: vec![0.0; size],
            bend: vec![0.0; size],
        }
    }

    pub(super) fn damping(&self) -> f64 {
        self.damping
    }

    pub(super) fn promise(&self) -> f64 {
        self.promise
    }

    /// Whether there is a step.
    pub(super) fn solved(&self) -> bool {
        self.solved
    }

    /// Finds the step (JᵀJ + damping · mean · I)⁻¹ · slope.
    pub(super) fn solve(&mut self, normal: &NormalEquations, slope: &[f64], damping: f64, mean: f64) {
        let size = slope.len();
        self.damping = damping;
        for (column, to) in self.factor.chunks_exact_mut(size).enumerate() {
            to[column..].copy_from_slice(normal.column(column));
            to[column] += damping * mean;
        }
        self.step.copy_from_slice(slope);
        self.solved = factorize(&mut self.factor, size);
        if self.solved {
            apply(&self.factor, &mut self.step);
            // |r|² − |r − J·step|² = step·slope + damping · mean · |step|², since step solves the equations.
            self.promise = dot(&self.step, slope) + damping * mean * dot(&self.step, &self.step);
            self.solved = self.promise.is_finite();
        }
    }

    /// Lets the step follow the valley: residuals bend along it, and half of what that does to the
    /// normal equations is added.
    pub(super) fn accelerate(
        &mut self,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
    ) -> Result<(), Refusal> {
        self.direction.iter_mut().zip(&self.step).for_each(|(to, step)| *to = -step);
        match squares.bend(parameters, &self.direction, &mut self.bend) {
            Ok(()) => apply(&self.factor, &mut self.bend),
            Err(Refusal::Residual(_) | Refusal::Gradient) => return Ok(()),
            Err(refusal) => return Err(refusal),
        }
        let (bend, length) = (dot(&self.bend, &self.bend).sqrt(), dot(&self.step, &self.step).sqrt());
        if bend.is_finite() && bend > 0.0 {
            let part = 0.5 * (MOST_BEND * length / (0.5 * bend)).min(1.0);
            self.step.iter_mut().zip(&self.bend).for_each(|(step, bend)| *step += part * bend);
        }
        Ok(())
    }
}

/// Replaces the lower triangle of a symmetric matrix by its Cholesky factor; false where it has none.
fn factorize(matrix: &mut [f64], size: usize) -> bool {
    let scratch = factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let matrix = MatMut::from_column_major_slice_mut(matrix, size, size);
    let stack = MemStack::new(&mut memory);
    factor::cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_ok()
}

/// Multiplies by the inverse of a factorised matrix.
fn apply(factor: &[f64], vector: &mut [f64]) {
    let size = vector.len();
    let matrix = MatRef::from_column_major_slice(factor, size, size);
    let vector = MatMut::from_column_major_slice_mut(vector, size, 1);
    solve::solve_in_place(matrix, vector, Par::Seq, MemStack::new(&mut MemBuffer::new(StackReq::EMPTY)));
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}
