//! Rarefaction: the same number of reads of every sample, drawn without replacement.
//!
//! What is drawn of a sample is a pure function of the seed, the number of the draw, and the sample's name: neither threads nor
//! the order of samples nor other samples change it.

use crate::counters::Stream;
use crate::few::Few;
use crate::table::Table;
use rayon::prelude::*;

/// What becomes of samples with fewer reads than are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shallow {
    /// Nothing is drawn.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
}

/// Reads cannot be drawn.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RarefyError {
    /// Samples are too small.
    #[error(
        "{} of {of} samples have fewer than {depth} reads: {samples}; \
         draw fewer, or leave them out with --shallow drop",
        samples.count()
    )]
    TooFew {
        /// Which.
        samples: Few,
        /// All of the table.
        of: usize,
        /// Reads that are to be drawn.
        depth: u64,
    },
    /// Every sample is too small.
    #[error("no sample has {depth} reads; the largest has {most}")]
    None {
        /// Reads that are to be drawn.
        depth: u64,
        /// Of the largest sample.
        most: u64,
    },
    /// Samples without any reads, where nothing is drawn.
    #[error(
        "{} of {of} samples have no reads{}: {samples}; leave them out of the table or with --shallow drop",
        samples.count(),
        if *pruned { " of taxa in the tree" } else { "" }
    )]
    NoReads {
        /// Which.
        samples: Few,
        /// All of the table.
        of: usize,
        /// Whether taxa were left out before.
        pruned: bool,
    },
}

/// Draws `depth` reads of every sample; returns the samples that were left out, too. With a depth of 0 all reads stay, and only
/// samples without any are too shallow.
pub fn rarefy(
    table: Table,
    depth: u64,
    (seed, draw): (u64, u64),
    shallow: Shallow,
    pruned: bool,
) -> Result<(Table, Few), RarefyError> {
    let totals = table.totals();
    let least = depth.max(1);
    let names = table.samples().iter().zip(&totals).filter(|(_, total)| **total < least);
    let left_out = Few::of(names.map(|(name, _)| name.as_str()));
    let of = totals.len();
    if left_out.count() == of {
        let most = totals.iter().copied().max().unwrap_or(0);
        return Err(RarefyError::None { depth: least, most });
    }
    if left_out.count() > 0 && shallow == Shallow::Refuse {
        let samples = left_out;
        return Err(match depth {
            0 => RarefyError::NoReads { samples, of, pruned },
            _ => RarefyError::TooFew { samples, of, depth },
        });
    }
    if depth == 0 && left_out.count() == 0 {
        return Ok((table, left_out));
    }
    let stream = Stream::new(seed).with(draw);
    let mut rows = table.by_sample();
    rows.par_iter_mut().zip(&totals).zip(table.samples()).for_each(|((row, &total), name)| {
        if total < least {
            row.clear();
        } else if depth > 0 {
            *row = drawn(row, total, depth, stream.named(name));
        }
    });
    Ok((table.recounted(&rows), left_out))
}

/// `depth` of all reads of a sample, every choice as likely as any other (Floyd's algorithm: Bentley, Floyd 1987).
fn drawn(row: &[(u32, u32)], total: u64, depth: u64, stream: Stream) -> Vec<(u32, u32)> {
    // The smaller part is chosen: the reads that stay, or those that go.
    let stays = depth <= total / 2;
    let chosen = if stays { depth } else { total - depth };
    let mut reads = vec![0u64; total.div_ceil(64) as usize];
    for last in total - chosen..total {
        let read = stream.below(last, last + 1);
        let is_taken = reads[(read / 64) as usize] >> (read % 64) & 1 == 1;
        let read = if is_taken { last } else { read };
        reads[(read / 64) as usize] |= 1 << (read % 64);
    }
    let mut drawn = Vec::with_capacity(row.len().min(depth as usize));
    let mut start = 0;
    for &(taxon, count) in row {
        let end = start + u64::from(count);
        let chosen = ones(&reads, start, end);
        start = end;
        let kept = if stays { chosen } else { count - chosen };
        if kept > 0 {
            drawn.push((taxon, kept));
        }
    }
    drawn
}

/// Bits that are set from `start` to before `end`, which comes after it.
fn ones(bits: &[u64], start: u64, end: u64) -> u32 {
    let (first, last) = ((start / 64) as usize, ((end - 1) / 64) as usize);
    let (from, to) = (u64::MAX << (start % 64), u64::MAX >> (63 - (end - 1) % 64));
    if first == last {
        return (bits[first] & from & to).count_ones();
    }
    let middle: u32 = bits[first + 1..last].iter().map(|word| word.count_ones()).sum();
    (bits[first] & from).count_ones() + middle + (bits[last] & to).count_ones()
}
