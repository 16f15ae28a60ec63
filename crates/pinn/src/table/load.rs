//! The data files of a problem, with columns in the order in which terms want them.

use super::layout::TableColumns;
use super::{TableError, TableFault, csv, npy, points};
use equation::problem::{Column, Problem, Solution};
use kernel::Points;
use std::borrow::Cow;
use std::path::PathBuf;
use train::folder::read_regular;

/// Where the files that a problem names are found.
#[derive(Clone, Debug)]
pub struct DataSources {
    /// Names and contents of those that come with Pinnace; they are looked at first.
    pub within: &'static [(&'static str, &'static str)],
    /// The folder that the other names are relative to.
    pub folder: PathBuf,
}

impl DataSources {
    /// Where a file is, and what it holds.
    pub(crate) fn read(&self, name: &str) -> (PathBuf, std::io::Result<Cow<'static, [u8]>>) {
        match self.within.iter().find(|(known, _)| *known == name) {
            Some((known, content)) => (PathBuf::from(known), Ok(Cow::Borrowed(content.as_bytes()))),
            None => {
                let path = self.folder.join(name);
                let bytes = read_regular(&path).map(Cow::Owned);
                (path, bytes)
            }
        }
    }
}

/// All data files of a problem.
#[derive(Clone, Debug)]
pub struct Tables {
    measurements: Vec<Points>,
    references: Vec<Option<ReferenceTable>>,
}

/// The true values of one unknown at points.
#[derive(Clone, Debug)]
pub struct ReferenceTable {
    /// Coordinates.
    pub points: Points,
    /// One value per point.
    pub values: Vec<f64>,
}

impl Tables {
    /// Reads every file that the problem names.
    pub fn read(problem: &Problem, sources: &DataSources) -> Result<Self, TableError> {
        let coordinates = problem.domain.len();
        let measurements = problem
            .data
            .iter()
            .map(|data| {
                let rows = rows(sources, &data.file, &TableColumns::of_data(problem, data))?;
                Ok(arrange(&rows, &data.columns, coordinates, data.equations.len()))
            })
            .collect::<Result<_, TableError>>()?;
        let references = problem
            .reference
            .solutions
            .iter()
            .enumerate()
            .map(|(unknown, solution)| match solution {
                Some(Solution::File { file, columns }) => {
                    let layout = TableColumns::of_reference(problem, columns, unknown);
                    let rows = rows(sources, file, &layout)?;
                    Ok(Some(ReferenceTable::new(&arrange(&rows, columns, coordinates, 1), coordinates)))
                }
                Some(Solution::Formula(_) | Solution::Named { .. }) | None => Ok(None),
            })
            .collect::<Result<_, TableError>>()?;
        Ok(Tables { measurements, references })
    }

    /// Points of the data table at `index`: coordinates, then measured columns.
    pub fn measurements(&self, index: usize) -> &Points {
        &self.measurements[index]
    }

    /// The table that the unknown at `index` is compared with, where the problem names one.
    pub fn reference(&self, unknown: usize) -> Option<&ReferenceTable> {
        self.references.get(unknown).and_then(Option::as_ref)
    }
}

impl ReferenceTable {
    fn new(rows: &Points, coordinates: usize) -> Self {
        let mut points = Points::new(coordinates);
        let mut values = Vec::with_capacity(rows.len());
        for row in rows.iter() {
            points.push(&row[..coordinates]);
            values.push(row[coordinates]);
        }
        ReferenceTable { points, values }
    }
}

fn rows(sources: &DataSources, name: &str, layout: &TableColumns<'_>) -> Result<Points, TableError> {
    let (path, bytes) = sources.read(name);
    let named = |fault| TableError { path: path.clone(), fault };
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let kind = match extension.as_deref() {
        Some("csv") => TableFormat::Text,
        Some("npy") => TableFormat::Npy,
        Some(_) | None => return Err(named(TableFault::UnknownKind)),
    };
    let bytes = bytes.map_err(|error| named(error.into()))?;
    let rows = kind.read(&bytes, layout).map_err(named)?;
    if rows.is_empty() { Err(named(TableFault::Empty)) } else { Ok(rows) }
}

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// As text.
    Text,
    /// As NumPy writes arrays.
    Npy,
}

impl TableFormat {
    fn read(self, bytes: &[u8], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
        match self {
            TableFormat::Text => csv::read(bytes, layout),
            TableFormat::Npy => npy::read(bytes, layout),
        }
    }
}

/// Reads the measurements of a problem's first data table, and points at which someone wants to know its solution, from
/// memory: all that bytes of a stranger pass through. For fuzzing.
#[doc(hidden)]
pub fn read_bytes(problem: &Problem, bytes: &[u8], kind: TableFormat) -> [Result<Points, TableFault>; 2] {
    let measured = problem.data.first().ok_or(TableFault::Empty).and_then(|data| {
        let rows = kind.read(bytes, &TableColumns::of_data(problem, data))?;
        Ok(arrange(&rows, &data.columns, problem.domain.len(), data.equations.len()))
    });
    let places = match kind {
        TableFormat::Text => points::read_text(problem, bytes),
        TableFormat::Npy => kind.read(bytes, &TableColumns::of_points(problem)),
    };
    [measured, places]
}

/// Coordinates first, then measured columns, in the problem's order.
fn arrange(rows: &Points, columns: &[Column], coordinates: usize, measured: usize) -> Points {
    let mut arranged = Points::new(coordinates + measured);
    let mut numbers = vec![0.0; coordinates + measured];
    for row in rows.iter() {
        for (column, &value) in columns.iter().zip(row) {
            match *column {
                Column::Coordinate(axis) => numbers[axis] = value,
                Column::Measured(position) => numbers[coordinates + position] = value,
                Column::Ignored => {}
            }
        }
        arranged.push(&numbers);
    }
    arranged
}
