//! Training as the file describes it.

use super::Parts;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// How a problem is trained.
#[derive(Clone, Debug)]
pub struct Training {
    /// Everything random follows from it.
    pub seed: u64,
    /// Points on each condition that does not state its own number.
    pub condition_points: usize,
    /// Whether conditions may be built into the ansatz of any unknown.
    pub hard_constraints: HardConstraints,
    /// Parts of time that are trained one after the other, each with a network of its own; at least one.
    pub windows: Parts,
    /// Steps to take in all, whatever the budgets say.
    pub steps: Option<u64>,
    /// One after the other, as stated; at least one.
    pub phases: Vec<Phase>,
}

/// Whether conditions may be built into an ansatz instead of being penalties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HardConstraints {
    /// Wherever that is possible.
    Auto,
    /// Nowhere.
    Off,
}

/// A stretch of training with one optimizer.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Which method.
    pub optimizer: Optimizer,
    /// Points inside the domain, if stated.
    pub points: Option<usize>,
    /// To how many they may grow, if stated.
    pub most_points: Option<usize>,
    /// How they, and those of the conditions, are chosen.
    pub sampler: Sampler,
    /// Whether points gather where residuals are large, if stated.
    pub adaptive: Option<bool>,
    /// Whether early times come first, if stated.
    pub causal: Option<bool>,
    /// Whether conditions whose weights are not stated are balanced against the equations, if stated.
    pub balance: Option<bool>,
    /// How residuals that stay large come to weigh more, if they do.
    pub attention: Option<Attention>,
    /// Steps between two draws of fresh points, if stated; zero keeps the first ones.
    pub resample: Option<u64>,
    /// Step length of first-order methods.
    pub learning_rate: f64,
    /// How the step length changes over the phase.
    pub schedule: Schedule,
    /// When it ends, if stated; at least one bound is set then.
    pub budget: Option<Budget>,
}

/// Residual-based attention (Anagnostopoulos, Toscano, Stergiopulos, Karniadakis 2024): each step multiplies the
/// weight of a point by `decay` and adds `rate` times its residual over the largest one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attention {
    /// What is left of a weight after a step; at least 0, below 1.
    pub decay: f64,
    /// What a step adds where the residual is largest; above 0.
    pub rate: f64,
}

/// An optimization method.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimizer {
    /// Whatever suits the network: settled when its size is known.
    Auto,
    /// Adam (Kingma, Ba 2015).
    Adam,
    /// Adam with decoupled weight decay (Loshchilov, Hutter 2019).
    AdamW {
        /// Share of every weight that a step of length one takes away.
        weight_decay: f64,
    },
    /// L-BFGS (Nocedal 1980). It finds its own step length.
    Lbfgs {
        /// Steps that its model of the curvature is made of.
        memory: usize,
    },
    /// Self-scaled Broyden (Al-Baali, Khalfan 2005). It finds its own step length.
    SsBroyden,
    /// Gauss-Newton, damped (Levenberg 1944, Marquardt 1963). It finds its own step length.
    GaussNewton {
        /// How its linear equations are solved.
        solver: Solver,
        /// In which numbers a GPU adds them up.
        products: Products,
    },
}

/// How the linear equations of a Gauss-Newton step are solved. All look for the same step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solver {
    /// In whatever way is cheapest for the number of rows and parameters.
    Auto,
    /// JᵀJ, of the size of the parameters, and its Cholesky factor.
    NormalEquations,
    /// JJᵀ, of the size of the rows, and its Cholesky factor (Woodbury 1950).
    Woodbury,
    /// Products with J and Jᵀ alone (Hestenes, Stiefel 1952).
    ConjugateGradients,
    /// A few of those, in terms of the equations of fewer rows: sums of all rows with random signs (Clarkson, Woodruff 2013).
    Sketch,
    /// JᵀJ of a random subspace of the parameters, another one at every step (Cartis, Fowkes, Shao 2022).
    Subspace,
}

