//! Files that a problem names. Nothing here opens one: whoever reads a problem brings their contents.

use std::borrow::Cow;

/// Knows the contents of files by the names that a problem file gives them.
pub trait FileReader {
    /// All of a file, unless it has more than `most` bytes: that is found out before it is read.
    fn read(&self, name: &str, most: u64) -> Result<Cow<'_, [u8]>, FileFault>;

    /// Values on a regular grid. `choices` are names of coordinates that it may be over; the first that fits the file is
    /// taken.
    fn grid(&self, name: &str, choices: &[Vec<&str>]) -> Result<FileGrid, FileFault>;
}

/// Values on a regular grid, as a file has them.
#[derive(Clone, PartialEq, Debug)]
pub struct FileGrid {
    /// Which coordinates it is over, of those that were offered.
    pub choice: usize,
    /// How many values there are along each: two or more.
    pub counts: Vec<usize>,
    /// Finite numbers, of which those along the last coordinate follow each other.
    pub values: Vec<f64>,
    /// From where to where values lie along each coordinate, where the file says so.
    pub ranges: Option<Vec<(f64, f64)>>,
    /// Whether values are shades between zero and one.
    pub is_image: bool,
}

/// Why the contents of a file are not to be had.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileFault {
    /// The problem was read as a text alone.
    #[error("no files can be read here: the problem was given as a text alone")]
    TextAlone,
    /// There is none of this name.
    #[error("there is no such file")]
    Missing,
    /// The name is that of a folder.
    #[error("it is a folder")]
    Directory,
    /// A pipe, a device: it may never end.
    #[error("it is not a regular file")]
    Irregular,
    /// More bytes than can be handled.
    #[error("it has {bytes} bytes: no more than {most} are read")]
    TooLarge {
        /// Its length.
        bytes: u64,
        /// The most that is read.
        most: u64,
    },
    /// Its contents are not what is needed.
    #[error("{0}")]
    Unfit(String),
    /// In the words of the system.
    #[error("{0}")]
    Refused(String),
}

impl FileFault {
    /// How to put it right.
    pub(super) fn hint(&self) -> &'static str {
        match self {
            FileFault::TextAlone => "open the problem as a file",
            FileFault::Missing => "paths are relative to the folder of the problem file",
            FileFault::Directory | FileFault::Irregular => "name a file",
            FileFault::TooLarge { .. } => "make it smaller: fewer triangles, points or pixels",
            FileFault::Unfit(_) => "see \"Coefficients from files\" in docs/problem-files.md",
            FileFault::Refused(_) => "check that it can be read",
        }
    }
}

/// Of a problem that is a text alone.
pub(super) struct NoFiles;

impl FileReader for NoFiles {
    fn read(&self, _: &str, _: u64) -> Result<Cow<'_, [u8]>, FileFault> {
        Err(FileFault::TextAlone)
    }

    fn grid(&self, _: &str, _: &[Vec<&str>]) -> Result<FileGrid, FileFault> {
        Err(FileFault::TextAlone)
    }
}
