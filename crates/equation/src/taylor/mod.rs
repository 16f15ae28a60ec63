//! From a [`Problem`] to a [`Plan`]: which derivative channels each loss term carries through the
//! network, the rules by which layers propagate them, and the straight-line programs at both ends.
//!
//! Read in this order: `operator` (linear operators), `channels` (the smallest closed set),
//! `rules` (chain and product rule on it), `lower` (residuals as programs), `interpret` (the oracle).

mod activation;
mod adjoint;
mod architecture;
mod carry;
mod channels;
mod cost;
mod explain;
mod features;
mod given;
mod interpret;
mod jets;
mod last_layer;
mod listing;
mod lower;
mod operator;
mod program;
mod propagate;
mod rules;
mod scalar;
mod series;
mod split;
mod wiring;

pub use activation::{Derivatives, Wave, derivatives};
pub use adjoint::Variable;
pub use architecture::{Architecture, Feature, InitialDistribution, Layer, Signal, Tensor};
pub use channels::{ChannelKind, Channels, Weight};
pub use cost::Cost;
pub use given::GivenColumns;
pub use interpret::{Interpreter, Origin};
pub use operator::{Operator, VariableOperator};
pub use program::{Inputs, Instruction, Program, Register};
pub use rules::{ChainTerm, ProductTerm, Rules, Seed};
pub use scalar::Scalar;

use crate::expression::{Channel, Derivative, Expression, Overflow, Pool};
use crate::problem::{Equation, INTERIOR, Place, Problem};
use lower::Lowering;
use std::sync::Arc;

/// Everything that an engine needs to train a problem.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The network as a list of vector operations.
    pub architecture: Arc<Architecture>,
    /// The loss terms: first the interior, then each condition, then each data table.
    pub terms: Vec<Arc<Term>>,
    /// All unknowns at a point, ansatz applied: a term whose "residuals" are the values.
    pub prediction: Arc<Term>,
    /// How the problem's trainable scalars follow from the numbers behind the weights.
    pub scalars: Vec<Scalar>,
    /// Where their training starts.
    scalar_starts: Vec<f64>,
    /// Owns the expressions that the terms still refer to.
    pool: Pool,
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
    /// The residuals as operators applied to unknowns, before channels were chosen.
    pub understood: Vec<Expression>,
    /// The operators that the residuals apply to unknowns.
    pub operators: Vec<VariableOperator>,
    /// What the network carries to compute them.
    pub channels: Channels,
    /// How layers propagate that.
    pub rules: Rules,
    /// The channels of network outputs that `residual` reads, in the order of its signals.
    pub signals: Vec<Channel>,
    /// From the row of a point to [`Channels::coefficients`].
    pub coefficients: Program,
    /// From adjoints of the coefficients to adjoints of the scalars.
    pub coefficients_adjoint: Adjoint,
    /// Known functions that come with each point, and how they follow from its coordinates.
    pub given: Option<GivenColumns>,
    /// From row and signals to residuals.
    pub residual: Program,
    /// From adjoints of the residuals to adjoints of signals and scalars.
    pub adjoint: Adjoint,
    /// What a point costs.
    pub cost: Cost,
}

/// An adjoint program with the meaning of its outputs.
#[derive(Clone, Debug)]
pub struct Adjoint {
    /// Reads one seed per output of the original program.
    pub program: Program,
    /// What each output is the adjoint of.
    pub variables: Vec<Variable>,
}

impl From<(Program, Vec<Variable>)> for Adjoint {
    fn from((program, variables): (Program, Vec<Variable>)) -> Self {
        Adjoint { program, variables }
    }
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

/// The numbers of one point of a term, in this order: the coordinates of site 0, those of further sites
/// (periodic conditions, integrals), the outward normal (if asked for), values and derivatives of known functions, the columns: what was measured there, or inside the
/// domain, where points are weighted by their residuals, those weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Coordinates of the domain.
    pub coordinates: usize,
    /// Places at which the network is evaluated per point.
    pub sites: usize,
    /// Whether the outward normal follows, one component per coordinate.
    pub normals: bool,
    /// Values and derivatives of known functions, before the columns.
    pub given: usize,
    /// Measured columns, or weights.
    pub columns: usize,
}

impl Row {
    /// Where known functions begin.
    pub fn first_given(&self) -> usize {
        self.coordinates * (self.sites + usize::from(self.normals))
    }

    /// Where columns begin.
    pub fn first_column(&self) -> usize {
        self.first_given() + self.given
    }

    /// Numbers per point.
    pub fn width(&self) -> usize {
        self.first_column() + self.columns
    }
}

/// One residual of a term. The loss is Σ weight · mean over the term's points of residual².
#[derive(Clone, Debug)]
pub struct Residual {
    /// The equation's name.
    pub name: String,
    /// Its factor in the loss, where nothing balances it against others.
    pub weight: f64,
    /// Whether the file states that factor.
    pub stated: bool,
}

