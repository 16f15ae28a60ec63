//! UniFrac as its papers write it: every branch of the whole tree for every pair, in f64, without tricks.

use cohort::{Metric, Table, Tree};
use std::collections::HashMap;

/// Reads of every sample below every node.
fn below(table: &Table, tree: &Tree) -> Vec<Vec<f64>> {
    let taxa: HashMap<&str, usize> =
        table.taxa().iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let mut below = vec![vec![0.0; table.samples().len()]; tree.nodes()];
    for node in (0..tree.nodes()).rev() {
        if let Some(&taxon) = taxa.get(tree.name(node)).filter(|_| tree.is_tip(node)) {
            let (samples, counts) = table.taxon(taxon);
            samples
                .iter()
                .zip(counts)
                .for_each(|(sample, count)| below[node][*sample as usize] = f64::from(*count));
        }
        if let Some(parent) = tree.parent(node) {
            let (above, rest) = below.split_at_mut(node);
            above[parent].iter_mut().zip(&rest[0]).for_each(|(sum, reads)| *sum += reads);
        }
    }
    below
}

/// The matrix, row by row.
pub(crate) fn distances(table: &Table, tree: &Tree, metric: Metric) -> Vec<f64> {
    let (count, below) = (table.samples().len(), below(table, tree));
    let totals: Vec<f64> = table.totals().iter().map(|total| *total as f64).collect();
    let mut matrix = vec![0.0; count * count];
    for one in 0..count {
        for other in 0..count {
            let (mut numerator, mut denominator) = (0.0, 0.0);
            for (node, reads) in below.iter().enumerate() {
                let (m, n) = (reads[one], reads[other]);
                let (p, q, length) = (m / totals[one], n / totals[other], tree.length(node));
                if p + q == 0.0 {
                    continue;
                }
                let (weight, difference) = match metric {
                    Metric::Unweighted => (length, if (p > 0.0) == (q > 0.0) { 0.0 } else { 1.0 }),
                    Metric::Weighted | Metric::Normalized => (length * (p + q), (p - q).abs() / (p + q)),
                    Metric::Generalized(alpha) => (length * (p + q).powf(alpha), (p - q).abs() / (p + q)),
                    Metric::VarianceAdjusted => {
                        let variance = (m + n) * (totals[one] + totals[other] - m - n);
                        let weight = if variance > 0.0 { length * (p + q) / variance.sqrt() } else { 0.0 };
                        (weight, (p - q).abs() / (p + q))
                    }
                };
                numerator += weight * difference;
                denominator += weight;
            }
            let divisor = if metric == Metric::Weighted { 1.0 } else { denominator };
            matrix[one * count + other] = if divisor > 0.0 { numerator / divisor } else { 0.0 };
        }
    }
    matrix
}

/// Lengths of the tree that samples have.
pub(crate) fn faith(table: &Table, tree: &Tree) -> Vec<f64> {
    let below = below(table, tree);
    let of = |sample: usize| {
        (0..tree.nodes()).filter(|&node| below[node][sample] > 0.0).map(|node| tree.length(node)).sum()
    };
    (0..table.samples().len()).map(of).collect()
}
