//! A band of rows at a time: sums of all pairs, then distances.

use super::chunk::{Chunk, LANES};
use super::dense::{ROWS, Tile, packed, pairs, products, smaller};
use super::metric::Metric;
use super::terms::{Any, AnyDepths, EqualDepths, Generalized, One, Root, Share, Term, Way, distance};
use super::walk::walk;
use crate::matrix::Rows;
use crate::table::Table;
use crate::tree::Phylogeny;
use rayon::prelude::*;
use std::io;

/// How much memory may be taken, and who watches.
pub struct Work<'w> {
    /// Bytes for the sums of a band, at most; at least one tile of rows is computed at a time.
    pub band_bytes: usize,
    /// Told the share of the work that is done, from 0 to 1.
    pub progress: &'w (dyn Fn(f64) + Sync),
}

/// Bands up to this size are cheap beside the matrix, and few enough that walking the tree again costs little.
const BAND_BYTES: usize = 16 << 20;

impl Default for Work<'_> {
    fn default() -> Self {
        Work { band_bytes: BAND_BYTES, progress: &|_| () }
    }
}

impl Work<'_> {
    /// Bytes for bands where nobody says otherwise: a twentieth of the square that they make up, or enough for it.
    pub fn usual_bytes(samples: usize) -> usize {
        BAND_BYTES.max(samples.saturating_mul(samples).saturating_mul(8) / 20)
    }
}

/// Rows per band: whole tiles.
fn height(samples: usize, first: usize, way: Way, bytes: usize) -> usize {
    let row = (samples - first).next_multiple_of(LANES) * size_of::<f64>() * way.sums();
    (bytes / row.max(1) / ROWS * ROWS).max(ROWS).min((samples - first).next_multiple_of(ROWS))
}

/// Distances of all pairs of samples, band after band, to whoever takes them. Bits depend neither on threads nor on the bytes of
/// bands.
pub fn unifrac(
    table: &Table,
    phylogeny: &Phylogeny,
    metric: Metric,
    work: &Work<'_>,
    to: &mut dyn Rows,
) -> io::Result<()> {
    let samples = table.samples().len();
    let totals = table.totals();
    let way = Way::of(metric, &totals);
    let mut sums = Sums::new(way, samples, &totals);
    let pairs = (samples * samples).max(1) as f64;
    let mut first = 0;
    while first < samples {
        let rows = height(samples, first, way, work.band_bytes).min(samples - first);
        sums.begin(first, rows);
        let left = (samples - first) as f64;
        let (before, share) =
            ((pairs - left * left) / pairs, (rows as f64) * (2.0 * left - rows as f64) / pairs);
        let branches = phylogeny.branches().len().max(1) as f64;
        walk(table, phylogeny, |number, length, listed, below| {
            sums.chunk.add(length, listed, below, &totals);
            if sums.chunk.is_full() {
                sums.add_chunk();
                (work.progress)(before + share * number as f64 / branches);
            }
        });
        sums.add_chunk();
        sums.finish(metric);
        to.take(first, samples - first, sums.distances())?;
        (work.progress)(before + share);
        first += rows;
    }
    Ok(())
}

/// Sums of the pairs of a band.
struct Sums {
    way: Way,
    samples: usize,
    totals: Vec<f64>,
    first: usize,
    rows: usize,
    /// Numbers from one row to the next.
    width: usize,
    /// One or two numbers per pair.
    pairs: [Vec<f64>; 2],
    /// Of every sample with itself.
    own: [Vec<f64>; 2],
    chunk: Chunk,
}

impl Sums {
    fn new(way: Way, samples: usize, totals: &[u64]) -> Self {
        let mut totals: Vec<f64> = totals.iter().map(|&total| total as f64).collect();
        totals.resize(samples.next_multiple_of(LANES), 0.0);
        let chunk = Chunk::new(way, samples);
        Sums {
            way,
            samples,
            totals,
            first: 0,
            rows: 0,
            width: 0,
            pairs: [Vec::new(), Vec::new()],
            own: [Vec::new(), Vec::new()],
            chunk,
        }
    }

    fn begin(&mut self, first: usize, rows: usize) {
        (self.first, self.rows) = (first, rows);
        self.width = (self.samples - first).next_multiple_of(LANES);
        for sums in &mut self.pairs[..self.way.sums()] {
            sums.clear();
            sums.resize(rows * self.width, 0.0);
        }
        for own in &mut self.own {
            own.clear();
            own.resize(self.samples, 0.0);
        }
    }

    /// Adds the branches of the chunk, and empties it.
    fn add_chunk(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        self.chunk.index();
        match self.way {
            Way::Smaller { presence } => self.add_smaller(presence),
            Way::Powers(0.0) => self.add_pairs(Generalized(One)),
            Way::Powers(0.5) => self.add_pairs(Generalized(Root)),
            Way::Powers(alpha) => self.add_pairs(Generalized(Any(alpha))),
            Way::EqualDepths { reads } => self.add_pairs(EqualDepths { reads }),
            Way::AnyDepths => self.add_pairs(AnyDepths),
        }
        self.chunk.clear();
    }

