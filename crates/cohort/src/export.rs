//! Distances and numbers as files of other programs.

use crate::matrix::{Rows, SquareMatrix};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Headers are padded with blanks so that the data begins at a multiple of this.
const ALIGNMENT: usize = 64;

/// The head of an array of little-endian f64 (NPY, version 1.0).
fn header(shape: &[usize]) -> Vec<u8> {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut text =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{comma}), }}", extents.join(", "));
    let start = 10;
    let padded = (start + text.len() + 1).next_multiple_of(ALIGNMENT) - start;
    text.extend(std::iter::repeat_n(' ', padded - 1 - text.len()));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// A file in NumPy's format that is filled band by band, and is there when all bands are.
#[derive(Debug)]
pub struct NpyFile {
    path: PathBuf,
    file: File,
    size: usize,
    start: u64,
    condensed: bool,
    bytes: Vec<u8>,
}

impl NpyFile {
    /// For the distances of `size` samples: as a square, or only those above the diagonal, one behind the other.
    pub fn create(path: &Path, size: usize, condensed: bool) -> io::Result<NpyFile> {
        let partial = store::partial(path);
        match std::fs::remove_file(&partial) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
            Ok(()) | Err(_) => {}
        }
        let mut file = File::options().read(true).write(true).create_new(true).open(&partial)?;
        let pairs = size * size.saturating_sub(1) / 2;
        let head = if condensed { header(&[pairs]) } else { header(&[size, size]) };
        file.write_all(&head)?;
        let numbers = if condensed { pairs } else { size * size };
        // A disk that is too full is noticed now, where it says so.
        file.set_len(head.len() as u64 + 8 * numbers as u64)?;
        Ok(NpyFile {
            path: path.to_owned(),
            file,
            size,
            start: head.len() as u64,
            condensed,
            bytes: Vec::new(),
        })
    }

    /// Puts the file in its place.
    pub fn finish(self) -> io::Result<()> {
        self.file.sync_all()?;
        std::fs::rename(store::partial(&self.path), &self.path)
    }

    fn put<'n>(&mut self, place: usize, numbers: impl Iterator<Item = &'n f64>) -> io::Result<()> {
        self.bytes.clear();
        numbers.for_each(|number| self.bytes.extend_from_slice(&number.to_le_bytes()));
        self.file.seek(SeekFrom::Start(self.start + 8 * place as u64))?;
        self.file.write_all(&self.bytes)
    }
}

impl Drop for NpyFile {
    fn drop(&mut self) {
        // What was not finished is not there; a file in its place is not touched.
        let _ = std::fs::remove_file(store::partial(&self.path));
    }
}

impl Rows for NpyFile {
    fn take(&mut self, first: usize, width: usize, band: &[f64]) -> io::Result<()> {
        let size = self.size;
        for (place, row) in band.chunks_exact(width).enumerate() {
            let sample = first + place;
            if self.condensed {
                // Pairs (i, j) with i < j, row after row.
                let before = sample * size - sample * (sample + 1) / 2;
                self.put(before, row[place + 1..].iter())?;
            } else {
                self.put(sample * size + first, row.iter())?;
            }
        }
        let rows = band.len() / width.max(1);
        if !self.condensed {
            for sample in first + rows..size {
                self.put(
                    sample * size + first,
                    (0..rows).map(|place| &band[place * width + sample - first]),
                )?;
            }
        }
        Ok(())
    }
}

/// Writes an array.
pub fn write_npy(path: &Path, shape: &[usize], numbers: &[f64]) -> io::Result<()> {
    store::replace_with(path, |output| {
        output.write_all(&header(shape))?;
        numbers.iter().try_for_each(|number| output.write_all(&number.to_le_bytes()))
    })
}

