//! Tables that stay in their file: a step reads the rows that it visits. They are checked when they are read, row by row.
//!
//! Where rows are kept from training, these are whole blocks of rows: the others count as if they lay one behind the other.

use super::layout::TableColumns;
use super::load::arrange;
use super::npy::{NpyTable, put_row};
use super::{Counted, TableError, TableFault};
use equation::counter::Stream;
use equation::problem::{Data, Problem};
use kernel::Points;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use store::Positioned;

/// Headers of tables end before.
const MOST_HEADER: u64 = 1 << 16;

/// Rows that stand for all where a table is looked at without being trained on.
const SAMPLE: u64 = 4096;

/// Rows that are kept from training together, or trained with together.
const BLOCK: u64 = 64;

/// A table in a file as NumPy writes it.
#[derive(Debug)]
pub(crate) struct StoredTable {
    path: PathBuf,
    file: Positioned,
    /// Where its numbers begin, in bytes.
    begin: u64,
    kind: NpyTable,
    /// The numbers of the blocks that are trained with, where others are kept from training.
    trained: Option<Vec<u32>>,
    /// How many rows those have.
    length: usize,
    /// Rows that lie evenly among them, and stand for them.
    sample: Points,
    /// The same of those that are kept from training.
    kept: Option<Points>,
    /// A number that follows from them and from the table's length.
    mark: u64,
}

impl StoredTable {
    /// Opens the table of measurements that a file holds. Its header is checked, and its length. Which rows are kept from training is
    /// up to chance.
    pub(super) fn open(
        path: PathBuf,
        file: File,
        problem: &Problem,
        data: &Data,
        chance: Stream,
    ) -> Result<Self, TableError> {
        let columns = TableColumns::of_data(problem, data).len();
        let found = Self::header(file, columns);
        let (file, begin, kind) = found.map_err(|fault| TableError { path: path.clone(), fault })?;
        let rows = kind.rows;
        let sample = Points::new(columns);
        let mut table =
            StoredTable { path, file, begin, kind, trained: None, length: rows, sample, kept: None, mark: 0 };
        if let Some(share) = data.validation {
            let (kept, trained) = blocks(rows, share, chance);
            let others = StoredTable::evenly(rows_of(&kept, rows));
            let others = others.map(|row| physical(&kept, row..row + 1)).collect::<Vec<_>>();
            if kept.is_empty() || trained.is_empty() {
                let what = format!(
                    "validation = {share} of {rows} rows, in blocks of {BLOCK}, leaves none for one of both"
                );
                return Err(table.wrong(TableFault::Unfit(what)));
            }
            table.kept = Some(table.read_physical(problem, data, others.into_iter().flatten())?);
            (table.length, table.trained) = (rows_of(&trained, rows), Some(trained));
        }
        let some: Vec<Range<u64>> = StoredTable::evenly(table.length).map(|row| row..row + 1).collect();
        table.sample = table.read(problem, data, &some)?;
        table.mark = mark(table.len(), &table.sample);
        Ok(table)
    }

    fn header(file: File, columns: usize) -> Result<(Positioned, u64, NpyTable), TableFault> {
        let file = Positioned::new(file)?;
        let mut head = vec![0; file.length().min(MOST_HEADER) as usize];
        file.read(0, &mut head)?;
        let (kind, begin) = NpyTable::begin(&head, columns)?;
        let expected = kind.rows.saturating_mul(columns).saturating_mul(kind.size);
        let found = usize::try_from(file.length()).unwrap_or(usize::MAX) - begin;
        if found != expected {
            return Err(TableFault::NpyLength { expected, found });
        }
        if kind.rows == 0 { Err(TableFault::Empty) } else { Ok((file, begin as u64, kind)) }
    }

    /// How many rows are trained with.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Rows that stand for those that are kept from training.
    pub(super) fn kept(&self) -> Option<&Points> {
        self.kept.as_ref()
    }

    /// Rows that stand for all where the table is looked at without being trained on.
    pub(super) fn sample(&self) -> &Points {
        &self.sample
    }

