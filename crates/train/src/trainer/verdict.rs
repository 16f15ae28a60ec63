//! What happens before the next step, decided in one place.
//!
//! Everything that depends on the clock, on whoever watches or on a wish to stop is read here, once per step: whoever trains
//! on several machines has one value to agree on.

use super::{PhaseSettings, Surroundings};
use crate::stability::{Fault, Found, Guarded, Recovery, is_kept};
use crate::{Refusal, Sink, Snapshot, Stopped};
use std::sync::atomic::Ordering;

/// What happens before the next step, in this order.
#[derive(Debug)]
pub(super) struct Verdict {
    /// No step was taken from here, for this reason: training ends with an error.
    pub(super) refuse: Option<Refusal>,
    /// Something went wrong, and this is done about it: nothing else happens before.
    pub(super) recover: Option<Recovery>,
    /// The last step fits measurements to their noise: the phase ends.
    pub(super) explained: bool,
    /// Measure the error.
    pub(super) measure: Option<ErrorCheck>,
    /// End the phase.
    pub(super) stop: Option<Stopped>,
    /// Offer a snapshot.
    pub(super) save: bool,
    /// Draw fresh points.
    pub(super) resample: bool,
    /// Take so many steps at once, at most.
    pub(super) steps: u64,
}

/// For whom the error is measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ErrorCheck {
    /// For a budget, which ends the phase below this error.
    Bound(f64),
    /// For whoever watches.
    Watched,
}

/// What the last steps leave to be decided.
#[derive(Default)]
pub(super) struct Since {
    /// Whether a step was taken since the last verdict.
    pub(super) stepped: bool,
    /// Why no step was taken.
    pub(super) refused: Option<Refusal>,
    /// Whether its losses fit measurements to their noise.
    pub(super) explained: bool,
    /// Its loss, if that is far above those before it.
    pub(super) spike: Option<Found>,
    /// Whether steps of a series were refused, and the next one is taken outside of series.
    pub(super) by_hand: bool,
}

/// What could come next.
pub(super) struct Upcoming {
    /// When whoever watches gets a measurement, in seconds of the run.
    pub(super) measurement: f64,
    /// How long a series of steps should be.
    pub(super) steps: u64,
    /// Whether the task's points are to be drawn anew.
    pub(super) resample: bool,
    /// Whether a device takes steps by itself.
    pub(super) series: bool,
}

impl Verdict {
    /// Whether loss or gradient were no basis for a step, whatever is to be done about it.
    pub(super) fn has_fault(&self) -> bool {
        let refused = |refusal: &Refusal| Fault::refused(refusal).is_some();
        let found = |recovery: &Recovery| matches!(recovery.found, Found::Fault(_));
        self.refuse.as_ref().is_some_and(refused) || self.recover.as_ref().is_some_and(found)
    }

    /// What happens from where `now` stands.
    pub(super) fn decide(
        phase: &PhaseSettings,
        now: &Snapshot,
        since: Since,
        ahead: Upcoming,
        guard: &Guarded,
        surroundings: &Surroundings<'_>,
        sink: &mut dyn Sink,
    ) -> Verdict {
        let interval = phase.stepping.traits().steps_per_measurement;
        let bound = phase.budget.error.filter(|_| now.phase_step.is_multiple_of(interval));
        let watched = sink.wants_error() && now.seconds >= ahead.measurement;
        let measure = bound.map(ErrorCheck::Bound).or(watched.then_some(ErrorCheck::Watched));
        let stop = over(phase, now, surroundings.stop.load(Ordering::Relaxed));
        // Losses of a series are looked at where every series ends, so that nothing depends on how long they are.
        let looks = since.stepped && (!ahead.series || is_kept(now.phase_step));
        let recover = match &since.refused {
            Some(refusal) => guard.recovery(refusal),
            None if looks => guard.second_thought(now, since.spike),
            None => None,
        };
        let ends = since.refused.is_some() || recover.is_some() || since.explained || stop.is_some();
        Verdict {
            refuse: since.refused,
            recover,
            explained: since.explained,
            measure: measure.filter(|_| since.stepped && !since.explained),
            stop,
            save: !ends && sink.wants_state(now.seconds),
            resample: ahead.resample,
            steps: ahead.steps,
        }
    }
}

/// Whether a phase ends here. The loss is the one before the last step.
fn over(phase: &PhaseSettings, now: &Snapshot, interrupted: bool) -> Option<Stopped> {
    let budget = phase.budget;
    // Nobody has said how many steps: they are those of the method.
    let before = if phase.ends_at_plateau { now.before_method } else { 0 };
    if interrupted {
        Some(Stopped::Interrupted)
    } else if budget.loss.is_some_and(|bound| now.loss < bound) {
        Some(Stopped::Loss)
    } else if phase.ends_at_plateau && now.pace.is_over() {
        Some(Stopped::Plateau)
    } else if budget.steps.is_some_and(|bound| now.phase_step - before >= bound) {
        Some(Stopped::Steps)
    } else if budget.seconds.is_some_and(|bound| now.phase_seconds >= bound) {
        Some(Stopped::Seconds)
    } else {
        None
    }
}
