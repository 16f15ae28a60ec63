//! What training does by a slower path, and why.

use crate::sample::HostPoints;
use kernel::cuda::{CudaError, Unfused};
use kernel::{Device, Precision};
use std::fmt;
use train::{Deviation, Shortage};

/// A slower way than the one that was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SlowWay {
    /// The best device was asked for, and it is no GPU.
    Device {
        /// What it is.
        used: Device,
        /// Why.
        reason: CudaError,
    },
    /// The method does something on the host.
    Shortage(Shortage),
    /// A GPU takes steps layer by layer.
    Layers {
        /// What keeps it from one kernel for all layers.
        obstacle: Unfused,
    },
    /// Losses or gradients are not accurate enough to follow in fewer digits.
    Precision {
        /// In which.
        from: Precision,
        /// What training goes on in; `None` where nothing has more digits.
        to: Option<Precision>,
        /// Steps before that.
        step: u64,
        /// How far they were off.
        deviation: Off,
    },
    /// Gradients in half precision overflow, whatever the loss is multiplied by.
    Overflow {
        /// In which.
        from: Precision,
        /// What training goes on in.
        to: Precision,
        /// Steps before that.
        step: u64,
    },
    /// A GPU draws its fresh points inside, and gets those of conditions from the host.
    ConditionPoints {
        /// Why.
        obstacle: HostPoints,
    },
    /// A GPU gets its batches of points inside from the host.
    Batches {
        /// Why.
        obstacle: HostPoints,
    },
    /// A GPU gets its fresh points from the host.
    Points {
        /// Why.
        obstacle: HostPoints,
    },
}

impl SlowWay {
    /// What is done instead.
    fn what(&self) -> String {
        match self {
            SlowWay::Device { used, .. } => format!("`auto` computes on `{used}`"),
            SlowWay::Shortage(Shortage::Equations { .. }) => {
                "Gauss-Newton solves its linear systems on the host".to_owned()
            }
            SlowWay::Shortage(Shortage::Vectors { .. }) => {
                "the optimizer's state stays on the host".to_owned()
            }
            SlowWay::Precision { from, to: None, .. } => {
                format!("training goes on in {from}, which is too inaccurate")
            }
            SlowWay::Precision { from, to: Some(to), step, .. } | SlowWay::Overflow { from, to, step } => {
                format!("from step {step} on, training goes on in {to} in place of {from}")
            }
            SlowWay::Layers { .. } => {
                "steps go through the network layer by layer, not in one kernel".to_owned()
            }
            SlowWay::Points { .. } => "fresh points are drawn on the host and sent to the GPU".to_owned(),
            SlowWay::Batches { .. } => "batches are drawn on the host and sent to the GPU".to_owned(),
            SlowWay::ConditionPoints { .. } => {
                "fresh points inside are drawn on the GPU, those of conditions on the host".to_owned()
            }
        }
    }

    /// Why, and what helps.
    fn why(&self) -> String {
        let room = |bytes: &usize| {
            format!(
                "the GPU lacks {bytes} bytes for it; lower network.width or training.points, or raise --memory-limit if it is set"
            )
        };
        match self {
            SlowWay::Device { reason, .. } => reason.to_string(),
            SlowWay::Shortage(Shortage::Equations { bytes } | Shortage::Vectors { bytes }) => room(bytes),
            SlowWay::Precision { to: None, deviation, .. } => deviation.to_string(),
            SlowWay::Precision { from, deviation, .. } => {
                format!("in {from}, {deviation}, beside f64; `gradient_check` states how much is too much")
            }
            SlowWay::Overflow { from, to, .. } => {
                format!("a loss or its gradient overflows in {from}, and does not in {to}")
            }
            SlowWay::Layers { obstacle } => obstacle.to_string(),
            SlowWay::Batches { obstacle } => obstacle.to_string(),
            SlowWay::Points { obstacle } | SlowWay::ConditionPoints { obstacle } => {
                format!("{obstacle}; a larger training.resample draws less often")
            }
        }
    }

    /// In words, as training tells it.
    pub fn told(&self) -> train::Fallback {
        let cause = match self {
            SlowWay::Precision { from, .. } | SlowWay::Overflow { from, .. } => {
                return self.of_cause(&format!("precision {from}"));
            }
            SlowWay::Device { .. } => "device",
            SlowWay::Shortage(Shortage::Equations { .. }) => "equations",
            SlowWay::Shortage(Shortage::Vectors { .. }) => "vectors",
            SlowWay::Layers { .. } => "layers",
            SlowWay::Points { .. } | SlowWay::ConditionPoints { .. } | SlowWay::Batches { .. } => "points",
        };
        self.of_cause(cause)
    }

    fn of_cause(&self, cause: &str) -> train::Fallback {
        train::Fallback { cause: cause.to_owned(), what: self.what(), why: self.why() }
    }
}

/// How far off a loss and its gradient are, told with two digits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Off(pub Deviation);

impl Eq for Off {}

impl fmt::Display for Off {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |number: f64| match number.is_finite() {
            true => format!("{number:.1e}"),
            false => "more than all of it".to_owned(),
        };
        write!(
            formatter,
            "the gradient is off by {}, the loss by {}",
            part(self.0.gradient),
            part(self.0.loss)
        )
    }
}
