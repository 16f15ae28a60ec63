//! Normal equations that are added up, factorised and solved on the device: the host sees a few numbers.

use crate::cuda::{CANDIDATES, MemoryPlan, Tried, distinct_factors};
use crate::error::fits;
use crate::least_squares::scales;
use crate::{Kernel, KernelError, Losses, NormalEquations, Points, Shape};

/// What is known about normal equations that stay on a device.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearized {
    /// At the parameters.
    pub losses: Losses,
    /// The mean of the diagonal of JᵀJ.
    pub mean: f64,
    /// The norm of Jᵀr: half of the loss's slope.
    pub slope: f64,
}

/// What the unknowns are of the equations that a device factorises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknowns {
    /// JᵀJ, with all rows in chunks where memory is short.
    Parameters,
    /// JJᵀ, smaller where there are fewer rows than parameters; all rows have to be there (Woodbury).
    Rows,
    /// Nothing is factorised: conjugate gradients on the rows find a step, in multiples of the diagonal of JᵀJ. Rows come in
    /// chunks where memory is short.
    Diagonal,
    /// JJᵀ of [`sketched`] sums of rows with random signs, in terms of which few conjugate gradients on all rows suffice.
    Sketch,
    /// JᵀJ of the random subspace of a turn ([`crate::Subspace`]): steps move in it alone. Rows come in chunks where memory is
    /// short; in terms of the subspace all of them stay.
    Subspace {
        /// Which one.
        turn: u64,
    },
}

impl Unknowns {
    /// Whether equations have the same form and size.
    pub(crate) fn is_like(self, other: Unknowns) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }

    /// The least damping, in multiples of the mean of the diagonal of JᵀJ, with which equations of so many parameters are
    /// factorised.
    pub fn least_damping(self, parameters: usize) -> f64 {
        /// The inverse is found as a difference, which takes digits too.
        const DIGITS: f64 = 64.0;
        match self {
            Unknowns::Parameters | Unknowns::Subspace { .. } => least_damping(parameters),
            Unknowns::Rows | Unknowns::Diagonal => 0.0,
            Unknowns::Sketch => DIGITS * least_damping(parameters),
        }
    }

    /// When conjugate gradients end that find or refine a step.
    pub fn patience(self) -> Patience {
        match self {
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Subspace { .. } => {
                Patience { most: REFINEMENTS, tolerance: 0.0 }
            }
            Unknowns::Diagonal => Patience { most: 200, tolerance: 1e-9 },
            Unknowns::Sketch => Patience { most: 24, tolerance: 1e-3 },
        }
    }

    /// Whether steps have the damping of their factor, however little they were to have: to refine them would leave a
    /// subspace.
    pub fn stays(self) -> bool {
        match self {
            Unknowns::Subspace { .. } => true,
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch => false,
        }
    }

    /// Whether every step is found by conjugate gradients.
    pub fn is_iterated(self) -> bool {
        match self {
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Subspace { .. } => false,
            Unknowns::Diagonal | Unknowns::Sketch => true,
        }
    }
}

/// When conjugate gradients end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Patience {
    /// After so many.
    pub most: usize,
    /// When the slope that is left, measured by what it is multiplied with, is this part of the first one.
    pub tolerance: f64,
}

/// Sums with random signs that stand for so many rows where equations are sketched.
pub fn sketched(rows: usize) -> usize {
    /// On an H200 steps with twice as many are no better, and with half as many worse.
    const MOST: usize = 2048;
    rows.div_ceil(2).min(MOST)
}

/// In which numbers a device multiplies rows with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Products {
    /// In f64.
    Exact,
    /// Of numbers rounded to twenty binary digits behind the largest of their column, or row, which half precision multiplies
    /// exactly: to [`Products::error`]. Where there is no room for them, and where nothing is factorised or rows are sketched,
    /// the same as the others. Jᵀr is exact.
    Short,
}

impl Products {
    /// The most that short products of columns with so many numbers are wrong by, in multiples of the root of the product of
    /// their squares: every number of both is off by 2⁻²¹ of a largest one, and sums are rounded to f32 once.
    pub fn error(numbers: usize) -> f64 {
        (numbers as f64).sqrt() / f64::from(1 << 20) + 1.0 / f64::from(1 << 22)
    }
}

/// A step that a device is to try.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attempt {
    /// To the diagonal of JᵀJ.
    pub added: f64,
    /// The same in the matrix that is factorised. Where that is more, because rounding leaves no factor of a matrix with
    /// less, conjugate gradients on J itself find the step; where unknowns are rows it has to be the same.
    pub factored: f64,
    /// Whether it is damped towards what [`Kernel::linearize`] was told to carry, or towards nothing.
    pub carried: bool,
}

impl Attempt {
    /// Whether a factor has more damping than the step.
    pub(crate) fn is_refined(&self) -> bool {
        self.added < self.factored
    }
}

/// A step that a device has tried.
#[derive(Clone, PartialEq, Debug)]
pub struct TriedStep {
    /// By how much the model says that the loss will fall; no number where the equations have no solution.
    pub promise: f64,
    /// At the step's end.
    pub losses: Losses,
}

