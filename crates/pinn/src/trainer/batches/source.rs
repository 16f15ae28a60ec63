//! Where the points of a batch come from.

use super::shuffle::{Shuffle, block_for};
use crate::TrainError;
use crate::sample::{Draw, KeptPoints, completed, draw_ranges};
use crate::table::StoredTable;
use equation::problem::Problem;
use equation::taylor::Term;
use kernel::{EpochOrder, Points};
use std::ops::Range;
use std::sync::Arc;

/// Rows of a file that are read in one go.
const ROWS_AT_ONCE: usize = 64;

/// The epoch whose order chooses points at which losses are looked at, where there are too many for all: no training comes there.
const LOOKED_AT: u64 = u64::MAX;

/// Points of a term at which losses are looked at, at most.
const MOST_LOOKED_AT: u64 = 1 << 20;

/// As many of them at a time.
pub(crate) const PIECE: usize = 1 << 16;

/// Where points are.
#[derive(Clone, Debug)]
enum Whereabouts {
    /// Nowhere: they are drawn when they are wanted. This is the phase's draw before its first step.
    Drawn { draw: Draw, interval: Option<u64> },
    /// In memory.
    Held(Arc<Points>),
    /// In memory or in a file, coordinates alone.
    Kept(Arc<KeptPoints>),
    /// In a file: the data table at this position.
    Stored { table: Arc<StoredTable>, position: usize },
}

/// The points of a term that steps visit in batches.
#[derive(Clone, Debug)]
pub(super) struct Batched {
    /// The term's position.
    pub(super) number: usize,
    /// Points that a step visits, how many of them are found at a time, and points in all.
    pub(super) size: usize,
    part: usize,
    pub(super) count: usize,
    shuffle: Shuffle,
    whereabouts: Whereabouts,
}

impl Batched {
    /// Points inside that are drawn, anew after so many steps: in a box one by one, and in a shape in blocks, as the points before a
    /// point have to be found there to find it.
    pub(super) fn drawn(
        problem: &Problem,
        number: usize,
        size: usize,
        draw: Draw,
        interval: Option<u64>,
    ) -> Self {
        let block = if problem.domain.geometry.is_some() { block_for(size) } else { 1 };
        let shuffle = Shuffle::new((draw.seed, number), draw.interior, block);
        let whereabouts = Whereabouts::Drawn { draw, interval };
        Batched { number, size, part: size, count: draw.interior, shuffle, whereabouts }
    }

    /// Points in memory.
    pub(super) fn held(seed: u64, number: usize, size: usize, points: Arc<Points>) -> Self {
        let count = points.len();
        let shuffle = Shuffle::new((seed, number), count, 1);
        let whereabouts = Whereabouts::Held(points);
        Batched { number, size, part: size, count, shuffle, whereabouts }
    }

    /// Points that were chosen in parts: those that lie beside one another in their set lie everywhere, and are read in one go.
    pub(super) fn kept(seed: u64, number: usize, size: usize, points: Arc<KeptPoints>) -> Self {
        let count = points.len();
        let shuffle = Shuffle::new((seed, number), count, ROWS_AT_ONCE.min(block_for(size)));
        let whereabouts = Whereabouts::Kept(points);
        Batched { number, size, part: size, count, shuffle, whereabouts }
    }

    /// The rows of a table in a file.
    pub(super) fn stored(
        seed: u64,
        number: usize,
        size: usize,
        (table, position): (Arc<StoredTable>, usize),
    ) -> Self {
        let count = table.len();
        let shuffle = Shuffle::new((seed, number), count, ROWS_AT_ONCE.min(block_for(size)));
        let whereabouts = Whereabouts::Stored { table, position };
        Batched { number, size, part: size, count, shuffle, whereabouts }
    }

    /// The order in which steps visit them, where they are drawn.
    pub(super) fn order(&self) -> Option<EpochOrder> {
        match self.whereabouts {
            Whereabouts::Drawn { .. } => Some(self.shuffle.order(self.size)),
            Whereabouts::Held(_) | Whereabouts::Stored { .. } | Whereabouts::Kept(_) => None,
        }
    }

    /// The same found in so many parts, one after the other.
    pub(super) fn in_parts(self, parts: usize) -> Self {
        Batched { part: self.size.div_ceil(parts.max(1)), ..self }
    }

