//! Faith's phylogenetic diversity (1992): the length of the tree that a sample has.

use super::walk::walk;
use crate::table::Table;
use crate::tree::Phylogeny;

/// Of every sample, from the root on.
pub fn faith(table: &Table, phylogeny: &Phylogeny) -> Vec<f64> {
    let mut lengths = vec![0.0; table.samples().len()];
    walk(table, phylogeny, |_, length, samples, _| {
        samples.iter().for_each(|sample| lengths[*sample as usize] += length);
    });
    lengths
}
