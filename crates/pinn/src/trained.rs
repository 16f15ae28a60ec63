//! What training leaves behind.

use crate::evaluate::{FieldError, Validation, largest_relative};
use crate::trust::ErrorEstimate;
use kernel::Precision;
use kernel::cuda::MemoryUse;
use train::stability::{Incidents, Steadiness};
use train::{Descent, Fallback, Losses, Stopped};

/// A trained problem.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Weights, then the problem's scalars in their unbounded form; of windows one after the other.
    pub parameters: Vec<f64>,
    /// The losses at these parameters over the points of the last phase, in the last window.
    pub losses: Losses,
    /// The error of every unknown; `None` for those without a reference.
    pub errors: Vec<Option<FieldError>>,
    /// The size of every residual beside that of the largest term of its equation, as
    /// [`Experiment::relative_residuals`](crate::Experiment::relative_residuals) finds it.
    pub relative_residuals: Vec<Option<f64>>,
    /// The misfit of measurements that were kept from training.
    pub validations: Vec<Validation>,
    /// The problem's trainable scalars.
    pub scalars: Vec<f64>,
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the loss that they took: one each, more where a step length was searched for.
    pub evaluations: u64,
    /// Time taken, without computing the reference.
    pub seconds: f64,
    /// The share of the time, since training began or went on, in which steps waited for their points; `None` where these did not come
    /// in batches.
    pub waiting: Option<f64>,
    /// The share of that time in which points were drawn or chosen anew; `None` where none were, and where a device draws its own.
    pub renewing: Option<f64>,
    /// Steps by the precision that they were taken in, those with few digits first; empty where all were in f64 and nobody looked.
    pub precisions: Vec<(Precision, u64)>,
    /// Why training ended.
    pub stopped: Stopped,
    /// How losses went in the last window.
    pub descent: Descent,
    /// What it took on a device with memory of its own.
    pub memory: Option<MemoryUse>,
    /// The most that this process had of the host's memory when it was looked at; `None` where the system does not tell.
    pub host_bytes: Option<u64>,
    /// What went wrong since training began or went on, and was made good.
    pub incidents: Incidents,
    /// How steady training was at its end, where something had happened lately.
    pub steadiness: Option<Steadiness>,
    /// What was done by a slower path, each cause once.
    pub fallbacks: Vec<Fallback>,
    /// How wrong it is as far as can be told without a reference, where that was asked for and steps were taken.
    pub estimate: Option<ErrorEstimate>,
}

impl Trained {
    /// The largest of the relative residuals; `None` where there is none. What is no number is larger than any.
    pub fn relative_residual(&self) -> Option<f64> {
        largest_relative(&self.relative_residuals)
    }
}
