//! Why training ended.

use serde::Serialize;
use std::fmt;

/// Why a phase or a run ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// The measured error fell below the bound.
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
                write!(formatter, "the gradient vanished after step {step} (norm {gradient:.1e})")
            }
            Stopped::NoDescent { step, gradient } => write!(
                formatter,
                "no step lowers the loss by more than rounding after step {step}, the gradient's norm is {gradient:.1e}"
            ),
        }
    }
}
