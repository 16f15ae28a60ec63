//! The points of one term.

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

    /// Equal stamps mean equal points.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Numbers per point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width
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
