//! Training between two steps: all that its future depends on.

use super::{March, Stopped};
use kernel::Points;
use train::State;
use train::optimize::GaussNewton;
use train::{Descent, Pace};

/// Training between two steps. Together with the problem, the plan and the data it decides everything
/// that follows: continued from here, training takes bit for bit the steps that it would have taken.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// The trained parameters of the windows that are finished; empty in the first.
    pub windows: Vec<Vec<f64>>,
    /// Weights, then the problem's scalars in their unbounded form; of the window at hand.
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
    /// Which draw of points is in use, counted through the run. Everything random about them follows
    /// from it and the seed.
    pub draw: u64,
    /// The points in use, one set per term, where they do not follow from the draw; empty where they do.
    pub points: Vec<Points>,
    /// Points inside the domain; zero before the first step of a phase.
    pub interior: usize,
    /// What tells that they are too few.
    pub strain: Strain,
    /// How fast losses fall.
    pub pace: Pace,
    /// How far in time they reach.
    pub march: March,
    /// The weights of all residuals; empty where they are the plan's.
    pub weights: Vec<f64>,
    /// The weights of the points inside before their mean is taken out, one per residual, point by point; empty where
    /// all are equal.
    pub attention: Vec<f64>,
    /// The loss before the last step of the phase; infinite before the first.
    pub loss: f64,
    /// How losses went in the window.
    pub descent: Descent,
    /// What the phase's method remembers; before its first step, what the window before has handed on.
    pub optimizer: State,
    /// Why training ended here, if it did.
    pub stopped: Option<Stopped>,
}

/// How much larger losses are at fresh points than at those that the step before was made for. A
/// network that only fits its points shows it here.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Strain {
    /// The loss after the last step, at its own points; zero where it is not known.
    pub after: f64,
    /// The logarithm of the ratio, smoothed over steps.
    pub mean: f64,
}

impl Snapshot {
    /// Before the first step.
    pub fn start(parameters: Vec<f64>) -> Self {
        Snapshot {
            windows: Vec::new(),
            parameters,
            phase: 0,
            phase_step: 0,
            phase_evaluations: 0,
            phase_seconds: 0.0,
            before_method: 0,
            steps: 0,
            evaluations: 0,
            seconds: 0.0,
            draw: 0,
            points: Vec::new(),
            interior: 0,
            strain: Strain::default(),
            pace: Pace::START,
            march: March::START,
            weights: Vec::new(),
            attention: Vec::new(),
            loss: f64::INFINITY,
            descent: Descent::START,
            optimizer: State::default(),
            stopped: None,
        }
    }

    /// Moves on to the start of another phase. The points stay as they are, as far as they follow from
    /// the draw.
    pub(super) fn enter(&mut self, phase: usize) {
        let parameters = std::mem::take(&mut self.parameters);
        if !self.weights.is_empty() {
            self.descent.link();
        }
        *self = Snapshot {
            windows: std::mem::take(&mut self.windows),
            phase,
            steps: self.steps,
            evaluations: self.evaluations,
            seconds: self.seconds,
            draw: self.draw,
            descent: self.descent,
            ..Snapshot::start(parameters)
        };
        if !self.windows.is_empty() {
            self.march = March::WHOLE;
        }
    }

    /// Moves on to the start of the next window, which starts from the weights of this one, and with its damping where
    /// it begins with the method with which this one ended.
    pub(crate) fn enter_window(&mut self, march: March) {
        let same = self.phase == 0;
        let optimizer = if same { GaussNewton::hand_on(&self.optimizer) } else { State::default() };
        self.windows.push(self.parameters.clone());
        self.enter(0);
        (self.optimizer, self.march) = (optimizer, march);
        // A window that starts from one that went wrong does not begin anew.
        if self.descent.has_diverged() {
            self.descent.link();
        } else {
            self.descent = Descent::START;
        }
    }

    /// The parameters of all windows that were begun, one after the other.
    pub fn solution(&self) -> Vec<f64> {
        self.windows.iter().chain([&self.parameters]).flatten().copied().collect()
    }

    /// Whether all parameters are finite: a state that is not is worth nothing.
    pub(crate) fn is_finite(&self) -> bool {
        self.windows.iter().chain([&self.parameters]).flatten().all(|number| number.is_finite())
    }

    pub(super) fn count(&mut self, evaluations: u64) {
        self.evaluations += evaluations;
        self.phase_evaluations += evaluations;
    }
}
