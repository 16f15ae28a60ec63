//! Tables of reads: how many of which taxon are in which sample.

mod biom;
mod build;
mod cached;
mod error;
mod json;
mod open;
mod text;
mod write;

pub use error::{CountFault, TableError, TableMistake};

use build::Builder;

/// Counts, taxon by taxon: the order in which trees are walked. Every count is above 0, and the samples of a taxon ascend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    samples: Vec<String>,
    taxa: Vec<String>,
    /// Where each taxon begins, and where the last one ends.
    starts: Vec<usize>,
    places: Vec<u32>,
    counts: Vec<u32>,
}

impl Table {
    /// Names of the samples.
    pub fn samples(&self) -> &[String] {
        &self.samples
    }

    /// Names of the taxa; for tables of sequence variants these are the sequences.
    pub fn taxa(&self) -> &[String] {
        &self.taxa
    }

    /// The samples in which a taxon is, and how many reads of it.
    pub fn taxon(&self, taxon: usize) -> (&[u32], &[u32]) {
        let range = self.starts[taxon]..self.starts[taxon + 1];
        (&self.places[range.clone()], &self.counts[range])
    }

    /// Counts above 0.
    pub fn filled(&self) -> usize {
        self.counts.len()
    }

    /// Bytes of the counts and where they belong.
    pub fn bytes(&self) -> usize {
        8 * (self.counts.len() + self.starts.len())
    }

    /// Reads of every sample.
    pub fn totals(&self) -> Vec<u64> {
        let mut totals = vec![0; self.samples.len()];
        for (place, count) in self.places.iter().zip(&self.counts) {
            totals[*place as usize] += u64::from(*count);
        }
        totals
    }

    /// Taxa that are in every sample.
    pub fn richness(&self) -> Vec<u64> {
        let mut found = vec![0; self.samples.len()];
        self.places.iter().for_each(|place| found[*place as usize] += 1);
        found
    }

    /// The taxa for which `keep` holds, and all samples.
    pub fn with_taxa(self, keep: impl Fn(usize) -> bool) -> Table {
        let mut kept = Table { samples: self.samples, starts: vec![0], ..Table::default() };
        for (taxon, name) in self.taxa.into_iter().enumerate().filter(|(taxon, _)| keep(*taxon)) {
            let range = self.starts[taxon]..self.starts[taxon + 1];
            kept.places.extend_from_slice(&self.places[range.clone()]);
            kept.counts.extend_from_slice(&self.counts[range]);
            kept.starts.push(kept.counts.len());
            kept.taxa.push(name);
        }
        kept
    }

    /// The same samples and taxa with other counts, as [`Table::of_counts`] takes them.
    pub(crate) fn recounted(self, counts: &[Vec<(u32, u32)>]) -> Table {
        Table::of_counts(self.samples, self.taxa, counts)
    }

    /// From counts above 0 of every sample, in the order of the taxa. Samples and taxa without reads are left out.
    pub(crate) fn of_counts(samples: Vec<String>, taxa: Vec<String>, counts: &[Vec<(u32, u32)>]) -> Table {
        let kept: Vec<usize> = (0..samples.len()).filter(|&sample| !counts[sample].is_empty()).collect();
        let mut starts = vec![0; taxa.len() + 1];
        for &(taxon, _) in counts.iter().flatten() {
            starts[taxon as usize + 1] += 1;
        }
        (0..taxa.len()).for_each(|taxon| starts[taxon + 1] += starts[taxon]);
        let mut next = starts.clone();
        let filled = starts.last().copied().unwrap_or(0);
        let (mut places, mut numbers) = (vec![0; filled], vec![0; filled]);
        for (place, &sample) in kept.iter().enumerate() {
            for &(taxon, count) in &counts[sample] {
                let at = &mut next[taxon as usize];
                (places[*at], numbers[*at]) = (place as u32, count);
                *at += 1;
            }
        }
        let samples = kept.iter().map(|&sample| samples[sample].clone()).collect();
        let table = Table { samples, taxa, starts, places, counts: numbers };
        let empty: Vec<bool> = (0..table.taxa.len()).map(|taxon| table.taxon(taxon).0.is_empty()).collect();
        table.with_taxa(|taxon| !empty[taxon])
    }

    /// Taxa and counts of every sample, in the order of the taxa.
    pub(crate) fn by_sample(&self) -> Vec<Vec<(u32, u32)>> {
        let richness = self.richness();
        let mut rows: Vec<Vec<(u32, u32)>> =
            richness.iter().map(|&found| Vec::with_capacity(found as usize)).collect();
        for taxon in 0..self.taxa.len() {
            let (places, counts) = self.taxon(taxon);
            for (place, count) in places.iter().zip(counts) {
                rows[*place as usize].push((taxon as u32, *count));
            }
        }
        rows
    }

    /// From counts taxon by taxon, in any order of the samples; zeros are left out.
    pub fn new(
        samples: Vec<String>,
        taxa: Vec<String>,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Result<Table, TableMistake> {
        let mut builder = Builder::new(samples, taxa)?;
        for (taxon, sample, count) in entries {
            builder.add(taxon, sample, count)?;
        }
        builder.finish()
    }
}
