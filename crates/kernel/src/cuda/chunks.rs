//! Which points a call visits, where their rows lie, and how they are shared out when memory does not hold them all.

use super::parts::PartTable;
use crate::recipe::{Recipe, Supply};
use crate::{Points, Visits};
use equation::taylor::Plan;
use std::ops::Range;

/// Words of an entry of a chunk's table; as in `device/shared/arguments.cuh`.
const ENTRY: usize = 3;

/// Words of a job; as `Job` in `device/step/sequence.cuh`.
pub(super) const JOB: usize = 4;

/// Where the points of a call come from.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'call> {
    Given(&'call [Points]),
    Drawn(&'call Recipe),
}

/// How many points a term has, how many numbers each of them, and how many of them are a tile.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TermSize {
    pub(super) count: usize,
    pub(super) width: usize,
    pub(super) tile: usize,
}

/// A part of all points that lies in memory at one time: some points of every term.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Chunk {
    pub(super) ranges: Vec<Range<usize>>,
}

impl Wanted<'_> {
    /// One size per term, tiles of one point.
    pub(super) fn sizes(&self, plan: &Plan) -> Vec<TermSize> {
        let count = |term: usize| match self {
            Wanted::Given(points) => points[term].len(),
            Wanted::Drawn(recipe) => recipe.terms[term].len(),
        };
        let widths = plan.terms.iter().map(|term| term.row.width());
        widths.enumerate().map(|(term, width)| TermSize { count: count(term), width, tile: 1 }).collect()
    }

    /// The points of a term that must be brought there.
    pub(super) fn given(&self, term: usize) -> Option<&Points> {
        match self {
            Wanted::Given(points) => points.get(term),
            Wanted::Drawn(recipe) => match &recipe.terms[term] {
                Supply::Given(points) => Some(points),
                Supply::Drawn(_) => None,
            },
        }
    }

    /// Whether any points must be brought there.
    pub(super) fn has_given(&self) -> bool {
        match self {
            Wanted::Given(_) => true,
            Wanted::Drawn(recipe) => recipe.terms.iter().any(|supply| matches!(supply, Supply::Given(_))),
        }
    }
}

impl<'run> From<Visits<'run>> for Wanted<'run> {
    fn from(visits: Visits<'run>) -> Self {
        match visits {
            Visits::Points(points) => Wanted::Given(points),
            Visits::Drawn { recipe, .. } => Wanted::Drawn(recipe),
        }
    }
}

/// Tiles of all terms.
pub(super) fn tiles(sizes: &[TermSize]) -> usize {
    sizes.iter().map(|size| size.count.div_ceil(size.tile)).sum()
}

/// Cuts the tiles of all terms, one after the other, into chunks of `each`. A block takes every so many of the
/// tiles: where `each` is a multiple of the blocks, it takes the same tiles in the same order as without chunks.
pub(super) fn chunks(sizes: &[TermSize], each: usize) -> Vec<Chunk> {
    let count = tiles(sizes).div_ceil(each).max(1);
    let chunk = |number: usize| {
        let mut first = 0;
        let range = |size: &TermSize| {
            let own = size.count.div_ceil(size.tile);
            let place = |edge: usize| (edge.clamp(first, first + own) - first) * size.tile;
            let range = place(number * each)..place((number + 1) * each).min(size.count);
            first += own;
            range.start.min(range.end)..range.end
        };
        Chunk { ranges: sizes.iter().map(range).collect() }
    };
    (0..count).map(chunk).collect()
}

impl Chunk {
    /// Numbers of all its rows.
    pub(super) fn words(&self, sizes: &[TermSize]) -> usize {
        self.ranges.iter().zip(sizes).map(|(range, size)| range.len() * size.width).sum()
    }

    /// Per term: where its rows start, its points, its first tile; then where the tiles end.
    pub(super) fn table(&self, sizes: &[TermSize]) -> Vec<u64> {
        let mut table = Vec::with_capacity(ENTRY * sizes.len() + ENTRY);
        let (mut start, mut first) = (0, 0);
        for (range, size) in self.ranges.iter().zip(sizes) {
            table.extend([start, range.len(), first]);
            start += range.len() * size.width;
            first += range.len().div_ceil(size.tile);
        }
        table.extend([start, 0, first]);
        table.into_iter().map(|entry| entry as u64).collect()
    }

    /// The same where the rows of all chunks are there.
    pub(super) fn table_among_all(&self, sizes: &[TermSize]) -> Vec<u64> {
        let mut table = self.table(sizes);
        let mut start = 0;
        for (entry, (range, size)) in table.chunks_exact_mut(ENTRY).zip(self.ranges.iter().zip(sizes)) {
            entry[0] = (start + range.start * size.width) as u64;
            start += size.count * size.width;
        }
        table
    }

    /// What the device draws of it, by the place of every part in [`PartTable`]: what is only drawn, and what has to be looked for.
    pub(super) fn jobs(&self, sizes: &[TermSize], recipe: &Recipe, parts: &PartTable) -> [Vec<u64>; 2] {
        let mut jobs = [Vec::new(), Vec::new()];
        let (mut to, mut number) = (0, 0);
        for ((range, size), supply) in self.ranges.iter().zip(sizes).zip(&recipe.terms) {
            if let Supply::Drawn(own) = supply {
                let mut first = 0;
                for part in own {
                    let (low, high) = (range.start.max(first), range.end.min(first + part.count));
                    if low < high {
                        let place = to + (low - range.start) * size.width;
                        let job = [place, low - first, high - low, parts.place(number)];
                        jobs[usize::from(part.is_sought())].extend(job.map(|word| word as u64));
                    }
                    first += part.count;
                    number += 1;
                }
            }
            to += range.len() * size.width;
        }
        jobs
    }

    /// Jobs of so many words.
    pub(super) fn job_count(words: usize) -> u64 {
        (words / JOB) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [TermSize; 3] = [
        TermSize { count: 20, width: 2, tile: 4 },
        TermSize { count: 0, width: 3, tile: 8 },
        TermSize { count: 9, width: 1, tile: 4 },
    ];

    #[test]
    fn chunks_hold_every_point_once_and_in_order() {
        // Five tiles, none, three tiles.
        assert_eq!(tiles(&SIZES), 8);
        for each in 1..10 {
            let chunks = chunks(&SIZES, each);
            assert_eq!(chunks.len(), 8usize.div_ceil(each));
            for (term, size) in SIZES.iter().enumerate() {
                let all: Vec<usize> = chunks.iter().flat_map(|chunk| chunk.ranges[term].clone()).collect();
                assert!(all.into_iter().eq(0..size.count), "chunks of {each} tiles");
            }
            assert_eq!(chunks.iter().map(|chunk| chunk.words(&SIZES)).sum::<usize>(), 49);
        }
    }

    #[test]
    fn a_table_says_where_the_rows_of_a_chunk_are() {
        let chunks = chunks(&SIZES, 3);
        assert_eq!(chunks[1].ranges, [12..20, 0..0, 0..4]);
        assert_eq!(chunks[1].table(&SIZES), [0, 8, 0, 16, 0, 2, 16, 4, 2, 20, 0, 3]);
        assert_eq!(chunks[2].ranges, [20..20, 0..0, 4..9]);
    }
}
