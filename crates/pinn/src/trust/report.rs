//! An estimate as it is told.

use super::doubt::Doubt;
use super::evidence::Evidence;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether a solution can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Its error is about what the estimate says.
    Good,
    /// Its error may be larger than it should be.
    Doubtful,
    /// It cannot be trusted.
    Bad,
}

impl Confidence {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Good => "good",
            Confidence::Doubtful => "doubtful",
            Confidence::Bad => "bad",
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a coordinate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Near {
    /// Its name.
    pub coordinate: String,
    /// Its value.
    pub value: f64,
}

/// How wrong an unknown is, as far as can be told without its reference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UnknownEstimate {
    /// Its name.
    pub name: String,
    /// Of the same number that is measured where there is a reference; `None` where nothing tells, or where the unknown is zero.
    pub relative_l2: Option<f64>,
    /// Of the root mean square of the error.
    pub root_mean_square: Option<f64>,
    /// The same in units of the difference between its largest and its smallest value.
    pub of_range: Option<f64>,
    /// Of the largest error.
    pub largest: Option<f64>,
    /// Where that is likely to be.
    pub near: Vec<Near>,
}

/// How wrong a solution is, as far as can be told without a reference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ErrorEstimate {
    /// Whether it can be trusted.
    pub trust: Confidence,
    /// Why not, the likeliest cause first; a solution that can be trusted may have some, too.
    pub doubts: Vec<Doubt>,
    /// One by one.
    pub unknowns: Vec<UnknownEstimate>,
    /// What it is made of.
    pub evidence: Evidence,
    /// How long it took.
    pub seconds: f64,
}

impl ErrorEstimate {
    /// The largest relative error of an unknown.
    pub fn largest(&self) -> Option<f64> {
        self.unknowns.iter().filter_map(|unknown| unknown.relative_l2).reduce(f64::max)
    }
}
