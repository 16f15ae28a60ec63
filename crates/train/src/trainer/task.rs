//! What is trained, as far as the loop knows it.

use super::{LoopFault, PhaseSettings};
use crate::optimize::{AffineMap, Optimizer, StepOutcome, Trust};
use crate::stability::{Fault, Story};
use crate::{
    Deviation, Fallback, Loss, Losses, MemoryTaken, PointsMoved, Refusal, Shortage, Sink, Snapshot, State,
};
use std::error::Error;

/// What is trained. The loop knows phases, methods, budgets and snapshots; everything else is behind this trait: where the
/// loss comes from, what changes between steps, what an error is. Between two steps a task remembers nothing that it does
/// not [`save`](Self::save).
pub trait Task {
    /// Why there is no result.
    type Error: Error + From<LoopFault>;

    /// The phases of training, one after the other.
    fn phases(&self) -> Vec<PhaseSettings>;

    /// How many of the first parameters are weights: nothing draws the others towards zero.
    fn weight_count(&self) -> usize;

    /// Which of the weights make up matrices, in their order.
    fn maps(&self) -> Vec<AffineMap> {
        Vec::new()
    }

    /// Moves the task's state in a snapshot, which is at the start of another phase now, on to that phase.
    fn next_phase(&self, _now: &mut Snapshot) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Makes the loss of a phase, whose steps this method takes, from where `now` stands in it. On `Err`, `now` is as it was.
    fn enter(&mut self, optimizer: &mut dyn Optimizer, now: &mut Snapshot) -> Result<(), Self::Error>;

    /// Tells what is to be known about a phase that was entered, and again after every series of steps what has changed.
    fn announce(&mut self, _now: &Snapshot, _sink: &mut dyn Sink) -> Result<(), Self::Error> {
        Ok(())
    }

    /// The loss at hand.
    fn loss(&mut self) -> &mut dyn Loss;

    /// Points that one evaluation of the loss visits.
    fn points(&self) -> usize;

    /// The weights of all parts of the loss; empty where they are as stated.
    fn weights(&self) -> &[f64] {
        &[]
    }

    /// Whether more points may come where there are too few.
    fn may_grow(&self) -> bool {
        false
    }

    /// Whether fresh points are due before the next step. A function of the snapshot and of the task's state, never of the clock.
    fn resamples(&self, _now: &Snapshot) -> bool {
        false
    }

    /// Changes the loss where that is due before the next step: fresh points, where `resample` says so, or other weights. A
    /// function of the same. Whether it is another loss now.
    fn before_step(
        &mut self,
        _resample: bool,
        _now: &mut Snapshot,
        _sink: &mut dyn Sink,
    ) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Gives the loss other points for the step at hand, which is not taken with those that it has, where points may change; whether
    /// it is another loss now.
    fn other_points(&mut self, _now: &mut Snapshot) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// Whether a device takes steps of some methods by itself.
    fn takes_series(&mut self) -> bool {
        false
    }

    /// Goes on in another way where that lets a step be taken which was no basis for one; whether it does.
    fn computes_otherwise(&mut self, _now: &Snapshot, _sink: &mut dyn Sink) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// A step that a device was to take by itself is taken by [`Self::step`]: gives the loss the points that it would have visited.
    fn by_hand(&mut self, _now: &Snapshot) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Where a loss or a gradient goes wrong first at the parameters of a snapshot; `None` where nobody can tell.
    fn story(&mut self, _fault: &Fault, _now: &Snapshot) -> Option<Story> {
        None
    }

    /// Takes a step: with whatever can be done for the next one meanwhile.
    fn step<'step>(
        &'step mut self,
        optimizer: &'step mut dyn Optimizer,
        now: &mut Snapshot,
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        optimizer.step(self.loss(), &mut now.parameters, rate)
    }

    /// Takes note of a step that `now` counts already, which took so many seconds.
    fn after_step(&mut self, _now: &mut Snapshot, _trust: Option<Trust>, _seconds: f64) {}

    /// How points have moved since the last step that was told.
    fn points_moved(&mut self) -> Option<PointsMoved> {
        None
    }

    /// Seconds that have passed since the last step that was told while a step waited for what it visits; `None` where steps have
    /// nothing to wait for.
    fn waited(&mut self) -> Option<f64> {
        None
    }

    /// Seconds in which points were drawn or chosen anew since the last step that was told; `None` where none were.
    fn renewed(&mut self) -> Option<f64> {
        None
    }

    /// How many steps of a method a device can take by itself before something is due in between; `None` where it takes none.
    fn most_in_series(&self, _now: &Snapshot) -> Option<u64> {
        None
    }

    /// Takes steps of a method's own rule on the device, of these lengths, and tells the losses before each. Ends early after a
    /// loss below a bound, or before one that is no basis for a step, which is then returned.
    fn series(
        &mut self,
        _optimizer: &mut dyn Optimizer,
        _rates: (&[f64], Option<f64>),
        _now: &mut Snapshot,
        _losses: &mut Vec<Losses>,
    ) -> Result<Option<Losses>, Refusal> {
        Err(Refusal::NoRule)
    }

    /// Whether it is time to look whether losses and gradients are accurate enough.
    fn checks(&self, _now: &Snapshot) -> bool {
        false
    }

    /// Looks whether they are, and computes with more digits from here on where they are not; whether it does.
    fn check(&mut self, _now: &mut Snapshot, _sink: &mut dyn Sink) -> Result<bool, Self::Error> {
        Ok(false)
    }

    /// How far they were off before the last step, where that was looked at.
    fn deviation(&mut self) -> Option<Deviation> {
        None
    }

    /// Memory that was found to be taken since the last step that was told; `None` where nobody has looked.
    fn memory(&mut self) -> Option<MemoryTaken> {
        None
    }

    /// How far the parameters are from what is wanted, by a loss that training does not lower: for lengths of steps that follow it. `None` where
    /// there is no such loss.
    fn validation(&mut self, _now: &Snapshot) -> Result<Option<f64>, Self::Error> {
        Ok(None)
    }

    /// Whether measurements fit to their noise at these losses.
    fn fits_noise(&self, _losses: &Losses) -> bool {
        false
    }

    /// The error at some parameters; `None` where there is nothing to compare with.
    fn measure(&mut self, _parameters: &[f64]) -> Result<Option<f64>, Self::Error> {
        Ok(None)
    }

    /// Whether [`Self::measure`] measures everything, or the stages so far.
    fn measures_all(&self) -> bool {
        true
    }

    /// Everything that the future depends on, besides the loop's own numbers and the optimizer's state.
    fn save(&self) -> State;

    /// Ends a phase whose state is saved: whoever asks the loss afterwards gets the last one.
    fn leave(&mut self, _now: &Snapshot) -> Result<(), Self::Error> {
        Ok(())
    }

    /// The losses at the end of training.
    fn final_losses(&mut self, parameters: &[f64]) -> Result<Losses, Refusal>;

    /// Why no step can be taken from a snapshot, in the task's own words.
    fn explain(&mut self, refusal: Refusal, now: &Snapshot) -> Self::Error;

    /// Whether an error says that a loss or a gradient was not finite.
    fn is_non_finite(error: &Self::Error) -> bool;

    /// What a method does on the host, in the task's own words.
    fn slower(&self, shortage: Shortage) -> Fallback {
        shortage.into()
    }
}
