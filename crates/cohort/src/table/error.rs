//! What can be wrong with a table.

use crate::few::{Few, short};
use crate::place::Place;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A table cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// What it holds is no table.
    #[error("{}: {mistake}", path.display())]
    Mistake {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        mistake: TableMistake,
    },
    /// It cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

/// What is wrong with a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountFault {
    /// Below 0.
    Negative,
    /// Not whole.
    Fractional,
    /// NaN or infinite.
    NotFinite,
    /// Above what fits into 32 bits.
    TooLarge,
}

impl fmt::Display for CountFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            CountFault::Negative => "a count is 0 or more",
            CountFault::Fractional => {
                "counts are whole numbers of reads: proportions have lost the depth, use the table before they were made"
            }
            CountFault::NotFinite => "a count is a finite number",
            CountFault::TooLarge => "counts end at 4294967295",
        })
    }
}

/// What is wrong with a table.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TableMistake {
    /// Neither HDF5 nor JSON nor a table of text.
    #[error(
        "this is no table: BIOM 2.1 (HDF5), BIOM 1.0 (JSON) and text with tabs are read, also compressed with gzip"
    )]
    Foreign,
    /// A part of an HDF5 file is missing or has another type.
    #[error("{part} cannot be read: {why}; BIOM 2.1 is needed, as biom-format and QIIME 2 write it")]
    Hdf5 {
        /// Its path in the file.
        part: &'static str,
        /// What the reader of HDF5 says.
        why: String,
    },
    /// A file of several parts of which two do not fit together.
    #[error("{part} has {got} numbers where {wanted} are needed")]
    Length {
        /// The part.
        part: &'static str,
        /// How many it has.
        got: usize,
        /// How many it should have.
        wanted: usize,
    },
    /// A place in the matrix that it does not have.
    #[error("{part} points at {got}, but there are only {count}")]
    Index {
        /// The part.
        part: &'static str,
        /// The number.
        got: i64,
        /// What it has to be below.
        count: usize,
    },
    /// Text that is not JSON, or JSON without what BIOM 1.0 has.
    #[error("line {line}, column {column}: {why}")]
    Json {
        /// Where.
        line: usize,
        /// Where.
        column: usize,
        /// What the reader of JSON says.
        why: String,
    },
    /// A line with more or fewer cells than the first.
    #[error("{place}: {got} cells where the header has {wanted}; cells are separated by tabs")]
    Ragged {
        /// Where the line begins.
        place: Place,
        /// Its cells.
        got: usize,
        /// Those of the header.
        wanted: usize,
    },
    /// A cell that is no number.
    #[error("{place}: `{text}` is no number")]
    NotANumber {
        /// Where.
        place: Place,
        /// What stands there.
        text: String,
    },
    /// A count that cannot be one.
    #[error("taxon {}, sample {}{}: {count}: {fault}", short(taxon), short(sample), at(*place))]
    Count {
        /// In which row.
        taxon: String,
        /// In which column.
        sample: String,
        /// Where in a text.
        place: Option<Place>,
        /// As it was read.
        count: f64,
        /// What is wrong.
        fault: CountFault,
    },
    /// Two counts for the same place.
    #[error("taxon {}, sample {}: there are two counts", short(taxon), short(sample))]
    TwoCounts {
        /// In which row.
        taxon: String,
        /// In which column.
        sample: String,
    },
    /// Names that are there twice.
    #[error("{what} are there more than once: {names}; each needs a name of its own")]
    Duplicate {
        /// Samples or taxa.
        what: &'static str,
        /// Which.
        names: Few,
    },
    /// A name that is empty.
    #[error("{what} number {number} has no name")]
    Nameless {
        /// A sample or a taxon.
        what: &'static str,
        /// Counted from one.
        number: usize,
    },
    /// A name that would break the lines of a table of text.
    #[error("{what} number {number} has a tab or a line break in its name: {}", short(&name.escape_debug().to_string()))]
    BrokenName {
        /// A sample or a taxon.
        what: &'static str,
        /// Counted from one.
        number: usize,
        /// As it is.
        name: String,
    },
    /// A table without rows or columns.
    #[error("the table has no {0}")]
    Empty(&'static str),
    /// Text that is not UTF-8.
    #[error("byte {0} is not UTF-8; save the table as text in UTF-8")]
    NotUtf8(usize),
    /// More than the program can number.
    #[error("{0} are too many: at most 4294967295 are read")]
    TooMany(&'static str),
}

fn at(place: Option<Place>) -> String {
    place.map(|place| format!(" ({place})")).unwrap_or_default()
}

impl TableMistake {
    /// The same with the place in a text where it was found.
    pub(super) fn at(self, place: Place) -> TableMistake {
        match self {
            TableMistake::Count { taxon, sample, count, fault, .. } => {
                TableMistake::Count { taxon, sample, place: Some(place), count, fault }
            }
            other => other,
        }
    }
}
