//! What training tells whoever listens.

use crate::optimize::Trust;
use crate::stability::{Incident, Steadiness};
use crate::{Losses, Shortage, Stopped};
use method::Budget;
use serde::{Deserialize, Serialize};

/// Something that happened in training.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Before the first step.
    Started {
        /// Trainable numbers.
        parameters: usize,
        /// Stretches of training.
        phases: usize,
        /// Steps taken before, in a run that is continued.
        steps: u64,
    },
    /// A stage with parameters of its own begins, where there are several.
    StageStarted {
        /// Which, from 0.
        stage: usize,
        /// How many there are.
        stages: usize,
        /// What one is called, such as a time window.
        kind: String,
        /// What it is about.
        title: String,
    },
    /// A phase begins.
    PhaseStarted {
        /// Which, from 0.
        phase: usize,
        /// Points that every step visits.
        points: usize,
        /// When it will end.
        budget: Budget,
    },
    /// Parts of the loss that state no weight were given others: it is another loss from here on.
    Balanced {
        /// All parts of the loss.
        parts: Vec<BalancedPart>,
    },
    /// Something that only the task can explain.
    Note(Note),
    /// Something is done by a slower path; told once for each cause.
    Fallback(Fallback),
    /// A step was taken.
    Step(StepTaken),
    /// Something went wrong, and something was done about it.
    Incident(Incident),
    /// The error was measured, at the parameters after the last step.
    Measured {
        /// Steps taken in the run.
        step: u64,
        /// What the task calls the error, such as the largest relative L2 error of an unknown.
        error: f64,
        /// Whether that is the error of everything, or of the stages so far.
        whole: bool,
    },
    /// The run could not be written; training continues, and it is tried again.
    NotSaved {
        /// Why.
        error: String,
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
        losses: Losses,
        /// Since the run began.
        seconds: f64,
        /// Why.
        stopped: Stopped,
    },
}

/// A step that was taken.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct StepTaken {
    /// In which stage, from 0.
    pub stage: usize,
    /// In which phase, from 0.
    pub phase: usize,
    /// Steps taken in this phase, this one included.
    pub phase_step: u64,
    /// Steps taken in the run, this one included.
    pub step: u64,
    /// The losses before the step.
    pub losses: Losses,
    /// The weights of all parts of the loss; empty where they are as stated.
    pub weights: Vec<f64>,
    /// Its length: the rate, or for methods that find it themselves in multiples of their direction.
    pub length: f64,
    /// How the step compares with its model, for methods that have one.
    pub trust: Option<Trust>,
    /// Points that it visited.
    pub points: usize,
    /// How points moved before it, where they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Box<PointsMoved>>,
    /// Seconds that it waited for its points, where they came in batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited: Option<f64>,
    /// Seconds in which its points were drawn or chosen anew, where that was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renewed: Option<f64>,
    /// How far loss and gradient before it were from those in more digits, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
    /// Memory before it, where that was looked at since the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryTaken>,
    /// How steady training is, where something has happened lately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steadiness: Option<Steadiness>,
    /// Evaluations of the loss in the run, those of this step included.
    pub evaluations: u64,
    /// Since the run began.
    pub seconds: f64,
    /// Since the phase began.
    pub phase_seconds: f64,
    /// Over this phase.
    pub points_per_second: f64,
}

/// Memory that this process has, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MemoryTaken {
    /// Of the host.
    pub host: u64,
    /// Of a device with memory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
}

/// How far a loss and its gradient are from those in more digits, relative to these.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Deviation {
    /// Of the loss.
    pub loss: f64,
    /// The length of the gradients' difference.
    pub gradient: f64,
}

/// How points followed what training had left before a step.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PointsMoved {
    /// Which draw of the run, from 0.
    pub draw: u64,
    /// Points that may move, as many as there are afterwards.
    pub points: usize,
    /// How many of them are new.
    pub moved: usize,
    /// Of the chances of candidates, in units of that of equal chances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// The mean priority of candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_priority: Option<f64>,
    /// The largest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_priority: Option<f64>,
    /// The mean square of residuals where points were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_before: Option<f64>,
    /// The mean square of residuals at the points that were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_after: Option<f64>,
    /// Cells that have split.
    #[serde(default)]
    pub refined: usize,
    /// Pairs of cells that have joined.
    #[serde(default)]
    pub coarsened: usize,
    /// The mean square of residuals at fixed points by which moves are judged, where there are such points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
    /// Whether this move takes the one before it back.
    #[serde(default)]
    pub taken_back: bool,
}

/// A part of the loss that was weighed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BalancedPart {
    /// What it is called.
    pub name: String,
    /// How strongly it depends on the parameters.
    pub scale: f64,
    /// What its mean square is multiplied with in the loss.
    pub weight: f64,
}

/// Something that only the task can explain: sentences for people, numbers for programs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Note {
    /// What it is about, such as `memory`.
    pub kind: String,
    /// Lines for people.
    pub lines: Vec<String>,
    /// The same for programs.
    pub data: serde_json::Value,
}

/// A slower way than the one that was wanted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fallback {
    /// One word: of one cause is told once.
    pub cause: String,
    /// What is done instead.
    pub what: String,
    /// Why, and what helps.
    pub why: String,
}

impl From<Shortage> for Fallback {
    fn from(shortage: Shortage) -> Self {
        let (cause, what, bytes) = match shortage {
            Shortage::Equations { bytes } => {
                ("equations", "the optimizer solves its linear systems on the host", bytes)
            }
            Shortage::Vectors { bytes } => ("vectors", "the optimizer's state stays on the host", bytes),
        };
        Fallback {
            cause: cause.to_owned(),
            what: what.to_owned(),
            why: format!("the device has less than {bytes} bytes free for that"),
        }
    }
}
