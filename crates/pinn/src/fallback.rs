//! What training does by a slower path, and why.

use crate::sample::HostPoints;
use kernel::Device;
use kernel::cuda::{CudaError, Unfused};
use train::Shortage;

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
            SlowWay::Layers { .. } => {
                "steps go through the network layer by layer, not in one kernel".to_owned()
            }
            SlowWay::Points { .. } => "fresh points are drawn on the host and sent to the GPU".to_owned(),
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
            SlowWay::Layers { obstacle } => obstacle.to_string(),
            SlowWay::Points { obstacle } => {
                format!("{obstacle}; a larger training.resample draws less often")
            }
        }
    }

    /// In words, as training tells it.
    pub fn told(&self) -> train::Fallback {
        let cause = match self {
            SlowWay::Device { .. } => "device",
            SlowWay::Shortage(Shortage::Equations { .. }) => "equations",
            SlowWay::Shortage(Shortage::Vectors { .. }) => "vectors",
            SlowWay::Layers { .. } => "layers",
            SlowWay::Points { .. } => "points",
        };
        train::Fallback { cause: cause.to_owned(), what: self.what(), why: self.why() }
    }
}
