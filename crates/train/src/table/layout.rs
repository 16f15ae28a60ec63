//! What the columns of a table must hold: which names a header may give them, which values fit.

use super::TableFault;
use equation::problem::{Column, Data, Problem};
use std::fmt;

/// Coordinates may lie this far outside their interval, as a share of its length: tables are often
/// written with few digits.
const SLACK: f64 = 1e-9;

/// The columns of a table.
pub(super) struct Layout<'problem> {
    columns: Vec<Expected<'problem>>,
}

/// One column.
enum Expected<'problem> {
    /// Holds a coordinate and is called by its name.
    Coordinate { name: &'problem str, low: f64, high: f64 },
    /// Holds an unknown and is called by its name.
    Unknown(&'problem str),
    /// Holds something without a name of its own, so it may be called anything but these.
    Unnamed { text: &'problem str, taken: Vec<&'problem str> },
    /// Not used.
    Ignored,
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

impl<'problem> Layout<'problem> {
    /// The columns of measurements.
    pub(super) fn of_data(problem: &'problem Problem, data: &'problem Data) -> Self {
        let measured = |position: usize| {
            let text = data.equations[position].text.as_str();
            let text = text.strip_suffix(" = measured").unwrap_or(text).trim();
            match problem.unknowns.iter().any(|unknown| unknown.name == text) {
                true => Expected::Unknown(text),
                false => Expected::Unnamed { text, taken: coordinates(problem).collect() },
            }
        };
        Self::new(problem, &data.columns, measured)
    }

    /// The columns of the reference of an unknown: people call its values `u_exact` and the like.
    pub(super) fn of_reference(problem: &'problem Problem, columns: &[Column], unknown: usize) -> Self {
        let text = problem.unknowns[unknown].name.as_str();
        let others = problem.unknowns.iter().map(|other| other.name.as_str()).filter(|&other| other != text);
        let taken: Vec<&str> = coordinates(problem).chain(others).collect();
        Self::new(problem, columns, |_| Expected::Unnamed { text, taken: taken.clone() })
    }

    fn new(
        problem: &'problem Problem,
        columns: &[Column],
        measured: impl Fn(usize) -> Expected<'problem>,
    ) -> Self {
        let expected = |column: &Column| match *column {
            Column::Coordinate(axis) => {
                let coordinate = &problem.domain.coordinates[axis];
                Expected::Coordinate { name: &coordinate.name, low: coordinate.low, high: coordinate.high }
            }
            Column::Measured(position) => measured(position),
            Column::Ignored => Expected::Ignored,
        };
        Layout { columns: columns.iter().map(expected).collect() }
    }

    /// Columns that hold anything, for tests of the readers.
    #[cfg(test)]
    pub(super) fn of_anything(columns: usize) -> Self {
        Layout { columns: (0..columns).map(|_| Expected::Ignored).collect() }
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether a header's names fit the columns. Entries that are no names (`u [m/s]`) fit.
    pub(super) fn check_header(&self, line: usize, entries: &[&str]) -> Result<(), TableFault> {
        if entries.len() != self.len() {
            // Names divided by blanks may have blanks in them; the rows are counted anyway.
            return Ok(());
        }
        for (position, (entry, expected)) in entries.iter().zip(&self.columns).enumerate() {
            let found = entry.trim_matches(['"', '\'', ' ']);
            let (name, fits) = match expected {
                Expected::Coordinate { name, .. } | Expected::Unknown(name) => (name, found == *name),
                Expected::Unnamed { text, taken } => (text, !taken.contains(&found)),
                Expected::Ignored => continue,
            };
            if !fits && is_name(found) {
                let (found, expected) = (found.to_owned(), (*name).to_owned());
                return Err(TableFault::Header { line, column: position + 1, found, expected });
            }
        }
        Ok(())
    }

    /// Whether the coordinates of a row lie in the domain.
    pub(super) fn check_row(&self, counted: Counted, number: usize, row: &[f64]) -> Result<(), TableFault> {
        for (position, (&value, expected)) in row.iter().zip(&self.columns).enumerate() {
            let Expected::Coordinate { name, low, high } = *expected else { continue };
            let slack = SLACK * (high - low);
            if value < low - slack || value > high + slack {
                let (column, coordinate) = (position + 1, name.to_owned());
                return Err(TableFault::Outside { counted, number, column, coordinate, value, low, high });
            }
        }
        Ok(())
    }
}

fn coordinates(problem: &Problem) -> impl Iterator<Item = &str> {
    problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str())
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}
