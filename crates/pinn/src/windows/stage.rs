//! The problem of one window.

use crate::decide::{Settings, settle};
use crate::{Experiment, TrainError};
use equation::problem::{Budget, Problem};
use equation::taylor::{Plan, plan};
use std::borrow::Cow;
use std::sync::Arc;

/// A window as a problem of its own, and its plan. The terms and residuals are the same in all windows.
pub(crate) struct Stage<'experiment> {
    pub(crate) problem: Cow<'experiment, Problem>,
    pub(crate) plan: Arc<Plan>,
    /// What its training goes through.
    pub(crate) phases: Cow<'experiment, [Settings]>,
}

impl Experiment {
    /// How many windows its time comes in; at least one.
    pub fn window_count(&self) -> usize {
        self.problem().windows().map_or(1, |windows| windows.count())
    }

    /// The problem of the window at position `number`.
    pub(crate) fn stage(&self, number: usize) -> Result<Stage<'_>, TrainError> {
        let Some(windows) = self.problem().windows() else {
            let phases = Cow::Borrowed(self.settled());
            return Ok(Stage {
                problem: Cow::Borrowed(self.problem()),
                plan: Arc::clone(self.plan()),
                phases,
            });
        };
        let problem = self.problem().window(&windows, number);
        let plan = plan(&problem)?;
        // A window has its own terms, and its own part of all budgets.
        let phases = settle(&problem, &plan, self.device(), self.precision()).phases;
        Ok(Stage { problem: Cow::Owned(problem), plan, phases: Cow::Owned(phases) })
    }
}

impl Stage<'_> {
    /// Seconds of all phases, if all of them state theirs and no number of steps takes their place.
    pub(crate) fn seconds(&self) -> Option<f64> {
        stated(&self.problem).filter(|_| self.problem.training.steps.is_none())
    }

    /// Shortens the window's time where those before have taken more than theirs: a last step may be long, and all that
    /// follow are to have a turn. Of the windows of the `whole`, so many are left, as long as this one.
    pub(crate) fn hurry(&mut self, whole: &Experiment, seconds: f64, left: usize) {
        let Some(total) = stated(whole.problem()) else { return };
        let Some(own) = stated(&self.problem).filter(|own| *own > 0.0) else { return };
        let part = ((total - seconds) / (own * left as f64)).clamp(0.0, 1.0);
        if part < 1.0 {
            for phase in &mut self.problem.to_mut().training.phases {
                // A budget of no time is none.
                let shorter = |seconds: f64| (seconds * part).max(f64::MIN_POSITIVE);
                phase.budget =
                    phase.budget.map(|budget| Budget { seconds: budget.seconds.map(shorter), ..budget });
            }
            let settled = settle(&self.problem, &self.plan, whole.device(), whole.precision());
            self.phases = Cow::Owned(settled.phases);
        }
    }
}

/// Seconds of all phases, if all of them state theirs.
fn stated(problem: &Problem) -> Option<f64> {
    problem.training.phases.iter().map(|phase| phase.budget?.seconds).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_come_late_share_what_is_left() {
        let text = "[domain]\nt = [0, 1]\n[unknowns]\nu = {}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\n\
            start = { on = \"t = 0\", equation = \"u = 1\" }\n[training]\nwindows = 4\nbudget = \"60 s\"\n";
        let experiment =
            Experiment::from_text("decay", text, std::path::Path::new("."), &[]).expect("it is right");
        let seconds = |after: f64| {
            let mut stage = experiment.stage(2).expect("the third of four");
            stage.hurry(&experiment, after, 2);
            stated(&stage.problem).expect("a time")
        };
        // The first window has three of six shares.
        assert_eq!((seconds(40.0), seconds(30.0)), (10.0, 10.0));
        assert_eq!(seconds(50.0), 5.0);
        assert!(seconds(70.0) > 0.0 && seconds(70.0) < 1e-9);
    }
}
