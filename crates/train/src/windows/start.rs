//! The weights that a window starts from.

use super::Seam;
use crate::sample::{Draw, draw};
use crate::trainer::Snapshot;
use crate::{Experiment, TrainError};
use equation::problem::Sampler;
use equation::taylor::Architecture;

impl Experiment {
    /// Moves on to the next window. Its network starts as the one before is from the start or from the middle of its
    /// own times on, whichever is more like its end: waves may have come around. Not from its end on: there would be
    /// less and less to start from, as neurons that bend in time have bent by then.
    pub(super) fn enter_window(&self, now: &mut Snapshot) -> Result<(), TrainError> {
        let number = now.windows.len();
        let (before, after) = (self.stage(number)?, self.stage(number + 1)?);
        let mut between = after.problem.into_owned();
        if let Some(axis) = between.time() {
            let earlier = &before.problem.domain.coordinates[axis];
            let (start, middle) = (earlier.low, 0.5 * (earlier.low + earlier.high));
            let seed = between.training.seed;
            let wanted = Draw { sampler: Sampler::Sobol, seed, number: now.draw, interior: 1 };
            let points = draw(&before.problem, &before.plan, &self.tables, wanted)?;
            let seam = Seam::new(&before, &now.parameters)?;
            let from = if seam.is_nearer(start, middle, &points)? { start } else { middle };
            let time = &mut between.domain.coordinates[axis];
            (time.low, time.high) = (from, from + time.high - time.low);
        }
        now.enter_window();
        Architecture::new(&between).carry(&before.plan.architecture, &mut now.parameters);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;
    use std::path::Path;

    const DECAY: &str = r#"
[domain]
t = [0, 2]
x = [0, 1]
[unknowns]
u = {}
[equations]
decay = "u_t = -u"
[conditions]
start = { on = "t = 0", equation = "u = 1" }
[network]
width = 1
depth = 1
activation = "sin"
[training]
windows = 4
"#;

    /// The weights of `sin(slope·τ + phase)` in a window whose time is -1 < τ < 1, and those that the next starts from.
    fn handed_over(slope: f64, phase: f64) -> [Vec<f64>; 2] {
        let experiment = Experiment::from_text("decay", DECAY, Path::new("."), &[]).expect("it is right");
        // Of the hidden layer, then of the output.
        let weights = vec![slope, 0.0, phase, 1.0, 0.0];
        let mut now = Snapshot::start(weights.clone());
        experiment.enter_window(&mut now).expect("a window");
        assert_eq!(now.windows, [weights.clone()]);
        [weights, now.parameters]
    }

    #[test]
    fn a_window_starts_from_the_middle_of_the_one_before() {
        let [before, after] = handed_over(0.5 * PI, 0.0);
        assert!((after[2] - 0.5 * PI).abs() < 1e-14, "sin(π/2·(τ + 1)): {after:?}");
        assert_eq!((after[0], after[3]), (before[0], before[3]));
    }

    #[test]
    fn a_window_starts_from_the_start_of_the_one_before_where_waves_have_come_around() {
        let [before, after] = handed_over(PI, 0.5 * PI);
        assert_eq!(before, after);
    }
}
