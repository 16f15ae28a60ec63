//! Numbers of a VTK file: as text, in base64 or appended, plain or packed by zlib.

use super::tags::Tag;
use super::{TableFault, unfit};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// How numbers of a file are written.
#[derive(Default)]
pub(super) struct Encoding {
    big_endian: bool,
    /// Bytes of the numbers before arrays that say how long these are.
    header: usize,
    packed: bool,
    /// Where appended numbers begin, and whether they are in base64.
    appended: Option<(usize, bool)>,
}

impl Encoding {
    pub(super) fn of(file: &Tag) -> Result<Encoding, TableFault> {
        let header = match file.get("header_type") {
            Some("UInt64") => 8,
            Some("UInt32") | None => 4,
            Some(other) => return unfit(format!("its header_type is {other}: UInt32 and UInt64 are read")),
        };
        let packed = match file.get("compressor") {
            None | Some("") => false,
            Some("vtkZLibDataCompressor") => true,
            Some(other) => {
                return unfit(format!(
                    "it is compressed by {other}: write it with zlib, or without compression"
                ));
            }
        };
        Ok(Encoding {
            big_endian: file.get("byte_order") == Some("BigEndian"),
            header,
            packed,
            appended: None,
        })
    }

    /// Takes note of where appended numbers begin: behind an underscore.
    pub(super) fn appended(&mut self, tag: &Tag, from: usize, bytes: &[u8]) -> Result<(), TableFault> {
        let Some(mark) = bytes[from..].iter().position(|byte| *byte == b'_') else {
            return unfit("its appended data do not begin with `_`");
        };
        self.appended = Some((from + mark + 1, tag.get("encoding") != Some("raw")));
        Ok(())
    }

    fn number(&self, bytes: &[u8], size: usize) -> [u8; 8] {
        let mut eight = [0; 8];
        eight.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        if self.big_endian {
            eight[..size].reverse();
        }
        eight
    }

    /// The bytes of an array that begins here.
    fn unpacked(&self, source: &[u8], in_base64: bool, most: usize) -> Result<Vec<u8>, TableFault> {
        let cut = || TableFault::Unfit("an array is cut off".to_owned());
        let size = |number: &[u8]| {
            usize::try_from(u64::from_le_bytes(self.number(number, self.header))).unwrap_or(usize::MAX)
        };
        let taken = |from: usize, count: usize| -> Result<Vec<u8>, TableFault> {
            match in_base64 {
                true => decoded(&source[from.min(source.len())..], count).ok_or_else(cut),
                false => Ok(source.get(from..from.saturating_add(count)).ok_or_else(cut)?.to_vec()),
            }
        };
        if !self.packed {
            let length = size(&taken(0, self.header)?);
            if length > most {
                return unfit(format!("an array of {length} bytes: no more than {most} are read"));
            }
            return Ok(taken(0, self.header + length)?.split_off(self.header));
        }
        let first = taken(0, 3 * self.header)?;
        let numbers: Vec<usize> = first.chunks_exact(self.header).map(size).collect();
        let [blocks, block, last] = numbers[..] else { return Err(cut()) };
        if blocks.saturating_mul(block) > most.saturating_add(block) || blocks > source.len() {
            return unfit("an array is too large");
        }
        let head = taken(0, (3 + blocks) * self.header)?;
        let sizes: Vec<usize> = head.chunks_exact(self.header).skip(3).map(size).collect();
        let start = if in_base64 { head.len().div_ceil(3) * 4 } else { head.len() };
        let all = sizes.iter().fold(0usize, |all, size| all.saturating_add(*size));
        let data = taken(start, all)?;
        let mut found = Vec::new();
        let mut at = 0;
        for (number, size) in sizes.iter().enumerate() {
            let whole = if number + 1 == blocks && last > 0 { last } else { block };
            let unpacked = decompress_to_vec_zlib_with_limit(&data[at..at + size], whole);
            found
                .extend(unpacked.map_err(|_| TableFault::Unfit("a compressed array is damaged".to_owned()))?);
            at += size;
        }
        Ok(found)
    }
}

/// The first bytes of a text in base64; blanks are passed over.
fn decoded(text: &[u8], count: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count.min(text.len()));
    let (mut held, mut bits) = (0u32, 0);
    for letter in text.iter().filter(|letter| !letter.is_ascii_whitespace()) {
        if bytes.len() >= count {
            break;
        }
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    (bytes.len() == count).then_some(bytes)
}

