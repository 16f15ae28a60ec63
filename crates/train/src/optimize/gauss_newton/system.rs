//! The linear equations of a step, (JᵀJ + μ·I)·x = Jᵀ·y, in one of three forms.

use super::cost::Extent;
use super::{LeastSquares, dot};
use crate::Refusal;
use equation::problem::Solver;
use kernel::{Cholesky, Gram, Losses, NormalEquations, Symmetric, least_damping};

/// Conjugate gradients end when the slope that is left is this part of the first one.
const TOLERANCE: f64 = 1e-9;

/// Conjugate gradients end after this many iterations.
const MOST_ITERATIONS: usize = 200;

/// What is known about J at some parameters.
#[derive(Clone, Debug)]
pub(super) enum System {
    /// JᵀJ.
    Normal(NormalEquations),
    /// JJᵀ.
    Gram(Gram),
    /// The diagonal of JᵀJ.
    Free { diagonal: Vec<f64> },
}

impl System {
    /// An empty one for equations of this extent.
    pub(super) fn new(solver: Solver, extent: Extent) -> Self {
        let Extent { parameters, rows, .. } = extent;
        match solver {
            Solver::Auto => System::new(extent.best(), extent),
            Solver::NormalEquations => System::Normal(NormalEquations::new(parameters)),
            Solver::Woodbury => System::Gram(Gram::new(parameters, rows)),
            Solver::ConjugateGradients => System::Free { diagonal: vec![0.0; parameters] },
        }
    }

    /// Whether it has the right form and size.
    pub(super) fn fits(&self, solver: Solver, extent: Extent) -> bool {
        match (self, solver) {
            (_, Solver::Auto) => self.fits(extent.best(), extent),
            (System::Normal(_), Solver::NormalEquations) => true,
            (System::Gram(gram), Solver::Woodbury) => gram.size() == extent.rows,
            (System::Free { .. }, Solver::ConjugateGradients) => true,
            (System::Normal(_) | System::Gram(_) | System::Free { .. }, _) => false,
        }
    }

    /// Fills it at `parameters`, `slope` with Jᵀ·r, and `here` with r.
    pub(super) fn linearize(
        &mut self,
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        slope: &mut [f64],
        here: &mut Vec<f64>,
    ) -> Result<Losses, Refusal> {
        here.resize(squares.row_count(), 0.0);
        match self {
            System::Normal(normal) => {
                let losses = squares.normal_equations(parameters, normal)?.clone();
                slope.iter_mut().enumerate().for_each(|(row, slope)| *slope = normal.slope(row));
                squares.rows(parameters, here)?;
                Ok(losses)
            }
            System::Gram(gram) => {
                let losses = squares.gram(parameters, gram)?.clone();
                gram.back(gram.residuals(), slope);
                here.copy_from_slice(gram.residuals());
                Ok(losses)
            }
            System::Free { diagonal } => {
                let losses = squares.diagonal(parameters, diagonal, here)?.clone();
                squares.back(parameters, here, slope)?;
                Ok(losses)
            }
        }
    }

    /// The mean of the diagonal of JᵀJ.
    pub(super) fn mean(&self, parameters: usize) -> f64 {
        let trace = match self {
            System::Normal(normal) => normal.matrix().trace(),
            System::Gram(gram) => gram.matrix().trace(),
            System::Free { diagonal } => diagonal.iter().sum(),
        };
        trace / parameters.max(1) as f64
    }

    /// The least damping, in multiples of the mean of the diagonal, with which there is a factor.
    pub(super) fn least_damping(&self, parameters: usize) -> f64 {
        match self {
            System::Normal(_) => least_damping(parameters),
            System::Gram(_) | System::Free { .. } => 0.0,
        }
    }

    /// The matrix that is factorised, if any.
    pub(super) fn matrix(&self) -> Option<&Symmetric> {
        match self {
            System::Normal(normal) => Some(normal.matrix()),
            System::Gram(gram) => Some(gram.matrix()),
            System::Free { .. } => None,
        }
    }

