//! Symmetric matrices of distances, and who takes them as they are computed.

use std::io;

/// Takes distances, a band of rows at a time.
pub trait Rows {
    /// Distances of the samples from `first` on, as many as there are rows of `width` numbers, to the samples from `first` to
    /// the last: whatever comes before is known from earlier bands.
    fn take(&mut self, first: usize, width: usize, band: &[f64]) -> io::Result<()>;
}

/// Distances in memory, each of them twice.
#[derive(Clone, PartialEq, Debug)]
pub struct SquareMatrix {
    size: usize,
    numbers: Vec<f64>,
}

impl SquareMatrix {
    /// Of so many samples, all the same.
    pub fn new(size: usize) -> Self {
        SquareMatrix { size, numbers: vec![0.0; size * size] }
    }

    /// Samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Distances of a sample.
    pub fn row(&self, sample: usize) -> &[f64] {
        &self.numbers[sample * self.size..][..self.size]
    }

    /// Row by row.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

impl Rows for SquareMatrix {
    fn take(&mut self, first: usize, width: usize, band: &[f64]) -> io::Result<()> {
        for (place, row) in band.chunks_exact(width).enumerate() {
            let sample = first + place;
            self.numbers[sample * self.size + first..][..width].copy_from_slice(row);
        }
        let rows = band.len() / width.max(1);
        for sample in first + rows..self.size {
            for place in 0..rows {
                self.numbers[sample * self.size + first + place] = band[place * width + sample - first];
            }
        }
        Ok(())
    }
}
