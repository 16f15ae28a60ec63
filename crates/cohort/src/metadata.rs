//! Metadata: a line per sample, a column per property, separated by tabs.

use crate::few::{Few, short};
use crate::place::Place;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Metadata cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// What it holds is no metadata.
    #[error("{}: {mistake}", path.display())]
    Mistake {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        mistake: MetadataMistake,
    },
}

/// What is wrong with metadata.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MetadataMistake {
    /// No header, or no column beside the names.
    #[error(
        "metadata begins with a header: a column with the samples, and one for each property, separated by tabs"
    )]
    NoHeader,
    /// A line with more or fewer cells than the header.
    #[error("{place}: {got} cells where the header has {wanted}; cells are separated by tabs")]
    Ragged {
        /// Where the line begins.
        place: Place,
        /// Its cells.
        got: usize,
        /// Those of the header.
        wanted: usize,
    },
    /// Names that are there twice.
    #[error("{what} are there more than once: {names}")]
    Duplicate {
        /// Samples or columns.
        what: &'static str,
        /// Which.
        names: Few,
    },
    /// A line without the name of a sample.
    #[error("{0}: this line has no sample")]
    Nameless(Place),
    /// A column that is not there.
    #[error("there is no column {}; there are {columns}", short(column))]
    NoColumn {
        /// As it was asked for.
        column: String,
        /// Those that are there.
        columns: String,
    },
    /// Samples of the table that have no line.
    #[error("{} samples of the table are not in the metadata: {samples}", samples.count())]
    NoSample {
        /// Which.
        samples: Few,
    },
    /// A cell that is empty, in a column that is needed.
    #[error("{place}: sample {} has no {}", short(sample), short(column))]
    Missing {
        /// Where.
        place: Place,
        /// Whose line.
        sample: String,
        /// Which column.
        column: String,
    },
    /// Text in a column of numbers.
    #[error(
        "{place}: sample {}, column {}: {} is no number; a column of classes has no numbers at all",
        short(sample),
        short(column),
        short(text)
    )]
    NotANumber {
        /// Where.
        place: Place,
        /// Whose line.
        sample: String,
        /// Which column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// Text that is not UTF-8.
    #[error("byte {0} is not UTF-8; save the metadata as text in UTF-8")]
    NotUtf8(usize),
}

/// Properties of samples, as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    columns: Vec<String>,
    /// Name, number of the line, cells.
    lines: Vec<(String, usize, Vec<String>)>,
    places: HashMap<String, usize>,
}

/// A property of samples, in their order.
#[derive(Clone, PartialEq, Debug)]
pub enum Column {
    /// Numbers.
    Numbers(Vec<f64>),
    /// The classes by name, sorted, and the class of each sample.
    Classes(Vec<String>, Vec<usize>),
}

/// Words that stand for nothing, as people write them.
const NOTHING: [&str; 8] =
    ["", "na", "nan", "n/a", "not applicable", "missing", "not collected", "not provided"];

fn is_nothing(cell: &str) -> bool {
    NOTHING.contains(&cell.trim().to_lowercase().as_str())
}

