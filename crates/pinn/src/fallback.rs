//! What training does in a slower way than it could, and why.

use kernel::Device;
use kernel::cuda::{CudaError, Unfused};
use std::mem::discriminant;
use train::Shortage;

/// A slower way than the one that was wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fallback {
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
}

impl Fallback {
    /// What is done instead.
    pub fn what(&self) -> String {
        match self {
            Fallback::Device { used, .. } => format!("`auto` computes on `{used}`"),
            Fallback::Shortage(Shortage::Equations { .. }) => {
                "Gauss-Newton solves its equations on the host".to_owned()
            }
            Fallback::Shortage(Shortage::Vectors { .. }) => {
                "what the optimizer remembers stays on the host".to_owned()
            }
            Fallback::Layers { .. } => {
                "steps go through the network layer by layer, not in one kernel".to_owned()
            }
        }
    }

    /// Why, and what helps.
    pub fn why(&self) -> String {
        let room = |bytes: &usize| {
            format!(
                "the GPU has no {bytes} bytes left for that; lower network.width or training.points, or raise --memory-limit where it is set"
            )
        };
        match self {
            Fallback::Device { reason, .. } => reason.to_string(),
            Fallback::Shortage(Shortage::Equations { bytes } | Shortage::Vectors { bytes }) => room(bytes),
            Fallback::Layers { obstacle } => obstacle.to_string(),
        }
    }

    /// Whether both have one cause, which is said once.
    pub(crate) fn is_like(&self, other: &Fallback) -> bool {
        match (self, other) {
            (Fallback::Shortage(one), Fallback::Shortage(other)) => discriminant(one) == discriminant(other),
            (one, other) => discriminant(one) == discriminant(other),
        }
    }
}
