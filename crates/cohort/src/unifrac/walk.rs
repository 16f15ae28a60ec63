//! Branch after branch with the samples that have it and their reads below it.

use crate::table::Table;
use crate::tree::Phylogeny;

/// Samples, ascending, and how many of their reads are below a branch.
#[derive(Clone, Default, Debug)]
struct Below {
    samples: Vec<u32>,
    reads: Vec<u64>,
}

impl Below {
    fn clear(&mut self) {
        self.samples.clear();
        self.reads.clear();
    }

    fn push(&mut self, sample: u32, reads: u64) {
        self.samples.push(sample);
        self.reads.push(reads);
    }

    /// Both together, into `self`, which holds nothing before.
    fn merge(&mut self, one: &Below, other: &Below) {
        let (mut left, mut right) = (0, 0);
        while left < one.samples.len() && right < other.samples.len() {
            let (a, b) = (one.samples[left], other.samples[right]);
            // Without branches of the processor: which comes first cannot be foreseen.
            let reads =
                if a <= b { one.reads[left] } else { 0 } + if b <= a { other.reads[right] } else { 0 };
            self.push(a.min(b), reads);
            left += usize::from(a <= b);
            right += usize::from(b <= a);
        }
        for (rest, from) in [(one, left), (other, right)] {
            self.samples.extend_from_slice(&rest.samples[from..]);
            self.reads.extend_from_slice(&rest.reads[from..]);
        }
    }
}

/// Shows every branch that has a length and samples: its length, the samples, their reads below it. Every branch comes after
/// those below it, always in the same order.
pub(super) fn walk(table: &Table, phylogeny: &Phylogeny, mut show: impl FnMut(usize, f64, &[u32], &[u64])) {
    // Sums of brothers so far, for every node whose children are being walked.
    let mut open: Vec<Below> = Vec::new();
    let mut spare: Vec<Below> = Vec::new();
    for (number, branch) in phylogeny.branches().iter().enumerate() {
        let below = match branch.taxon {
            Some(taxon) => {
                let mut below = spare.pop().unwrap_or_default();
                let (samples, reads) = table.taxon(taxon as usize);
                below.samples.extend_from_slice(samples);
                below.reads.extend(reads.iter().map(|reads| u64::from(*reads)));
                below
            }
            // Its children came right before: their sum is the last one.
            None => open.pop().unwrap_or_default(),
        };
        if branch.length > 0.0 && !below.samples.is_empty() {
            show(number, branch.length, &below.samples, &below.reads);
        }
        if branch.first {
            open.push(below);
            continue;
        }
        let mut both = spare.pop().unwrap_or_default();
        if let Some(brothers) = open.last_mut() {
            both.merge(brothers, &below);
            std::mem::swap(brothers, &mut both);
        }
        for mut used in [below, both] {
            used.clear();
            spare.push(used);
        }
    }
}
