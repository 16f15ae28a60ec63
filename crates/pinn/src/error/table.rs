//! What can be wrong with a data file.

use std::fmt;
use std::path::PathBuf;

/// A data file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct TableError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: TableFault,
}

/// Rows that are reported one by one.
const MOST_ROWS: usize = 10;

/// What is wrong with the rows of a data file, as they come.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    first: Vec<TableFault>,
    more: usize,
}

impl Faults {
    /// Takes note of a row.
    pub(crate) fn note(&mut self, row: Result<(), TableFault>) {
        match row {
            Ok(()) => {}
            Err(fault) if self.first.len() < MOST_ROWS => self.first.push(fault),
            Err(_) => self.more += 1,
        }
    }

    /// Everything that was noted, as one.
    pub(crate) fn finish(mut self) -> Result<(), TableFault> {
        match (self.first.len(), self.first.pop()) {
            (_, None) => Ok(()),
            (1, Some(fault)) => Err(fault),
            (_, Some(last)) => {
                self.first.push(last);
                Err(TableFault::Several { first: self.first, more: self.more })
            }
        }
    }
}

/// A list of faults below each other.
fn listed(first: &[TableFault], more: usize) -> String {
    let mut text = format!("{} rows are wrong", first.len() + more);
    first.iter().for_each(|fault| text.push_str(&format!("\n  {fault}")));
    if more > 0 {
        text.push_str(&format!("\n  and {more} more"));
    }
    text
}

/// What is wrong with a data file. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// Several rows.
    #[error("{}", listed(first, *more))]
    Several {
        /// What is wrong with the first of them.
        first: Vec<TableFault>,
        /// How many follow.
        more: usize,
    },
    /// The system does not give it to us.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// None of those that can be read.
    #[error("tables end in .csv, .npy, .npz, .vtu or .vtp")]
    UnknownKind,
    /// Not UTF-8.
    #[error("line {line} is not text in UTF-8")]
    NotText {
        /// Where the first other byte is.
        line: usize,
    },
    /// A line with too many or too few entries.
    #[error("line {line} has {found} column{}; the problem file names {expected}", if *found == 1 { "" } else { "s" })]
    Columns {
        /// Which line.
        line: usize,
        /// Entries on it.
        found: usize,
        /// Names in the problem file.
        expected: usize,
    },
    /// A header with too many or too few names.
    #[error(
        "line {line}: the header names {} columns ({}), the problem file {} ({}); name what every column holds: `columns = [{}]`, with `_` for one that is not used",
        found.len(), found.join(", "), expected.len(), expected.join(", "), suggestion(found, expected)
    )]
    HeaderColumns {
        /// Which line.
        line: usize,
        /// In the header.
        found: Vec<String>,
        /// By the problem file.
        expected: Vec<String>,
    },
    /// An entry that is no number.
    #[error("line {line}, column {column}: `{text}` is not a number")]
    NotANumber {
        /// Which line.
        line: usize,
        /// Which entry, from 1.
        column: usize,
        /// The entry.
        text: String,
    },
    /// An entry that is infinite or NaN; in NPY files `line` is the row.
    #[error("line {line}, column {column} is not finite")]
    NotFinite {
        /// Which line.
        line: usize,
        /// Which entry, from 1.
        column: usize,
    },
    /// A header that names another column than the problem file.
    #[error(
        "line {line}: the header calls column {column} `{found}`, the problem file `{expected}`; make `columns` in the problem file and the header agree, or begin the header with `#` to have it ignored"
    )]
    Header {
        /// Which line.
        line: usize,
        /// Which entry, from 1.
        column: usize,
        /// In the header.
        found: String,
        /// By the problem file.
        expected: String,
    },
    /// A point that is not in the domain.
    #[error(
        "{counted} {number}, column {column}: {coordinate} = {value} lies outside its interval [{low}, {high}]"
    )]
    Outside {
        /// What `number` counts.
        counted: Counted,
        /// Which line or row, from 1.
        number: usize,
        /// Which entry, from 1.
        column: usize,
        /// Which coordinate.
        coordinate: String,
        /// The entry.
        value: f64,
        /// The interval's lower end.
        low: f64,
        /// The interval's upper end.
        high: f64,
    },
    /// A list of points whose header leaves a coordinate out.
    #[error("line {line}: the header names no column `{coordinate}`, but {}; every coordinate needs one", found.join(", "))]
    MissingCoordinate {
        /// Which line.
        line: usize,
        /// Which coordinate.
        coordinate: String,
        /// What the header names.
        found: Vec<String>,
    },
    /// A list of points whose header names a column twice.
    #[error("line {line}: the header names two columns `{name}`")]
    RepeatedColumn {
        /// Which line.
        line: usize,
        /// Which name.
        name: String,
    },
    /// A line of a list of points with another number of entries than the header or the problem has.
    #[error("line {line} has {found} column{} where {expected} are expected ({names})", if *found == 1 { "" } else { "s" })]
    PointColumns {
        /// Which line.
        line: usize,
        /// Entries on it.
        found: usize,
        /// Entries it should have.
        expected: usize,
        /// What they are called.
        names: String,
    },
    /// A row without a number in some place, of a table that is read in batches.
    #[error(
        "row {row}, column {column} is not finite; a table with `batch` is read while it is trained on, and needs a number everywhere: \
         remove the row, or leave `batch` out to have rows without a measured value left out"
    )]
    RowNotFinite {
        /// Which row, from 1.
        row: u64,
        /// Which entry, from 1.
        column: usize,
    },
    /// Rows that the system does not give to us.
    #[error(
        "rows {first} to {last} cannot be read: {cause}; the file has to stay as it is while it is trained on"
    )]
    RowsUnreadable {
        /// Which rows, from 1.
        first: u64,
        /// The last of them.
        last: u64,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Contents that are not what is needed.
    #[error("{0}")]
    Unfit(String),
    /// No rows.
    #[error("it holds no rows")]
    Empty,
    /// The file does not start as NPY files do.
    #[error("it is not an NPY file")]
    NotNpy,
    /// An NPY file of another kind of array.
    #[error("it holds {found}; a C-ordered two-dimensional array of little-endian f4 or f8 is needed")]
    NpyKind {
        /// The header's text.
        found: String,
    },
    /// An NPY file with another number of columns.
    #[error("it has {found} columns; the problem file names {expected}")]
    NpyColumns {
        /// Columns of the array.
        found: usize,
        /// Names in the problem file.
        expected: usize,
    },
    /// An NPY file whose length does not fit its header.
    #[error("its data has {found} bytes, the header states {expected}")]
    NpyLength {
        /// By the header.
        expected: usize,
        /// In the file.
        found: usize,
    },
}

/// The header's columns as the problem file would name them.
fn suggestion(found: &[String], expected: &[String]) -> String {
    let known = found.iter().map(|found| if expected.contains(found) { found.as_str() } else { "_" });
    let names: Vec<String> = known.map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}

/// How rows are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// By lines of text.
    Lines,
    /// By rows of the array, from 1.
    Rows,
}

impl fmt::Display for Counted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Counted::Lines => "line",
            Counted::Rows => "row",
        })
    }
}
