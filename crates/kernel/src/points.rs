//! The points of one term.

use equation::counter::Stream;
use equation::taylor::{GivenColumns, Row};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Points as rows of numbers; what the numbers mean is the term's [`Row`](equation::taylor::Row).
#[derive(Clone, Debug)]
pub struct Points {
    width: usize,
    rows: Vec<f64>,
    /// Differs between sets of different numbers, so that a device knows what it already has.
    stamp: u64,
}

/// Names the random numbers that choose some of them.
const SPREAD: u64 = 0x736f_6d65;

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        (self.width, &self.rows) == (other.width, &other.rows)
    }
}

/// A stamp that no set has had before.
pub(crate) fn stamp() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Points {
    /// No points yet, each to have `width` numbers; `width` is at least 1.
    pub fn new(width: usize) -> Self {
        assert!(width > 0, "a point has at least one coordinate");
        Points { width, rows: Vec::new(), stamp: stamp() }
    }

    /// Points whose numbers lie one after the other; `rows` has whole points.
    pub fn from_rows(width: usize, rows: Vec<f64>) -> Self {
        assert!(width > 0 && rows.len().is_multiple_of(width), "rows of the width of the set");
        Points { width, rows, stamp: stamp() }
    }

    /// Adds a point; its length is the width.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.width, "a row has the width of its set");
        self.rows.extend_from_slice(row);
        self.stamp = stamp();
    }

    /// Makes room for more of them, exactly so many.
    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve_exact(count.saturating_mul(self.width));
    }

    /// Adds the points of a set of the same width behind these.
    pub fn append(&mut self, more: &Points) {
        assert_eq!(more.width, self.width, "sets have the same width");
        self.rows.extend_from_slice(&more.rows);
        self.stamp = stamp();
    }

    /// Equal stamps mean equal points.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// All numbers, point by point.
    pub(crate) fn numbers(&self) -> &[f64] {
        &self.rows
    }

    /// Numbers per point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// At most so many of them: one out of each of as many runs of their order, at random, which follows from nothing but their number. Points at
    /// equal distances in a sequence of low discrepancy lie close together.
    pub fn spread(&self, most: usize) -> Points {
        let count = self.len().min(most);
        let stream = Stream::new(self.len() as u64, SPREAD);
        let mut some = Points::new(self.width());
        for number in 0..count {
            let (first, end) = (number * self.len() / count, (number + 1) * self.len() / count);
            let place = first + (stream.uniform(number as u64) * (end - first) as f64) as usize;
            some.push(self.row(place.min(end - 1)));
        }
        some
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The numbers of point `index`.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.width..(index + 1) * self.width]
    }

    /// Changes the points one after the other.
    pub fn for_each_mut(&mut self, each: impl FnMut(&mut [f64])) {
        self.rows.chunks_exact_mut(self.width).for_each(each);
        self.stamp = stamp();
    }

    /// Puts further sites beside the first of every point: its coordinates, but for those that are stated.
    pub fn fill_sites(&mut self, row: Row, stated: &[Vec<(usize, f64)>]) {
        for numbers in self.rows.chunks_exact_mut(self.width) {
            let (first, others) = numbers.split_at_mut(row.coordinates);
            for (site, stated) in others.chunks_exact_mut(row.coordinates).zip(stated) {
                site.copy_from_slice(first);
                stated.iter().for_each(|&(axis, value)| site[axis] = value);
            }
        }
        self.stamp = stamp();
    }

    /// Fills the known functions of all points from their coordinates.
    pub fn fill_given(&mut self, given: &GivenColumns) {
        /// Points that a thread takes at a time.
        const SHARE: usize = 256;
        self.rows.par_chunks_mut(SHARE * self.width).for_each(|rows| given.fill(rows));
        self.stamp = stamp();
    }

    /// These points, which have no known functions yet, with those of a row.
    pub fn with_given(&self, row: Row, given: &GivenColumns) -> Points {
        let (first, width) = (row.first_given(), row.width());
        let mut rows = vec![0.0; self.len() * width];
        for (to, from) in rows.chunks_exact_mut(width).zip(self.iter()) {
            to[..first].copy_from_slice(&from[..first]);
            to[first + row.given..].copy_from_slice(&from[first..]);
        }
        let mut points = Points::from_rows(width, rows);
        points.fill_given(given);
        points
    }

    /// The points in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.chunks_exact(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_a_sequence_of_low_discrepancy_lie_everywhere() {
        // Van der Corput's numbers: those at distances of a power of two are close together.
        let place = |number: u32| f64::from(number.reverse_bits()) / 2f64.powi(32);
        let mut all = Points::new(1);
        (0..1024).for_each(|number| all.push(&[place(number)]));
        let some = all.spread(64);
        assert_eq!(some.len(), 64);
        for part in 0..8 {
            let inside = |row: &[f64]| (row[0] * 8.0) as usize == part;
            let count = (0..64).filter(|&number| inside(some.row(number))).count();
            assert!((2..=16).contains(&count), "{count} of 64 points lie in part {part} of 8");
        }
        assert_eq!(all.spread(2000), all);
        assert_eq!(all.spread(64), some);
        assert!(Points::new(1).spread(5).is_empty());
    }
}