    /// Points that are found at a time.
    pub(super) fn part(&self) -> usize {
        self.part
    }

    /// Whether they take no time to be found.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.whereabouts, Whereabouts::Held(_))
    }

    /// How they are found, in words.
    pub(super) fn told(&self) -> String {
        match &self.whereabouts {
            Whereabouts::Drawn { .. } => "drawn when they are needed".to_owned(),
            Whereabouts::Held(_) => "in memory".to_owned(),
            Whereabouts::Stored { .. } => "read from the file when they are needed".to_owned(),
            Whereabouts::Kept(points) => match points.folder() {
                None => "chosen in parts, in memory".to_owned(),
                Some(folder) => format!(
                    "chosen in parts, in a temporary file on the disk of {} (performance.point_memory says from how many bytes on)",
                    folder.display()
                ),
            },
        }
    }

    /// The points of a step of the phase.
    pub(super) fn batch(&self, problem: &Problem, term: &Term, step: u64) -> Result<Points, TrainError> {
        self.within_step(problem, term, step, 0..self.size as u64)
    }

    /// A part of them, by its number. Parts of a step, one behind the other, are its points; the last ones of an epoch may be empty.
    pub(super) fn part_of_batch(
        &self,
        problem: &Problem,
        term: &Term,
        (step, number): (u64, u64),
    ) -> Result<Points, TrainError> {
        let (part, size) = (self.part as u64, self.size as u64);
        let first = number.saturating_mul(part).min(size);
        self.within_step(problem, term, step, first..(first + part).min(size))
    }

    fn within_step(
        &self,
        problem: &Problem,
        term: &Term,
        step: u64,
        wanted: Range<u64>,
    ) -> Result<Points, TrainError> {
        let steps = self.count.div_ceil(self.size).max(1) as u64;
        let (epoch, within) = (step / steps, step % steps);
        let size = self.size as u64;
        let draw = match &self.whereabouts {
            Whereabouts::Drawn { draw, interval } => {
                draw.number + interval.map_or(0, |interval| step / interval)
            }
            Whereabouts::Held(_) | Whereabouts::Kept(_) | Whereabouts::Stored { .. } => 0,
        };
        let ranges = self.shuffle.visited(epoch, within * size + wanted.start, wanted.end - wanted.start);
        self.points(problem, term, draw, &ranges)
    }

    /// One of the pieces in which losses are looked at, of the points of some draw; empty behind the last of them. All points that
    /// there are, or so many in a shuffled order.
    pub(super) fn piece(
        &self,
        problem: &Problem,
        term: &Term,
        draw: u64,
        number: u64,
    ) -> Result<Points, TrainError> {
        let count = (self.count as u64).min(MOST_LOOKED_AT);
        let (start, end) = ((number * PIECE as u64).min(count), ((number + 1) * PIECE as u64).min(count));
        let ranges = match self.part_looked_at() {
            Some(_) => self.shuffle.visited(LOOKED_AT, start, end - start),
            None => std::iter::once(start..end).collect(),
        };
        self.points(problem, term, draw, &ranges)
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> u64 {
        (self.count as u64).min(MOST_LOOKED_AT).div_ceil(PIECE as u64)
    }

    /// How many points losses are looked at, where that is not all.
    pub(super) fn part_looked_at(&self) -> Option<u64> {
        (self.count as u64 > MOST_LOOKED_AT).then_some(MOST_LOOKED_AT)
    }

    fn points(
        &self,
        problem: &Problem,
        term: &Term,
        number: u64,
        ranges: &[Range<u64>],
    ) -> Result<Points, TrainError> {
        match &self.whereabouts {
            Whereabouts::Drawn { draw, .. } => {
                draw_ranges(problem, (self.number, term), Draw { number, ..*draw }, ranges)
            }
            Whereabouts::Held(points) => {
                let indices = ranges.iter().cloned().flatten();
                let rows = indices.flat_map(|index| points.row(index as usize)).copied();
                Ok(Points::from_rows(points.width(), rows.collect()))
            }
            Whereabouts::Kept(points) => points.completed(problem, term, ranges),
            Whereabouts::Stored { table, position } => {
                let rows = table.read(problem, &problem.data[*position], ranges)?;
                Ok(completed(problem, term, rows))
            }
        }
    }
}
