//! A problem on a periodic interval or rectangle with its solution, computed when it is first asked for.

use super::history::Effort;
use super::level::{Line, Spectrum};
use super::{Evolution, History, Unfit, Unsettled};
use equation::problem::Problem;
use std::sync::OnceLock;
use store::{Cache, Key};

/// The solution of a problem in Fourier modes.
#[derive(Clone, Debug)]
pub struct Periodic {
    evolution: Evolution,
    effort: Effort,
    cache: Cache,
    history: OnceLock<Result<History, Unsettled>>,
}

impl Periodic {
    /// The problem in the form that is solved, if it has it. Nothing is solved yet.
    pub fn new(problem: &Problem, tolerance: Option<f64>, cache: &Cache) -> Result<Self, Unfit> {
        let evolution = Evolution::of(problem)?;
        let effort = Effort::new(evolution.space.len(), tolerance);
        Ok(Periodic { evolution, effort, cache: cache.clone(), history: OnceLock::new() })
    }

    /// Finds it in the cache or solves it, at most once: tenths of a second to seconds along a line, seconds
    /// to minutes in the plane.
    pub fn history(&self) -> Result<&History, Unsettled> {
        let solved = self.history.get_or_init(|| {
            let key = Key::of(&[&self.statement()]);
            let kept = self.cache.get(key).and_then(|bytes| History::from_bytes(&bytes));
            if let Some(history) = kept {
                return Ok(history);
            }
            let history = History::settle(&self.evolution, self.effort)?;
            self.cache.put(key, &history.to_bytes());
            Ok(history)
        });
        solved.as_ref().map_err(|last| *last)
    }

    /// What is solved, and how.
    fn statement(&self) -> String {
        format!("fourier-etdrk4 4, {:?}\n{}", self.effort, self.evolution.statement)
    }

    /// Writes the values of an unknown at these points, quickly where consecutive ones share their time, or
    /// also their first coordinate; NaN where there is no solution.
    pub fn values<'a>(&self, unknown: usize, places: impl Iterator<Item = &'a [f64]>, values: &mut [f64]) {
        let Ok(history) = self.history() else { return values.fill(f64::NAN) };
        let part = |axis: usize, value: f64| {
            let (low, high) = self.evolution.intervals[axis];
            (value - low) / (high - low)
        };
        let mut level: Option<(f64, Spectrum)> = None;
        let mut line: Option<([f64; 2], Line)> = None;
        for (place, value) in places.zip(values) {
            let t = place[self.evolution.time];
            let (first, last) = match *self.evolution.space.as_slice() {
                [first, last] => (part(0, place[first]), part(1, place[last])),
                [last] => (0.0, part(1, place[last])),
                _ => (f64::NAN, f64::NAN),
            };
            if t == self.evolution.times.0 {
                // Where the start has kinks, its formula is more accurate than its modes.
                *value = self.evolution.at_start(unknown, place);
                continue;
            }
            let level = match &mut level {
                Some((at, level)) if *at == t => level,
                other => &mut other.insert((t, history.at(t, unknown))).1,
            };
            let line = match &mut line {
                Some((at, line)) if *at == [t, first] => line,
                other => &mut other.insert(([t, first], level.line(first))).1,
            };
            *value = line.value(last);
        }
    }
}
