//! A problem on a periodic interval with its solution, computed when it is first asked for.

use super::{Evolution, History, Unfit, Unsettled};
use equation::problem::Problem;
use std::sync::OnceLock;

/// The solution of a problem in Fourier modes.
#[derive(Clone, Debug)]
pub struct Periodic {
    evolution: Evolution,
    history: OnceLock<Result<History, Unsettled>>,
}

impl Periodic {
    /// The problem in the form that is solved, if it has it. Nothing is solved yet.
    pub fn new(problem: &Problem) -> Result<Self, Unfit> {
        Ok(Periodic { evolution: Evolution::of(problem)?, history: OnceLock::new() })
    }

    /// Solves it, at most once: some tenths of a second to some seconds.
    pub fn history(&self) -> Result<&History, Unsettled> {
        self.history.get_or_init(|| History::settle(&self.evolution)).as_ref().map_err(|last| *last)
    }

    /// Writes the values at these points, quickly where consecutive ones share their time; NaN where there
    /// is no solution.
    pub fn values<'a>(&self, places: impl Iterator<Item = &'a [f64]>, values: &mut [f64]) {
        let Ok(history) = self.history() else { return values.fill(f64::NAN) };
        let mut line = None;
        for (place, value) in places.zip(values) {
            let (t, x) = (place[self.evolution.time], place[self.evolution.space]);
            let line = match &mut line {
                Some((at, line)) if *at == t => line,
                other => &mut other.insert((t, history.at(t))).1,
            };
            *value = line.value(x);
        }
    }
}
