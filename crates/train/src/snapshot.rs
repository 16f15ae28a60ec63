//! Training between two steps: all that its future depends on.

use crate::{Descent, Pace, State, Stopped};

/// Training between two steps: the loop's own numbers, the optimizer's state, and the task's state. Together with
/// the task it decides everything that follows: continued from here, training takes bit for bit the steps that it would
/// have taken.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// The trained parameters of the stages that are finished; empty in the first.
    pub finished: Vec<Vec<f64>>,
    /// Those of the stage at hand.
    pub parameters: Vec<f64>,
    /// Which phase, from 0.
    pub phase: usize,
    /// Steps taken in it.
    pub phase_step: u64,
    /// Evaluations of the loss in it.
    pub phase_evaluations: u64,
    /// Seconds spent in it.
    pub phase_seconds: f64,
    /// Steps of the phase that another method took before, in a run that was continued with this one.
    pub before_method: u64,
    /// Steps taken in the run.
    pub steps: u64,
    /// Evaluations of the loss in the run.
    pub evaluations: u64,
    /// Seconds spent in the run.
    pub seconds: f64,
    /// The loss before the last step of the phase; infinite before the first.
    pub loss: f64,
    /// How fast losses fall.
    pub pace: Pace,
    /// How losses went in the stage.
    pub descent: Descent,
    /// The part of the whole that the loss sees, where it grows with training: losses of different parts are not compared.
    pub scope: f64,
    /// Why training ended here, if it did.
    pub stopped: Option<Stopped>,
    /// The state of the phase's optimizer; before its first step, what the stage before has handed on.
    pub optimizer: State,
    /// The task's state.
    pub task: State,
}

impl Snapshot {
    /// Before the first step.
    pub fn start(parameters: Vec<f64>) -> Self {
        Snapshot {
            finished: Vec::new(),
            parameters,
            phase: 0,
            phase_step: 0,
            phase_evaluations: 0,
            phase_seconds: 0.0,
            before_method: 0,
            steps: 0,
            evaluations: 0,
            seconds: 0.0,
            loss: f64::INFINITY,
            pace: Pace::START,
            descent: Descent::START,
            scope: 1.0,
            stopped: None,
            optimizer: State::default(),
            task: State::default(),
        }
    }

    /// Moves on to the start of another phase. The task's state is the task's to change.
    pub fn enter(&mut self, phase: usize) {
        let parameters = std::mem::take(&mut self.parameters);
        *self = Snapshot {
            finished: std::mem::take(&mut self.finished),
            phase,
            steps: self.steps,
            evaluations: self.evaluations,
            seconds: self.seconds,
            descent: self.descent,
            task: std::mem::take(&mut self.task),
            ..Snapshot::start(parameters)
        };
    }

    /// The parameters of all stages that were begun, one after the other.
    pub fn solution(&self) -> Vec<f64> {
        self.finished.iter().chain([&self.parameters]).flatten().copied().collect()
    }

    /// Whether all parameters are finite: a state that is not is worth nothing.
    pub fn is_finite(&self) -> bool {
        self.finished.iter().chain([&self.parameters]).flatten().all(|number| number.is_finite())
    }

    pub(crate) fn count(&mut self, evaluations: u64) {
        self.evaluations += evaluations;
        self.phase_evaluations += evaluations;
    }
}
