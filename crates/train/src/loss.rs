//! What is lowered: a loss, the least-squares problem behind it, and devices that work on it by themselves.

use crate::{Losses, Refusal, Vectors};
use linear::{Attempt, Course, Gram, NormalEquations, Subspace, Unknowns};

/// The size of a step's linear equations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extent {
    /// Trainable numbers.
    pub parameters: usize,
    /// Residuals at all points.
    pub rows: usize,
    /// Operations of the loss with its gradient.
    pub evaluation: f64,
}

/// A loss as a function of the parameters.
pub trait Loss {
    /// The losses at `parameters`, with their gradient in `gradient`. On `Ok`, the loss and the squared
    /// norm of the gradient are finite.
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal>;

    /// The same whether they are finite or not, where that can be seen: for whoever can do something about it.
    fn eval_any(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        self.eval(parameters, gradient)
    }

    /// By how much rounding may change a loss of this size: smaller differences say nothing.
    fn noise(&self, loss: f64) -> f64;

    /// The least-squares problem behind the loss, where there is one.
    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        None
    }

    /// Where vectors can stay with the loss.
    fn vectors(&mut self) -> Option<&mut dyn Vectors> {
        None
    }
}

/// A loss that is a sum of squares of rows r, whose derivative by the parameters is J.
pub trait LeastSquares {
    /// The size of the problem.
    fn extent(&self) -> Extent;

    /// How many rows there are.
    fn row_count(&self) -> usize {
        self.extent().rows
    }

    /// The losses at `parameters`, with JᵀJ and Jᵀr in `normal`.
    fn normal_equations(
        &mut self,
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Losses, Refusal>;

    /// The losses, with JJᵀ and r in `gram`.
    fn gram(&mut self, parameters: &[f64], gram: &mut Gram) -> Result<&Losses, Refusal>;

    /// The losses, with the diagonal of JᵀJ in `diagonal` and r in `rows`.
    fn diagonal(
        &mut self,
        parameters: &[f64],
        diagonal: &mut [f64],
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal>;

    /// The losses, with the products of sums of rows with random signs in `gram`, as many as it has room for, and r in `rows`.
    fn sketch(&mut self, parameters: &[f64], gram: &mut Gram, rows: &mut [f64]) -> Result<&Losses, Refusal>;

    /// The losses, with the normal equations of a subspace of the parameters, and r in `rows`.
    fn subspace_equations(
        &mut self,
        parameters: &[f64],
        equations: (&Subspace, &mut NormalEquations),
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal>;

    /// J times `direction`, into `rows`.
    fn along(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal>;

    /// Jᵀ times `rows`, into `slope`.
    fn back(&mut self, parameters: &[f64], rows: &[f64], slope: &mut [f64]) -> Result<(), Refusal>;

    /// The rows r, into `rows`.
    fn rows(&mut self, parameters: &[f64], rows: &mut [f64]) -> Result<(), Refusal>;

    /// The second derivative of the rows along `direction`, in place of the rows r themselves.
    fn curvature(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal>;

    /// The losses alone.
    fn losses(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal>;

    /// The device that sums and solves equations by itself, where there is one.
    fn on_device(&mut self) -> Option<&mut dyn OnDevice> {
        None
    }
}

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

/// A step that a device has tried.
#[derive(Clone, PartialEq, Debug)]
pub struct TriedStep {
    /// By how much the model says that the loss will fall; no number where the equations have no solution.
    pub predicted: f64,
    /// At the step's end.
    pub losses: Losses,
}

/// A least-squares problem whose equations stay where they are summed.
pub trait OnDevice {
    /// Adds up the equations at `parameters`. Steps may be damped towards what is `momentum`.
    fn linearize(
        &mut self,
        parameters: &[f64],
        momentum: Option<&[f64]>,
        unknowns: Unknowns,
    ) -> Result<Linearized, Refusal>;

    /// Solves the last equations; one step for each attempt, its loss finite or not.
    fn try_steps(&mut self, attempts: &[Attempt], course: Course) -> Result<Vec<TriedStep>, Refusal>;

    /// Moves `parameters` to the end of a step that was tried last.
    fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), Refusal>;
}
