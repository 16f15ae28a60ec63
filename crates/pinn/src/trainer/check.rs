//! Whether loss and gradient are accurate enough to follow, in numbers with fewer digits than f64: at times both are found again in f64 at some
//! of the points, and where they differ too much, training goes on with more digits.

use super::task::Equations;
use crate::TrainError;
use crate::fallback::{Off, SlowWay};
use kernel::{Device, Kernel, Precision};
use std::fmt;
use std::sync::Arc;
use train::{Event, Sink, Snapshot};

/// Precisions that training may go on in, and where their kernels come from.
pub struct Ladder<'run> {
    /// From the chosen one on, each with more digits than the one before.
    pub rungs: Vec<Precision>,
    /// The kernel of the problem at hand.
    pub kernel: &'run dyn Fn(Precision) -> Result<Kernel, TrainError>,
}

impl fmt::Debug for Ladder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ladder").field("rungs", &self.rungs).finish_non_exhaustive()
    }
}

impl Ladder<'_> {
    /// The next one with more digits.
    pub(super) fn above(&self, precision: Precision) -> Option<Precision> {
        let own = self.rungs.iter().position(|&rung| rung == precision)?;
        self.rungs.get(own + 1).copied()
    }
}

impl Equations<'_> {
    /// Goes on where training stood, if it had gone on with more digits than it began with.
    pub(super) fn climb_again(&mut self) -> Result<(), TrainError> {
        let Some(reached) = self.state.precision else { return Ok(()) };
        match &self.ladder {
            Some(ladder) if ladder.rungs.contains(&reached) => self.compute_in(reached),
            Some(_) | None => Ok(()),
        }
    }

    /// Goes on with more digits, also after a resume.
    pub(super) fn go_on_in(&mut self, precision: Precision) -> Result<(), TrainError> {
        self.compute_in(precision)?;
        self.state.precision = Some(precision);
        Ok(())
    }

    fn compute_in(&mut self, precision: Precision) -> Result<(), TrainError> {
        let Some(ladder) = self.ladder.as_ref().filter(|_| self.objective.kernel().precision() != precision)
        else {
            return Ok(());
        };
        self.objective.set_kernel((ladder.kernel)(precision)?);
        self.scale_loss();
        self.forget_device_memory();
        self.prepare_kernel()
    }

    /// Steps before the next comparison.
    pub(super) fn steps_to_check(&self, now: &Snapshot) -> Option<u64> {
        self.settings().gradient_check.map(|check| check.every - now.phase_step % check.every)
    }

    /// Whether it is time for one.
    pub(super) fn is_check_due(&self, now: &Snapshot) -> bool {
        self.settings().gradient_check.is_some_and(|check| now.phase_step.is_multiple_of(check.every))
    }

    /// Compares, and goes on with more digits where that is called for; whether it does.
    pub(super) fn check_gradient(
        &mut self,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<bool, TrainError> {
        let Some(check) = self.settings().gradient_check else { return Ok(false) };
        // What overflows at one scale need not at the next: that is no lack of digits.
        if !self.finds_scale(now) {
            return self.leave_halves(now, sink);
        }
        let exact = match self.exact.take() {
            Some(exact) => exact,
            None => {
                let plan = Arc::clone(self.objective.kernel().plan());
                Kernel::compile(&plan, Device::Cpu, Precision::F64)?
            }
        };
        let exact = self.exact.insert(exact);
        let found = self.objective.deviation(exact, &now.parameters, check.points)?;
        self.deviation = found;
        // What is not finite in f64 either is for the step to find.
        let Some(deviation) = found else { return Ok(false) };
        // What is no number in few digits only is off, too.
        if deviation.loss <= check.loss && deviation.gradient <= check.gradient {
            return Ok(false);
        }
        let from = self.objective.kernel().precision();
        let above = self.ladder.as_ref().and_then(|ladder| ladder.above(from));
        let slow = SlowWay::Precision { from, to: above, step: now.steps, deviation: Off(deviation) };
        sink.event(&Event::Fallback(slow.told()));
        let Some(above) = above else { return Ok(false) };
        self.go_on_in(above)?;
        self.announce_memory(now, sink)?;
        Ok(true)
    }

    /// Steps of the run by the precision that they were taken in, those with few digits first; empty where that was not looked at.
    pub fn precisions(&self) -> Vec<(Precision, u64)> {
        let steps = Precision::ALL.into_iter().zip(self.state.taken_in.iter().copied());
        steps.filter(|(_, steps)| *steps > 0).rev().collect()
    }

    /// Counts a step by the precision that it was taken in, where that may change.
    pub(super) fn count_precision(&mut self) {
        if self.settings().gradient_check.is_none() && self.state.taken_in.is_empty() {
            return;
        }
        self.state.taken_in.resize(Precision::ALL.len(), 0);
        let precision = self.objective.kernel().precision();
        let places = Precision::ALL.iter().zip(&mut self.state.taken_in);
        places.filter(|(other, _)| **other == precision).for_each(|(_, steps)| *steps += 1);
    }
}
