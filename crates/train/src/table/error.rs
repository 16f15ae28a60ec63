//! What can be wrong with a data file.

use super::Counted;
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

/// What is wrong with a data file. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// The system does not give it to us.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// Neither `.csv` nor `.npy`.
    #[error("tables end in .csv or .npy")]
    UnknownKind,
    /// Not UTF-8.
    #[error("line {line} is not text in UTF-8")]
    NotText {
        /// Where the first other byte is.
        line: usize,
    },
    /// A line with too many or too few entries.
    #[error("line {line} has {found} columns; the problem file names {expected}")]
    Columns {
        /// Which line.
        line: usize,
        /// Entries on it.
        found: usize,
        /// Names in the problem file.
        expected: usize,
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
    #[error("line {line}: the header names no column `{coordinate}`; every coordinate needs one")]
    MissingCoordinate {
        /// Which line.
        line: usize,
        /// Which coordinate.
        coordinate: String,
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
    #[error("line {line} has {found} columns where {expected} are expected ({names})")]
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
    #[error("its data is {found} bytes long where the header promises {expected}")]
    NpyLength {
        /// By the header.
        expected: usize,
        /// In the file.
        found: usize,
    },
}
