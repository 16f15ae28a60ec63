//! Step lengths that follow what training finds.
//!
//! Looks are at fixed steps, so that the same steps are taken whether a device takes them by itself or not.

use crate::{State, StateError};
use method::{Decay, Followed, Schedule};

/// Steps between two looks.
pub(crate) const LOOK: u64 = 100;

const NUMBERS: &str = "schedule.numbers";
const COUNTS: &str = "schedule.counts";

/// What a schedule has seen, and what step lengths are multiplied by.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Follower {
    schedule: Schedule,
    factor: f64,
    /// Of the logarithms of losses since the last look, for whom losses count.
    sum: f64,
    count: u64,
    /// The least that was seen; for gradients the square of the first norm.
    best: f64,
    /// Σ‖gradient‖²/‖first gradient‖² over all steps, for whom gradients count.
    travelled: f64,
    /// Steps since the least was seen.
    waited: u64,
    /// The step of the phase at which it looked last.
    looked: Option<u64>,
}

impl Follower {
    /// Before the first step.
    pub(crate) fn new(schedule: Schedule) -> Self {
        Follower {
            schedule,
            factor: 1.0,
            sum: 0.0,
            count: 0,
            best: f64::INFINITY,
            travelled: 0.0,
            waited: 0,
            looked: None,
        }
    }

    /// What step lengths are multiplied by.
    pub(crate) fn factor(&self) -> f64 {
        self.factor
    }

    /// What it wants to look at before a step.
    pub(crate) fn wants(&self, step: u64) -> Option<Followed> {
        let signal = self.schedule.signal()?;
        let due = step.is_multiple_of(LOOK) && self.looked != Some(step);
        // Of losses there are none before the first step.
        (due && (step > 0 || signal != Followed::Loss)).then_some(signal)
    }

    /// Takes note of the loss before a step that was taken.
    pub(crate) fn note(&mut self, loss: f64) {
        if self.schedule.signal() == Some(Followed::Loss) {
            self.sum += loss.max(f64::MIN_POSITIVE).ln();
            self.count += 1;
        }
    }

    /// Looks before a step at what was measured: a norm of the gradient, or a mean square of residuals. Losses were noted. What is no number is
    /// no reason to do anything.
    pub(crate) fn look(&mut self, step: u64, measured: Option<f64>) {
        self.looked = Some(step);
        match self.schedule {
            Schedule::Plateau(decay) => {
                let mean = (self.sum / self.count.max(1) as f64).exp();
                let seen = (self.count > 0).then_some(mean);
                (self.sum, self.count) = (0.0, 0);
                self.wait(decay, seen);
            }
            Schedule::Residual(decay) => self.wait(decay, measured),
            Schedule::GradientNorm { steps } => {
                let Some(square) = measured.map(|norm| norm * norm).filter(|square| square.is_finite())
                else {
                    return;
                };
                if self.best.is_infinite() {
                    self.best = square;
                    return;
                }
                if self.best > 0.0 {
                    self.travelled += LOOK as f64 * square / self.best;
                    self.factor = 1.0 / (1.0 + self.travelled / steps.max(1) as f64).sqrt();
                }
            }
            Schedule::Constant
            | Schedule::Step { .. }
            | Schedule::Exponential { .. }
            | Schedule::Cosine { .. }
            | Schedule::Restarts { .. }
            | Schedule::Cyclical { .. }
            | Schedule::OneCycle { .. } => {}
        }
    }

    /// Waits for something to fall; lengths do where it does not.
    fn wait(&mut self, decay: Decay, seen: Option<f64>) {
        let Some(seen) = seen.filter(|seen| seen.is_finite()) else { return };
        if seen < (1.0 - decay.threshold) * self.best {
            (self.best, self.waited) = (seen, 0);
            return;
        }
        self.waited += LOOK;
        if self.waited >= decay.patience {
            self.factor = (self.factor * decay.factor).max(decay.least);
            self.waited = 0;
        }
    }

    /// Adds what was seen to a method's own state, where there is anything.
    pub(crate) fn add_to(&self, state: State) -> State {
        if self.schedule.signal().is_none() || *self == Follower::new(self.schedule) {
            return state;
        }
        let numbers = [self.factor, self.sum, self.best, self.travelled];
        let looked = self.looked.map_or(0, |step| step + 1);
        state
            .with_numbers(NUMBERS, numbers)
            .with_counts(COUNTS, [self.count, self.waited, looked, self.place()])
    }

