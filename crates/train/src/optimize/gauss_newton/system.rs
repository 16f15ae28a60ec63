//! The linear equations of a step, (JᵀJ + μ·I)·x = Jᵀ·y, in one of five forms.

use super::refine::refine;
use super::subspace::InSubspace;
use crate::{Extent, LeastSquares, Losses, Refusal};
use linear::{Cholesky, Gram, NormalEquations, Symmetric, Unknowns, sketched};
use method::Solver;

/// What is known about J at some parameters.
#[derive(Clone, Debug)]
pub(super) enum System {
    /// JᵀJ.
    Normal(NormalEquations),
    /// JJᵀ.
    Gram(Gram),
    /// The diagonal of JᵀJ.
    Free { diagonal: Vec<f64> },
    /// JJᵀ of sums of rows with random signs.
    Sketch(Gram),
    /// JᵀJ of a subspace of the parameters.
    Subspace(InSubspace),
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
            Solver::Sketch => System::Sketch(Gram::new(parameters, sketched(rows))),
            Solver::Subspace => System::Subspace(InSubspace::new(parameters)),
        }
    }

    /// Whether it has the right form and size.
    pub(super) fn fits(&self, solver: Solver, extent: Extent) -> bool {
        match (self, solver) {
            (_, Solver::Auto) => self.fits(extent.best(), extent),
            (System::Normal(_), Solver::NormalEquations) => true,
            (System::Gram(gram), Solver::Woodbury) => gram.size() == extent.rows,
            (System::Free { .. }, Solver::ConjugateGradients) => true,
            (System::Sketch(gram), Solver::Sketch) => gram.size() == sketched(extent.rows),
            (System::Subspace(_), Solver::Subspace) => true,
            (
                System::Normal(_)
                | System::Gram(_)
                | System::Free { .. }
                | System::Sketch(_)
                | System::Subspace(_),
                _,
            ) => false,
        }
    }

    /// Fills it at `parameters`, `slope` with Jᵀ·r, and `here` with r. `momentum` and the turn are those of the step: subspaces
    /// ask for them.
    pub(super) fn linearize(
        &mut self,
        squares: &mut dyn LeastSquares,
        (parameters, momentum, turn): (&[f64], Option<&[f64]>, u64),
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
            System::Sketch(gram) => {
                let losses = squares.sketch(parameters, gram, here)?.clone();
                squares.back(parameters, here, slope)?;
                Ok(losses)
            }
            System::Subspace(own) => own.linearize(squares, (parameters, momentum), turn, slope, here),
        }
    }

    /// The mean of the diagonal of JᵀJ.
    pub(super) fn mean(&self, parameters: usize) -> f64 {
        let trace = match self {
            System::Normal(normal) => normal.matrix().trace(),
            System::Subspace(own) => return own.mean(),
            System::Gram(gram) | System::Sketch(gram) => gram.trace(),
            System::Free { diagonal } => diagonal.iter().sum(),
        };
        trace / parameters.max(1) as f64
    }

    /// What a device would have as unknowns.
    pub(super) fn unknowns(&self) -> Unknowns {
        match self {
            System::Normal(_) => Unknowns::Parameters,
            System::Gram(_) => Unknowns::Rows,
            System::Free { .. } => Unknowns::Diagonal,
            System::Sketch(gram) => Unknowns::Sketch { sums: gram.size() },
            System::Subspace(own) => Unknowns::Subspace { turn: 0, unknowns: own.normal.size() },
        }
    }

    /// The matrix that is factorised, if any.
    pub(super) fn matrix(&self) -> Option<&Symmetric> {
        match self {
            System::Normal(normal) => Some(normal.matrix()),
            System::Subspace(own) => Some(own.normal.matrix()),
            System::Gram(gram) | System::Sketch(gram) => Some(gram.matrix()),
            System::Free { .. } => None,
        }
    }

    /// Solves for y = `here`, the rows r whose slope Jᵀ·r is known, with a factor of the damped matrix; for
    /// (JᵀJ + μ·I)·x = Jᵀ·r + μ·origin where there is an origin. Forms that need conjugate gradients begin there.
    pub(super) fn solve_first(
        &self,
        (factor, damping): (&Cholesky, f64),
        (here, slope): (&[f64], &[f64]),
        origin: Option<&[f64]>,
        out: &mut [f64],
    ) {
        match self {
            System::Normal(_) => {
                out.copy_from_slice(slope);
                if let Some(origin) = origin {
                    out.iter_mut().zip(origin).for_each(|(to, origin)| *to += damping * origin);
                }
                factor.solve(out);
            }
            System::Subspace(own) => {
                own.step((factor, damping), origin, out);
            }
            System::Gram(gram) => {
                // x = origin + (JᵀJ + μ)⁻¹·Jᵀ·(r − J·origin)
                let mut rows = vec![0.0; here.len()];
                if let Some(origin) = origin {
                    gram.along(origin, &mut rows);
                }
                rows.iter_mut().zip(here).for_each(|(row, here)| *row = here - *row);
                factor.solve(&mut rows);
                gram.back(&rows, out);
                if let Some(origin) = origin {
                    out.iter_mut().zip(origin).for_each(|(to, origin)| *to += origin);
                }
            }
            System::Free { .. } | System::Sketch(_) => match origin {
                Some(origin) => out.copy_from_slice(origin),
                None => out.fill(0.0),
            },
        }
    }

    /// Solves for any y, given as `rows`; where equations are sketched, as well as those do.
    pub(super) fn solve(
        &self,
        (factor, damping): (&Cholesky, f64),
        squares: &mut dyn LeastSquares,
        parameters: &[f64],
        mut rows: Vec<f64>,
        out: &mut [f64],
    ) -> Result<(), Refusal> {
        match self {
            System::Normal(_) | System::Sketch(_) | System::Subspace(_) => {
                squares.back(parameters, &rows, out)?;
                self.solve_damped((factor, damping), out);
                Ok(())
            }
            System::Gram(gram) => {
                // (JᵀJ + μ)⁻¹·Jᵀ = Jᵀ·(JJᵀ + μ)⁻¹
                factor.solve(&mut rows);
                gram.back(&rows, out);
                Ok(())
            }
            System::Free { .. } => {
                out.fill(0.0);
                let solve = |vector: &mut [f64]| self.solve_damped((factor, damping), vector);
                let patience = self.unknowns().patience();
                refine(&solve, (damping, patience), squares, parameters, (&rows, None), out).map(|_| ())
            }
        }
    }

    /// Replaces a slope by the solution of (JᵀJ + μ·I)·x = slope, or of what is known of JᵀJ.
    pub(super) fn solve_damped(&self, (factor, damping): (&Cholesky, f64), slope: &mut [f64]) {
        match self {
            System::Normal(_) => factor.solve(slope),
            System::Subspace(own) => own.solve(factor, slope),
            System::Gram(gram) | System::Sketch(gram) => {
                // (JᵀJ + μ)⁻¹ = (1 − Jᵀ·(JJᵀ + μ)⁻¹·J) / μ
                let (mut rows, mut back) = (vec![0.0; gram.size()], vec![0.0; slope.len()]);
                gram.along(slope, &mut rows);
                factor.solve(&mut rows);
                gram.back(&rows, &mut back);
                slope.iter_mut().zip(&back).for_each(|(slope, back)| *slope = (*slope - back) / damping);
            }
            System::Free { diagonal } => {
                slope.iter_mut().zip(diagonal).for_each(|(slope, number)| *slope /= number + damping);
            }
        }
    }
}
