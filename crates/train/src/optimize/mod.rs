//! Methods that lower the loss.

mod adam;
mod gauss_newton;
mod line_search;
mod quasi_newton;
mod schedule;
mod state;
mod vectors;

pub use adam::Adam;
pub use gauss_newton::first_products;
pub use gauss_newton::{Extent, GaussNewton};
pub use quasi_newton::QuasiNewton;
pub use schedule::{Progress, rate};
pub use state::{Array, State, StateError};
pub use vectors::{Room, Vectors};

use crate::{Fallback, Losses, Refusal, TrainError};
use equation::problem::{Optimizer as Method, Products as Wanted, Solver};
use equation::taylor::Plan;
use linear::{Attempt, Course, Gram, Moments, NormalEquations, Products, Subspace, Unknowns, Update};

/// A loss as a function of the parameters.
pub trait Loss {
    /// The losses at `parameters`, with their gradient in `gradient`. On `Ok`, the loss and the squared
    /// norm of the gradient are finite.
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal>;

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

    /// The device that adds up and solves equations by itself, where there is one.
    fn elsewhere(&mut self) -> Option<&mut dyn Elsewhere> {
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
    pub promise: f64,
    /// At the step's end.
    pub losses: Losses,
}

/// A least-squares problem whose equations stay where they are added up.
pub trait Elsewhere {
    /// Adds up the equations at `parameters`. Steps may be damped towards what is `carried`.
    fn linearize(
        &mut self,
        parameters: &[f64],
        carried: Option<&[f64]>,
        form: (Unknowns, Products),
    ) -> Result<Linearized, Refusal>;

    /// Solves the last equations; one step for each attempt, its loss finite or not.
    fn try_steps(&mut self, attempts: &[Attempt], course: Course) -> Result<Vec<TriedStep>, Refusal>;

    /// Moves `parameters` to the end of a step that was tried last.
    fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), Refusal>;
}

/// What one step did.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StepOutcome<'step> {
    /// The parameters have changed.
    Taken {
        /// The losses before.
        losses: &'step Losses,
        /// The rate, or for methods that find it themselves the length in multiples of their direction.
        length: f64,
        /// Of the loss.
        evaluations: u64,
        /// How the step compares with its model, for methods that have one.
        trust: Option<Trust>,
    },
    /// There is no direction to go: parameters are unchanged.
    GradientVanished {
        /// Norm of the gradient.
        gradient: f64,
        /// Of the loss.
        evaluations: u64,
    },
    /// No step lowers the loss by more than its noise, not even along the gradient: parameters are
    /// unchanged.
    NoDescent {
        /// Norm of the gradient.
        gradient: f64,
        /// Of the loss.
        evaluations: u64,
    },
}

/// How far a model of the loss is trusted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trust {
    /// What is added to the model's curvature, in multiples of its mean: the larger, the smaller the step.
    pub damping: f64,
    /// The fall of the loss in multiples of the model's.
    pub gain: f64,
    /// The loss after the step, at the same points.
    pub after: f64,
}

/// A method that lowers the loss.
pub trait Optimizer {
    /// Takes one step; first-order methods give it the length `rate`, others find their own. Between
    /// two steps only the method itself changes `parameters`. On `Err`, parameters and state are
    /// unchanged.
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal>;

    /// How the parameters move, and the running means that this takes, for methods whose steps a device can take
    /// by itself.
    fn update(&mut self) -> Option<(Update, &mut Moments)> {
        None
    }

    /// What it does in a slower way than it could, by its last step.
    fn fallback(&self) -> Option<Fallback> {
        None
    }

    /// The loss is another function from now on: whatever was remembered of its values is void.
    fn forget_loss(&mut self);

    /// Whether more points are to be had where there are too few.
    fn expect_points(&mut self, _more: bool) {}

    /// Brings back what stays with the loss, so that it can be saved.
    fn bring_back(&mut self, _loss: &mut dyn Loss) -> Result<(), Refusal> {
        Ok(())
    }

    /// Everything that the steps to come depend on, besides the parameters and the loss.
    fn save(&self) -> State;

    /// Continues from a saved state: the steps to come are, bit for bit, those that the saved one would
    /// have taken. On `Err`, the state is unchanged.
    fn restore(&mut self, state: &State) -> Result<(), StateError>;
}

/// The most trainable numbers that self-scaled Broyden takes: its matrix is then 1.6 GB.
const MOST_DENSE: usize = 20_000;

/// Whether a method can be used for the trainable numbers of a plan.
pub(crate) fn check_size(method: Method, plan: &Plan) -> Result<(), TrainError> {
    let (parameters, most) = (plan.parameter_count(), MOST_DENSE);
    match method {
        Method::SsBroyden if parameters > most => Err(TrainError::TooLarge { parameters, most }),
        Method::SsBroyden
        | Method::Auto
        | Method::Adam
        | Method::AdamW { .. }
        | Method::Lbfgs { .. }
        | Method::GaussNewton { .. } => Ok(()),
    }
}

/// The method that a problem file names, for the trainable numbers of a plan. The problem's own scalars
/// are no weights: nothing draws them towards zero.
pub fn optimizer(method: Method, plan: &Plan) -> Box<dyn Optimizer> {
    let parameters = plan.parameter_count();
    match method {
        Method::Adam => Box::new(Adam::new(parameters)),
        Method::AdamW { weight_decay } => {
            Box::new(Adam::decaying(parameters, weight_decay, plan.architecture.weight_count()))
        }
        Method::Lbfgs { memory } => Box::new(QuasiNewton::limited(parameters, memory)),
        Method::SsBroyden => Box::new(QuasiNewton::self_scaled(parameters)),
        // What is left open is settled before: this is what the smallest networks take.
        Method::Auto => Box::new(GaussNewton::new(parameters, Solver::Auto, Wanted::Exact)),
        Method::GaussNewton { solver, products } => Box::new(GaussNewton::new(parameters, solver, products)),
    }
}
