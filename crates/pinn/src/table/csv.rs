//! Tables as text: entries divided by commas, semicolons, tabs or spaces; `#` and `%` start comments;
//! one header line is allowed.

use super::layout::TableColumns;
use super::{Counted, TableFault};
use crate::error::Faults;
use kernel::Points;

/// Reads a table of this layout. Measurements that are missing are no numbers.
pub(super) fn read(bytes: &[u8], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
    let columns = layout.len();
    let mut rows = Points::new(columns);
    let mut row = Vec::with_capacity(columns);
    let mut faults = Faults::default();
    let mut names = None;
    for line in lines(bytes)? {
        if line.header {
            layout.check_header(line.number, &line.entries)?;
            names = Some(line);
            continue;
        }
        // Names divided by blanks may have blanks in them: the rows decide.
        if let Some(header) = names.take().filter(|header| header.entries.len() == line.entries.len()) {
            layout.check_width(header.number, &header.entries)?;
        }
        row.clear();
        faults.note(read_row(&line, layout, &mut row));
        if row.len() == columns {
            rows.push(&row);
        }
    }
    faults.finish()?;
    Ok(rows)
}

fn read_row(line: &CsvLine<'_>, layout: &TableColumns<'_>, row: &mut Vec<f64>) -> Result<(), TableFault> {
    let (number, found, expected) = (line.number, line.entries.len(), layout.len());
    if found != expected {
        return Err(TableFault::Columns { line: number, found, expected });
    }
    for (position, entry) in line.entries.iter().enumerate() {
        let is_missing =
            entry.is_empty() || ["nan", "na", "null"].iter().any(|word| entry.eq_ignore_ascii_case(word));
        row.push(match is_missing && layout.may_miss(position) {
            true => f64::NAN,
            false => number_of(entry, number, position + 1)?,
        });
    }
    layout.scale(row);
    layout.check_row(Counted::Lines, number, row)
}

/// A line with entries.
pub(super) struct CsvLine<'text> {
    /// From 1, comments and blank lines counted.
    pub(super) number: usize,
    pub(super) entries: Vec<&'text str>,
    /// The first line with entries, if none of them is a number.
    pub(super) header: bool,
}

/// The lines of a table that are neither blank nor comments.
pub(super) fn lines(bytes: &[u8]) -> Result<impl Iterator<Item = CsvLine<'_>>, TableFault> {
    let text = std::str::from_utf8(bytes).map_err(|error| TableFault::NotText {
        line: 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count(),
    })?;
    let mut header_allowed = true;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    Ok(lines.filter_map(move |(index, raw)| {
        let content = raw.split(['#', '%']).next().unwrap_or_default().trim();
        if content.is_empty() {
            return None;
        }
        let entries = entries(content);
        let header = header_allowed && entries.iter().all(|entry| entry.parse::<f64>().is_err());
        header_allowed = false;
        Some(CsvLine { number: index + 1, entries, header })
    }))
}

/// An entry as a finite number.
pub(super) fn number_of(entry: &str, line: usize, column: usize) -> Result<f64, TableFault> {
    let value: f64 =
        entry.parse().map_err(|_| TableFault::NotANumber { line, column, text: entry.to_owned() })?;
    if value.is_finite() { Ok(value) } else { Err(TableFault::NotFinite { line, column }) }
}

/// The entries of a line. A comma or semicolon anywhere makes it the divider, so that empty entries
/// are noticed; otherwise any white space divides.
fn entries(line: &str) -> Vec<&str> {
    match [',', ';'].into_iter().find(|&divider| line.contains(divider)) {
        Some(divider) => line.split(divider).map(str::trim).collect(),
        None => line.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], columns: usize) -> Result<Points, TableFault> {
        super::read(bytes, &TableColumns::of_anything(columns))
    }

    #[test]
    fn headers_comments_and_blank_lines_are_no_rows() {
        let text = "\u{feff}# measured in 2026\nt, x, u\r\n\n0, 1.5, -2e-3  % first\n 1 ,2,3\n";
        let table = read(text.as_bytes(), 3).unwrap();
        assert_eq!(table.iter().collect::<Vec<_>>(), [[0.0, 1.5, -2e-3], [1.0, 2.0, 3.0]]);
        assert_eq!(read(b"1 2\n3\t4\n", 2).unwrap().len(), 2);
        assert_eq!(read(b"1;2\n", 2).unwrap().row(0), [1.0, 2.0]);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let fault = |text: &str| read(text.as_bytes(), 2).unwrap_err().to_string();
        assert_eq!(fault("a,b\n1,2\n1,2,3"), "line 3 has 3 columns; the problem file names 2");
        assert_eq!(fault("1,2\n\n1,two"), "line 3, column 2: `two` is not a number");
        assert_eq!(fault("1,\n"), "line 1, column 2: `` is not a number");
        assert_eq!(fault("1,2\nnan,1"), "line 2, column 1 is not finite");
        assert_eq!(fault("a,b\nc,d"), "line 2, column 1: `c` is not a number");
        assert_eq!(
            fault("1,2\n1,two\n1\n3,4\nnan,1"),
            "3 rows are wrong\n  line 2, column 2: `two` is not a number\n  line 3 has 1 column; the problem file names 2\n  line 5, column 1 is not finite"
        );
        assert!(
            fault(&"1\n".repeat(25))
                .ends_with("line 10 has 1 column; the problem file names 2\n  and 15 more")
        );
        assert_eq!(read(b"1,2\n3,\xff\n", 2).unwrap_err().to_string(), "line 2 is not text in UTF-8");
    }
}
