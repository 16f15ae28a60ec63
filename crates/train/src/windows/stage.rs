//! The problem of one window.

use crate::{Experiment, TrainError};
use equation::problem::Problem;
use equation::taylor::{Plan, plan};
use std::borrow::Cow;

/// A window as a problem of its own, and its plan. The terms and residuals are the same in all windows.
pub(crate) struct Stage<'experiment> {
    pub(crate) problem: Cow<'experiment, Problem>,
    pub(crate) plan: Cow<'experiment, Plan>,
}

impl Experiment {
    /// How many windows its time comes in; at least one.
    pub fn window_count(&self) -> usize {
        self.problem().windows().map_or(1, |windows| windows.count())
    }

    /// The problem of the window at position `number`.
    pub(crate) fn stage(&self, number: usize) -> Result<Stage<'_>, TrainError> {
        let Some(windows) = self.problem().windows() else {
            return Ok(Stage { problem: Cow::Borrowed(self.problem()), plan: Cow::Borrowed(self.plan()) });
        };
        let problem = self.problem().window(&windows, number);
        let plan = Cow::Owned(plan(&problem)?);
        Ok(Stage { problem: Cow::Owned(problem), plan })
    }
}