impl Metadata {
    /// Reads a file.
    pub fn open(path: &Path) -> Result<Metadata, MetadataError> {
        let bytes =
            std::fs::read(path).map_err(|cause| MetadataError::Read { path: path.to_owned(), cause })?;
        let text = String::from_utf8(bytes)
            .map_err(|error| MetadataMistake::NotUtf8(error.utf8_error().valid_up_to()));
        text.and_then(|text| Metadata::parse(&text)).map_err(|mistake| mistake.of(path))
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Metadata, MetadataMistake> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut metadata = Metadata::default();
        let mut twice = Few::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if line.trim().is_empty() {
                continue;
            }
            let mut cells = line.split('\t').map(|cell| cell.trim().to_owned());
            let name = cells.next().unwrap_or_default();
            let cells: Vec<String> = cells.collect();
            if metadata.columns.is_empty() {
                if cells.is_empty() {
                    return Err(MetadataMistake::NoHeader);
                }
                let again = |place: &usize| cells[..*place].contains(&cells[*place]);
                let names = Few::of((0..cells.len()).filter(again).map(|place| cells[place].as_str()));
                if names.count() > 0 {
                    return Err(MetadataMistake::Duplicate { what: "columns", names });
                }
                metadata.columns = cells;
                continue;
            }
            // Remarks, and the lines in which QIIME 2 writes the kinds of columns.
            if name.starts_with('#') {
                continue;
            }
            let place = Place { line: number + 1, column: 1 };
            let (got, wanted) = (cells.len() + 1, metadata.columns.len() + 1);
            if got != wanted {
                return Err(MetadataMistake::Ragged { place, got, wanted });
            }
            if name.is_empty() {
                return Err(MetadataMistake::Nameless(place));
            }
            if metadata.places.insert(name.clone(), metadata.lines.len()).is_some() {
                twice.add(&name);
            }
            metadata.lines.push((name, number + 1, cells));
        }
        if metadata.columns.is_empty() {
            return Err(MetadataMistake::NoHeader);
        }
        if twice.count() > 0 {
            return Err(MetadataMistake::Duplicate { what: "samples", names: twice });
        }
        Ok(metadata)
    }

    /// Names of the properties.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Samples that have a line.
    pub fn samples(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|(name, ..)| name.as_str())
    }

    /// A property of samples: numbers if every cell is one, classes if none is.
    pub fn column(&self, name: &str, samples: &[String]) -> Result<Column, MetadataMistake> {
        let cells = self.cells(name, samples)?;
        let is_number = |(_, cell): &(Place, &str)| cell.parse::<f64>().is_ok();
        if cells.iter().any(is_number) {
            return self.parsed(name, samples, &cells).map(Column::Numbers);
        }
        let mut classes: Vec<String> = cells.iter().map(|(_, cell)| (*cell).to_owned()).collect();
        classes.sort();
        classes.dedup();
        let class = |(_, cell): &(Place, &str)| classes.partition_point(|class| class.as_str() < *cell);
        let places = cells.iter().map(class).collect();
        Ok(Column::Classes(classes, places))
    }

    /// A property that has to be a number everywhere.
    pub fn numbers(&self, name: &str, samples: &[String]) -> Result<Vec<f64>, MetadataMistake> {
        self.parsed(name, samples, &self.cells(name, samples)?)
    }

    fn parsed(
        &self,
        name: &str,
        samples: &[String],
        cells: &[(Place, &str)],
    ) -> Result<Vec<f64>, MetadataMistake> {
        let number = |((place, cell), sample): (&(Place, &str), &String)| {
            let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| MetadataMistake::NotANumber {
                place: *place,
                sample: sample.clone(),
                column: name.to_owned(),
                text: (*cell).to_owned(),
            })
        };
        cells.iter().zip(samples).map(number).collect()
    }

    /// Samples that have no line.
    pub fn missing(&self, samples: &[String]) -> Few {
        Few::of(samples.iter().filter(|sample| !self.places.contains_key(*sample)).map(String::as_str))
    }

    /// The cells of a column with their places; none is empty.
    fn cells(&self, name: &str, samples: &[String]) -> Result<Vec<(Place, &str)>, MetadataMistake> {
        let Some(column) = self.columns.iter().position(|column| column == name) else {
            let columns = self.columns.iter().map(|column| short(column)).collect::<Vec<_>>().join(", ");
            return Err(MetadataMistake::NoColumn { column: name.to_owned(), columns });
        };
        let lost = self.missing(samples);
        if lost.count() > 0 {
            return Err(MetadataMistake::NoSample { samples: lost });
        }
        let cell = |sample: &String| {
            let (_, line, cells) = &self.lines[self.places[sample]];
            let before: usize = cells[..column].iter().map(|cell| cell.chars().count() + 1).sum();
            let place = Place { line: *line, column: sample.chars().count() + before + 2 };
            match cells[column].as_str() {
                cell if is_nothing(cell) => {
                    Err(MetadataMistake::Missing { place, sample: sample.clone(), column: name.to_owned() })
                }
                cell => Ok((place, cell)),
            }
        };
        samples.iter().map(cell).collect()
    }
}

impl MetadataMistake {
    /// The same as an error about a file.
    pub fn of(self, path: &Path) -> MetadataError {
        MetadataError::Mistake { path: path.to_owned(), mistake: self }
    }
}
