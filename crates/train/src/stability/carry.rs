//! What a method that is looked after takes along where its loss becomes another one, with other points or weights.

use super::memory::RECENT;
use crate::optimize::Follower;
use crate::{Array, State};

/// Adds to a method's own state what of the state before means something for another loss: counts, good states, and what the learning
/// rate is multiplied by. Losses so far say nothing of it.
pub fn carry(before: &State, own: State) -> State {
    let mut state = Follower::carry(before, own);
    for (name, array) in before.iter().filter(|(name, _)| name.starts_with("guard.")) {
        let array = if name == RECENT { Array::Numbers(Vec::new()) } else { array.clone() };
        state.insert(name.to_owned(), array);
    }
    state
}
