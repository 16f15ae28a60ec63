//! Tables that stay in their file: a step reads the rows that it visits. They are checked when they are read, row by row.

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

/// A table in a file as NumPy writes it.
#[derive(Debug)]
pub(crate) struct StoredTable {
    path: PathBuf,
    file: Positioned,
    /// Where its numbers begin, in bytes.
    begin: u64,
    kind: NpyTable,
    /// Rows that lie evenly among all, and stand for them.
    sample: Points,
    /// A number that follows from them and from the table's length.
    mark: u64,
}

impl StoredTable {
    /// Opens the table of measurements that a file holds. Its header is checked, and its length.
    pub(super) fn open(
        path: PathBuf,
        file: File,
        problem: &Problem,
        data: &Data,
    ) -> Result<Self, TableError> {
        let columns = TableColumns::of_data(problem, data).len();
        let found = Self::header(file, columns);
        let (file, begin, kind) = found.map_err(|fault| TableError { path: path.clone(), fault })?;
        let mut table = StoredTable { path, file, begin, kind, sample: Points::new(columns), mark: 0 };
        table.sample = table.read(problem, data, &table.evenly())?;
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

    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.kind.rows
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

    /// Rows that lie evenly among all.
    fn evenly(&self) -> Vec<Range<u64>> {
        let all = self.len() as u64;
        let count = all.min(SAMPLE);
        let row = |number: u64| (u128::from(number) * u128::from(all) / u128::from(count)) as u64;
        (0..count).map(|number| row(number)..row(number) + 1).collect()
    }

    /// The rows of these ranges as points: coordinates, then measured columns. Each has a number in every place.
    pub(crate) fn read(
        &self,
        problem: &Problem,
        data: &Data,
        ranges: &[Range<u64>],
    ) -> Result<Points, TableError> {
        let layout = TableColumns::of_data(problem, data);
        let mut rows = Points::new(layout.len());
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
                if let Some(column) = row.iter().position(|value| !value.is_finite()) {
                    let fault = TableFault::RowNotFinite { row: number, column: column + 1 };
                    return Err(self.wrong(fault));
                }
                let checked = layout.check_row(Counted::Rows, number as usize, &row);
                checked.map_err(|fault| self.wrong(fault))?;
                rows.push(&row);
            }
        }
        Ok(arrange(&rows, &data.columns, problem.domain.len(), data.equations.len()))
    }

    fn wrong(&self, fault: TableFault) -> TableError {
        TableError { path: self.path.clone(), fault }
    }
}

/// A number that follows from a table's length and some of its rows.
fn mark(length: usize, rows: &Points) -> u64 {
    let first = Stream::new(length as u64, 0).bits(0);
    rows.iter().flatten().fold(first, |mark, value| Stream::new(mark, 0).bits(value.to_bits()))
}