    /// Solves for y = `here`, the rows r whose slope Jᵀ·r is known, with a factor of the damped matrix; for
    /// (JᵀJ + μ·I)·x = Jᵀ·r + μ·origin where there is an origin.
    pub(super) fn solve_first(
        &self,
        (factor, damping): (&Cholesky, f64),
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        (here, slope): (&[f64], &[f64]),
        origin: Option<&[f64]>,
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        if let System::Normal(_) = self {
            out.copy_from_slice(slope);
            if let Some(origin) = origin {
                out.iter_mut().zip(origin).for_each(|(to, origin)| *to += damping * origin);
            }
            factor.solve(out);
            return Ok(());
        }
        let Some(origin) = origin else {
            return self.solve((factor, damping), squares, parameters, here.to_vec(), out);
        };
        // x = origin + (JᵀJ + μ)⁻¹·Jᵀ·(r − J·origin)
        let mut rows = vec![0.0; here.len()];
        match self {
            System::Gram(gram) => gram.along(origin, &mut rows),
            System::Normal(_) | System::Free { .. } => squares.along(parameters, origin, &mut rows)?,
        }
        rows.iter_mut().zip(here).for_each(|(row, here)| *row = here - *row);
        self.solve((factor, damping), squares, parameters, rows, out)?;
        out.iter_mut().zip(origin).for_each(|(to, origin)| *to += origin);
        Ok(())
    }

    /// Solves for any y, given as `rows`.
    pub(super) fn solve(
        &self,
        (factor, damping): (&Cholesky, f64),
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        mut rows: Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        match self {
            System::Normal(_) => {
                squares.back(parameters, &rows, out)?;
                factor.solve(out);
                Ok(())
            }
            System::Gram(gram) => {
                // (JᵀJ + μ)⁻¹·Jᵀ = Jᵀ·(JJᵀ + μ)⁻¹
                factor.solve(&mut rows);
                gram.back(&rows, out);
                Ok(())
            }
            System::Free { diagonal } => {
                let scales: Vec<f64> = diagonal.iter().map(|number| 1.0 / (number + damping)).collect();
                conjugate_gradients(squares, parameters, (&scales, damping), rows, out)
            }
        }
    }
}

/// Conjugate gradients on the least-squares problem |J·x − y|² + damping·|x|², from x = 0, in multiples of
/// the diagonal's `scales` (Björck 1996).
fn conjugate_gradients(
    squares: &mut dyn LeastSquares,
    parameters: &[f64],
    (scales, damping): (&[f64], f64),
    mut rows: Vec<f64>,
    out: &mut [f64],
) -> Result<(), Refusal> {
    out.fill(0.0);
    let mut slope = vec![0.0; out.len()];
    squares.back(parameters, &rows, &mut slope)?;
    let scaled = |slope: &[f64]| -> Vec<f64> { slope.iter().zip(scales).map(|(a, b)| a * b).collect() };
    let mut direction = scaled(&slope);
    let mut size = dot(&slope, &direction);
    let enough = TOLERANCE * TOLERANCE * size;
    let mut along = vec![0.0; rows.len()];
    for _ in 0..MOST_ITERATIONS {
        if size <= enough || !size.is_normal() {
            break;
        }
        squares.along(parameters, &direction, &mut along)?;
        let curvature = dot(&along, &along) + damping * dot(&direction, &direction);
        let length = size / curvature;
        out.iter_mut().zip(&direction).for_each(|(to, along)| *to += length * along);
        rows.iter_mut().zip(&along).for_each(|(row, along)| *row -= length * along);
        squares.back(parameters, &rows, &mut slope)?;
        slope.iter_mut().zip(&*out).for_each(|(slope, at)| *slope -= damping * at);
        let next = scaled(&slope);
        let before = std::mem::replace(&mut size, dot(&slope, &next));
        direction.iter_mut().zip(&next).for_each(|(along, next)| *along = next + size / before * *along);
    }
    Ok(())
}
