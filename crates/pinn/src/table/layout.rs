//! What the columns of a table must hold: which names a header may give them, which values fit.

use super::{Counted, TableFault};
use equation::problem::{Column, Data, Problem};

/// Coordinates may lie this far outside their interval, as a share of its length: tables are often
/// written with few digits.
const SLACK: f64 = 1e-9;

/// The columns of a table.
pub(super) struct TableColumns<'problem> {
    columns: Vec<Expected<'problem>>,
    /// Coordinates, then unknowns: a header that gives one of these names to another column is wrong.
    /// Any other name is the table's own business.
    declared: Vec<&'problem str>,
    /// What the numbers of each are multiplied with.
    scales: Vec<f64>,
    /// What each is called in files whose columns have names.
    names: Vec<String>,
    /// Whether measurements may be missing: such rows are left out.
    may_miss: bool,
}

/// One column.
enum Expected<'problem> {
    /// Holds a coordinate.
    Coordinate { name: &'problem str, low: f64, high: f64 },
    /// Holds measurements of an unknown, or of a formula.
    Measured(&'problem str),
    /// Not used.
    Ignored,
}

impl<'problem> TableColumns<'problem> {
    /// The columns of measurements.
    pub(super) fn of_data(problem: &'problem Problem, data: &'problem Data) -> Self {
        let measured = |position: usize| {
            let text = data.equations[position].text.as_str();
            text.strip_suffix(" = measured").unwrap_or(text).trim()
        };
        let columns = Self::new(problem, &data.columns, measured);
        TableColumns { scales: data.scales.clone(), names: data.names.clone(), may_miss: true, ..columns }
    }

    /// The columns of the reference of an unknown.
    pub(super) fn of_reference(problem: &'problem Problem, columns: &[Column], unknown: usize) -> Self {
        Self::new(problem, columns, |_| problem.unknowns[unknown].name.as_str())
    }

    /// The coordinates in the problem's order, wherever they lie.
    pub(super) fn of_points(problem: &'problem Problem) -> Self {
        let columns: Vec<Column> = (0..problem.domain.len()).map(Column::Coordinate).collect();
        let own = Self::new(problem, &columns, |_| "");
        let columns = problem.domain.coordinates.iter().map(|_| Expected::Ignored).collect();
        TableColumns { columns, declared: Vec::new(), ..own }
    }

    /// The coordinates in the problem's order, inside the domain.
    pub(super) fn of_points_inside(problem: &'problem Problem) -> Self {
        let columns: Vec<Column> = (0..problem.domain.len()).map(Column::Coordinate).collect();
        Self::new(problem, &columns, |_| "")
    }

    fn new(
        problem: &'problem Problem,
        columns: &[Column],
        measured: impl Fn(usize) -> &'problem str,
    ) -> Self {
        let expected = |column: &Column| match *column {
            Column::Coordinate(axis) => {
                let coordinate = &problem.domain.coordinates[axis];
                Expected::Coordinate { name: &coordinate.name, low: coordinate.low, high: coordinate.high }
            }
            Column::Measured(position) => Expected::Measured(measured(position)),
            Column::Ignored => Expected::Ignored,
        };
        let coordinates = problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str());
        let unknowns = problem.unknowns.iter().map(|unknown| unknown.name.as_str());
        let declared = coordinates.chain(unknowns).collect();
        let columns: Vec<Expected> = columns.iter().map(expected).collect();
        let name = |column: &Expected| match column {
            Expected::Coordinate { name, .. } | Expected::Measured(name) => (*name).to_owned(),
            Expected::Ignored => "_".to_owned(),
        };
        let (scales, names) = (vec![1.0; columns.len()], columns.iter().map(name).collect());
        TableColumns { columns, declared, scales, names, may_miss: false }
    }

    /// Columns that hold anything, for tests of the readers.
    #[cfg(test)]
    pub(super) fn of_anything(columns: usize) -> Self {
        TableColumns {
            columns: (0..columns).map(|_| Expected::Ignored).collect(),
            declared: Vec::new(),
            scales: vec![1.0; columns],
            names: vec![String::new(); columns],
            may_miss: false,
        }
    }

    /// Columns of these names that hold anything, for tests of the readers.
    #[cfg(test)]
    pub(super) fn of_named(names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        TableColumns { names: names.clone(), ..Self::of_anything(names.len()) }
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// What the columns are called in files whose columns have names; `_` is not looked for.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether a column of a row may have no value.
    pub(super) fn may_miss(&self, column: usize) -> bool {
        self.may_miss && !matches!(self.columns[column], Expected::Coordinate { .. })
    }

    /// Whether the numbers of a row are some, where they have to be.
    pub(super) fn check_numbers(&self, number: usize, row: &[f64]) -> Result<(), TableFault> {
        let is_wrong = |(column, value): (usize, &f64)| {
            let is_fine = value.is_finite() || value.is_nan() && self.may_miss(column);
            !is_fine
        };
        match row.iter().enumerate().position(is_wrong) {
            Some(column) => Err(TableFault::NotFinite { line: number, column: column + 1 }),
            None => Ok(()),
        }
    }

    /// The first column of a row that is used and has no number in it.
    pub(super) fn without_number(&self, row: &[f64]) -> Option<usize> {
        let is_used = |expected: &Expected| !matches!(expected, Expected::Ignored);
        let mut columns = row.iter().zip(&self.columns);
        columns.position(|(value, expected)| is_used(expected) && !value.is_finite())
    }

    /// Whether a row lacks something that is measured.
    pub(super) fn lacks(&self, row: &[f64]) -> bool {
        row.iter().zip(&self.columns).any(|(value, expected)| match expected {
            Expected::Measured(_) => value.is_nan(),
            Expected::Coordinate { .. } | Expected::Ignored => false,
        })
    }

    /// Multiplies the numbers of a row with what the problem file states.
    pub(super) fn scale(&self, row: &mut [f64]) {
        row.iter_mut().zip(&self.scales).for_each(|(value, scale)| *value *= scale);
    }

    /// Whether a header gives no column the name of something else.
    pub(super) fn check_header(&self, line: usize, entries: &[&str]) -> Result<(), TableFault> {
        if entries.len() != self.len() {
            // Names divided by blanks may have blanks in them; the rows are counted anyway.
            return Ok(());
        }
        let found = entries.iter().map(|entry| unquoted(entry));
        let meant: Vec<&str> = found.clone().map(|found| self.meant(found)).collect();
        // Other letters mean a declared name where all do: beside `t`, a `T` may be a temperature.
        let all = |name: &&str| {
            self.declared.contains(name) && meant.iter().filter(|other| *other == name).count() == 1
        };
        let meant = if meant.iter().all(all) { meant.clone() } else { found.clone().collect() };
        for (position, ((found, meant), expected)) in found.zip(meant).zip(&self.columns).enumerate() {
            let name = match expected {
                Expected::Coordinate { name, .. } | Expected::Measured(name) => *name,
                Expected::Ignored => continue,
            };
            if meant != name && self.declared.contains(&meant) {
                let (found, expected) = (found.to_owned(), name.to_owned());
                return Err(TableFault::Header { line, column: position + 1, found, expected });
            }
        }
        Ok(())
    }

    /// Whether a header has a name for every column.
    pub(super) fn check_width(&self, line: usize, entries: &[&str]) -> Result<(), TableFault> {
        if entries.len() == self.len() {
            return Ok(());
        }
        let expected = self.columns.iter().map(|expected| match expected {
            Expected::Coordinate { name, .. } | Expected::Measured(name) => (*name).to_owned(),
            Expected::Ignored => "_".to_owned(),
        });
        let found = entries.iter().map(|entry| unquoted(entry).to_owned()).collect();
        Err(TableFault::HeaderColumns { line, found, expected: expected.collect() })
    }

    /// The declared name that a header means, which may be written in other letters.
    fn meant<'name>(&'name self, found: &'name str) -> &'name str {
        if self.declared.contains(&found) {
            return found;
        }
        let alike = |name: &&&str| {
            name.eq_ignore_ascii_case(found) || (**name == "t" && found.eq_ignore_ascii_case("time"))
        };
        let mut meant = self.declared.iter().filter(alike);
        match (meant.next(), meant.next()) {
            (Some(name), None) => name,
            _ => found,
        }
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

/// A name of a header without its quotes.
pub(super) fn unquoted(entry: &str) -> &str {
    entry.trim_matches(['"', '\'', ' '])
}
