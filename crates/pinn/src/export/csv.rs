//! Fields as a table of text.

use super::{ExportError, file};
use crate::Fields;
use std::io::Write;
use std::path::Path;

/// Writes a file with one header line, then one line per point: coordinates, then fields.
pub fn csv(fields: &Fields, path: &Path) -> Result<(), ExportError> {
    file::write(path, |output| write_csv(fields, output))
}

/// The same anywhere. Numbers have as many digits as it takes to read them back unchanged.
pub fn write_csv(fields: &Fields, output: &mut impl Write) -> std::io::Result<()> {
    for (position, name) in fields.header().enumerate() {
        let divider = if position == 0 { "" } else { "," };
        write!(output, "{divider}{name}")?;
    }
    writeln!(output)?;
    for row in fields.rows() {
        for (position, value) in row.enumerate() {
            let divider = if position == 0 { "" } else { "," };
            write!(output, "{divider}{value:?}")?;
        }
        writeln!(output)?;
    }
    Ok(())
}