/// Conjugate gradients that refine a step whose factor has more damping than it.
pub const REFINEMENTS: usize = 8;

/// Corrections of the end of a step.
pub const CORRECTIONS: usize = 2;

/// The least damping, in multiples of the mean of the diagonal of JᵀJ, with which a factor in f64 is sure to exist: the
/// largest eigenvalue is at most as many times the mean as there are parameters, and its rounding is in all others.
pub fn least_damping(parameters: usize) -> f64 {
    2.0 * parameters as f64 * f64::EPSILON
}

/// The shape of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Course {
    /// The solution of the equations.
    Straight,
    /// With half of what the residuals' curvature along it does to the equations added (Transtrum, Sethna 2012).
    Bent,
    /// Bent, and also, as a step of its own, corrected by what the same equations say at its end, with so much added to their
    /// diagonal: J has turned too far on the way for its small singular values to be of use there.
    Corrected {
        /// To the diagonal of JᵀJ.
        added: f64,
    },
}

impl Kernel<'_> {
    /// Steps that [`Self::try_steps`] tries at once.
    pub const MOST_STEPS: usize = CANDIDATES;

    /// Whether its device solves normal equations by itself.
    pub fn solves_equations(&mut self) -> bool {
        self.engine.solver().is_some()
    }

    /// Gets ready for them, where that takes time: all kernels are compiled side by side.
    pub fn prepare_equations(&mut self) -> Result<(), KernelError> {
        Ok(self.engine.solver().map_or(Ok(()), |engine| engine.load_equations())?)
    }

    /// The memory that equations at these points take on a device with memory of its own; `None` on others.
    pub fn plan_equations(
        &mut self,
        points: &[Points],
        (unknowns, products): (Unknowns, Products),
    ) -> Result<Option<MemoryPlan>, KernelError> {
        fits(Shape::PointSets, self.plan.terms.len(), points.len())?;
        Ok(self
            .engine
            .solver()
            .map(|engine| engine.plan_equations(points, unknowns, products))
            .transpose()?)
    }

    /// Adds up the equations of the least-squares problem on the device, where they stay. Steps may be damped
    /// towards what is `carried`, a number per parameter.
    pub fn linearize(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        carried: Option<&[f64]>,
        (unknowns, products): (Unknowns, Products),
    ) -> Result<Linearized, KernelError> {
        self.check(points, parameters)?;
        fits(Shape::Parameters, parameters.len(), carried.map_or(parameters.len(), <[f64]>::len))?;
        let (scales, device) = (self.all_scales(points), self.device());
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let found = engine.linearize(points, parameters, (&scales, carried), (unknowns, products))?;
        let mean = found.trace / parameters.len().max(1) as f64;
        let losses = self.losses_of(found.squares, points);
        Ok(Linearized { losses, mean, slope: found.slope_square.sqrt() })
    }

    /// Solves the last equations of [`Self::linearize`] for every attempt, and evaluates the losses at the ends of the
    /// steps; behind them come the corrected ones, where there are such. `points` are still those of the equations.
    pub fn try_steps(
        &mut self,
        points: &[Points],
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<TriedStep>, KernelError> {
        let most = attempts.len().max(distinct_factors(attempts, course).len());
        fits(Shape::Steps, CANDIDATES, most.max(CANDIDATES))?;
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let tried = engine.try_steps(attempts, course)?;
        let step =
            |Tried { promise, squares }| TriedStep { promise, losses: self.losses_of(squares, points) };
        Ok(tried.into_iter().map(step).collect())
    }

    /// Moves to the end of a step that was tried last.
    pub fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), KernelError> {
        fits(Shape::Parameters, self.plan.parameter_count(), parameters.len())?;
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        Ok(engine.fetch_end(number, parameters)?)
    }

    /// The normal equations of the last [`Self::linearize`] for the parameters.
    pub fn fetch_equations(&mut self, normal: &mut NormalEquations) -> Result<(), KernelError> {
        let device = self.device();
        let engine = self.engine.solver().ok_or(KernelError::SolvesNothing { device })?;
        let size = normal.size();
        for (row, numbers) in engine.fetch_matrix()?.iter().enumerate() {
            normal.set_row(row, &numbers[..size.min(row + 1)]);
        }
        Ok(())
    }

    fn all_scales(&self, points: &[Points]) -> Vec<f64> {
        let mut weights = &self.weights[..];
        let mut all = Vec::with_capacity(weights.len());
        for (term, points) in self.plan.terms.iter().zip(points) {
            let (own, rest) = weights.split_at(term.residuals.len());
            weights = rest;
            // A term without points has no rows to scale.
            all.extend(if points.is_empty() { vec![0.0; own.len()] } else { scales(own, points) });
        }
        all
    }

    fn losses_of(&self, squares: Vec<f64>, points: &[Points]) -> Losses {
        let mut losses = Losses { mean_squares: squares, ..Losses::zero(self.plan) };
        losses.finish(self.plan, points);
        losses.weigh(&self.weights);
        losses
    }
}
