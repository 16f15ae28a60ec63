//! Points that cannot be drawn by their number, as they follow from residuals of the past: in memory, or in a file where they are many.

use super::completed;
use crate::TrainError;
use equation::problem::Problem;
use equation::taylor::Term;
use kernel::Points;
use std::ops::Range;
use std::path::{Path, PathBuf};
use store::Scratch;

/// Where such points may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointRoom {
    /// Bytes of memory that a set may take: larger ones are in a file.
    pub bytes: u64,
    /// The folder on whose disk that file is.
    pub folder: PathBuf,
}

impl PointRoom {
    /// Bytes that a set takes in memory, where nobody says how many.
    pub const USUAL: u64 = 256_000_000;

    /// In memory, however many they are.
    pub(crate) fn in_memory() -> Self {
        PointRoom { bytes: u64::MAX, folder: PathBuf::new() }
    }
}

/// On the disk of the system's temporary folder.
impl Default for PointRoom {
    fn default() -> Self {
        PointRoom { bytes: PointRoom::USUAL, folder: std::env::temp_dir() }
    }
}

/// Coordinates of points, one after the other.
#[derive(Debug)]
pub(crate) struct KeptPoints {
    /// Numbers of a point.
    width: usize,
    /// How many there are so far.
    count: usize,
    place: KeptIn,
}

#[derive(Debug)]
enum KeptIn {
    Memory(Vec<f64>),
    File { scratch: Scratch, folder: PathBuf },
}

impl KeptPoints {
    /// Bytes of so many points.
    pub(crate) fn bytes(width: usize, count: usize) -> u64 {
        (count as u64).saturating_mul((width * size_of::<f64>()) as u64)
    }

    /// Room for so many points.
    pub(crate) fn begin((width, count): (usize, usize), room: &PointRoom) -> Result<Self, TrainError> {
        let place = match KeptPoints::bytes(width, count) <= room.bytes {
            true => KeptIn::Memory(Vec::with_capacity(width * count)),
            false => {
                let folder = room.folder.clone();
                let scratch = Scratch::begin(&folder)
                    .map_err(|cause| unkept(&folder, KeptPoints::bytes(width, count), cause))?;
                KeptIn::File { scratch, folder }
            }
        };
        Ok(KeptPoints { width, count: 0, place })
    }

    /// Adds points behind those that are there.
    pub(crate) fn append(&mut self, rows: &[f64]) -> Result<(), TrainError> {
        match &mut self.place {
            KeptIn::Memory(all) => all.extend_from_slice(rows),
            KeptIn::File { scratch, folder } => {
                let bytes: Vec<u8> = rows.iter().flat_map(|number| number.to_le_bytes()).collect();
                let so_far = KeptPoints::bytes(self.width, self.count);
                scratch.append(&bytes).map_err(|cause| unkept(folder, so_far + bytes.len() as u64, cause))?;
            }
        }
        self.count += rows.len() / self.width;
        Ok(())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The folder on whose disk they are, if they are on one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match &self.place {
            KeptIn::Memory(_) => None,
            KeptIn::File { folder, .. } => Some(folder),
        }
    }

    /// Points of these ranges, one after the other, with all else that a term reads.
    pub(crate) fn completed(
        &self,
        problem: &Problem,
        term: &Term,
        ranges: &[Range<u64>],
    ) -> Result<Points, TrainError> {
        let count: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        let width = term.row.width();
        let mut rows = vec![1.0; count as usize * width];
        self.read(ranges, &mut rows, width)?;
        Ok(completed(problem, term, Points::from_rows(width, rows)))
    }

    /// Puts them into the first places of rows of a width.
    fn read(&self, ranges: &[Range<u64>], rows: &mut [f64], width: usize) -> Result<(), TrainError> {
        let mut rows = rows.chunks_exact_mut(width);
        let mut bytes = Vec::new();
        for range in ranges {
            let (first, count) = (range.start as usize * self.width, (range.end - range.start) as usize);
            let rows = rows.by_ref().take(count);
            match &self.place {
                KeptIn::Memory(all) => {
                    let points = all[first..first + count * self.width].chunks_exact(self.width);
                    rows.zip(points).for_each(|(row, point)| row[..self.width].copy_from_slice(point));
                }
                KeptIn::File { scratch, folder } => {
                    bytes.resize(count * self.width * size_of::<f64>(), 0);
                    let read = scratch.read((first * size_of::<f64>()) as u64, &mut bytes);
                    read.map_err(|cause| TrainError::PointsUnreadable { folder: folder.clone(), cause })?;
                    let points = bytes.chunks_exact(self.width * size_of::<f64>());
                    for (row, point) in rows.zip(points) {
                        let numbers = point.chunks_exact(size_of::<f64>());
                        for (number, bytes) in row.iter_mut().zip(numbers) {
                            *number = f64::from_le_bytes(bytes.try_into().unwrap_or_default());
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn unkept(folder: &Path, bytes: u64, cause: std::io::Error) -> TrainError {
    TrainError::PointsUnkept { folder: folder.to_owned(), bytes, cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_with_their_bits_from_memory_and_from_a_file() {
        let numbers: Vec<f64> = (0..600).map(|number| f64::from(number).sqrt() - 7.0).collect();
        let ranges = [5..9, 0..1, 199..200, 60..124];
        let read = |bytes: u64| {
            let room = PointRoom { bytes, ..PointRoom::default() };
            let mut kept = KeptPoints::begin((3, 200), &room).expect("a writable place");
            numbers.chunks(150).for_each(|rows| kept.append(rows).expect("there is room"));
            let mut rows = vec![1.0; 70 * 4];
            kept.read(&ranges, &mut rows, 4).expect("it is there");
            assert_eq!(kept.len(), 200);
            (kept.folder().is_some(), rows)
        };
        let ((in_file, one), (in_memory, other)) = (read(4799), read(4800));
        assert!(in_file && !in_memory && one == other);
        assert_eq!(
            one[..8],
            [numbers[15], numbers[16], numbers[17], 1.0, numbers[18], numbers[19], numbers[20], 1.0]
        );
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let room = PointRoom { bytes: 0, folder: PathBuf::from("/nowhere/at/all") };
        let said = KeptPoints::begin((2, 1000), &room).expect_err("there is none").to_string();
        for part in ["/nowhere/at/all", "16.0 kB", "performance.point_memory"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
