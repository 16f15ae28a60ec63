//! Where a residual is no basis for training.

use equation::problem::Problem;
use std::fmt;

/// A point and the residual there, which is infinite, no number, or too large to be squared.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    /// The point: coordinates by name.
    pub place: Vec<(String, f64)>,
    /// The residual.
    pub value: f64,
}

impl Spot {
    pub(crate) fn new(problem: &Problem, row: &[f64], value: f64) -> Self {
        let names = problem.domain.coordinates.iter().map(|coordinate| coordinate.name.clone());
        Spot { place: names.zip(row.iter().copied()).collect(), value }
    }
}

/// As the end of a sentence about the residual.
impl fmt::Display for Spot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Coordinates that are written out.
        const MOST: usize = 6;
        let shown = self.place.iter().take(MOST);
        let mut parts: Vec<String> =
            shown.map(|(name, value)| format!("{name} = {}", short(*value))).collect();
        if self.place.len() > MOST {
            parts.push("…".to_owned());
        }
        let place = parts.join(", ");
        match self.value {
            value if value.is_nan() => write!(formatter, "is not finite at {place} (not a number)"),
            value if value.is_infinite() => write!(formatter, "is not finite at {place} (infinite)"),
            value => write!(formatter, "is too large, its square is not finite at {place} ({value:.1e})"),
        }
    }
}

/// A number in six digits.
fn short(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}
