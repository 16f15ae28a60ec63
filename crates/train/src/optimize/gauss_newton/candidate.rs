//! The step for one damping.

use super::LeastSquares;
use crate::Refusal;
use kernel::{Cholesky, NormalEquations};

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
    /// Of the damped normal equations.
    factor: Cholesky,
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
            factor: Cholesky::new(size),
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
        self.damping = damping;
        self.step.copy_from_slice(slope);
        self.solved = self.factor.factorize(normal, damping * mean);
        if self.solved {
            self.factor.solve(&mut self.step);
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
            Ok(()) => self.factor.solve(&mut self.bend),
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

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}
