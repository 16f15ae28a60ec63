//! Methods that lower the loss.

mod adam;
mod lbfgs;
mod line_search;
mod schedule;
mod state;

pub use adam::Adam;
pub use lbfgs::Lbfgs;
pub use schedule::{Progress, rate};
pub use state::{Array, State, StateError};

use crate::Refusal;
use equation::problem::Optimizer as Method;
use equation::taylor::Plan;
use kernel::Losses;

/// A loss as a function of the parameters.
pub trait Loss {
    /// The losses at `parameters`, with their gradient in `gradient`. On `Ok`, the loss and the squared
    /// norm of the gradient are finite.
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal>;

    /// By how much rounding may change a loss of this size: smaller differences say nothing.
    fn noise(&self, loss: f64) -> f64;
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

    /// The loss is another function from now on: whatever was remembered of its values is void.
    fn forget_loss(&mut self);

    /// Everything that the steps to come depend on, besides the parameters and the loss.
    fn save(&self) -> State;

    /// Continues from a saved state: the steps to come are, bit for bit, those that the saved one would
    /// have taken. On `Err`, the state is unchanged.
    fn restore(&mut self, state: &State) -> Result<(), StateError>;
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
        Method::Lbfgs { memory } => Box::new(Lbfgs::new(parameters, memory)),
    }
}
