//! What training tells whoever listens.

use super::{Balance, Snapshot};
use crate::Fallback;
use crate::RunError;
use equation::taylor::Plan;
use kernel::cuda::MemoryPlan;
use std::fmt;
use train::Losses;
use train::optimize::Trust;

/// Why a phase or a run ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stopped {
    /// All its steps are taken.
    Steps,
    /// Its time is over.
    Seconds,
    /// The loss fell below the bound.
    Loss,
    /// Losses hardly fall any more.
    Plateau,
    /// Measurements fit to their noise: going on would fit the noise.
    Noise,
    /// The error of every unknown with a reference fell below the bound.
    TargetError,
    /// The method stands where the loss has no slope.
    GradientVanished {
        /// Steps taken in the run before.
        step: u64,
        /// Norm of the gradient there.
        gradient: f64,
    },
    /// No step lowers the loss by more than rounding, not even straight along the gradient.
    NoDescent {
        /// Steps taken in the run before.
        step: u64,
        /// Norm of the gradient there.
        gradient: f64,
    },
    /// Someone asked for it.
    Interrupted,
}

impl Stopped {
    /// One word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Stopped::Steps => "steps",
            Stopped::Seconds => "seconds",
            Stopped::Loss => "loss",
            Stopped::Plateau => "plateau",
            Stopped::Noise => "noise",
            Stopped::TargetError => "target-error",
            Stopped::GradientVanished { .. } => "gradient-vanished",
            Stopped::NoDescent { .. } => "no-descent",
            Stopped::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Steps
            | Stopped::Seconds
            | Stopped::Loss
            | Stopped::Plateau
            | Stopped::Noise
            | Stopped::TargetError
            | Stopped::Interrupted => formatter.write_str(self.name()),
            Stopped::GradientVanished { step, gradient } => {
                write!(formatter, "the gradient vanished after step {step}, its norm is {gradient:.1e}")
            }
            Stopped::NoDescent { step, gradient } => write!(
                formatter,
                "no step lowers the loss by more than rounding after step {step}, the gradient's norm is {gradient:.1e}"
            ),
        }
    }
}

/// Something that happened in training.
#[derive(Clone, Copy, Debug)]
pub enum Event<'run> {
    /// Before the first step.
    Started {
        /// Trainable numbers.
        parameters: usize,
        /// Stretches of training.
        phases: usize,
        /// Steps taken before, in a run that is continued.
        steps: u64,
    },
    /// A window begins, where time comes in several.
    WindowStarted {
        /// Which, from 0.
        window: usize,
        /// How many there are.
        windows: usize,
        /// The name of time.
        time: &'run str,
        /// Where it begins and ends.
        interval: (f64, f64),
    },
    /// A phase begins.
    PhaseStarted {
        /// Which, from 0.
        phase: usize,
        /// Points that every step visits.
        points: usize,
        /// When it will end.
        budget: equation::problem::Budget,
    },
    /// Conditions that state no weight were given others.
    Balanced {
        /// Whose terms and residuals the numbers belong to.
        plan: &'run Plan,
        /// What was found.
        balance: &'run Balance,
    },
    /// The memory that a phase will take on a device with memory of its own.
    Memory {
        /// By purpose.
        plan: &'run MemoryPlan,
    },
    /// Something is done in a slower way than it could be; told once for each cause.
    Fallback {
        /// What and why.
        fallback: &'run Fallback,
    },
    /// A step was taken.
    Step {
        /// In which window, from 0.
        window: usize,
        /// In which phase, from 0.
        phase: usize,
        /// Steps taken in this phase, this one included.
        phase_step: u64,
        /// Steps taken in the run, this one included.
        step: u64,
        /// The losses before the step.
        losses: &'run Losses,
        /// The weights of all residuals; empty where they are the plan's.
        weights: &'run [f64],
        /// Its length: the rate, or for methods that find it themselves in multiples of their direction.
        length: f64,
        /// How the step compares with its model, for methods that have one.
        trust: Option<Trust>,
        /// Points that it visited.
        points: usize,
        /// Evaluations of the loss in the run, those of this step included.
        evaluations: u64,
        /// Since the run began.
        seconds: f64,
        /// Since the phase began.
        phase_seconds: f64,
        /// Over this phase.
        points_per_second: f64,
    },
    /// The error was measured, at the parameters after the last step.
    Measured {
        /// Steps taken in the run.
        step: u64,
        /// The largest relative L2 error of an unknown, over the times that were reached.
        error: f64,
        /// Whether that is all of time: in the last window.
        whole: bool,
    },
    /// The run could not be written; training goes on, and it is tried again.
    NotSaved {
        /// Why.
        error: &'run RunError,
    },
    /// A phase is over.
    PhaseEnded {
        /// Which, from 0.
        phase: usize,
        /// Why.
        stopped: Stopped,
    },
    /// The run is over.
    Finished {
        /// Steps taken in the run.
        steps: u64,
        /// The losses at the end.
        losses: &'run Losses,
        /// Since the run began.
        seconds: f64,
        /// Why.
        stopped: Stopped,
    },
}

/// Someone who listens to training. Called in every step: a slow sink slows training.
pub trait Sink {
    /// Takes note of an event.
    fn event(&mut self, event: &Event<'_>);

    /// Whether [`Self::state`] is wanted now, so many seconds into the run; asked between two steps.
    fn wants_state(&mut self, _seconds: f64) -> bool {
        false
    }

    /// Takes note of all that training needs to continue from here: when wanted, and when it ends.
    fn state(&mut self, _state: &Snapshot) {}

    /// Takes note of a state that no step can be taken from: its loss or the gradient is not finite.
    fn refused(&mut self, _state: &Snapshot) {}

    /// Whether the error is worth measuring now and then, in two per cent of the time. It has no
    /// influence on training.
    fn wants_error(&self) -> bool {
        false
    }
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Sink for Quiet {
    fn event(&mut self, _event: &Event<'_>) {}
}
