//! Tables as NumPy writes them: NPY format versions 1 to 3, C order, little-endian f4 or f8.

use super::layout::TableColumns;
use super::{Counted, TableFault};
use crate::error::Faults;
use kernel::Points;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a table of this layout.
pub(super) fn read(bytes: &[u8], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
    let columns = layout.len();
    let (header, data) = divide(bytes).ok_or(TableFault::NotNpy)?;
    let NpyTable { rows, size } = NpyTable::of(header, columns)?;
    let expected = rows.saturating_mul(columns).saturating_mul(size);
    if data.len() != expected {
        return Err(TableFault::NpyLength { expected, found: data.len() });
    }
    let mut points = Points::new(columns);
    let mut row = vec![0.0; columns];
    let mut faults = Faults::default();
    for (index, bytes) in data.chunks_exact(columns * size).enumerate() {
        put_row(bytes, &mut row);
        layout.scale(&mut row);
        let checked = layout.check_numbers(index + 1, &row);
        faults.note(checked.and_then(|()| layout.check_row(Counted::Rows, index + 1, &row)));
        points.push(&row);
    }
    faults.finish()?;
    Ok(points)
}

/// A table as its header tells it.
#[derive(Debug)]
pub(super) struct NpyTable {
    pub(super) rows: usize,
    /// Bytes of a number.
    pub(super) size: usize,
}

impl NpyTable {
    /// A table of so many columns.
    fn of(header: &str, columns: usize) -> Result<Self, TableFault> {
        let kind = || TableFault::NpyKind { found: header.trim().to_owned() };
        let size = match entry(header, "descr") {
            Some(descr) if descr.starts_with("'<f8'") => 8,
            Some(descr) if descr.starts_with("'<f4'") => 4,
            _ => return Err(kind()),
        };
        if !entry(header, "fortran_order").is_some_and(|order| order.starts_with("False")) {
            return Err(kind());
        }
        let &[rows, found] = shape(header).ok_or_else(kind)?.as_slice() else { return Err(kind()) };
        if found != columns {
            return Err(TableFault::NpyColumns { found, expected: columns });
        }
        Ok(NpyTable { rows, size })
    }

    /// The same by the first bytes of a file, and where its numbers begin.
    pub(super) fn begin(bytes: &[u8], columns: usize) -> Result<(Self, usize), TableFault> {
        let (header, data) = divide(bytes).ok_or(TableFault::NotNpy)?;
        Ok((Self::of(header, columns)?, bytes.len() - data.len()))
    }
}

/// The numbers of a row from its bytes.
pub(super) fn put_row(bytes: &[u8], row: &mut [f64]) {
    let size = bytes.len() / row.len().max(1);
    row.iter_mut().zip(bytes.chunks_exact(size)).for_each(|(value, bytes)| *value = number(bytes));
}

/// An array of numbers, the last index of which changes fastest.
pub(super) struct NpyArray {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f64>,
}

/// Reads an array of any shape, of little-endian floats or integers in either order, with no more than so many numbers.
pub(super) fn array(bytes: &[u8], most: usize) -> Result<NpyArray, TableFault> {
    let (header, data) = divide(bytes).ok_or(TableFault::NotNpy)?;
    let kind = || TableFault::Unfit(format!("it holds {}; little-endian numbers are needed", header.trim()));
    let number = entry(header, "descr").and_then(number_kind).ok_or_else(kind)?;
    let reversed = entry(header, "fortran_order").ok_or_else(kind)?.starts_with("True");
    let mut shape = shape(header).ok_or_else(kind)?;
    let count = shape.iter().fold(1usize, |count, extent| count.saturating_mul(*extent));
    if count > most {
        return Err(TableFault::Unfit(format!("it has {count} values: no more than {most} are read")));
    }
    let expected = count.saturating_mul(number.size);
    if data.len() != expected {
        return Err(TableFault::NpyLength { expected, found: data.len() });
    }
    let mut values: Vec<f64> = data.chunks_exact(number.size).map(number.read).collect();
    if reversed {
        shape.reverse();
        values = transposed(&shape, &values);
        shape.reverse();
    }
    Ok(NpyArray { shape, values })
}

/// The same numbers with all indices in the opposite order.
fn transposed(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    let mut index = vec![0; shape.len()];
    let mut found = Vec::with_capacity(values.len());
    for _ in values {
        found.push(values[index.iter().zip(&strides).map(|(index, stride)| index * stride).sum::<usize>()]);
        // The first index changes fastest now.
        for (index, extent) in index.iter_mut().zip(shape) {
            *index += 1;
            if *index < *extent {
                break;
            }
            *index = 0;
        }
    }
    found
}

/// Bytes of a number, and what they mean.
struct NumberKind {
    size: usize,
    read: fn(&[u8]) -> f64,
}

