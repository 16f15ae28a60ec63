//! Tables whose columns have names.

use super::layout::TableColumns;
use super::{Counted, TableFault};
use crate::error::Faults;
use kernel::Points;

/// A column, and what it is called.
pub(super) type NamedColumn = (String, Vec<f64>);

/// Names that a message lists.
const SHOWN: usize = 12;

/// The rows of this layout from columns of one length, which are found by their names.
pub(super) fn rows(arrays: &[NamedColumn], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
    let mut columns: Vec<Option<&[f64]>> = Vec::with_capacity(layout.len());
    for name in layout.names() {
        let found = arrays.iter().find(|(own, _)| own == name);
        match found {
            _ if name == "_" => columns.push(None),
            Some((_, values)) => columns.push(Some(values)),
            None => {
                let mut known: Vec<String> =
                    arrays.iter().take(SHOWN).map(|(own, _)| format!("`{own}`")).collect();
                if arrays.len() > SHOWN {
                    known.push("others".to_owned());
                }
                return Err(TableFault::Unfit(format!(
                    "it has no array `{name}`, but {}; say what it is called there: `names = {{ \"{name}\" = \"…\" }}`",
                    known.join(", ")
                )));
            }
        }
    }
    let count = columns.iter().flatten().map(|column| column.len()).max().unwrap_or(0);
    for (name, column) in layout.names().iter().zip(&columns) {
        if let Some(short) = column.filter(|column| column.len() != count) {
            return Err(TableFault::Unfit(format!(
                "its array `{name}` has {} numbers, another one {count}: columns have one length",
                short.len()
            )));
        }
    }
    let mut rows = Points::new(layout.len());
    let mut row = vec![0.0; layout.len()];
    let mut faults = Faults::default();
    for index in 0..count {
        for (value, column) in row.iter_mut().zip(&columns) {
            *value = column.map_or(0.0, |column| column[index]);
        }
        layout.scale(&mut row);
        let checked = layout.check_numbers(index + 1, &row);
        faults.note(checked.and_then(|()| layout.check_row(Counted::Rows, index + 1, &row)));
        rows.push(&row);
    }
    faults.finish()?;
    Ok(rows)
}
