//! Fields as NumPy's arrays: NPY format version 1.0, little-endian f8, C order.

use super::{ExportError, file};
use crate::{Fields, Places};
use std::io::Write;
use std::path::Path;

/// Headers are padded with blanks so that the data begins at a multiple of this.
const ALIGNMENT: usize = 64;

/// Writes one array with a row per point: coordinates, then fields, in the order of
/// [`Fields::header`].
pub fn npy_table(fields: &Fields, path: &Path) -> Result<(), ExportError> {
    let shape = [fields.points().len(), fields.header().count()];
    file::write(path, |output| array(&shape, fields.rows().flatten(), output))
}

/// Writes a folder with one array per coordinate and per field, `x.npy`, `u.npy`, `u_x.npy`. On a grid,
/// a coordinate is its values along its own axis, and a field has one axis per coordinate.
pub fn npy_folder(fields: &Fields, folder: &Path) -> Result<(), ExportError> {
    file::folder(folder)?;
    let write = |name: &str, shape: &[usize], values: &mut dyn Iterator<Item = f64>| {
        file::write(&folder.join(format!("{name}.npy")), |output| array(shape, values, output))
    };
    let shape: Vec<usize> = match fields.places() {
        Places::Grid(grid) => {
            for axis in grid.axes() {
                write(&axis.coordinate.name, &[axis.count], &mut axis.values().into_iter())?;
            }
            grid.axes().iter().map(|axis| axis.count).collect()
        }
        Places::Scattered(points) => {
            for (axis, name) in fields.coordinates().iter().enumerate() {
                write(name, &[points.len()], &mut points.iter().map(|place| place[axis]))?;
            }
            vec![points.len()]
        }
    };
    for (name, values) in fields.iter() {
        write(name, &shape, &mut values.iter().copied())?;
    }
    Ok(())
}

fn array(shape: &[usize], values: impl Iterator<Item = f64>, output: &mut impl Write) -> std::io::Result<()> {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple of one needs its comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let extents = extents.join(", ");
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({extents}{comma}), }}");
    let start = b"\x93NUMPY\x01\x00".len() + 2;
    let padded = (start + header.len() + 1).next_multiple_of(ALIGNMENT) - start;
    header.extend(std::iter::repeat_n(' ', padded - 1 - header.len()));
    header.push('\n');
    output.write_all(b"\x93NUMPY\x01\x00")?;
    // At most 100 coordinates of at most 20 digits: far below the 65,535 bytes of this version.
    output.write_all(&(header.len() as u16).to_le_bytes())?;
    output.write_all(header.as_bytes())?;
    for value in values {
        output.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_aligned_and_say_the_shape() {
        let mut bytes = Vec::new();
        array(&[2, 3], (0..6).map(f64::from), &mut bytes).expect("memory can be written");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % ALIGNMENT, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).expect("a header is text");
        assert!(
            header.starts_with("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"),
            "{header}"
        );
        assert!(header.ends_with(" \n"));
        assert_eq!(bytes.len(), 10 + length + 6 * 8);
        assert_eq!(bytes[bytes.len() - 8..], 5f64.to_le_bytes());
        let mut line = Vec::new();
        array(&[4], (0..4).map(f64::from), &mut line).expect("memory can be written");
        assert!(String::from_utf8_lossy(&line).contains("'shape': (4,), }"));
    }
}
