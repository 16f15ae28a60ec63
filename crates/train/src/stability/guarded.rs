//! A method that is looked after.

use super::filter::{Filter, Seen};
use super::memory::{Memory, Recovery, Steadiness, is_kept};
use super::partition::partition;
use super::{Action, Fault, Found};
use crate::optimize::{Follower, Optimizer, Roles, StepOutcome};
use crate::{Loss, Losses, Refusal, Shortage, Snapshot, State, StateError};
use linear::clip::Clipping;
use linear::{Carried, Update};
use method::{Clip, Followed, Guard, Order, Policy, Schedule, Spikes};

/// A method, with what keeps its training from breaking. What is remembered for that is part of the method's state.
pub struct Guarded {
    inner: Box<dyn Optimizer>,
    guard: Guard,
    /// Whether the method follows gradients, which may be mended. Others judge their steps themselves.
    first_order: bool,
    parameters: usize,
    clipping: Clipping,
    seen: Seen,
    memory: Memory,
    /// What the lengths of its steps follow.
    follower: Follower,
    /// Those of the last step: what it was shown through does not outlive it.
    losses: Losses,
}

impl Guarded {
    /// Looks after a method that sees so much of a loss, by a guard and by rules for gradients that are too long.
    pub fn new(
        inner: Box<dyn Optimizer>,
        (guard, clip): (Guard, &[Clip]),
        order: Order,
        roles: &Roles,
    ) -> Self {
        let first_order = order == Order::First;
        Guarded {
            inner,
            guard,
            first_order,
            parameters: roles.count,
            clipping: Clipping::new(clip, partition(roles)),
            seen: Seen::default(),
            memory: Memory::START,
            follower: Follower::new(Schedule::Constant),
            losses: Losses::default(),
        }
    }

    /// With lengths that follow what training finds, for a method that does not find them itself.
    #[must_use]
    pub fn following(self, schedule: Schedule) -> Self {
        let schedule = if self.first_order { schedule } else { Schedule::Constant };
        Guarded { follower: Follower::new(schedule), ..self }
    }

    /// What is to be measured before a step, for the lengths of those to come.
    pub(crate) fn wants_look(&self, step: u64) -> Option<Followed> {
        self.follower.wants(step)
    }

    /// Takes note of what was measured, if it could be.
    pub(crate) fn look(&mut self, step: u64, measured: Option<f64>) {
        self.follower.look(step, measured);
    }

    /// What the learning rate is multiplied by.
    pub fn rate_factor(&self) -> f64 {
        self.memory.rate_factor * self.follower.factor()
    }

    /// How steady training is.
    pub fn steadiness(&self) -> Steadiness {
        self.memory.steadiness()
    }

    /// Whether the state where `now` stands is to be kept, to go back to it.
    pub(crate) fn wants_state(&self, now: &Snapshot) -> bool {
        let due = is_kept(now.phase_step) && !self.memory.has(now.phase_step);
        let due = due || self.memory.kept.is_empty();
        due && self.guard.restores()
            && (now.phase_step == 0 || !now.descent.has_diverged())
            && now.is_finite()
    }

    /// Keeps it.
    pub(crate) fn keep_state(&mut self, now: &Snapshot) {
        let own = self.inner.save();
        self.memory.keep(now, own);
    }

    /// Takes note of the loss before a step that was taken; a spike, if it is one.
    pub(crate) fn note_loss(&mut self, loss: f64) -> Option<Found> {
        self.memory.skipped = 0;
        let by_hand = std::mem::take(&mut self.seen.clipped);
        let clipped = self.clipping.next_step().unwrap_or(by_hand);
        self.memory.note_attempt(self.seen.fault.take(), clipped);
        if !self.first_order {
            return None;
        }
        self.follower.note(loss);
        self.memory.recent.note(loss).map(|times| Found::Spike { loss, times })
    }

    /// Takes note of a step that was taken by a mended gradient, and whose loss is not finite.
    pub(crate) fn note_fault(&mut self) {
        self.memory.note_attempt(self.seen.fault.take(), false);
    }

    /// What was done about a fault of the step that was taken, and the parameters before it.
    pub(crate) fn mended(&mut self) -> Option<(Found, Action, Vec<f64>)> {
        let (fault, policy) = (self.seen.fault?, self.seen.mended.take()?);
        let action = match policy {
            Policy::Replace => Action::Replaced,
            Policy::Zero => Action::Zeroed,
            Policy::Scale => Action::Scaled,
            Policy::Stop | Policy::Skip | Policy::Restore | Policy::Adaptive => return None,
        };
        Some((Found::Fault(fault), action, self.seen.at.take()?))
    }

