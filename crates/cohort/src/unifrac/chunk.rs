//! A few branches at a time: dense ones as a panel, the others as lists.

use super::terms::{Share, Way};

/// Branches that more than one in so many samples have are dense: a pair costs less in a panel than in a list then.
const DENSE: usize = 8;

/// Dense branches per chunk: a panel of that height and a tile's width lies in the second-level cache.
pub(super) const PANEL: usize = 256;

/// Entries of lists per chunk.
const ENTRIES: usize = 1 << 19;

/// Columns of panels are padded to whole vectors.
pub(super) const LANES: usize = 8;

/// Branches that are added together. Where a chunk ends depends on the branches alone: the order of sums does not
/// change with threads, bands or memory.
pub(super) struct Chunk {
    way: Way,
    samples: usize,
    /// Numbers from one row of a panel to the next.
    pub(super) stride: usize,
    /// Row after row of dense branches: the first number of every share, and the second.
    pub(super) panels: [Vec<f64>; 2],
    pub(super) panel_lengths: Vec<f64>,
    /// Samples of all lists, one behind the other, and their shares.
    pub(super) listed: Vec<u32>,
    pub(super) shares: [Vec<f64>; 2],
    /// Where lists end, and the lengths of their branches.
    ends: Vec<u32>,
    lengths: Vec<f64>,
    /// For each sample, its entries in the lists.
    pub(super) own: Vec<Entry>,
    pub(super) own_starts: Vec<u32>,
}

/// A place in the lists.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Entry {
    pub(super) place: u32,
    /// Where its list ends.
    pub(super) end: u32,
    /// Of its branch.
    pub(super) length: f64,
}

impl Chunk {
    pub(super) fn new(way: Way, samples: usize) -> Self {
        let stride = samples.next_multiple_of(LANES);
        Chunk {
            way,
            samples,
            stride,
            panels: [Vec::new(), Vec::new()],
            panel_lengths: Vec::new(),
            listed: Vec::new(),
            shares: [Vec::new(), Vec::new()],
            ends: Vec::new(),
            lengths: Vec::new(),
            own: Vec::new(),
            own_starts: Vec::new(),
        }
    }

    /// Bytes that it takes when it is full.
    pub(super) fn bytes(way: Way, samples: usize) -> usize {
        let listed = ENTRIES + samples / DENSE;
        let entry = size_of::<u32>() + way.sums() * size_of::<f64>() + size_of::<Entry>();
        PANEL * samples.next_multiple_of(LANES) * size_of::<f64>() * way.sums() + listed * entry + 8 * samples
    }

    /// Dense branches.
    pub(super) fn height(&self) -> usize {
        self.panel_lengths.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.height() >= PANEL || self.listed.len() >= ENTRIES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.panel_lengths.is_empty() && self.ends.is_empty()
    }

    pub(super) fn add(&mut self, length: f64, samples: &[u32], below: &[u64], totals: &[u64]) {
        let (way, two) = (self.way, self.way.sums() == 2);
        let shares = samples
            .iter()
            .zip(below)
            .map(|(&sample, &below)| (sample as usize, way.share(length, below, totals[sample as usize])));
        // Where the other sample's reads count everywhere, nothing is left out.
        if way == Way::AnyDepths || samples.len() * DENSE > self.samples {
            let start = self.panel_lengths.len() * self.stride;
            for panel in &mut self.panels[..way.sums()] {
                panel.resize(start + self.stride, 0.0);
            }
            for (sample, [first, second]) in shares {
                self.panels[0][start + sample] = first;
                if two {
                    self.panels[1][start + sample] = second;
                }
            }
            self.panel_lengths.push(length);
            return;
        }
        // A branch that one sample has adds to that sample's own sums alone.
        for (sample, [first, second]) in shares {
            self.listed.push(sample as u32);
            self.shares[0].push(first);
            if two {
                self.shares[1].push(second);
            }
        }
        self.ends.push(self.listed.len() as u32);
        self.lengths.push(length);
    }

    /// The share of an entry.
    #[inline(always)]
    pub(super) fn share(&self, place: usize) -> Share {
        [self.shares[0][place], if self.way.sums() == 2 { self.shares[1][place] } else { 0.0 }]
    }

    /// The entries of a sample, in the order of branches.
    pub(super) fn entries(&self, sample: usize) -> &[Entry] {
        &self.own[self.own_starts[sample] as usize..self.own_starts[sample + 1] as usize]
    }

    /// Sorts the entries of lists by sample.
    pub(super) fn index(&mut self) {
        self.own_starts.clear();
        self.own_starts.resize(self.samples + 1, 0);
        self.listed.iter().for_each(|&sample| self.own_starts[sample as usize + 1] += 1);
        (0..self.samples).for_each(|sample| self.own_starts[sample + 1] += self.own_starts[sample]);
        let mut next = self.own_starts.clone();
        self.own.clear();
        self.own.resize(self.listed.len(), Entry::default());
        let mut place = 0;
        for (&end, &length) in self.ends.iter().zip(&self.lengths) {
            while place < end {
                let at = &mut next[self.listed[place as usize] as usize];
                self.own[*at as usize] = Entry { place, end, length };
                *at += 1;
                place += 1;
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.panels.iter_mut().for_each(Vec::clear);
        self.shares.iter_mut().for_each(Vec::clear);
        self.panel_lengths.clear();
        self.listed.clear();
        self.ends.clear();
        self.lengths.clear();
    }
}
