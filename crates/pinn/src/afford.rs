//! The width that a stated time affords: a machine that is fast trains a wider network in it than one that is slow.

use crate::decide::extent;
use crate::{Experiment, TrainError};
use equation::problem::{Problem, Solver};
use equation::taylor::plan;

/// Steps in every time window that are worth more than a wider network, at the number of points that it begins with.
const ENOUGH_STEPS: f64 = 200.0;

impl Experiment {
    /// Makes the network as wide as the seconds that the problem states afford on this machine, between the two widths
    /// that it names. Where it names one, or states no seconds, nothing is timed and nothing changes. Before, batches that are left to
    /// memory get their size.
    pub fn fitted(self) -> Result<Self, TrainError> {
        let whole = self.with_batches_by_memory()?;
        whole.fitted_in_time()
    }

    fn fitted_in_time(self) -> Result<Self, TrainError> {
        let most = self.problem().network.width;
        let least = self.problem().network.least_width;
        let last = self.stage(self.window_count() - 1)?;
        let Some(seconds) = last.seconds().filter(|_| least < most) else { return Ok(self) };
        // Steps are taken to time them.
        self.check_memory()?;
        let cost = |width: usize| self.cost(width);
        let rate = self.seconds_of_a_step(0.0)? / cost(most)?;
        let why = format!(
            "it is the widest from {least} to {most} for which the budget leaves enough steps on this machine"
        );
        for width in (least + 1..=most).rev() {
            if ENOUGH_STEPS * rate * cost(width)? <= seconds {
                return self.with_width(width, &why);
            }
        }
        self.with_width(least, &why)
    }

    /// Operations of a step with a network of some width.
    fn cost(&self, width: usize) -> Result<f64, TrainError> {
        let mut problem: Problem = self.problem().clone();
        problem.network.width = width;
        Ok(extent(&problem, plan(&problem)?.as_ref()).flops(Solver::Auto))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn width(training: &str) -> usize {
        let text = format!(
            "[domain]\nt = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\ndecay = \"u_t = -u\"\n[conditions]\n\
             start = {{ on = \"t = 0\", equation = \"u = 1\" }}\n[network]\nwidth = [3, 7]\n[training]\n{training}\n"
        );
        let experiment = Experiment::from_text("decay", &text, Path::new("."), &[]).expect("it is right");
        let fitted = experiment.fitted().expect("it can be timed");
        assert_eq!(fitted.start().parameters.len(), fitted.plan().parameter_count());
        let stated = fitted.resolved(&mut str::to_owned).expect("a file");
        let width = fitted.problem().network.width;
        assert!(
            !stated.contains('[') || width == 7 || stated.contains(&format!("width = {width}\n")),
            "{stated}"
        );
        width
    }

    #[test]
    fn a_time_that_is_too_short_narrows_the_network_and_a_number_of_steps_does_not() {
        assert_eq!(width("budget = \"1e-6 s\""), 3);
        assert_eq!(width("budget = \"1e6 s\""), 7);
        assert_eq!(width("budget = \"2 steps\""), 7);
        assert_eq!(width(""), 7);
    }
}
