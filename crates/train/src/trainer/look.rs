//! What lengths of steps follow, measured between two steps.

use super::Task;
use crate::stability::Guarded;
use crate::{Refusal, Snapshot};
use method::Followed;

/// Measures what the schedule of a phase follows, where it is time for it.
pub(super) fn look<T: Task>(
    optimizer: &mut Guarded,
    task: &mut T,
    now: &mut Snapshot,
) -> Result<(), T::Error> {
    let Some(signal) = optimizer.wants_look(now.phase_step) else { return Ok(()) };
    let measured = match signal {
        Followed::Loss => None,
        Followed::Residual => task.validation(now)?,
        Followed::GradientNorm => {
            task.by_hand(now)?;
            gradient_norm(task, now).map_err(|refusal| task.explain(refusal, now))?
        }
    };
    optimizer.look(now.phase_step, measured);
    Ok(())
}

/// The norm of the gradient at the points of the last step; `None` where it is not finite, which is for the step to find.
fn gradient_norm<T: Task>(task: &mut T, now: &mut Snapshot) -> Result<Option<f64>, Refusal> {
    let mut gradient = vec![0.0; now.parameters.len()];
    now.count(1);
    match task.loss().eval(&now.parameters, &mut gradient) {
        Ok(_) => Ok(Some(gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt())),
        Err(Refusal::Residual(_) | Refusal::Gradient) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}