    /// Adds to a method's own state what another one says of lengths, for another loss: the factor stays, what was seen of the loss does not.
    pub(crate) fn carry(before: &State, own: State) -> State {
        let (Ok(&[factor, _, best, travelled]), Ok(counts)) =
            (before.numbers(NUMBERS), before.counts(COUNTS))
        else {
            return own;
        };
        // The square of the first gradient is no loss.
        let best = if travelled > 0.0 { best } else { f64::INFINITY };
        let mut counts = counts.to_vec();
        counts.iter_mut().take(2).for_each(|count| *count = 0);
        own.with_numbers(NUMBERS, [factor, 0.0, best, travelled]).with_counts(COUNTS, counts)
    }

    /// What it looks at, as a number; 0 for nothing.
    fn place(&self) -> u64 {
        match self.schedule.signal() {
            None => 0,
            Some(Followed::Loss) => 1,
            Some(Followed::GradientNorm) => 2,
            Some(Followed::Residual) => 3,
        }
    }

    /// Continues from a saved state; from the start, where it has nothing of it, or where it had looked at something else.
    pub(crate) fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let numbers = match state.numbers(NUMBERS) {
            Err(StateError::Missing { .. }) => {
                *self = Follower::new(self.schedule);
                return Ok(());
            }
            numbers => numbers?,
        };
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let &[factor, sum, best, travelled] = numbers else { return Err(wrong(NUMBERS)) };
        let (count, waited, looked, place) = match *state.counts(COUNTS)? {
            // States of earlier versions do not say.
            [count, waited, looked] => (count, waited, looked, self.place()),
            [count, waited, looked, place] => (count, waited, looked, place),
            _ => return Err(wrong(COUNTS)),
        };
        if place != self.place() {
            *self = Follower::new(self.schedule);
            return Ok(());
        }
        let looked = looked.checked_sub(1);
        *self = Follower { schedule: self.schedule, factor, sum, count, best, travelled, waited, looked };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECAY: Decay = Decay { factor: 0.5, patience: 200, threshold: 0.1, least: 0.2 };

    /// The factors after looks at these numbers.
    fn factors(schedule: Schedule, measured: &[f64]) -> Vec<f64> {
        let mut follower = Follower::new(schedule);
        let mut factors = Vec::new();
        for (number, &seen) in measured.iter().enumerate() {
            let step = LOOK * number as u64;
            assert!(follower.wants(step).is_some() && follower.wants(step + 1).is_none());
            follower.look(step, Some(seen));
            assert_eq!(follower.wants(step), None, "it has looked");
            factors.push(follower.factor());
        }
        factors
    }

    #[test]
    fn lengths_fall_where_residuals_do_not() {
        let seen = [4.0, 3.0, 2.9, 2.8, 2.0, 1.95, f64::NAN, 1.9, 2.0, 2.0, 2.0, 2.0];
        let found = factors(Schedule::Residual(DECAY), &seen);
        assert_eq!(found, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.2, 0.2, 0.2]);
    }

    #[test]
    fn lengths_fall_as_long_as_gradients_do_not() {
        let found = factors(Schedule::GradientNorm { steps: 100 }, &[2.0, 2.0, 2.0, 0.0, 0.0]);
        let wanted =
            [1.0, 0.5f64.sqrt(), (1.0f64 / 3.0).sqrt(), (1.0f64 / 3.0).sqrt(), (1.0f64 / 3.0).sqrt()];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-15), "{found:?}");
    }

    #[test]
    fn losses_between_two_looks_count_together_and_survive_in_a_state() {
        let schedule = Schedule::Plateau(DECAY);
        let mut follower = Follower::new(schedule);
        let mut found = Vec::new();
        for step in 1..=500u64 {
            follower.note(if step % 2 == 0 { 1.0 } else { 4.0 });
            if follower.wants(step) == Some(Followed::Loss) {
                follower.look(step, None);
                found.push(follower.factor());
            }
            let mut other = Follower::new(schedule);
            other.restore(&follower.add_to(State::new())).expect("it was saved");
            assert_eq!(other, follower);
        }
        assert_eq!(found, [1.0, 1.0, 0.5, 0.5, 0.25]);
        let mut residual = Follower::new(Schedule::Residual(DECAY));
        residual.restore(&follower.add_to(State::new())).expect("losses are no residuals");
        assert_eq!(residual, Follower::new(Schedule::Residual(DECAY)));
        follower.restore(&State::new()).expect("older states have nothing of it");
        assert_eq!(follower, Follower::new(schedule));
    }
}
