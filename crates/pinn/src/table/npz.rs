//! Archives of arrays as NumPy writes them: ZIP files of NPY files, stored or deflated.

use super::layout::TableColumns;
use super::named::{self, NamedColumn};
use super::npy::{NpyArray, array};
use super::{TableFault, npy};
use kernel::Points;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Numbers of all arrays together.
const MOST_NUMBERS: usize = 1 << 26;

/// Files that an archive may have.
const MOST_FILES: usize = 1024;

/// Reads a table of this layout: the only array where that is a table, otherwise one array per column, by its name.
pub(super) fn read(bytes: &[u8], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
    let files = files(bytes)?;
    let mut arrays: Vec<NamedColumn> = Vec::new();
    let mut left = MOST_NUMBERS;
    for (position, file) in files.iter().enumerate() {
        let content = file.content(bytes, left.saturating_mul(8).saturating_add(1 << 16))?;
        if files.len() == 1 && position == 0 && array(&content, left).is_ok_and(|own| own.shape.len() == 2) {
            return npy::read(&content, layout);
        }
        let within = |fault: TableFault| TableFault::Unfit(format!("`{}` in it: {fault}", file.name));
        let NpyArray { values, .. } = array(&content, left).map_err(within)?;
        left = left.saturating_sub(values.len());
        let name = file.name.strip_suffix(".npy").unwrap_or(&file.name);
        arrays.push((name.to_owned(), values));
    }
    named::rows(&arrays, layout)
}

/// A file of an archive, as its list says.
struct ArchivedFile {
    name: String,
    method: u16,
    crc32: u32,
    packed: usize,
    size: usize,
    /// Where its own header begins.
    at: usize,
}

fn unfit(what: &str) -> TableFault {
    TableFault::Unfit(format!("it is no archive of arrays (.npz): {what}"))
}

fn number16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn number32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// The list of files at the end of an archive (APPNOTE 6.3, sections 4.3.12 and 4.3.16).
fn files(bytes: &[u8]) -> Result<Vec<ArchivedFile>, TableFault> {
    const END: [u8; 4] = *b"PK\x05\x06";
    const ENTRY: [u8; 4] = *b"PK\x01\x02";
    /// A comment behind the end may be so long.
    const COMMENT: usize = 1 << 16;
    let from = bytes.len().saturating_sub(COMMENT + 22);
    let end = bytes[from..].windows(4).rposition(|four| four == END).map(|place| from + place);
    let end = end.ok_or_else(|| unfit("the end of its list is missing; is it cut off?"))?;
    let broken = || unfit("its list is damaged");
    let count = usize::from(number16(bytes, end + 10).ok_or_else(broken)?);
    let mut at = number32(bytes, end + 16).ok_or_else(broken)? as usize;
    if count > MOST_FILES {
        return Err(unfit("it has too many files"));
    }
    let mut files = Vec::with_capacity(count);
    for _ in 0..count {
        if bytes.get(at..at.saturating_add(4)) != Some(&ENTRY) {
            return Err(broken());
        }
        let short = |offset: usize| number16(bytes, at + offset).ok_or_else(broken);
        let long = |offset: usize| number32(bytes, at + offset).ok_or_else(broken);
        let (packed, size, place) = (long(20)?, long(24)?, long(42)?);
        if [packed, size, place].contains(&u32::MAX) {
            return Err(TableFault::Unfit("files of 4 GiB and more are not read".to_owned()));
        }
        let length = usize::from(short(28)?);
        let name = bytes.get(at + 46..at + 46 + length).ok_or_else(broken)?;
        files.push(ArchivedFile {
            name: String::from_utf8_lossy(name).into_owned(),
            method: short(10)?,
            crc32: long(16)?,
            packed: packed as usize,
            size: size as usize,
            at: place as usize,
        });
        at += 46 + length + usize::from(short(30)?) + usize::from(short(32)?);
    }
    Ok(files)
}

