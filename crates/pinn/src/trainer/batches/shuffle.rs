//! The order in which an epoch visits points, without a list of them: any part of it is a function of (seed, epoch, place).

use equation::counter::{Stream, permuted};
use kernel::EpochOrder;
use std::ops::Range;

/// The family that orders come from.
const ORDERS: u64 = 0x5e << 56;

/// Rounds of a Feistel network. Four make its permutation look random to whoever sees both ends (Luby, Rackoff 1988), as long as there are
/// many numbers; of five, some would stay where they are too often.
const ROUNDS: usize = 8;

/// Which of an epoch's random numbers turns its blocks; those before are the keys of the rounds.
const TURN: u64 = ROUNDS as u64;

/// The most points that lie beside one another in a block.
const MOST_IN_BLOCK: usize = 8192;

/// So many points in shuffled blocks: each of the whole blocks is visited once in an epoch, in another order in each, and the rest
/// that makes no block comes last. Where a block has more than one point, blocks begin elsewhere in each epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shuffle {
    count: u64,
    block: u64,
    seed: u64,
    term: usize,
}

/// Points that lie beside one another, for batches of this size out of points that are found best so: a batch has whole blocks.
pub(super) fn block_for(batch: usize) -> usize {
    batch.div_ceil(batch.div_ceil(MOST_IN_BLOCK).max(1)).max(1)
}

impl Shuffle {
    /// The orders of the points of a term, by its position.
    pub(super) fn new((seed, term): (u64, usize), count: usize, block: usize) -> Self {
        Shuffle { count: count as u64, block: block.max(1) as u64, seed, term }
    }

    /// The same order as data, of steps that visit so many points, for devices.
    pub(super) fn order(&self, size: usize) -> EpochOrder {
        let Shuffle { count, block, seed, term } = *self;
        let stream = ORDERS | term as u64;
        EpochOrder { seed, stream, count: count as usize, size, block: block as usize }
    }

    /// What an epoch visits from some place on: at most so many points, as ranges of them.
    pub(super) fn visited(&self, epoch: u64, start: u64, most: u64) -> Vec<Range<u64>> {
        let Shuffle { count, block, seed, term } = *self;
        let stream = Stream::new(Stream::new(seed, ORDERS | term as u64).bits(epoch), 0);
        let keys: [u64; ROUNDS] = std::array::from_fn(|round| stream.bits(round as u64));
        let bits = |round: u64, number: u64| mixed(number ^ keys[round as usize]);
        let whole = count / block;
        // A product of 64 bits and the range, of which the upper half counts: no remainder prefers small numbers.
        let turn = (u128::from(stream.bits(TURN)) * u128::from(count)) >> 64;
        let turn = if block == 1 { 0 } else { turn as u64 };
        let end = start.saturating_add(most).min(count);
        let mut ranges = Vec::new();
        let mut place = start;
        while place < end {
            let (number, within) = (place / block, place % block);
            let length = (block - within).min(end - place);
            let number = if number < whole { permuted(number, whole, ROUNDS as u64, bits) } else { number };
            let first = (number * block + within + turn) % count;
            let straight = length.min(count - first);
            ranges.push(first..first + straight);
            if straight < length {
                ranges.push(0..length - straight);
            }
            place += length;
        }
        ranges
    }
}

/// Bits that each depend on all bits of a number (the finalizer of SplitMix64: Steele, Lea, Flood 2014). A point is one of few numbers of
/// an epoch, and the keys are random: [`Stream`] itself would take longer than drawing the point.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(shuffle: &Shuffle, number: u64, size: u64) -> Vec<u64> {
        let steps = shuffle.count.div_ceil(size);
        let batches = (0..steps).map(|step| shuffle.visited(number, step * size, size));
        batches.flatten().flatten().collect()
    }

    #[test]
    fn an_epoch_visits_every_point_once_and_every_epoch_in_another_order() {
        for (count, size, block) in
            [(10, 3, 1), (1000, 64, 1), (7, 7, 1), (1, 5, 1), (1000, 64, 64), (1000, 100, 37), (50, 60, 8)]
        {
            let shuffle = Shuffle::new((3, 0), count, block);
            let order = epoch(&shuffle, 5, size);
            let mut seen = order.clone();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..count as u64), "{count} in blocks of {block}");
            assert_eq!(epoch(&shuffle, 5, size), order);
            assert_eq!(epoch(&shuffle, 5, 1), order, "whatever the size of batches");
            assert!(shuffle.visited(5, count as u64, size).is_empty());
        }
        for block in [1, 4] {
            let order = |seed, term, number| epoch(&Shuffle::new((seed, term), 100, block), number, 10);
            let first = order(3, 0, 5);
            assert!([order(3, 0, 6), order(4, 0, 5), order(3, 1, 5)].iter().all(|other| *other != first));
        }
    }

    #[test]
    fn a_batch_out_of_a_hundred_million_points_is_found_without_the_others() {
        let shuffle = Shuffle::new((1, 0), 100_000_000, 1);
        let mut batch: Vec<u64> = shuffle.visited(2, 99_990_000, 10_000).into_iter().flatten().collect();
        assert_eq!(batch.len(), 10_000);
        let mean = batch.iter().sum::<u64>() as f64 / 1e4;
        // Five standard deviations of the mean of numbers up to 1e8.
        assert!((mean - 5e7).abs() < 5.0 * 1e8 / 12f64.sqrt() / 100.0, "{mean}");
        batch.sort_unstable();
        batch.dedup();
        assert_eq!(batch.len(), 10_000);
    }

    #[test]
    fn all_places_are_as_likely_for_all_points() {
        for (count, block) in [(4, 1), (5, 1), (8, 2)] {
            let shuffle = Shuffle::new((1, 0), count, block);
            let mut counts = vec![vec![0; count]; count];
            for number in 0..8000 {
                let order = epoch(&shuffle, number, count as u64);
                order.iter().enumerate().for_each(|(place, &point)| counts[place][point as usize] += 1);
            }
            let chance = 1.0 / count as f64;
            // Five standard deviations of 8000 tries.
            let most = 5.0 * (8000.0 * chance * (1.0 - chance)).sqrt();
            let off = |&count: &i32| (f64::from(count) - 8000.0 * chance).abs() > most;
            assert!(!counts.iter().flatten().any(off), "{counts:?}");
        }
    }

    #[test]
    fn a_batch_has_whole_blocks() {
        assert_eq!([1, 100, 8192, 8193, 10_000].map(block_for), [1, 100, 8192, 4097, 5000]);
    }
}