/// Where the numbers of an array are, and what they are.
pub(super) struct VtkArray {
    pub(super) name: String,
    pub(super) components: usize,
    kind: String,
    place: ArrayPlace,
}

enum ArrayPlace {
    Text { from: usize, to: usize },
    Base64 { from: usize, to: usize },
    Appended { offset: usize },
}

impl VtkArray {
    pub(super) fn of(tag: &Tag, from: usize, bytes: &[u8]) -> Result<VtkArray, TableFault> {
        let name = tag.get("Name").unwrap_or("Points").to_owned();
        let stated = tag.get("NumberOfComponents").unwrap_or("1");
        let components = match stated.parse() {
            Ok(components @ 1..=64) => components,
            _ => return unfit(format!("array `{name}` has {stated} components: 1 to 64 are read")),
        };
        let to =
            bytes[from..].iter().position(|byte| *byte == b'<').map_or(bytes.len(), |length| from + length);
        let place = match tag.get("format") {
            Some("ascii") => ArrayPlace::Text { from, to },
            Some("binary") => ArrayPlace::Base64 { from, to },
            Some("appended") => match tag.get("offset").and_then(|offset| offset.trim().parse().ok()) {
                Some(offset) => ArrayPlace::Appended { offset },
                None => return unfit(format!("array `{name}` has no offset")),
            },
            other => {
                return unfit(format!("array `{name}` has the format {}", other.unwrap_or("of nothing")));
            }
        };
        Ok(VtkArray { name, components, kind: tag.get("type").unwrap_or_default().to_owned(), place })
    }

    /// All numbers, no more than so many.
    pub(super) fn values(
        &self,
        encoding: &Encoding,
        bytes: &[u8],
        most: usize,
    ) -> Result<Vec<f64>, TableFault> {
        let named = |fault: TableFault| TableFault::Unfit(format!("array `{}`: {fault}", self.name));
        let room = most.saturating_mul(8);
        let binary = match self.place {
            ArrayPlace::Text { from, to } => return self.text(&bytes[from..to], most),
            ArrayPlace::Base64 { from, to } => {
                let text = bytes[from..to].trim_ascii_start();
                encoding.unpacked(text, true, room).map_err(named)?
            }
            ArrayPlace::Appended { offset } => {
                let Some((start, in_base64)) = encoding.appended else {
                    return unfit("there is no AppendedData");
                };
                let source = bytes.get(start.saturating_add(offset)..).unwrap_or_default();
                encoding.unpacked(source, in_base64, room).map_err(named)?
            }
        };
        let (size, number): (usize, fn([u8; 8]) -> f64) = match self.kind.as_str() {
            "Float64" => (8, f64::from_le_bytes),
            "Float32" => (4, |eight| f64::from(f32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]))),
            "Int64" => (8, |eight| i64::from_le_bytes(eight) as f64),
            "UInt64" => (8, |eight| u64::from_le_bytes(eight) as f64),
            "Int32" => (4, |eight| f64::from(i32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]))),
            "UInt32" => (4, |eight| f64::from(u32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]))),
            "Int16" => (2, |eight| f64::from(i16::from_le_bytes([eight[0], eight[1]]))),
            "UInt16" => (2, |eight| f64::from(u16::from_le_bytes([eight[0], eight[1]]))),
            "Int8" => (1, |eight| f64::from(eight[0] as i8)),
            "UInt8" => (1, |eight| f64::from(eight[0])),
            other => return unfit(format!("array `{}` is of type `{other}`", self.name)),
        };
        if binary.len() % size != 0 {
            return unfit(format!(
                "array `{}` has {} bytes, which is no number of {}",
                self.name,
                binary.len(),
                self.kind
            ));
        }
        Ok(binary.chunks_exact(size).map(|bytes| number(encoding.number(bytes, size))).collect())
    }

    fn text(&self, text: &[u8], most: usize) -> Result<Vec<f64>, TableFault> {
        let Ok(text) = std::str::from_utf8(text) else {
            return unfit(format!("array `{}` is not text in UTF-8", self.name));
        };
        let number = |word: &str| {
            let shown: String = word.chars().take(40).collect();
            word.parse()
                .map_err(|_| TableFault::Unfit(format!("array `{}`: `{shown}` is not a number", self.name)))
        };
        text.split_ascii_whitespace().take(most).map(number).collect()
    }
}
