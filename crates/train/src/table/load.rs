//! The data files of a problem, with columns in the order in which terms want them.

use super::layout::Layout;
use super::{TableError, TableFault, csv, npy};
use crate::problem_file;
use equation::problem::{Column, Problem, Solution};
use kernel::Points;
use std::io::Read;
use std::path::Path;

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
    /// Reads every file that the problem names, relative to `folder`.
    pub fn read(problem: &Problem, folder: &Path) -> Result<Self, TableError> {
        let coordinates = problem.domain.len();
        let measurements = problem
            .data
            .iter()
            .map(|data| {
                let rows = rows(&folder.join(&data.file), &Layout::of_data(problem, data))?;
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
                    let layout = Layout::of_reference(problem, columns, unknown);
                    let rows = rows(&folder.join(file), &layout)?;
                    Ok(Some(ReferenceTable::new(&arrange(&rows, columns, coordinates, 1), coordinates)))
                }
                Some(Solution::Formula(_) | Solution::Named(_)) | None => Ok(None),
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

fn rows(path: &Path, layout: &Layout<'_>) -> Result<Points, TableError> {
    let named = |fault| TableError { path: path.to_owned(), fault };
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let read = match extension.as_deref() {
        Some("csv") => csv::read,
        Some("npy") => npy::read,
        Some(_) | None => return Err(named(TableFault::UnknownKind)),
    };
    let mut bytes = Vec::new();
    problem_file::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| named(error.into()))?;
    let rows = read(&bytes, layout).map_err(named)?;
    if rows.is_empty() { Err(named(TableFault::Empty)) } else { Ok(rows) }
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