/// Writes distances as text with the names of the samples: a square as QIIME has it, or a line per pair.
pub fn write_tsv(
    path: &Path,
    samples: &[String],
    distances: &SquareMatrix,
    condensed: bool,
) -> io::Result<()> {
    store::replace_with(path, |output| {
        if condensed {
            writeln!(output, "sample\tother\tdistance")?;
            for (place, sample) in samples.iter().enumerate() {
                for (other, distance) in samples.iter().zip(distances.row(place)).skip(place + 1) {
                    writeln!(output, "{sample}\t{other}\t{distance}")?;
                }
            }
            return Ok(());
        }
        samples.iter().try_for_each(|sample| write!(output, "\t{sample}"))?;
        writeln!(output)?;
        for (place, sample) in samples.iter().enumerate() {
            line(output, sample, distances.row(place))?;
        }
        Ok(())
    })
}

/// Writes a number per sample.
pub fn write_series(path: &Path, name: &str, samples: &[String], numbers: &[f64]) -> io::Result<()> {
    store::replace_with(path, |output| {
        writeln!(output, "sample\t{name}")?;
        samples.iter().zip(numbers).try_for_each(|(sample, number)| line(output, sample, &[*number]))
    })
}

/// Writes coordinates, a line per sample.
pub fn write_coordinates(path: &Path, samples: &[String], coordinates: &[Vec<f64>]) -> io::Result<()> {
    store::replace_with(path, |output| {
        write!(output, "sample")?;
        (1..=coordinates.len()).try_for_each(|axis| write!(output, "\taxis{axis}"))?;
        writeln!(output)?;
        for (place, sample) in samples.iter().enumerate() {
            let numbers: Vec<f64> = coordinates.iter().map(|axis| axis[place]).collect();
            line(output, sample, &numbers)?;
        }
        Ok(())
    })
}

fn line(output: &mut BufWriter<File>, name: &str, numbers: &[f64]) -> io::Result<()> {
    output.write_all(name.as_bytes())?;
    numbers.iter().try_for_each(|number| write!(output, "\t{number}"))?;
    output.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_fill_squares_and_condensed_arrays_whatever_their_heights() {
        let size = 7;
        let distance =
            |one: usize, other: usize| if one == other { 0.0 } else { (one * other + one + other) as f64 };
        let wanted: Vec<f64> = (0..size * size).map(|place| distance(place / size, place % size)).collect();
        let pairs: Vec<f64> =
            (0..size).flat_map(|one| (one + 1..size).map(move |other| distance(one, other))).collect();
        let folder = std::env::temp_dir().join(format!("pinnace-bands-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a writable place");
        for height in [1, 2, 3, 7] {
            let (path, other) = (folder.join("square.npy"), folder.join("condensed.npy"));
            let mut square = NpyFile::create(&path, size, false).expect("a writable folder");
            let mut condensed = NpyFile::create(&other, size, true).expect("a writable folder");
            let mut memory = SquareMatrix::new(size);
            for first in (0..size).step_by(height) {
                let rows = first..(first + height).min(size);
                let band: Vec<f64> =
                    rows.flat_map(|one| (first..size).map(move |other| distance(one, other))).collect();
                for sink in [&mut square as &mut dyn Rows, &mut condensed, &mut memory] {
                    sink.take(first, size - first, &band).expect("it can be written");
                }
            }
            let read = |path: &Path, start: u64| -> Vec<f64> {
                let bytes = std::fs::read(store::partial(path)).expect("it is being written");
                bytes[start as usize..]
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|bytes| f64::from_le_bytes(*bytes))
                    .collect()
            };
            assert_eq!(read(&path, square.start), wanted);
            assert_eq!(read(&other, condensed.start), pairs);
            assert_eq!(memory.numbers(), wanted);
            assert!(!path.exists(), "it is not there before it is finished");
            square.finish().expect("a writable folder");
            drop(condensed);
            assert!(path.exists() && !other.exists());
            assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
            let _ = std::fs::remove_file(path);
        }
        let _ = std::fs::remove_dir_all(folder);
    }
}
