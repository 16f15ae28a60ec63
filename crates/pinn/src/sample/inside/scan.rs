//! Which of a range of candidates lie inside.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators are calls that may stay calls in functions with other instructions"
)]

use super::candidate::{CandidateScratch, Candidates};
use geometry::{LANES, Lane, Mask};
use linear::{Level, VectorWork};
use std::ops::Range;

/// What is wanted of candidates that lie inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScanFor {
    /// How many there are.
    Count,
    /// Their rows of this many numbers: coordinates, and ones behind them.
    Rows { width: usize },
}

/// Of a range of candidates, those that lie inside.
#[derive(Debug, Default)]
pub(super) struct KeptCandidates {
    pub(super) count: usize,
    pub(super) rows: Vec<f64>,
}

/// Looks at candidates, the first a multiple of [`LANES`].
pub(super) fn scan(candidates: &Candidates<'_>, range: Range<u64>, wanted: ScanFor) -> KeptCandidates {
    let mut scratch = candidates.scratch();
    Level::best().run(Scan { candidates, range, wanted, scratch: &mut scratch })
}

struct Scan<'s> {
    candidates: &'s Candidates<'s>,
    range: Range<u64>,
    wanted: ScanFor,
    scratch: &'s mut CandidateScratch,
}

impl VectorWork for Scan<'_> {
    type Output = KeptCandidates;

    #[inline(always)]
    fn run(self) -> KeptCandidates {
        let Scan { candidates, range, wanted, scratch } = self;
        let mut kept = KeptCandidates::default();
        if let ScanFor::Rows { width } = wanted {
            kept.rows.reserve((range.end - range.start) as usize * width);
        }
        let mut first = range.start;
        while first < range.end {
            let mut mask = candidates.block(first, scratch);
            // Lanes beyond the last candidate.
            let there = ((range.end - first) as usize).min(LANES);
            for lane in there..LANES {
                mask[lane] = 0;
            }
            match wanted {
                ScanFor::Count => {
                    for lane in 0..LANES {
                        kept.count += (mask[lane] & 1) as usize;
                    }
                }
                ScanFor::Rows { width } => kept.take(&mask, candidates.coordinates(scratch), width),
            }
            first += LANES as u64;
        }
        kept
    }
}

impl KeptCandidates {
    /// Appends the rows of a block.
    #[inline(always)]
    fn take(&mut self, mask: &Mask, coordinates: &[Lane], width: usize) {
        let (mut places, mut count) = ([0u8; LANES], 0);
        for lane in 0..LANES {
            // Without a branch, which nobody could foresee.
            places[count % LANES] = lane as u8;
            count += (mask[lane] & 1) as usize;
        }
        let places = &places[..count];
        match coordinates {
            [x] if width == 1 => self.append(places, [x]),
            [x, y] if width == 2 => self.append(places, [x, y]),
            [x, y, z] if width == 3 => self.append(places, [x, y, z]),
            _ => {
                let before = self.rows.len();
                self.rows.resize(before + count * width, 1.0);
                let rows = self.rows[before..].chunks_exact_mut(width);
                for (row, place) in rows.zip(places) {
                    for (number, values) in row.iter_mut().zip(coordinates) {
                        *number = values[usize::from(*place) % LANES];
                    }
                }
            }
        }
        self.count += count;
    }

    /// The same where rows have so many coordinates and nothing else, which is most often the case.
    #[inline(always)]
    fn append<const WIDTH: usize>(&mut self, places: &[u8], coordinates: [&Lane; WIDTH]) {
        let mut block = [[0.0; WIDTH]; LANES];
        for number in 0..places.len().min(LANES) {
            for axis in 0..WIDTH {
                block[number][axis] = coordinates[axis][usize::from(places[number]) % LANES];
            }
        }
        self.rows.extend_from_slice(block[..places.len()].as_flattened());
    }
}