    /// What is to be done where a step was refused; `None` where training ends.
    pub(crate) fn recovery(&self, refusal: &Refusal) -> Option<Recovery> {
        let fault = self.seen.fault.or_else(|| Fault::refused(refusal))?;
        let found = Found::Fault(fault);
        match fault.treatment(self.guard.policy) {
            Policy::Stop => None,
            Policy::Restore => Some(Recovery { found, skips: false }),
            // What cannot be mended where it was found is skipped.
            Policy::Skip | Policy::Replace | Policy::Zero | Policy::Scale | Policy::Adaptive => {
                Some(Recovery { found, skips: self.memory.skipped < self.guard.tries })
            }
        }
    }

    /// What is to be done about losses that went wrong by the last step, which may have been a spike.
    pub(crate) fn second_thought(&self, now: &Snapshot, spike: Option<Found>) -> Option<Recovery> {
        if self.memory.restored >= self.guard.tries || self.memory.kept.is_empty() {
            return None;
        }
        let diverged =
            matches!(self.guard.policy, Policy::Restore | Policy::Adaptive) && now.descent.has_diverged();
        let found = match spike.filter(|_| self.guard.spikes == Spikes::Restore) {
            Some(spike) => spike,
            None if diverged => Found::Diverged { loss: now.loss, times: now.descent.relative() },
            None => return None,
        };
        Some(Recovery { found, skips: false })
    }

    /// Takes note of a step that was not taken.
    pub(crate) fn skip(&mut self) {
        self.memory.skipped += 1;
        self.memory.note_attempt(self.seen.fault.take(), false);
    }

    /// Goes back to a good state, whose step in the phase is told, and how often that can still be done; `None` where there is none but the one at hand.
    pub(crate) fn go_back(&mut self, now: &mut Snapshot) -> Option<[u64; 2]> {
        if self.memory.restored >= self.guard.tries {
            return None;
        }
        let here = now.phase_step;
        let kept = self.memory.newest_good()?;
        // From there no step was taken, and none would be.
        if kept.step == here && kept.parameters == now.parameters {
            return None;
        }
        // The method's own state was made by this method.
        self.inner.restore(&kept.optimizer).ok()?;
        now.parameters.clone_from(&kept.parameters);
        kept.used = true;
        let step = kept.step;
        self.memory.restored += 1;
        self.memory.skipped = 0;
        self.memory.rate_factor *= self.guard.back_off;
        self.memory.note_attempt(self.seen.fault.take(), false);
        Some([step, self.guard.tries - self.memory.restored])
    }
}

impl Optimizer for Guarded {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        if !self.first_order {
            return self.inner.step(loss, parameters, rate);
        }
        let mut filter =
            Filter { loss, policy: self.guard.policy, seen: &mut self.seen, clipping: &mut self.clipping };
        let outcome = self.inner.step(&mut filter, parameters, rate)?;
        Ok(match outcome {
            StepOutcome::Taken { losses, length, evaluations, trust } => {
                self.losses.clone_from(losses);
                StepOutcome::Taken { losses: &self.losses, length, evaluations, trust }
            }
            StepOutcome::GradientVanished { gradient, evaluations } => {
                StepOutcome::GradientVanished { gradient, evaluations }
            }
            StepOutcome::NoDescent { gradient, evaluations } => {
                StepOutcome::NoDescent { gradient, evaluations }
            }
        })
    }

    fn update(&mut self) -> Option<(Update, Carried<'_>)> {
        let (update, Carried { moments, .. }) = self.inner.update()?;
        let clipping = Some(&mut self.clipping).filter(|clipping| !clipping.is_empty());
        Some((update, Carried { moments, clipping }))
    }

    fn fallback(&self) -> Option<Shortage> {
        self.inner.fallback()
    }

    fn forget_loss(&mut self) {
        self.inner.forget_loss();
    }

    fn expect_points(&mut self, more: bool) {
        self.inner.expect_points(more);
    }

    fn bring_back(&mut self, loss: &mut dyn Loss) -> Result<(), Refusal> {
        self.inner.bring_back(loss)
    }

    fn save(&self) -> State {
        let own = self.follower.add_to(self.inner.save());
        match self.memory == Memory::START && self.clipping.is_empty() {
            true => own,
            false => self.seen.add_to(self.memory.add_to(own, &self.clipping)),
        }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let memory = Memory::of(state, self.parameters)?;
        let mut follower = self.follower.clone();
        follower.restore(state)?;
        Memory::bring(&mut self.clipping, state);
        self.inner.restore(state)?;
        (self.memory, self.follower, self.seen) = (memory, follower, Seen::of(state));
        Ok(())
    }
}
