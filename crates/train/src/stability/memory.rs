//! What is remembered to keep training from breaking, and saved with the method's own state.

use super::spikes::Recent;
use super::{Fault, Found};
use crate::{Array, Snapshot, State, StateError};
use linear::clip::Clipping;
use serde::Serialize;

/// Steps between the first states that are kept.
const FIRST_KEPT: u64 = 500;

/// States that are kept while the number of steps doubles, later on: going back loses a quarter of a phase's steps at most, and small
/// networks on a GPU are not stopped too often.
const KEPT_PER_DOUBLING: u64 = 4;

/// The step after so many, at which a state is kept next. Series of steps that a device takes by itself end there too, so that what is
/// kept does not depend on how long they are.
pub(crate) fn next_kept(step: u64) -> u64 {
    let doublings = (step / (FIRST_KEPT * KEPT_PER_DOUBLING)).max(1).ilog2();
    let apart = FIRST_KEPT << doublings;
    step - step % apart + apart
}

/// Whether a state is kept behind so many steps.
pub(crate) fn is_kept(step: u64) -> bool {
    step == 0 || next_kept(step - 1) == step
}

/// States that are kept: the newest may have the seed of what went wrong in it.
const KEPT: usize = 2;

/// What is left of a share after a step: shares are of about the last hundred steps.
const LEFT: f64 = 0.99;

/// A good state.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct KeptState {
    /// Steps taken in the phase.
    pub(super) step: u64,
    /// Whether training has gone back to it.
    pub(super) used: bool,
    pub(super) parameters: Vec<f64>,
    pub(super) optimizer: State,
}

/// What is done where no step was taken, or where losses went wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Recovery {
    pub(crate) found: Found,
    /// Whether the step may be skipped; else a state is restored.
    pub(crate) skips: bool,
}

/// How steady training is: 1 where nothing happens.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, serde::Deserialize)]
pub struct Steadiness {
    /// 1 − 0.3·nan − 0.2·infinite − 0.1·overflow − 0.1·clipped.
    pub score: f64,
    /// The share of recent steps where something was no number.
    pub nan: f64,
    /// Where something was infinite.
    pub infinite: f64,
    /// Where a square was.
    pub overflow: f64,
    /// Where the gradient was made shorter.
    pub clipped: f64,
}

impl Steadiness {
    /// Whether something has happened lately: what was long ago has left its trace in the last digits.
    pub fn is_shaken(&self) -> bool {
        self.score < 1.0 - 1e-3
    }
}

/// Everything.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Memory {
    /// What the learning rate is multiplied by.
    pub(super) rate_factor: f64,
    /// How often a state was restored in the phase.
    pub(super) restored: u64,
    /// Steps skipped in a row.
    pub(super) skipped: u64,
    /// Shares of recent steps: no number, infinite, overflow, clipped.
    pub(super) shares: [f64; 4],
    pub(super) recent: Recent,
    pub(super) kept: Vec<KeptState>,
}

const NUMBERS: &str = "guard.numbers";
const COUNTS: &str = "guard.counts";
pub(super) const RECENT: &str = "guard.recent";

/// What the arrays of a kept state begin with.
fn prefix(number: usize) -> String {
    format!("guard.kept{number}.")
}

/// Norms that a rule remembers.
fn norms(rule: usize) -> String {
    format!("guard.clip{rule}")
}

impl Memory {
    pub(super) const START: Memory = Memory {
        rate_factor: 1.0,
        restored: 0,
        skipped: 0,
        shares: [0.0; 4],
        recent: Recent::NONE,
        kept: Vec::new(),
    };

    /// Takes note of an attempt at a step.
    pub(super) fn note_attempt(&mut self, fault: Option<Fault>, clipped: bool) {
        let fault = fault.unwrap_or_default();
        let found = [fault.nan, fault.infinite, fault.overflow, clipped];
        for (share, found) in self.shares.iter_mut().zip(found) {
            *share = LEFT * *share + if found { 1.0 - LEFT } else { 0.0 };
        }
    }

    pub(super) fn steadiness(&self) -> Steadiness {
        let [nan, infinite, overflow, clipped] = self.shares;
        let score = 1.0 - 0.3 * nan - 0.2 * infinite - 0.1 * overflow - 0.1 * clipped;
        Steadiness { score, nan, infinite, overflow, clipped }
    }

    /// Whether a state at this point of training is kept already.
    pub(super) fn has(&self, step: u64) -> bool {
        self.kept.last().is_some_and(|kept| kept.step >= step)
    }

    /// Keeps a state, in place of the oldest.
    pub(super) fn keep(&mut self, now: &Snapshot, optimizer: State) {
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        let parameters = now.parameters.clone();
        self.kept.push(KeptState { step: now.phase_step, used: false, parameters, optimizer });
    }

    /// The state to go back to: the newest, unless it has failed before and there is an older one.
    pub(super) fn newest_good(&mut self) -> Option<&mut KeptState> {
        if self.kept.len() > 1 && self.kept.last().is_some_and(|kept| kept.used) {
            self.kept.pop();
        }
        self.kept.last_mut()
    }