    /// What tells it from another table: of two that differ in a few rows only, it may not.
    pub(crate) fn mark(&self) -> u64 {
        self.mark
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Rows that lie evenly among so many.
    fn evenly(rows: usize) -> impl Iterator<Item = u64> {
        let all = rows as u64;
        let count = all.min(SAMPLE);
        (0..count).map(move |number| (u128::from(number) * u128::from(all) / u128::from(count)) as u64)
    }

    /// The rows of these ranges, out of those that are trained with, as points: coordinates, then measured columns. Each has a number
    /// in every place.
    pub(crate) fn read(
        &self,
        problem: &Problem,
        data: &Data,
        ranges: &[Range<u64>],
    ) -> Result<Points, TableError> {
        match &self.trained {
            None => self.read_physical(problem, data, ranges.iter().cloned()),
            Some(trained) => {
                let ranges = ranges.iter().flat_map(|range| physical(trained, range.clone()));
                self.read_physical(problem, data, ranges)
            }
        }
    }

    /// The same by the numbers of rows in the file.
    fn read_physical(
        &self,
        problem: &Problem,
        data: &Data,
        ranges: impl Iterator<Item = Range<u64>>,
    ) -> Result<Points, TableError> {
        let layout = TableColumns::of_data(problem, data);
        // Not as points one by one: each would get a stamp of its own, from a counter that all threads share.
        let mut rows = Vec::new();
        let each = layout.len() * self.kind.size;
        let (mut bytes, mut row) = (Vec::new(), vec![0.0; layout.len()]);
        for range in ranges {
            bytes.resize((range.end - range.start) as usize * each, 0);
            let position = self.begin + range.start * each as u64;
            let read = self.file.read(position, &mut bytes).map_err(|cause| TableFault::RowsUnreadable {
                first: range.start + 1,
                last: range.end,
                cause,
            });
            read.map_err(|fault| self.wrong(fault))?;
            for (number, bytes) in (range.start + 1..).zip(bytes.chunks_exact(each)) {
                put_row(bytes, &mut row);
                layout.scale(&mut row);
                if let Some(column) = layout.without_number(&row) {
                    let fault = TableFault::RowNotFinite { row: number, column: column + 1 };
                    return Err(self.wrong(fault));
                }
                let checked = layout.check_row(Counted::Rows, number as usize, &row);
                checked.map_err(|fault| self.wrong(fault))?;
                rows.extend_from_slice(&row);
            }
        }
        let rows = Points::from_rows(layout.len(), rows);
        Ok(arrange(&rows, &data.columns, problem.domain.len(), data.equations.len()))
    }

    fn wrong(&self, fault: TableFault) -> TableError {
        TableError { path: self.path.clone(), fault }
    }
}

/// The blocks of so many rows that are kept from training, and the others.
fn blocks(rows: usize, share: f64, chance: Stream) -> (Vec<u32>, Vec<u32>) {
    let count = u32::try_from((rows as u64).div_ceil(BLOCK)).unwrap_or(u32::MAX);
    (0..count).partition(|&block| chance.uniform(u64::from(block)) < share)
}

/// How many of a table's rows lie in some of its blocks: the last of all may be shorter.
fn rows_of(blocks: &[u32], rows: usize) -> usize {
    let last = (rows as u64).div_ceil(BLOCK).saturating_sub(1);
    let missing = (last + 1) * BLOCK - rows as u64;
    let is_there = blocks.last().is_some_and(|block| u64::from(*block) == last);
    (blocks.len() as u64 * BLOCK - if is_there { missing } else { 0 }) as usize
}

/// Where rows lie in the file that count as if some blocks lay one behind the other.
fn physical(blocks: &[u32], range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let touched = range.start / BLOCK..range.end.div_ceil(BLOCK);
    touched.map(move |number| {
        let (from, to) = (range.start.max(number * BLOCK), range.end.min((number + 1) * BLOCK));
        let first = u64::from(blocks[number as usize]) * BLOCK;
        first + from - number * BLOCK..first + to - number * BLOCK
    })
}

/// A number that follows from a table's length and some of its rows.
fn mark(length: usize, rows: &Points) -> u64 {
    let first = Stream::new(length as u64, 0).bits(0);
    rows.iter().flatten().fold(first, |mark, value| Stream::new(mark, 0).bits(value.to_bits()))
}
