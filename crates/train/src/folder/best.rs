//! Which of the states that were saved is the best.
//!
//! A state's loss is that of the next step, which begins there. It is taken in multiples of the loss at which the stage
//! began (see [`Descent`]), so that phases and balanced weights can be compared; another stage, or another part of the whole
//! while what the loss sees still grows, is another problem, and its first state takes the place of the best. A state of a training
//! that has diverged takes no place of one that has not.

use crate::{Descent, Snapshot};

/// A state that was saved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saved {
    /// Steps taken in the run.
    pub(super) step: u64,
    pub(super) stage: usize,
    pub(super) phase: usize,
    /// The part of the whole that its loss sees.
    scope: f64,
    descent: Descent,
}

impl Saved {
    pub(super) fn new(state: &Snapshot) -> Self {
        let Snapshot { steps, phase, scope, descent, .. } = *state;
        Saved { step: steps, stage: state.finished.len(), phase, scope, descent }
    }

    /// The same, now that its loss is known.
    pub(super) fn with_loss(mut self, loss: f64) -> Self {
        self.descent.note(loss);
        self.descent.end = None;
        self
    }

    /// Whether its loss is known: at the end it is measured.
    pub(super) fn is_measured(&self) -> bool {
        self.descent.end.is_some()
    }

    /// Whether it takes the place of the best one so far.
    pub(super) fn is_better_than(&self, best: Option<&Saved>) -> bool {
        let problem = |saved: &Saved| (saved.stage, saved.scope);
        let lost = |saved: &Saved| saved.descent.has_diverged();
        if lost(self) && best.is_some_and(|best| !lost(best)) {
            return false;
        }
        let best = best.filter(|best| problem(best) == problem(self));
        best.is_none_or(|best| self.descent.relative() < best.descent.relative())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(step: u64, stage: usize, loss: f64) -> Saved {
        let mut state = Snapshot::start(vec![0.0]);
        (state.steps, state.finished) = (step, vec![vec![0.0]; stage]);
        state.descent.note(1.0);
        Saved::new(&state).with_loss(loss)
    }

    #[test]
    fn the_lowest_loss_of_a_stage_is_the_best_and_a_later_stage_takes_its_place() {
        let best = saved(5, 0, 1e-3);
        assert!(best.is_better_than(None));
        assert!(saved(6, 0, 1e-4).is_better_than(Some(&best)));
        assert!(!saved(6, 0, 1e20).is_better_than(Some(&best)));
        assert!(!saved(6, 0, f64::NAN).is_better_than(Some(&best)));
        assert!(saved(7, 1, 0.5).is_better_than(Some(&best)));
        assert!(!saved(7, 1, 1e20).is_better_than(Some(&best)));
    }
}