impl ArchivedFile {
    /// What is in it, of no more than so many bytes.
    fn content(&self, bytes: &[u8], most: usize) -> Result<Vec<u8>, TableFault> {
        let wrong = |what: &str| TableFault::Unfit(format!("`{}` in it {what}", self.name));
        if self.size > most {
            return Err(wrong(&format!("has {} bytes: that is too much", self.size)));
        }
        let cut = || wrong("is cut off");
        let name = usize::from(number16(bytes, self.at.saturating_add(26)).ok_or_else(cut)?);
        let extra = usize::from(number16(bytes, self.at.saturating_add(28)).ok_or_else(cut)?);
        let start = self.at.saturating_add(30 + name + extra);
        let packed = bytes.get(start..start.saturating_add(self.packed)).ok_or_else(cut)?;
        let content = match self.method {
            0 => packed.to_vec(),
            8 => decompress_to_vec_with_limit(packed, self.size).map_err(|_| wrong("is damaged"))?,
            other => {
                return Err(wrong(&format!(
                    "is packed by method {other}: only stored and deflated files are read"
                )));
            }
        };
        match content.len() == self.size && crc32fast::hash(&content) == self.crc32 {
            true => Ok(content),
            false => Err(wrong("is damaged: its checksum differs")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array as an NPY file has it.
    fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    fn archive(files: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
        let (mut bytes, mut list) = (Vec::new(), Vec::new());
        for (name, content) in files {
            let packed = match deflated {
                true => miniz_oxide::deflate::compress_to_vec(content, 6),
                false => content.clone(),
            };
            let at = bytes.len() as u32;
            let method = if deflated { 8u16 } else { 0 };
            let mut fields = vec![20, 0, 0, 0];
            fields.extend(method.to_le_bytes());
            fields.extend([0; 4]);
            fields.extend(crc32fast::hash(content).to_le_bytes());
            fields.extend((packed.len() as u32).to_le_bytes());
            fields.extend((content.len() as u32).to_le_bytes());
            fields.extend((name.len() as u16).to_le_bytes());
            fields.extend([0, 0]);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&fields);
            bytes.extend(name.as_bytes());
            bytes.extend(packed);
            list.extend(b"PK\x01\x02\x14\x00");
            list.extend(&fields);
            list.extend([0; 10]);
            list.extend(at.to_le_bytes());
            list.extend(name.as_bytes());
        }
        let start = bytes.len() as u32;
        bytes.extend(&list);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend([(files.len() as u16).to_le_bytes(); 2].concat());
        bytes.extend((list.len() as u32).to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn stored_and_deflated_archives_hold_the_same() {
        let table = npy("(2, 2)", &[1.0, 2.0, 3.0, 4.5]);
        for deflated in [false, true] {
            let bytes = archive(&[("data.npy", table.clone())], deflated);
            let found = read(&bytes, &TableColumns::of_anything(2)).expect("a table");
            assert_eq!(found.iter().collect::<Vec<_>>(), [[1.0, 2.0], [3.0, 4.5]]);
        }
    }

    #[test]
    fn damaged_archives_are_refused() {
        let files = [("t.npy", npy("(2,)", &[0.0, 1.0])), ("u.npy", npy("(2,)", &[3.0, 4.0]))];
        let whole = archive(&files, true);
        for length in 0..whole.len() {
            assert!(read(&whole[..length], &TableColumns::of_anything(2)).is_err(), "{length} bytes");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x41;
            // Whatever it says, it does not panic.
            let _ = read(&damaged, &TableColumns::of_anything(2));
        }
        let said = read(&whole, &TableColumns::of_named(&["t", "v"])).expect_err("no such array").to_string();
        assert!(said.starts_with("it has no array `v`, but `t`, `u`; say what it is called there"), "{said}");
        let found = read(&whole, &TableColumns::of_named(&["u", "t"])).expect("both arrays");
        assert_eq!(found.iter().collect::<Vec<_>>(), [[3.0, 0.0], [4.0, 1.0]]);
    }
}
