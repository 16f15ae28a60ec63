//! The data files of a problem, with columns in the order in which terms want them.

use super::layout::TableColumns;
use super::stored::StoredTable;
use super::{TableError, TableFault, csv, npy, npz, points, vtk};
use equation::counter::Stream;
use equation::problem::{Column, Data, Problem, Role, Solution};
use kernel::Points;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use train::folder::{open_regular, read_regular};

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

    /// The path of a file that can be found from everywhere.
    pub(crate) fn place_of(&self, name: &str) -> String {
        let path = self.folder.join(name);
        path.canonicalize().unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Opens a table that stays in its file.
    fn store(&self, problem: &Problem, data: &Data, chance: Stream) -> Result<StoredTable, TableError> {
        let path = self.folder.join(&data.file);
        match open_regular(&path) {
            Ok(file) => StoredTable::open(path, file, problem, data, chance),
            Err(error) => Err(TableError { path, fault: error.into() }),
        }
    }
}

/// Where the random numbers begin that choose rows for validation; each table has its own.
const VALIDATION: u64 = 0x7661_6c69_6461_7465;

/// All data files of a problem.
#[derive(Clone, Debug)]
pub struct Tables {
    measurements: Vec<Points>,
    /// Tables of which steps read what they visit.
    stored: Vec<Option<Arc<StoredTable>>>,
    /// Rows of measurements that are kept from training.
    kept: Vec<Option<Points>>,
    /// What was left out, and the like.
    notes: Vec<String>,
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
    /// Leaves nothing to compare with.
    pub(crate) fn forget_references(&mut self) {
        self.references.iter_mut().for_each(|table| *table = None);
    }