    fn tile(&self, number: usize) -> Tile {
        let row = number * ROWS;
        Tile { row: self.first + row, first: self.first, rows: ROWS.min(self.rows - row), width: self.width }
    }

    fn add_smaller(&mut self, presence: bool) {
        let tiles: Vec<Tile> = (0..self.rows.div_ceil(ROWS)).map(|number| self.tile(number)).collect();
        let Sums { chunk, pairs, own, first, width, samples, .. } = self;
        let [sums, _] = pairs;
        sums.par_chunks_mut(ROWS * *width).zip(tiles).for_each_init(Vec::new, |rows, (sums, tile)| {
            if chunk.height() > 0 {
                packed(chunk, 0, tile.row, rows);
                if presence {
                    products(chunk, tile, rows, sums);
                } else {
                    smaller(chunk, tile, rows, sums);
                }
            }
            for (place, sums) in sums.chunks_exact_mut(*width).enumerate() {
                for entry in chunk.entries(tile.row + place) {
                    let range = entry.place as usize..entry.end as usize;
                    let (listed, shares) = (&chunk.listed[range.clone()], &chunk.shares[0][range]);
                    let own = shares[0];
                    for (&other, &share) in listed.iter().zip(shares) {
                        sums[other as usize - *first] += if own < share { own } else { share };
                    }
                }
            }
        });
        own[0].par_iter_mut().enumerate().take(*samples).for_each(|(sample, own)| {
            (0..chunk.height()).for_each(|branch| *own += chunk.panels[0][branch * chunk.stride + sample]);
            chunk.entries(sample).iter().for_each(|entry| *own += chunk.shares[0][entry.place as usize]);
        });
    }

    fn add_pairs<T: Term>(&mut self, term: T) {
        let tiles: Vec<Tile> = (0..self.rows.div_ceil(ROWS)).map(|number| self.tile(number)).collect();
        let Sums { chunk, pairs: [ones, others], own, first, width, totals, .. } = self;
        let both = ones.par_chunks_mut(ROWS * *width).zip(others.par_chunks_mut(ROWS * *width));
        both.zip(tiles).for_each_init(<[Vec<f64>; 2]>::default, |rows, ((ones, others), tile)| {
            if chunk.height() > 0 {
                rows.iter_mut().enumerate().for_each(|(panel, rows)| packed(chunk, panel, tile.row, rows));
                pairs(chunk, tile, term, totals, [&rows[0], &rows[1]], [ones, others]);
            }
            let rows = ones.chunks_exact_mut(*width).zip(others.chunks_exact_mut(*width));
            for (place, (ones, others)) in rows.enumerate() {
                let sample = tile.row + place;
                for entry in chunk.entries(sample) {
                    let own = chunk.share(entry.place as usize);
                    for place in entry.place as usize..entry.end as usize {
                        let other = chunk.listed[place] as usize;
                        let reads = [totals[sample], totals[other]];
                        let [one, two] = term.of(entry.length, own, chunk.share(place), reads);
                        ones[other - *first] += one;
                        others[other - *first] += two;
                    }
                }
            }
        });
        let [one, two] = own;
        one.par_iter_mut().zip(two).enumerate().for_each(|(sample, (one, two))| {
            let reads = [totals[sample]; 2];
            let mut add = |length: f64, share: Share| {
                let sums = term.of(length, share, share, reads);
                *one += sums[0];
                *two += sums[1];
            };
            for (branch, &length) in chunk.panel_lengths.iter().enumerate() {
                let place = branch * chunk.stride + sample;
                add(length, [chunk.panels[0][place], chunk.panels[1][place]]);
            }
            chunk
                .entries(sample)
                .iter()
                .for_each(|entry| add(entry.length, chunk.share(entry.place as usize)));
        });
    }

    /// Turns sums into distances; within the band also below the diagonal.
    fn finish(&mut self, metric: Metric) {
        let Sums { way, samples, first, width, pairs: [ones, others], own, .. } = self;
        let own = |sample: usize| [own[0][sample], own[1][sample]];
        let (left, two) = (*samples - *first, way.sums() == 2);
        ones.par_chunks_mut(*width).enumerate().for_each(|(row, sums)| {
            let one = own(*first + row);
            for column in row + 1..left {
                let second = if two { others[row * *width + column] } else { 0.0 };
                sums[column] = distance(metric, *way, [sums[column], second], one, own(*first + column));
            }
            sums[row] = 0.0;
        });
        for row in 0..self.rows {
            for column in 0..row {
                ones[row * *width + column] = ones[column * *width + row];
            }
        }
    }

    /// Of the band, without what pads its rows.
    fn distances(&mut self) -> &[f64] {
        let left = self.samples - self.first;
        let rows = &mut self.pairs[0];
        (1..self.rows)
            .for_each(|row| rows.copy_within(row * self.width..row * self.width + left, row * left));
        &rows[..self.rows * left]
    }
}
