//! From a [`Problem`] to a [`Plan`]: which derivative channels each loss term carries through the
//! network, the rules by which layers propagate them, and the straight-line programs at both ends.
//!
//! Read in this order: `operator` (linear operators), `channels` (the smallest closed set),
//! `rules` (chain and product rule on it), `lower` (residuals as programs), `interpret` (the oracle).

mod architecture;
mod interpret;

pub use architecture::{Architecture, Scalar};
pub use interpret::Interpreter;

use crate::problem::Problem;

/// Everything that an engine needs to train a problem.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The network as a list of vector operations.
    pub architecture: Architecture,
    /// The loss terms: first the interior, then each condition, then each data table.
    pub terms: Vec<Term>,
    /// All unknowns at a point, ansatz applied: a term whose "residuals" are the values.
    pub prediction: Term,
}

/// Residuals that share their points and one network evaluation.
#[derive(Clone, Debug)]
pub struct Term {
    /// `interior`, or the condition's or data table's name.
    pub name: String,
    /// What its points are drawn from.
    pub source: Source,
    /// What the numbers of a point mean.
    pub row: Row,
    /// What is squared and averaged.
    pub residuals: Vec<Residual>,
}

/// Where a term's points come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The whole domain.
    Interior,
    /// A condition of the problem, by position.
    Condition(usize),
    /// A data table of the problem, by position.
    Data(usize),
    /// Wherever someone asks.
    Prediction,
}

/// The numbers of one point of a term, in this order: the coordinates of site 0, those of site 1
/// (periodic conditions), the outward normal (if asked for), the measured columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Coordinates of the domain.
    pub coordinates: usize,
    /// Places at which the network is evaluated per point: 1 or 2.
    pub sites: usize,
    /// Whether the outward normal follows, one component per coordinate.
    pub normals: bool,
    /// Measured columns.
    pub columns: usize,
}

impl Row {
    /// Numbers per point.
    pub fn width(&self) -> usize {
        self.coordinates * (self.sites + usize::from(self.normals)) + self.columns
    }
}

/// One residual of a term. The loss is Σ weight · mean over the term's points of residual².
#[derive(Clone, Debug)]
pub struct Residual {
    /// The equation's name.
    pub name: String,
    /// Its factor in the loss.
    pub weight: f64,
}

/// Why a problem cannot be planned.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlanError {
    /// An expression outgrew the pool while it was differentiated or expanded.
    #[error("`{equation}`: {overflow}")]
    Overflow {
        /// In which equation.
        equation: String,
        /// Which limit.
        overflow: crate::expression::Overflow,
    },
    /// More channels than an engine can carry.
    #[error("`{term}` needs {channels} derivative channels; at most {limit} are supported")]
    TooManyChannels {
        /// Which term.
        term: String,
        /// How many.
        channels: usize,
        /// The limit.
        limit: usize,
    },
}

/// Plans all terms of a problem.
pub fn plan(_problem: &Problem) -> Result<Plan, PlanError> {
    todo!()
}

impl Plan {
    /// Trainable numbers: all weights, then the problem's scalars in their unbounded form.
    pub fn parameter_count(&self) -> usize {
        self.architecture.parameter_count()
    }

    /// The starting point of training: a pure function of the plan and the seed.
    pub fn initialize(&self, _seed: u64) -> Vec<f64> {
        todo!()
    }

    /// The physical values of the problem's trainable scalars.
    pub fn scalar_values(&self, _parameters: &[f64]) -> Vec<f64> {
        todo!()
    }

    /// The plan as text for people: equations, channels and why, costs, programs and adjoints.
    pub fn explain(&self, _problem: &Problem) -> String {
        todo!()
    }
}
