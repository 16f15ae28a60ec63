//! Which of a range of candidates lie inside.

use super::candidate::{CandidateScratch, Candidates};
use geometry::{LANES, Mask};
use linear::{Level, Work};
use std::ops::Range;

/// What is wanted of candidates that lie inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// How many there are.
    Count,
    /// Their rows of this many numbers: coordinates, and ones behind them.
    Rows { width: usize },
}

/// Of a range of candidates, those that lie inside.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) count: usize,
    pub(super) rows: Vec<f64>,
}

/// Looks at candidates, the first a multiple of [`LANES`].
pub(super) fn scan(candidates: &Candidates<'_>, range: Range<u64>, wanted: Wanted) -> Kept {
    let mut scratch = candidates.scratch();
    Level::best().run(Scan { candidates, range, wanted, scratch: &mut scratch })
}

struct Scan<'s> {
    candidates: &'s Candidates<'s>,
    range: Range<u64>,
    wanted: Wanted,
    scratch: &'s mut CandidateScratch,
}

impl Work for Scan<'_> {
    type Output = Kept;

    #[inline(always)]
    fn run(self) -> Kept {
        let Scan { candidates, range, wanted, scratch } = self;
        let mut kept = Kept::default();
        if let Wanted::Rows { width } = wanted {
            kept.rows.reserve((range.end - range.start) as usize * width);
        }
        for first in range.clone().step_by(LANES) {
            let mut mask = candidates.block(first, scratch);
            // Lanes beyond the last candidate.
            let there = ((range.end - first) as usize).min(LANES);
            mask[there..].fill(0);
            match wanted {
                Wanted::Count => kept.count += mask.iter().map(|mask| (mask & 1) as usize).sum::<usize>(),
                Wanted::Rows { width } => kept.take(&mask, candidates.coordinates(scratch), width),
            }
        }
        kept
    }
}

impl Kept {
    /// Appends the rows of a block.
    #[inline(always)]
    fn take(&mut self, mask: &Mask, coordinates: &[[f64; LANES]], width: usize) {
        let (mut places, mut count) = ([0u8; LANES], 0);
        for (lane, mask) in mask.iter().enumerate() {
            // Without a branch, which nobody could foresee.
            places[count % LANES] = lane as u8;
            count += (mask & 1) as usize;
        }
        let before = self.rows.len();
        self.rows.resize(before + count * width, 1.0);
        let rows = self.rows[before..].chunks_exact_mut(width).zip(&places[..count]);
        for (row, place) in rows {
            for (number, values) in row.iter_mut().zip(coordinates) {
                *number = values[usize::from(*place) % LANES];
            }
        }
        self.count += count;
    }
}