/// Why a problem cannot be planned.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlanError {
    /// An expression outgrew the pool while it was differentiated or expanded.
    #[error("`{term}`: {overflow}")]
    Overflow {
        /// In which term.
        term: String,
        /// Which limit.
        overflow: Overflow,
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

/// Plans all terms of a problem. Whoever runs the plan shares it.
pub fn plan(problem: &Problem) -> Result<Arc<Plan>, PlanError> {
    let architecture = Architecture::new(problem);
    let scalars: Vec<Scalar> = problem.parameters.iter().map(Scalar::new).collect();
    let mut pool = problem.pool.clone();
    let weighs_points = problem.training.phases.iter().any(|phase| phase.residual_weights.is_some());
    let insides = problem.insides();
    let mut lowering = Lowering {
        pool: &mut pool,
        architecture: &architecture,
        given: &problem.given,
        insides: &insides,
        told: false,
        unknowns: &problem.unknowns,
        scalars: &scalars,
        coordinates: problem.domain.len(),
        weighs_points,
    };
    let mut terms =
        vec![lowering.term(INTERIOR, Source::Interior, 1 + problem.elsewhere.len(), &problem.equations)?];
    for (position, condition) in problem.conditions.iter().enumerate() {
        let sites = match condition.place {
            Place::Pieces(_) => 1 + condition.elsewhere.len(),
            Place::Wrap { .. } | Place::Interface { .. } => 2,
        };
        let source = Source::Condition(position);
        lowering.told = matches!(condition.place, Place::Interface { .. });
        terms.push(lowering.term(&condition.name, source, sites, &condition.equations)?);
    }
    lowering.told = false;
    for (position, data) in problem.data.iter().enumerate() {
        terms.push(lowering.term(&data.name, Source::Data(position), 1, &data.equations)?);
    }
    let prediction = lowering.term("prediction", Source::Prediction, 1, &[])?;
    let scalar_starts = problem.parameters.iter().map(|parameter| parameter.start).collect();
    let (architecture, prediction) = (Arc::new(architecture), Arc::new(prediction));
    let terms = terms.into_iter().map(Arc::new).collect();
    let plan = Plan { architecture, terms, prediction, scalars, scalar_starts, pool };
    let values: Vec<_> = (0..problem.unknowns.len()).map(|unknown| (unknown, Derivative::NONE)).collect();
    plan.predicting(problem, &values)
}

impl Plan {
    /// The same plan, whose prediction is these fields: unknowns (by position) and their derivatives.
    pub fn predicting(
        &self,
        problem: &Problem,
        fields: &[(usize, Derivative)],
    ) -> Result<Arc<Plan>, PlanError> {
        let mut plan = self.clone();
        let field = |&(unknown, derivative): &(usize, Derivative)| {
            (problem.field_name(unknown, derivative), plan.pool.field(unknown, derivative))
        };
        let fields: Vec<(String, Expression)> = fields.iter().map(field).collect();
        plan.asked(problem, fields)
    }

    /// The same plan, whose prediction is these expressions of the problem.
    pub fn asking(&self, problem: &Problem, expressions: &[Expression]) -> Result<Arc<Plan>, PlanError> {
        let named = |(place, &expression): (usize, &Expression)| (format!("asked{place}"), expression);
        self.clone().asked(problem, expressions.iter().enumerate().map(named).collect())
    }

    fn asked(self, problem: &Problem, asked: Vec<(String, Expression)>) -> Result<Arc<Plan>, PlanError> {
        let mut plan = self;
        let equation =
            |(name, residual): (String, _)| Equation { text: name.clone(), name, residual, weight: None };
        let equations: Vec<Equation> = asked.into_iter().map(equation).collect();
        let insides = problem.insides();
        let mut lowering = Lowering {
            given: &problem.given,
            insides: &insides,
            told: false,
            pool: &mut plan.pool,
            architecture: &plan.architecture,
            unknowns: &problem.unknowns,
            scalars: &plan.scalars,
            coordinates: problem.domain.len(),
            weighs_points: false,
        };
        plan.prediction = Arc::new(lowering.term("prediction", Source::Prediction, 1, &equations)?);
        Ok(Arc::new(plan))
    }

    /// The term inside the domain with its position, where every point has weights of its own: a column for each
    /// residual, with which it is multiplied.
    pub fn weighted_points(&self) -> Option<(usize, &Arc<Term>)> {
        let mut terms = self.terms.iter().enumerate();
        terms.find(|(_, term)| term.source == Source::Interior && term.row.columns > 0)
    }

    /// Trainable numbers: all weights, then the problem's scalars in their unbounded form.
    pub fn parameter_count(&self) -> usize {
        self.architecture.weight_count() + self.scalars.len()
    }

    /// The weight of every residual of every term, term by term.
    pub fn weights(&self) -> Vec<f64> {
        self.terms.iter().flat_map(|term| &term.residuals).map(|residual| residual.weight).collect()
    }

    /// The starting point of training: a pure function of the plan and the seed.
    pub fn initialize(&self, seed: u64) -> Vec<f64> {
        let mut parameters = vec![0.0; self.parameter_count()];
        self.architecture.initialize(seed, &mut parameters);
        let numbers = &mut parameters[self.architecture.weight_count()..];
        for ((number, scalar), start) in numbers.iter_mut().zip(&self.scalars).zip(&self.scalar_starts) {
            *number = scalar.number(*start);
        }
        parameters
    }

    /// The physical values of the problem's trainable scalars.
    pub fn scalar_values(&self, parameters: &[f64]) -> Vec<f64> {
        let numbers = &parameters[self.architecture.weight_count()..];
        self.scalars.iter().zip(numbers).map(|(scalar, &number)| scalar.value(number)).collect()
    }
}

#[cfg(test)]
mod tests;