    /// Reads every file that the problem names.
    pub fn read(problem: &Problem, sources: &DataSources) -> Result<Self, TableError> {
        let coordinates = problem.domain.len();
        let (mut measurements, mut kept, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut stored = Vec::new();
        for (index, data) in problem.data.iter().enumerate() {
            if is_stored(data) {
                let chance = Stream::new(problem.training.seed, VALIDATION + index as u64);
                let table = sources.store(problem, data, chance)?;
                measurements.push(table.sample().clone());
                kept.push(table.kept().cloned());
                stored.push(Some(Arc::new(table)));
                continue;
            }
            stored.push(None);
            let layout = TableColumns::of_data(problem, data);
            let rows = without_gaps(rows(problem, sources, &data.file, &layout)?, &layout, data, &mut notes)?;
            let all = arrange(&rows, &data.columns, coordinates, data.equations.len());
            let (trained, others) = match data.validation {
                Some(share) => {
                    let stream = Stream::new(problem.training.seed, VALIDATION + index as u64);
                    let (trained, others) = split(&all, |row| stream.uniform(row as u64) < share);
                    if trained.is_empty() || others.is_empty() {
                        let named = |fault| TableError { path: data.file.clone().into(), fault };
                        let what =
                            format!("validation = {share} of {} rows leaves none for one of both", all.len());
                        return Err(named(TableFault::Unfit(what)));
                    }
                    (trained, Some(others))
                }
                None => (all, None),
            };
            measurements.push(trained);
            kept.push(others);
        }
        let references = problem
            .reference
            .solutions
            .iter()
            .enumerate()
            .map(|(unknown, solution)| match solution {
                Some(Solution::File { file, columns }) => {
                    let layout = TableColumns::of_reference(problem, columns, unknown);
                    let rows = rows(problem, sources, file, &layout)?;
                    Ok(Some(ReferenceTable::new(&arrange(&rows, columns, coordinates, 1), coordinates)))
                }
                Some(Solution::Formula(_) | Solution::Named { .. }) | None => Ok(None),
            })
            .collect::<Result<_, TableError>>()?;
        Ok(Tables { measurements, stored, kept, notes, references })
    }

    /// Points of the data table at `index`: coordinates, then measured columns. Of a table that stays in its file, some rows that
    /// stand for all.
    pub fn measurements(&self, index: usize) -> &Points {
        &self.measurements[index]
    }

    /// The data table at `index`, where it stays in its file.
    pub(crate) fn stored(&self, index: usize) -> Option<&Arc<StoredTable>> {
        self.stored[index].as_ref()
    }

    /// How many rows of the data table at `index` are trained with.
    pub(crate) fn trained_rows(&self, index: usize) -> usize {
        self.stored(index).map_or_else(|| self.measurements[index].len(), |table| table.len())
    }

    /// Rows of the data table at `index` that training does not see; of a table that stays in its file, some that stand for all.
    pub fn kept(&self, index: usize) -> Option<&Points> {
        self.kept[index].as_ref()
    }

    /// What should be known about the files, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
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

/// Whether a table stays in its file: steps visit batches of its rows, and the file has them one after the other.
pub(crate) fn is_stored(data: &Data) -> bool {
    let ending = Path::new(&data.file).extension();
    data.batch.is_some() && ending.is_some_and(|ending| ending.eq_ignore_ascii_case("npy"))
}

/// Rows in which everything is measured; whether others were left out is noted.
fn without_gaps(
    rows: Points,
    layout: &TableColumns<'_>,
    data: &Data,
    notes: &mut Vec<String>,
) -> Result<Points, TableError> {
    let (whole, gaps) = split(&rows, |row| layout.lacks(rows.row(row)));
    if gaps.is_empty() {
        return Ok(rows);
    }
    if whole.is_empty() {
        let fault = TableFault::Unfit("every row lacks a measured value".to_owned());
        return Err(TableError { path: data.file.clone().into(), fault });
    }
    notes.push(format!(
        "{}: {} of {} rows lack a measured value and are left out",
        data.file,
        gaps.len(),
        rows.len()
    ));
    Ok(whole)
}

/// Rows that are not chosen, and those that are, each in their order.
fn split(rows: &Points, is_chosen: impl Fn(usize) -> bool) -> (Points, Points) {
    let (mut others, mut chosen) = (Points::new(rows.width()), Points::new(rows.width()));
    for (index, row) in rows.iter().enumerate() {
        if is_chosen(index) { &mut chosen } else { &mut others }.push(row);
    }
    (others, chosen)
}

fn rows(
    problem: &Problem,
    sources: &DataSources,
    name: &str,
    layout: &TableColumns<'_>,
) -> Result<Points, TableError> {
    let (path, bytes) = sources.read(name);
    let named = |fault| TableError { path: path.clone(), fault };
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    let kind = match extension.as_deref() {
        Some("csv") => TableFormat::Text,
        Some("npy") => TableFormat::Npy,
        Some("npz") => TableFormat::Npz,
        Some("vtu" | "vtp") => TableFormat::Vtk,
        Some(_) | None => return Err(named(TableFault::UnknownKind)),
    };
    let bytes = bytes.map_err(|error| named(error.into()))?;
    let rows = kind.read(problem, &bytes, layout).map_err(named)?;
    if rows.is_empty() { Err(named(TableFault::Empty)) } else { Ok(rows) }
}

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// As text.
    Text,
    /// As NumPy writes arrays.
    Npy,
    /// As NumPy writes several of them.
    Npz,
    /// As VTK writes points with values.
    Vtk,
}

impl TableFormat {
    fn read(self, problem: &Problem, bytes: &[u8], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
        match self {
            TableFormat::Text => csv::read(bytes, layout),
            TableFormat::Npy => npy::read(bytes, layout),
            TableFormat::Npz => npz::read(bytes, layout),
            TableFormat::Vtk => {
                let coordinates = problem.domain.coordinates.iter();
                let space: Vec<&str> = coordinates
                    .filter(|coordinate| coordinate.role == Role::Space)
                    .map(|coordinate| coordinate.name.as_str())
                    .collect();
                vtk::read(bytes, &space, layout)
            }
        }
    }
}

/// Reads the measurements of a problem's first data table, and points at which someone wants to know its solution, from
/// memory: all that bytes of a stranger pass through. For fuzzing.
#[doc(hidden)]
pub fn read_bytes(problem: &Problem, bytes: &[u8], kind: TableFormat) -> [Result<Points, TableFault>; 2] {
    let measured = problem.data.first().ok_or(TableFault::Empty).and_then(|data| {
        let layout = TableColumns::of_data(problem, data);
        let rows = kind.read(problem, bytes, &layout)?;
        let (rows, _) = split(&rows, |row| layout.lacks(rows.row(row)));
        Ok(arrange(&rows, &data.columns, problem.domain.len(), data.equations.len()))
    });
    let places = match kind {
        TableFormat::Text => points::read_text(problem, bytes),
        TableFormat::Npy | TableFormat::Npz | TableFormat::Vtk => {
            kind.read(problem, bytes, &TableColumns::of_points(problem))
        }
    };
    [measured, places]
}

/// Coordinates first, then measured columns, in the problem's order.
pub(super) fn arrange(rows: &Points, columns: &[Column], coordinates: usize, measured: usize) -> Points {
    let mut arranged = Vec::with_capacity(rows.len() * (coordinates + measured));
    let mut numbers = vec![0.0; coordinates + measured];
    for row in rows.iter() {
        for (column, &value) in columns.iter().zip(row) {
            match *column {
                Column::Coordinate(axis) => numbers[axis] = value,
                Column::Measured(position) => numbers[coordinates + position] = value,
                Column::Ignored => {}
            }
        }
        arranged.extend_from_slice(&numbers);
    }
    Points::from_rows(coordinates + measured, arranged)
}
