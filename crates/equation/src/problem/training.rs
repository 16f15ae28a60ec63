//! Training as the file describes it.

use super::{Parts, Sampler, Sampling};
use method::{Balance, Budget, Clip, GradientCheck, Guard, Method, Precision, Schedule, Solver};

/// Points on a condition that states none.
pub(crate) const CONDITION_POINTS: usize = 256;

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
    /// The numbers to compute in, if stated.
    pub precision: Option<Precision>,
    /// Whether the fastest of those that are accurate enough is looked for by time.
    pub precision_by_time: bool,
    /// Steps to take in all, whatever the budgets say.
    pub steps: Option<u64>,
    /// One after the other, as stated; at least one.
    pub phases: Vec<Phase>,
    /// Whether the file lists them under `[[training.phase]]`: otherwise there is one, which `[training]` states.
    pub listed: bool,
    /// Keys that the file states and that have no effect any more.
    pub without_effect: Vec<&'static str>,
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
    pub optimizer: Method,
    /// How it solves its linear equations, if stated: what the method has, too.
    pub solver: Option<Solver>,
    /// Points inside the domain, if stated.
    pub points: Option<usize>,
    /// How many of them are found at a time, if stated: all of them are visited once in an epoch.
    pub batch: Option<usize>,
    /// Whether that is as many as memory holds, to be found before training.
    pub batch_by_memory: bool,
    /// How many batches a step adds up.
    pub accumulate: usize,
    /// To how many they may grow, if stated.
    pub most_points: Option<usize>,
    /// How they, and those of the conditions, are chosen.
    pub sampler: Sampler,
    /// Whether points gather where residuals are large, if stated.
    pub adaptive: Option<bool>,
    /// Whether early times come first, if stated.
    pub causal: Option<bool>,
    /// All of that as a list, if stated; it comes before the three above, which are stated in its place or not at all.
    pub sampling: Option<Sampling>,
    /// How parts of the loss whose weights are not stated are balanced against the others, if stated.
    pub balance: Option<Balance>,
    /// How residuals that stay large come to weigh more, if they do.
    pub residual_weights: Option<ResidualWeights>,
    /// Steps between two draws of fresh points, if stated; zero keeps the first ones.
    pub resample: Option<u64>,
    /// Step length of first-order methods.
    pub learning_rate: f64,
    /// How the step length changes over the phase.
    pub schedule: Schedule,
    /// How training is kept from breaking, if stated.
    pub guard: Option<Guard>,
    /// How gradients are made shorter before a step, one rule after the other.
    pub clip: Vec<Clip>,
    /// How gradients are compared with those in f64, if stated.
    pub gradient_check: Option<GradientCheck>,
    /// When it ends, if stated; at least one bound is set then.
    pub budget: Option<Budget>,
}

/// Residual-based attention (Anagnostopoulos, Toscano, Stergiopulos, Karniadakis 2024): each step multiplies the
/// weight of a point by `decay` and adds `rate` times its residual over the largest one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ResidualWeights {
    /// What is left of a weight after a step; at least 0, below 1.
    pub decay: f64,
    /// What a step adds where the residual is largest; above 0.
    pub rate: f64,
}