fn number_kind(descr: &str) -> Option<NumberKind> {
    /// The first bytes as an array.
    fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
        std::array::from_fn(|place| bytes.get(place).copied().unwrap_or(0))
    }
    let (size, read): (usize, fn(&[u8]) -> f64) = match descr.split('\'').nth(1)? {
        "<f8" => (8, |bytes| f64::from_le_bytes(first(bytes))),
        "<f4" => (4, |bytes| f64::from(f32::from_le_bytes(first(bytes)))),
        "|u1" => (1, |bytes| f64::from(bytes[0])),
        "|i1" => (1, |bytes| f64::from(bytes[0] as i8)),
        "<u2" => (2, |bytes| f64::from(u16::from_le_bytes(first(bytes)))),
        "<i2" => (2, |bytes| f64::from(i16::from_le_bytes(first(bytes)))),
        "<u4" => (4, |bytes| f64::from(u32::from_le_bytes(first(bytes)))),
        "<i4" => (4, |bytes| f64::from(i32::from_le_bytes(first(bytes)))),
        "<u8" => (8, |bytes| u64::from_le_bytes(first(bytes)) as f64),
        "<i8" => (8, |bytes| i64::from_le_bytes(first(bytes)) as f64),
        _ => return None,
    };
    Some(NumberKind { size, read })
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let inner = entry(header, "shape")?.strip_prefix('(')?.split(')').next()?;
    let extents = inner.split(',').map(str::trim).filter(|extent| !extent.is_empty());
    extents.map(|extent| extent.parse().ok()).collect()
}

/// The header's text and the data after it.
fn divide(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (&[major, _], rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = match major {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            (usize::try_from(u32::from_le_bytes(*length)).ok()?, rest)
        }
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, data))
}

/// The text after `'key':` in a Python dictionary.
fn entry<'text>(header: &'text str, key: &str) -> Option<&'text str> {
    let (_, after) = header.split_once(&format!("'{key}'"))?;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

fn number(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        // Other sizes do not reach here: the element kind was checked.
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], columns: usize) -> Result<Points, TableFault> {
        super::read(bytes, &TableColumns::of_anything(columns))
    }

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    const HEADER: &str = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }          \n";

    fn data(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn both_float_sizes_are_read() {
        let table = read(&file(HEADER, &data(&[1.0, 2.0, 3.0, 4.5])), 2).unwrap();
        assert_eq!(table.iter().collect::<Vec<_>>(), [[1.0, 2.0], [3.0, 4.5]]);
        let single: Vec<u8> = [1.0f32, 2.0, 3.0, 4.5].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(read(&file(&HEADER.replace("f8", "f4"), &single), 2).unwrap(), table);
    }

    #[test]
    fn arrays_have_any_shape_order_and_kind_of_number() {
        let numbers: Vec<f64> = (0..6).map(f64::from).collect();
        let three = HEADER.replace("(2, 2)", "(3, 2)");
        let found = array(&file(&three, &data(&numbers)), 100).expect("an array");
        assert_eq!((found.shape, found.values), (vec![3, 2], numbers.clone()));
        let reversed = three.replace("False", "True");
        let found = array(&file(&reversed, &data(&[0.0, 2.0, 4.0, 1.0, 3.0, 5.0])), 100).expect("an array");
        assert_eq!((found.shape, found.values), (vec![3, 2], numbers));
        let bytes =
            array(&file(&HEADER.replace("'<f8'", "'|u1'").replace("(2, 2)", "(3,)"), &[1, 2, 255]), 100);
        let bytes = bytes.expect("an array");
        assert_eq!((bytes.shape, bytes.values), (vec![3], vec![1.0, 2.0, 255.0]));
        assert!(
            array(&file(&three, &data(&[0.0; 6])), 5)
                .is_err_and(|fault| fault.to_string().contains("no more than 5"))
        );
        assert!(array(&file(&HEADER.replace("<f8", ">f8"), &data(&[0.0; 4])), 100).is_err());
    }

    #[test]
    fn truncated_foreign_and_non_finite_files_are_refused() {
        let whole = file(HEADER, &data(&[1.0, 2.0, 3.0, 4.5]));
        for length in 0..whole.len() {
            assert!(read(&whole[..length], 2).is_err(), "{length} bytes");
        }
        assert!(matches!(read(&whole, 3), Err(TableFault::NpyColumns { found: 2, expected: 3 })));
        for (old, new) in [("<f8", ">f8"), ("False", "True"), ("(2, 2)", "(4,)"), ("'shape'", "'shap'")] {
            let other = file(&HEADER.replace(old, new), &data(&[0.0; 4]));
            assert!(matches!(read(&other, 2), Err(TableFault::NpyKind { .. })), "{new}");
        }
        let huge = file(&HEADER.replace("(2, 2)", "(9223372036854775807, 2)"), &data(&[0.0; 4]));
        assert!(matches!(read(&huge, 2), Err(TableFault::NpyLength { .. })));
        let infinite = file(HEADER, &data(&[1.0, 2.0, f64::INFINITY, 4.5]));
        assert!(matches!(read(&infinite, 2), Err(TableFault::NotFinite { line: 2, column: 1 })));
    }
}
