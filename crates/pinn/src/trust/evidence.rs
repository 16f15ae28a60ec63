//! What was seen of a solution and of others like it, as numbers.

use serde::{Deserialize, Serialize};

/// Another solution of the same problem beside the one that is judged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OtherSolution {
    /// The part of the steps of the solution at hand that it has had.
    pub part: f64,
    /// Of every unknown, the difference of both relative to the solution at hand, as a relative L2 error is one; `None` where that is
    /// zero everywhere.
    pub moved: Vec<Option<f64>>,
    /// The root of the loss that the difference of their residuals at fresh points makes.
    pub difference: f64,
    /// The root of its own loss there.
    pub residual: f64,
    /// Its largest residual beside the largest term of its equation, where that was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_residual: Option<f64>,
}

/// Everything that an estimate is made of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The root of the loss at fresh points.
    pub residual: f64,
    /// The same at points of training.
    pub trained_residual: Option<f64>,
    /// The largest residual beside the largest term of its equation.
    pub relative_residual: Option<f64>,
    /// What training passed through, from early to late.
    pub trail: Vec<OtherSolution>,
    /// A network from another seed.
    pub second: Option<OtherSolution>,
    /// One rounding of the numbers that were trained in.
    pub epsilon: f64,
    /// Steps that were taken.
    pub steps: u64,
    /// Faces and pieces of the boundary without a condition, where there should be one.
    pub missing: usize,
    /// Oscillation periods in time, where the equations tell, and the problem file states its windows.
    pub periods: Option<f64>,
    /// Time windows.
    pub windows: usize,
}

impl OtherSolution {
    /// The error of the solution at hand, if errors fall as residuals do from this one to that: with a `residual` of its own. `None` where
    /// both have about the same residuals, which tell nothing then.
    pub(super) fn carried_on(&self, unknown: usize, residual: f64) -> Option<f64> {
        /// Training that stands still has residuals that do not fall, and moves of rounding.
        const MOST: f64 = 30.0;
        let moved = self.moved.get(unknown).copied().flatten()?;
        let factor = residual / self.difference;
        Some(moved * factor).filter(|error| factor < MOST && error.is_finite())
    }
}
