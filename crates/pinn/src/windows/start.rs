//! The weights that a window starts from.

use super::{Seam, Stage};
use crate::sample::draw_part;
use crate::trainer::{Curriculum, PIECE, TaskState, reset_residual_weights};
use crate::{Experiment, Objective, TrainError};
use equation::taylor::Architecture;
use kernel::{Device, Kernel, Precision};
use train::optimize::GaussNewton;
use train::trainer::LoopFault;
use train::{Descent, LeastSquares, Snapshot, State};

/// From which part of the times of the window before on a network may start as that one is. Not from its end on: there
/// would be less and less to start from, as neurons that bend in time have bent by then.
const PARTS: [f64; 2] = [0.5, 0.0];

impl Experiment {
    /// Moves on to the next window. Its network starts as the one before is from the middle of its times on, or from
    /// their start on, whichever has the lower loss in the new window: waves may have come around. Where neither has one
    /// that is low, early times come first again.
    pub(crate) fn enter_window(&self, now: &mut Snapshot) -> Result<(), TrainError> {
        let number = now.finished.len();
        let (before, after) = (self.stage(number)?, self.stage(number + 1)?);
        let misfit = |cause| LoopFault::Misfit { phase: now.phase, cause };
        let mut state = TaskState::of(&now.task).map_err(misfit)?;
        let mut objective = self.at_its_start((&before, &after), now, &state)?;
        let mut lowest = f64::INFINITY;
        let mut start = now.parameters.clone();
        for part in PARTS {
            let moved = moved(&before, &after, part, &now.parameters);
            let loss =
                LeastSquares::losses(&mut objective, &moved).map_or(f64::INFINITY, |losses| losses.total);
            if loss < lowest {
                (lowest, start) = (loss, moved);
            }
        }
        let untrained = after.plan.initialize(self.problem().training.seed);
        let untrained = LeastSquares::losses(&mut objective, &untrained).map_or(0.0, |losses| losses.total);
        enter(now, &mut state, Curriculum::from_loss(lowest, untrained));
        now.parameters = start;
        Ok(())
    }

    /// The loss of a window before its first step, with the weights of the one before; on the CPU.
    fn at_its_start(
        &self,
        (before, after): (&Stage<'_>, &Stage<'_>),
        now: &Snapshot,
        state: &TaskState,
    ) -> Result<Objective, TrainError> {
        let Stage { problem, plan, phases } = after;
        let seam = Seam::new(before, &now.parameters)?;
        let mut sets = Vec::new();
        if let Some(phase) = phases.first() {
            let wanted = phase.draw(problem, state.draw);
            // Of more points than a step visits some tell the loss.
            let part = if phase.in_batches() { wanted.interior.min(PIECE) } else { wanted.interior };
            sets = draw_part(problem, plan, &self.tables, wanted, 0..part)?;
        }
        sets.iter_mut().enumerate().try_for_each(|(term, points)| seam.fill(term, points))?;
        let mut objective = Objective::new(Kernel::compile(plan, Device::Cpu, Precision::F64)?, sets);
        objective.set_weights(&state.weights)?;
        reset_residual_weights(plan, &mut objective);
        Ok(objective)
    }
}

/// Moves on to the start of the next window, with the damping of this one where
/// it begins with the method with which this one ended.
fn enter(now: &mut Snapshot, state: &mut TaskState, curriculum: Curriculum) {
    let same = now.phase == 0;
    let optimizer = if same { GaussNewton::hand_on(&now.optimizer) } else { State::default() };
    now.finished.push(now.parameters.clone());
    now.enter(0);
    state.next_phase(now);
    state.curriculum = curriculum;
    (now.optimizer, now.task) = (optimizer, state.save(&[]));
    // A window that starts from one that went wrong does not begin anew.
    if now.descent.has_diverged() {
        now.descent.link();
    } else {
        now.descent = Descent::START;
    }
}

/// The parameters with which the network of a window is the one before from some part of its times on.
fn moved(before: &Stage<'_>, after: &Stage<'_>, part: f64, parameters: &[f64]) -> Vec<f64> {
    let mut between = after.problem.clone().into_owned();
    if let Some(axis) = between.time() {
        let earlier = &before.problem.domain.coordinates[axis];
        let from = earlier.low + part * (earlier.high - earlier.low);
        let time = &mut between.domain.coordinates[axis];
        (time.low, time.high) = (from, from + time.high - time.low);
    }
    let mut parameters = parameters.to_vec();
    Architecture::new(&between).carry(&before.plan.architecture, &mut parameters);
    parameters
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
decay = { equation = "u_t = -u", weight = 1e-6 }
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
        assert_eq!(now.finished[0], weights);
        [weights, now.parameters]
    }

    #[test]
    fn a_window_starts_from_the_middle_of_the_one_before() {
        let [before, after] = handed_over(0.5 * PI, 0.0);
        assert!((after[2] - 0.5 * PI).abs() < 1e-14, "sin(π/2·(τ + 1)): {after:?}");
        assert!((after[0] - before[0]).abs() < 1e-14, "{after:?}");
    }

    #[test]
    fn a_window_starts_from_the_start_of_the_one_before_where_waves_have_come_around() {
        let [before, after] = handed_over(PI, 0.5 * PI);
        let change = before.iter().zip(&after).map(|(before, after)| (before - after).abs());
        assert!(change.fold(0.0, f64::max) < 1e-14, "{after:?}");
    }
}
