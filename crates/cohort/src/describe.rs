//! What a table and a tree are, in numbers.

use crate::sequence::{Sequence, SequenceMistake};
use crate::table::Table;
use crate::tree::Tree;

/// A cohort in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Description {
    /// Columns of the table.
    pub samples: usize,
    /// Rows of the table.
    pub taxa: usize,
    /// Counts above 0.
    pub filled: usize,
    /// Of the smallest sample, the median and the largest.
    pub reads: [u64; 3],
    /// Taxa in the poorest sample, the median and the richest.
    pub richness: [u64; 3],
    /// Samples without reads.
    pub empty_samples: usize,
    /// The shortest and the longest sequence, where the names of taxa are sequences.
    pub sequences: Result<(usize, usize), SequenceMistake>,
    /// About the tree, where there is one.
    pub tree: Option<TreeDescription>,
}

/// A tree in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeDescription {
    /// Nodes without children.
    pub tips: usize,
    /// All nodes.
    pub nodes: usize,
    /// Sum of all lengths.
    pub length: f64,
    /// Branches without a length.
    pub without_length: usize,
}

/// Finds all of it.
pub fn describe(table: &Table, tree: Option<&Tree>) -> Description {
    let (reads, richness) = (table.totals(), table.richness());
    let lengths: Result<Vec<usize>, SequenceMistake> =
        table.taxa().iter().map(|taxon| Sequence::parse(taxon).map(|sequence| sequence.len())).collect();
    Description {
        samples: table.samples().len(),
        taxa: table.taxa().len(),
        filled: table.filled(),
        empty_samples: reads.iter().filter(|reads| **reads == 0).count(),
        reads: spread(reads),
        richness: spread(richness),
        sequences: lengths.map(|lengths| {
            (lengths.iter().copied().min().unwrap_or(0), lengths.iter().copied().max().unwrap_or(0))
        }),
        tree: tree.map(|tree| TreeDescription {
            tips: tree.tips().count(),
            nodes: tree.nodes(),
            length: (0..tree.nodes()).map(|node| tree.length(node)).sum(),
            without_length: tree.without_length(),
        }),
    }
}

/// The least, the middle one and the greatest.
fn spread(mut numbers: Vec<u64>) -> [u64; 3] {
    numbers.sort_unstable();
    let at = |place: usize| numbers.get(place).copied().unwrap_or(0);
    [at(0), at(numbers.len() / 2), at(numbers.len().saturating_sub(1))]
}
