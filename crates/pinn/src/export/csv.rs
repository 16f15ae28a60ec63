//! Fields as a table of text.

use super::{ExportError, file};
use crate::{Fields, Places};
use std::io::Write;
use std::path::Path;

/// Writes a file with one header line, then one line per point: coordinates, then fields. Points of a grid that lie outside of a
/// shape are left out; points that somebody has listed are not, so that lines correspond to them.
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
    let on_grid = matches!(fields.places(), Places::Grid(_));
    let left_out = |point: usize| on_grid && fields.is_outside(point);
    for (_, row) in fields.rows().enumerate().filter(|(point, _)| !left_out(*point)) {
        for (position, value) in row.enumerate() {
            let divider = if position == 0 { "" } else { "," };
            write!(output, "{divider}{value:?}")?;
        }
        writeln!(output)?;
    }
    Ok(())
}