impl Solver {
    /// All of them.
    pub const ALL: [Solver; 6] = [
        Solver::Auto,
        Solver::NormalEquations,
        Solver::Woodbury,
        Solver::ConjugateGradients,
        Solver::Sketch,
        Solver::Subspace,
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Solver::Auto => "auto",
            Solver::NormalEquations => "normal-equations",
            Solver::Woodbury => "woodbury",
            Solver::ConjugateGradients => "conjugate-gradients",
            Solver::Sketch => "sketch",
            Solver::Subspace => "subspace",
        }
    }
}

/// In which numbers a GPU multiplies the rows of a Gauss-Newton step with each other. Other devices do so in f64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Products {
    /// In f64.
    Exact,
    /// In half precision where damping is far above its error, in f64 elsewhere.
    Short,
}

impl Products {
    /// All of them.
    pub const ALL: [Products; 2] = [Products::Exact, Products::Short];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Products::Exact => "exact",
            Products::Short => "short",
        }
    }
}

impl Optimizer {
    /// Gauss-Newton with everything left open.
    pub const GAUSS_NEWTON: Optimizer =
        Optimizer::GaussNewton { solver: Solver::Auto, products: Products::Exact };

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Optimizer::Auto => "auto",
            Optimizer::Adam => "Adam",
            Optimizer::AdamW { .. } => "AdamW",
            Optimizer::Lbfgs { .. } => "L-BFGS",
            Optimizer::SsBroyden => "SSBroyden",
            Optimizer::GaussNewton { .. } => "Gauss-Newton",
        }
    }
}

/// How points are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampler {
    /// The Sobol sequence, scrambled (Owen 1995).
    Sobol,
    /// Independent of each other.
    Uniform,
    /// Latin hypercubes (McKay, Beckman, Conover 1979).
    LatinHypercube,
}

/// How a step length changes over a phase.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Schedule {
    /// It does not.
    Constant,
    /// Multiplied by `factor` every `steps` steps, smoothly.
    Exponential {
        /// Between 0 and 1.
        factor: f64,
        /// Steps per factor.
        steps: u64,
    },
    /// Half a cosine from the full length to zero over the phase's steps, after a linear start.
    Cosine {
        /// Steps until the full length is reached.
        warmup: u64,
    },
}

/// When a phase ends: at the first bound that is met.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Budget {
    /// After this many steps.
    pub steps: Option<u64>,
    /// After this much time.
    pub seconds: Option<f64>,
    /// When the loss falls below.
    pub loss: Option<f64>,
    /// When the relative L2 error of every unknown with a reference falls below.
    pub error: Option<f64>,
}

impl Budget {
    /// Adds one bound such as `60 s` or `5000 steps`. False when it is none, or the second of its kind.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let digits = text.find(|c: char| c.is_alphabetic() && c != 'e').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let Ok(value) = number.trim().replace('_', "").parse::<f64>() else { return false };
        if !value.is_finite() || value <= 0.0 {
            return false;
        }
        let seconds = match unit.trim() {
            "step" | "steps" => {
                let whole = value.fract() == 0.0 && value < 1e18 && self.steps.is_none();
                self.steps = Some(value as u64);
                return whole;
            }
            "s" | "sec" | "second" | "seconds" => value,
            "min" | "mins" | "minute" | "minutes" => 60.0 * value,
            "h" | "hour" | "hours" => 3600.0 * value,
            _ => return false,
        };
        let first = self.seconds.is_none();
        self.seconds = Some(seconds);
        first
    }
}

/// A text that states no time and no number of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a budget is a time, a number of steps or both, such as 60s, 2min or \"300 steps, 60 s\"")]
pub struct NoBudget;

impl FromStr for Budget {
    type Err = NoBudget;

    /// Bounds separated by commas, as in problem files.
    fn from_str(text: &str) -> Result<Self, NoBudget> {
        let mut budget = Budget::default();
        let bounds = text.split(',').all(|bound| budget.add(bound.trim()));
        if bounds { Ok(budget) } else { Err(NoBudget) }
    }
}

impl Display for Budget {
    /// As the command line takes it, but for bounds of loss and error.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let bounds = [
            self.steps.map(|steps| format!("{steps} steps")),
            self.seconds.map(|seconds| format!("{seconds} s")),
            self.loss.map(|loss| format!("loss {loss:e}")),
            self.error.map(|error| format!("error {error:e}")),
        ];
        f.write_str(&bounds.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}
