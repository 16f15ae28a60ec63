//! When training ends.

use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// When a phase ends: at the first bound that is met.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
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
    pub fn add(&mut self, text: &str) -> bool {
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

    /// As a table of a problem file.
    pub fn written(self) -> String {
        let bounds = [
            self.steps.map(|steps| format!("steps = {steps}")),
            self.seconds.map(|seconds| format!("seconds = {seconds:?}")),
            self.loss.map(|loss| format!("loss = {loss:?}")),
            self.error.map(|error| format!("error = {error:?}")),
        ];
        format!("{{ {} }}", bounds.into_iter().flatten().collect::<Vec<_>>().join(", "))
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