    /// Adds everything to a method's own state.
    pub(super) fn add_to(&self, mut state: State, clipping: &Clipping) -> State {
        let numbers: Vec<f64> = [self.rate_factor].into_iter().chain(self.shares).collect();
        state.insert(NUMBERS.to_owned(), Array::Numbers(numbers));
        let counts = [self.restored, self.skipped].into_iter();
        let steps = self.kept.iter().flat_map(|kept| [kept.step, u64::from(kept.used)]);
        state.insert(COUNTS.to_owned(), Array::Counts(counts.chain(steps).collect()));
        state.insert(RECENT.to_owned(), Array::Numbers(self.recent.0.iter().copied().collect()));
        for (number, remembered) in
            clipping.save().into_iter().enumerate().filter(|(_, numbers)| !numbers.is_empty())
        {
            state.insert(norms(number), Array::Numbers(remembered));
        }
        for (number, kept) in self.kept.iter().enumerate() {
            let prefix = prefix(number);
            for (name, array) in kept.optimizer.iter() {
                state.insert(format!("{prefix}optimizer.{name}"), array.clone());
            }
            state.insert(format!("{prefix}parameters"), Array::Numbers(kept.parameters.clone()));
        }
        state
    }

    /// What rules for gradients that are too long remember, as a state says.
    pub(super) fn bring(clipping: &mut Clipping, state: &State) {
        (0..clipping.len())
            .for_each(|rule| clipping.restore(rule, state.numbers(&norms(rule)).unwrap_or_default()));
    }

    /// What a state says of it; the start, where it is from an older version.
    pub(super) fn of(state: &State, parameters: usize) -> Result<Memory, StateError> {
        let numbers = match state.numbers(NUMBERS) {
            Err(StateError::Missing { .. }) => return Ok(Memory::START),
            numbers => numbers?,
        };
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let &[rate_factor, nan, infinite, overflow, clipped] = numbers else { return Err(wrong(NUMBERS)) };
        let [restored, skipped, steps @ ..] = state.counts(COUNTS)? else { return Err(wrong(COUNTS)) };
        if !steps.len().is_multiple_of(2) {
            return Err(wrong(COUNTS));
        }
        let kept = |(number, step): (usize, &[u64])| {
            let prefix = prefix(number);
            let mut optimizer = State::new();
            let own = format!("{prefix}optimizer.");
            for (name, array) in
                state.iter().filter_map(|(name, array)| Some((name.strip_prefix(&own)?, array)))
            {
                optimizer.insert(name.to_owned(), array.clone());
            }
            let parameters = state.sized(&format!("{prefix}parameters"), parameters)?.to_vec();
            Ok(KeptState { step: step[0], used: step[1] != 0, parameters, optimizer })
        };
        Ok(Memory {
            rate_factor,
            restored: *restored,
            skipped: *skipped,
            shares: [nan, infinite, overflow, clipped],
            recent: Recent(state.numbers(RECENT)?.iter().copied().collect()),
            kept: steps.chunks_exact(2).enumerate().map(kept).collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linear::clip::Partition;

    fn at(step: u64, parameter: f64) -> Snapshot {
        Snapshot { phase_step: step, ..Snapshot::start(vec![parameter]) }
    }

    #[test]
    fn what_is_remembered_survives_in_a_state_beside_the_methods_own() {
        let mut memory = Memory::START;
        let own = State::default().with_numbers("mean", [0.5]).with_counts("steps", [7]);
        for step in [0, 500, 1000] {
            memory.keep(&at(step, step as f64), own.clone());
        }
        memory.note_attempt(Some(Fault { nan: true, ..Fault::default() }), true);
        memory.recent.note(0.25);
        (memory.rate_factor, memory.restored, memory.kept[1].used) = (0.25, 2, true);
        let saved = memory.add_to(own.clone(), &Clipping::new(&[], Partition::default()));
        assert_eq!(saved.number("mean"), Ok(0.5));
        let steps: Vec<u64> = memory.kept.iter().map(|kept| kept.step).collect();
        assert_eq!(steps, [500, 1000]);
        assert_eq!(Memory::of(&saved, 1), Ok(memory));
        assert_eq!(Memory::of(&own, 1), Ok(Memory::START), "an older version knows nothing of it");
        assert!(Memory::of(&saved, 2).is_err(), "parameters of another network");
    }

    #[test]
    fn a_state_that_has_failed_gives_way_to_the_one_before() {
        let mut memory = Memory::START;
        memory.keep(&at(0, 0.0), State::new());
        memory.keep(&at(500, 1.0), State::new());
        for wanted in [500, 0, 0] {
            let kept = memory.newest_good().expect("there is one");
            assert_eq!(kept.step, wanted);
            kept.used = true;
        }
    }

    #[test]
    fn the_score_falls_with_what_happens_and_recovers() {
        let mut memory = Memory::START;
        assert_eq!(memory.steadiness().score, 1.0);
        let nan = Some(Fault { nan: true, ..Fault::default() });
        (0..1000).for_each(|_| memory.note_attempt(nan, true));
        assert!((memory.steadiness().score - 0.6).abs() < 1e-4, "{:?}", memory.steadiness());
        (0..1000).for_each(|_| memory.note_attempt(None, false));
        assert!(memory.steadiness().score > 0.999);
    }
    #[test]
    fn states_are_kept_often_at_first_and_going_back_never_loses_more_than_a_quarter() {
        let steps: Vec<u64> = (0..=20_000).filter(|&step| is_kept(step)).collect();
        assert_eq!(steps[..9], [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000]);
        assert_eq!(steps[9..], [5000, 6000, 7000, 8000, 10_000, 12_000, 14_000, 16_000, 20_000]);
        for pair in steps.windows(2) {
            (pair[0]..pair[1]).for_each(|step| assert_eq!(next_kept(step), pair[1]));
            assert!(pair[1] <= 2000 || 4 * (pair[1] - pair[0]) <= pair[1]);
        }
    }
}
