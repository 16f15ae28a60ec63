//! Sequences along a tree: substitutions as Kimura (1980) has them, transitions twice as frequent as all transversions.

use crate::counters::Stream;
use crate::tree::Tree;
use std::collections::HashSet;

/// Transitions over transversions, of each kind.
const KAPPA: f64 = 4.0;

/// Gives every tip its sequence for a name. Tips whose sequences are the same get one more substitution each.
pub(super) fn evolve(tree: &mut Tree, bases: usize, stream: Stream) {
    let mut sequences: Vec<Vec<u8>> = Vec::with_capacity(tree.nodes());
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    for node in 0..tree.nodes() {
        let own = stream.with(node as u64);
        let mut sequence = match tree.parent(node) {
            None => (0..bases as u64).map(|place| own.below(place, 4) as u8).collect(),
            Some(parent) => substituted(&sequences[parent], tree.length(node), own),
        };
        let mut turn = 0;
        while tree.is_tip(node) && !seen.insert(sequence.clone()) {
            let more = own.named("again").with(turn);
            let place = more.below(0, bases as u64) as usize;
            sequence[place] = (sequence[place] + 1 + more.below(1, 3) as u8) % 4;
            turn += 1;
        }
        sequences.push(sequence);
    }
    let letters = |sequence: &Vec<u8>| -> String {
        sequence.iter().map(|base| char::from(b"ACGT"[usize::from(*base)])).collect()
    };
    let named = |node: usize| if tree.is_tip(node) { letters(&sequences[node]) } else { String::new() };
    let names: Vec<String> = (0..tree.nodes()).map(named).collect();
    tree.set_names(names.iter().map(String::as_str));
}

/// A sequence after a branch of `length` substitutions per place.
fn substituted(sequence: &[u8], length: f64, stream: Stream) -> Vec<u8> {
    // Rates of Kimura's model for one substitution per place and unit of length.
    let transversion = 1.0 / (KAPPA + 2.0);
    let transition = KAPPA * transversion;
    let slow = libm::exp(-4.0 * transversion * length);
    let fast = libm::exp(-2.0 * (transition + transversion) * length);
    let same_kind = 0.25 + 0.25 * slow - 0.5 * fast;
    let other_kind = 0.25 - 0.25 * slow;
    let changed = |(place, base): (usize, &u8)| {
        let chance = stream.uniform(place as u64);
        // A and G are 0 and 2, C and T are 1 and 3: a transition is a step of two.
        match chance {
            chance if chance < same_kind => (base + 2) % 4,
            chance if chance < same_kind + other_kind => (base + 1) % 4,
            chance if chance < same_kind + 2.0 * other_kind => (base + 3) % 4,
            _ => *base,
        }
    };
    sequence.iter().enumerate().map(changed).collect()
}
