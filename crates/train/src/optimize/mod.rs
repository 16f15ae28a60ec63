//! Methods that lower the loss.

mod adam;
mod gauss_newton;
mod line_search;
mod quasi_newton;
mod schedule;

pub use adam::Adam;
pub use gauss_newton::GaussNewton;
pub use quasi_newton::QuasiNewton;
pub use schedule::{Progress, rate};

use crate::{Loss, Losses, Refusal, Shortage, State, StateError};
use linear::{Moments, Update};
use method::{Method, Solver};
use serde::Serialize;

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
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
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

    /// What it does by a slower path, by its last step.
    fn fallback(&self) -> Option<Shortage> {
        None
    }

    /// The loss is another function from now on: whatever was remembered of its values is void.
    fn forget_loss(&mut self);

    /// Whether more points are available where there are too few.
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

/// The most trainable numbers that a method takes, where there is such a number.
pub fn most_parameters(method: Method) -> Option<usize> {
    match method {
        Method::SsBroyden => Some(MOST_DENSE),
        Method::Auto
        | Method::Adam
        | Method::AdamW { .. }
        | Method::Lbfgs { .. }
        | Method::GaussNewton { .. } => None,
    }
}

/// The method of this name for so many trainable numbers, the first `weights` of which are weights: nothing draws the others
/// towards zero.
pub fn optimizer(method: Method, parameters: usize, weights: usize) -> Box<dyn Optimizer> {
    match method {
        Method::Adam => Box::new(Adam::new(parameters)),
        Method::AdamW { weight_decay } => Box::new(Adam::decaying(parameters, weight_decay, weights)),
        Method::Lbfgs { memory } => Box::new(QuasiNewton::limited(parameters, memory)),
        Method::SsBroyden => Box::new(QuasiNewton::self_scaled(parameters)),
        // What is left open is settled before: this is what the smallest networks take.
        Method::Auto => Box::new(GaussNewton::new(parameters, Solver::Auto)),
        Method::GaussNewton { solver } => Box::new(GaussNewton::new(parameters, solver)),
    }
}
