//! Gradients in half precision: the loss is scaled on their way, and training goes on with more digits where no scale helps.

use super::task::Equations;
use crate::TrainError;
use crate::fallback::SlowWay;
use kernel::Precision;
use method::LossScale;
use train::{Event, Loss, Sink, Snapshot};

impl Equations<'_> {
    /// Scales the loss where gradients are in half precision, from where training stood.
    pub(super) fn scale_loss(&mut self) {
        let halves = self.objective.kernel().precision() == Precision::Fp16;
        let scale = halves.then(|| self.state.loss_scale.unwrap_or(LossScale::START));
        self.objective.set_loss_scale(scale);
    }

    /// Halves the scale until gradients fit, where they are in half precision; whether there is such a scale.
    pub(super) fn finds_scale(&mut self, now: &Snapshot) -> bool {
        let mut gradient = vec![0.0; now.parameters.len()];
        self.objective.loss_scale().is_none()
            || self.objective.eval_any(&now.parameters, &mut gradient).is_ok()
    }

    /// Goes on with more digits where those of half precision end too early for a step, and others do not; whether it does.
    pub(super) fn leave_halves(&mut self, now: &Snapshot, sink: &mut dyn Sink) -> Result<bool, TrainError> {
        let from = self.objective.kernel().precision();
        if from != Precision::Fp16 {
            return Ok(false);
        }
        let Some(ladder) = &self.ladder else { return Ok(false) };
        let Some(to) = ladder.above(from) else { return Ok(false) };
        let wider = (ladder.kernel)(to)?;
        if !self.objective.is_finite_in(wider, &now.parameters)? {
            return Ok(false);
        }
        self.go_on_in(to)?;
        sink.event(&Event::Fallback(SlowWay::Overflow { from, to, step: now.steps }.told()));
        self.announce_memory(now, sink)?;
        Ok(true)
    }
}
