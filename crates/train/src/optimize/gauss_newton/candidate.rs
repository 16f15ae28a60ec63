//! The step for one damping.

use super::dot;
use super::refine::refine;
use super::system::System;
use crate::{LeastSquares, Refusal};
use linear::{Bend, Cholesky};

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// To be subtracted from the parameters.
    pub(super) step: Vec<f64>,
    damping: f64,
    /// By how much the model says that the loss will fall.
    predicted: f64,
    factorized: bool,
    /// Of the damped matrix, in forms that have one.
    factor: Cholesky,
    /// What is added to the diagonal, and what in the matrix of the factor: more, where rounding leaves no factor of less.
    added: f64,
    factored: f64,
    acceleration: Vec<f64>,
}

impl Candidate {
    pub(super) fn new(size: usize) -> Self {
        Candidate {
            step: vec![0.0; size],
            damping: 0.0,
            predicted: 0.0,
            factorized: false,
            factor: Cholesky::new(0),
            added: 0.0,
            factored: 0.0,
            acceleration: vec![0.0; size],
        }
    }

    pub(super) fn damping(&self) -> f64 {
        self.damping
    }

    pub(super) fn predicted(&self) -> f64 {
        self.predicted
    }

    /// Whether the damped matrix has a factor.
    pub(super) fn factorized(&self) -> bool {
        self.factorized
    }

    /// Prepares to solve with damping · mean added to the diagonal.
    pub(super) fn factorize(&mut self, system: &System, damping: f64, mean: f64) {
        (self.damping, self.added) = (damping, damping * mean);
        self.factored = mean * damping.max(system.unknowns().least_damping(self.step.len()));
        self.factorized = match system.matrix() {
            Some(matrix) => {
                if self.factor.size() != matrix.size() {
                    self.factor = Cholesky::new(matrix.size());
                }
                self.factor.factorize(matrix, self.factored)
            }
            None => true,
        };
    }

    /// Finds the step (JᵀJ + μ·I)⁻¹ · (slope + μ·origin), for μ = damping · mean: the one that would be best if
    /// steps cost their distance from an origin; from nothing where there is none. `here` are the rows r.
    pub(super) fn solve(
        &mut self,
        system: &System,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        (here, slope): (&[f64], &[f64]),
        origin: Option<&[f64]>,
    ) -> Result<(), Refusal> {
        let Candidate { step, factor, added, factored, .. } = self;
        if let System::Subspace(own) = system {
            self.predicted = own.step((factor, *factored), origin, step);
            return Ok(());
        }
        system.solve_first((factor, *factored), (here, slope), origin, step);
        let unknowns = system.unknowns();
        if *added < *factored || unknowns.is_iterated() {
            let solve = |vector: &mut [f64]| system.solve_damped((factor, *factored), vector);
            let (patience, rows) = (unknowns.patience(), (here, origin));
            self.predicted = refine(&solve, (*added, patience), squares, parameters, rows, step)?;
            return Ok(());
        }
        // |r|² − |r − J·step|² = step·slope + μ·step·(step − origin), since step solves the equations.
        let away = dot(step, step) - origin.map_or(0.0, |origin| dot(step, origin));
        self.predicted = dot(step, slope) + *added * away;
        Ok(())
    }

    /// Lets the step follow the valley: residuals curve along it, and half of what that does to the
    /// equations is added.
    pub(super) fn accelerate(
        &mut self,
        system: &System,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        here: &[f64],
    ) -> Result<(), Refusal> {
        let Candidate { step, factor, factored, acceleration, .. } = self;
        let mut rows = here.to_vec();
        match squares.curvature(parameters, step, &mut rows) {
            Ok(()) => system.solve((factor, *factored), squares, parameters, rows, acceleration)?,
            Err(Refusal::Residual(_) | Refusal::Gradient) => return Ok(()),
            Err(refusal) => return Err(refusal),
        }
        let (acceleration, length) =
            (dot(&self.acceleration, &self.acceleration).sqrt(), dot(&self.step, &self.step).sqrt());
        if acceleration.is_finite() && acceleration > 0.0 {
            let part = 0.5 * (Bend::USUAL.most * length / (0.5 * acceleration)).min(1.0);
            self.step
                .iter_mut()
                .zip(&self.acceleration)
                .for_each(|(step, acceleration)| *step += part * acceleration);
        }
        Ok(())
    }
}
