//! Tables that were read before: found by the content of their file, in a form that is read at the speed of memory.
//!
//! An entry has the names, then for every taxon how many samples it is in, then samples and counts. Numbers that fit are kept
//! in two bytes and in one: an entry is a third of the table in memory.

use super::Table;
use rayon::prelude::*;
use std::fs::File;
use std::io;
use store::{Cache, Key, Positioned};

/// Changes with the form of entries, and with whatever a reader accepts.
const VERSION: &str = "table 1";

/// Shorter files are read faster than found.
const WORTH_KEEPING: usize = 1 << 20;

/// Bytes of a file that are hashed at a time.
const PIECE: usize = 1 << 16;

/// In the place of a count that does not fit into a byte.
const WIDE: u8 = u8::MAX;

/// The table of a file, found by its content or read.
pub(super) fn found_or_read<E: From<io::Error>>(
    file: File,
    cache: &Cache,
    read: impl FnOnce(Vec<u8>) -> Result<Table, E>,
) -> Result<Table, E> {
    let file = Positioned::new(file)?;
    let length = usize::try_from(file.length()).unwrap_or(usize::MAX);
    let worth_keeping = length >= WORTH_KEEPING && *cache != Cache::NONE;
    let key = if worth_keeping { Some(key(&file, length)?) } else { None };
    if let Some(table) = key.and_then(|key| cache.get_with(key, decoded).flatten()) {
        return Ok(table);
    }
    let mut bytes = vec![0; length];
    file.read(0, &mut bytes)?;
    let table = read(bytes)?;
    if let Some(key) = key {
        cache.put(key, &encoded(&table));
    }
    Ok(table)
}

/// Length and a checksum of each piece: any two contents that differ in one piece have keys that differ, but for one in 2^32.
/// Pieces are read into the same few buffers: memory for all of the file would take longer to get than the file to read.
fn key(file: &Positioned, length: usize) -> io::Result<Key> {
    let sum = |buffer: &mut Vec<u8>, piece: usize| {
        buffer.resize(PIECE.min(length - piece * PIECE), 0);
        file.read((piece * PIECE) as u64, buffer).map(|()| format!("{:08x}", crc32fast::hash(buffer)))
    };
    let sums: io::Result<Vec<String>> =
        (0..length.div_ceil(PIECE)).into_par_iter().map_init(Vec::new, sum).collect();
    Ok(Key::of(&[VERSION, &length.to_string(), &sums?.concat()]))
}

fn encoded(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * table.filled() + 64 * table.taxa.len());
    let number = |bytes: &mut Vec<u8>, number: usize| bytes.extend_from_slice(&(number as u64).to_le_bytes());
    for names in [&table.samples, &table.taxa] {
        number(&mut bytes, names.len());
        for name in names {
            number(&mut bytes, name.len());
            bytes.extend_from_slice(name.as_bytes());
        }
    }
    table.starts.iter().for_each(|&start| number(&mut bytes, start));
    match table.samples.len() <= 1 << 16 {
        true => put(&mut bytes, &table.places, |place| (place as u16).to_le_bytes()),
        false => put(&mut bytes, &table.places, u32::to_le_bytes),
    }
    put(&mut bytes, &table.counts, |count| [u8::try_from(count).unwrap_or(WIDE)]);
    let wide = table.counts.iter().enumerate().filter(|(_, count)| **count >= u32::from(WIDE));
    for (place, count) in wide {
        number(&mut bytes, place);
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    bytes
}

/// Appends every number in as many bytes.
fn put<const BYTES: usize>(bytes: &mut Vec<u8>, numbers: &[u32], of: impl Fn(u32) -> [u8; BYTES] + Sync) {
    let start = bytes.len();
    bytes.resize(start + BYTES * numbers.len(), 0);
    let places = bytes[start..].par_chunks_exact_mut(BYTES).with_min_len(PIECE);
    places.zip(numbers).for_each(|(place, number)| place.copy_from_slice(&of(*number)));
}

/// The bytes that are left.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let (taken, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        usize::try_from(u64::from_le_bytes(*taken)).ok()
    }

    fn names(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        (0..count)
            .map(|_| {
                let length = self.number()?;
                str::from_utf8(self.bytes(length)?).ok().map(str::to_owned)
            })
            .collect()
    }
}

fn decoded(bytes: &[u8]) -> Option<Table> {
    let mut reader = Reader(bytes);
    let (samples, taxa) = (reader.names()?, reader.names()?);
    let starts = (0..=taxa.len()).map(|_| reader.number()).collect::<Option<Vec<usize>>>()?;
    let filled = *starts.last()?;
    let places: Vec<u32> = match samples.len() <= 1 << 16 {
        true => {
            let (pairs, _) = reader.bytes(filled.checked_mul(2)?)?.as_chunks::<2>();
            pairs.par_iter().with_min_len(PIECE).map(|pair| u32::from(u16::from_le_bytes(*pair))).collect()
        }
        false => {
            let (words, _) = reader.bytes(filled.checked_mul(4)?)?.as_chunks::<4>();
            words.par_iter().with_min_len(PIECE).map(|word| u32::from_le_bytes(*word)).collect()
        }
    };
    let mut counts: Vec<u32> =
        reader.bytes(filled)?.par_iter().with_min_len(PIECE).map(|byte| u32::from(*byte)).collect();
    while !reader.0.is_empty() {
        let place = reader.number()?;
        let (count, rest) = reader.0.split_first_chunk::<4>()?;
        reader.0 = rest;
        *counts.get_mut(place)? = u32::from_le_bytes(*count);
    }
    Some(Table { samples, taxa, starts, places, counts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_again_as_it_was_whatever_its_counts() {
        let names = |count: usize, prefix: &str| (0..count).map(|name| format!("{prefix}{name}")).collect();
        for samples in [3, 70_000] {
            let counts = [(0, 0, 1.0), (0, 2, 254.0), (1, 1, 255.0), (1, 2, 4e9), (3, samples - 1, 256.0)];
            let table = Table::new(names(samples, "s"), names(4, "t"), counts).expect("a table");
            let kept = encoded(&table);
            assert_eq!(decoded(&kept), Some(table));
            for length in (0..kept.len()).step_by(kept.len() / 50 + 1) {
                // Entries carry a checksum; one that is short all the same must not end the program.
                let _ = decoded(&kept[..length]);
            }
        }
    }

    #[test]
    fn what_was_read_once_is_not_read_again_and_another_content_is() {
        let folder = std::env::temp_dir().join(format!("pinnace-tables-{}", std::process::id()));
        let cache = Cache::in_folder(folder.clone());
        let table = Table::parse_text("\ta\tb\nx\t1\t2\n").expect("a table");
        let mut bytes = vec![7; WORTH_KEEPING];
        let path = folder.join("file");
        std::fs::create_dir_all(&folder).expect("a writable place");
        let of = |bytes: &[u8], table: Option<&Table>| {
            std::fs::write(&path, bytes).expect("a writable folder");
            let file = File::open(&path).expect("it was written");
            found_or_read(file, &cache, |read| {
                assert_eq!(read, bytes);
                table.cloned().ok_or_else(|| io::Error::other("not found"))
            })
        };
        let missed = |bytes: &[u8]| of(bytes, None).is_err();
        assert!(missed(&bytes));
        assert_eq!(of(&bytes, Some(&table)).expect("it was read"), table);
        assert!(!missed(&bytes), "it is found");
        bytes[WORTH_KEEPING / 2] ^= 1;
        assert!(missed(&bytes), "another content");
        let _ = std::fs::remove_dir_all(folder);
    }
}
