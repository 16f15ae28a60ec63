//! The equations of a step that moves in a random subspace of the parameters, another one at every step.

use super::dot;
use crate::{LeastSquares, Losses, Refusal};
use linear::{Cholesky, NormalEquations, Subspace};

/// SᵀJᵀJS for the orthonormal directions S of a subspace.
#[derive(Clone, Debug)]
pub(super) struct InSubspace {
    pub(super) normal: NormalEquations,
    subspace: Subspace,
    /// SᵀJᵀ·r, and SᵀJᵀ·(r − J·momentum).
    slope: Vec<f64>,
    left: Vec<f64>,
    /// |r|² − |r − J·momentum|².
    fall: f64,
}

impl InSubspace {
    pub(super) fn new(parameters: usize) -> Self {
        let unknowns = Subspace::unknowns_for(parameters);
        InSubspace {
            normal: NormalEquations::new(unknowns),
            subspace: Subspace::draw(parameters, unknowns, 0),
            slope: vec![0.0; unknowns],
            left: vec![0.0; unknowns],
            fall: 0.0,
        }
    }

    /// Fills it, `here` with r, and `slope` with what the subspace has of Jᵀ·r, made as long as all of it is likely to be.
    pub(super) fn linearize(
        &mut self,
        squares: &mut dyn LeastSquares,
        (parameters, momentum): (&[f64], Option<&[f64]>),
        turn: u64,
        slope: &mut [f64],
        here: &mut [f64],
    ) -> Result<Losses, Refusal> {
        let unknowns = self.subspace.unknowns();
        self.subspace = Subspace::draw(parameters.len(), unknowns, turn);
        let equations = (&self.subspace, &mut self.normal);
        let losses = squares.subspace_equations(parameters, equations, here)?.clone();
        for (place, slope) in self.slope.iter_mut().enumerate() {
            *slope = self.normal.slope(place);
        }
        let longer = (parameters.len() as f64 / unknowns as f64).sqrt();
        slope.fill(0.0);
        self.subspace.spread(&self.slope, slope);
        slope.iter_mut().for_each(|slope| *slope *= longer);
        if let Some(momentum) = momentum {
            let (mut left, mut back) = (vec![0.0; here.len()], vec![0.0; parameters.len()]);
            squares.along(parameters, momentum, &mut left)?;
            left.iter_mut().zip(&*here).for_each(|(left, here)| *left = here - *left);
            self.fall = dot(here, here) - dot(&left, &left);
            squares.back(parameters, &left, &mut back)?;
            self.subspace.gather(&back, &mut self.left);
        }
        Ok(losses)
    }

    /// The mean of the diagonal.
    pub(super) fn mean(&self) -> f64 {
        self.normal.matrix().trace() / self.subspace.unknowns() as f64
    }

    /// The step from an origin, which is nothing or the momentum, that is best if steps cost their distance from it, and
    /// by how much the model says that the loss will fall.
    pub(super) fn step(
        &self,
        (factor, damping): (&Cholesky, f64),
        origin: Option<&[f64]>,
        out: &mut [f64],
    ) -> f64 {
        let (right, fall) = match origin {
            Some(_) => (&self.left, self.fall),
            None => (&self.slope, 0.0),
        };
        match origin {
            Some(origin) => out.copy_from_slice(origin),
            None => out.fill(0.0),
        }
        let mut own = right.clone();
        factor.solve(&mut own);
        self.subspace.spread(&own, out);
        // As with all parameters: what is left to fit falls by y·right + μ·y·y.
        fall + dot(&own, right) + damping * dot(&own, &own)
    }

    /// Replaces a slope by the solution of the equations for what the subspace has of it.
    pub(super) fn solve(&self, factor: &Cholesky, slope: &mut [f64]) {
        let mut own = vec![0.0; self.subspace.unknowns()];
        self.subspace.gather(slope, &mut own);
        factor.solve(&mut own);
        slope.fill(0.0);
        self.subspace.spread(&own, slope);
    }
}
