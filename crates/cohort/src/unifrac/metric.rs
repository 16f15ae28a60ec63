//! The distances, as data.

use std::fmt;
use std::str::FromStr;

/// A distance between two samples along a tree.
///
/// With b the length of a branch and p, q the shares of both samples' reads below it, over all branches:
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Metric {
    /// The length that only one of them has over the length that any of them has (Lozupone, Knight 2005).
    Unweighted,
    /// Σ b·|p − q| (Lozupone et al. 2007).
    Weighted,
    /// Σ b·|p − q| / Σ b·(p + q).
    Normalized,
    /// Σ b·(p + q)^(α−1)·|p − q| / Σ b·(p + q)^α (Chen et al. 2012); α is 0 or more.
    Generalized(f64),
    /// Σ b·|p − q|/v / Σ b·(p + q)/v with v = √(m·(M − m)), where of all M reads of both samples m are below the branch
    /// (Chang, Luan, Sun 2011).
    VarianceAdjusted,
}

/// A name that is no metric.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MetricError {
    /// Not one of them.
    #[error("{0} is no metric: unweighted, weighted, normalized, generalized and variance-adjusted are")]
    Unknown(String),
    /// An exponent that none is.
    #[error("alpha is a number from 0 to 1")]
    Alpha,
}

impl Metric {
    /// The generalized distance with an exponent.
    pub fn generalized(alpha: f64) -> Result<Metric, MetricError> {
        if (0.0..=1.0).contains(&alpha) { Ok(Metric::Generalized(alpha)) } else { Err(MetricError::Alpha) }
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Metric, MetricError> {
        match text {
            "unweighted" => Ok(Metric::Unweighted),
            "weighted" => Ok(Metric::Weighted),
            "normalized" => Ok(Metric::Normalized),
            "generalized" => Ok(Metric::Generalized(0.5)),
            "variance-adjusted" => Ok(Metric::VarianceAdjusted),
            other => Err(MetricError::Unknown(other.to_owned())),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Unweighted => formatter.write_str("unweighted"),
            Metric::Weighted => formatter.write_str("weighted"),
            Metric::Normalized => formatter.write_str("normalized"),
            Metric::Generalized(alpha) => write!(formatter, "generalized (alpha {alpha})"),
            Metric::VarianceAdjusted => formatter.write_str("variance-adjusted"),
        }
    }
}
