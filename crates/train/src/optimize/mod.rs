//! Methods that lower the loss.

mod adam;
mod gauss_newton;
mod line_search;
mod loose;
mod momentum;
mod muon;
mod nncg;
mod quasi_newton;
mod roles;
mod schedule;
mod soap;

pub use adam::Adam;
pub use gauss_newton::GaussNewton;
pub use momentum::Momentum;
pub use muon::Muon;
pub use nncg::{NewtonSettings, NysNewtonCg};
pub use quasi_newton::QuasiNewton;
pub use roles::{AffineMap, Roles};
pub(crate) use schedule::{Follower, LOOK};
pub use schedule::{Progress, rate};
pub use soap::Soap;

use crate::{Loss, Losses, Refusal, Shortage, State, StateError};
use linear::{Carried, Update};
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

    /// How the parameters move, and what is remembered from step to step for that, for methods whose steps a device can
    /// take by itself.
    fn update(&mut self) -> Option<(Update, Carried<'_>)> {
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
        | Method::Sgd { .. }
        | Method::RmsProp { .. }
        | Method::Soap { .. }
        | Method::Muon { .. }
        | Method::NysNewtonCg { .. }
        | Method::Lbfgs { .. }
        | Method::GaussNewton { .. } => None,
    }
}

/// The method of this name for trainable numbers with these roles.
pub fn optimizer(method: Method, roles: &Roles) -> Box<dyn Optimizer> {
    let Roles { count: parameters, weights, .. } = *roles;
    match method {
        Method::Adam => Box::new(Adam::new(parameters)),
        Method::AdamW { weight_decay } => Box::new(Adam::decaying(parameters, weight_decay, weights)),
        Method::Sgd { momentum, nesterov } => Box::new(Momentum::sgd(parameters, momentum, nesterov)),
        Method::RmsProp { square_decay, momentum } => {
            Box::new(Momentum::rmsprop(parameters, square_decay, momentum))
        }
        Method::Soap { precondition_every } => Box::new(Soap::new(roles, precondition_every)),
        Method::Muon { momentum } => Box::new(Muon::new(roles, momentum)),
        Method::NysNewtonCg { damping, rank, precondition_every } => {
            let every = precondition_every as u64;
            Box::new(NysNewtonCg::new(parameters, NewtonSettings { damping, rank, every }))
        }
        Method::Lbfgs { memory } => Box::new(QuasiNewton::limited(parameters, memory)),
        Method::SsBroyden => Box::new(QuasiNewton::self_scaled(parameters)),
        // What is left open is settled before: this is what the smallest networks take.
        Method::Auto => Box::new(GaussNewton::new(parameters, Solver::Auto)),
        Method::GaussNewton { solver } => Box::new(GaussNewton::new(parameters, solver)),
    }
}
