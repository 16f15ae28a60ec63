//! Sums of single numbers.

use super::{Leaves, Nodes, TreeNode};

/// Numbers per leaf, at least, and leaves, at most, where single numbers are added up.
const NUMBERS: (usize, usize) = (64, 256);

/// A sum of numbers, one per point, that come in the order of the points.
#[derive(Clone, Debug)]
pub struct Sum {
    leaves: Leaves,
    added: usize,
    leaf: f64,
    nodes: Nodes<f64>,
}

impl Sum {
    /// Of `count` numbers, none of which has come yet.
    pub fn of(count: usize) -> Sum {
        let leaves = Leaves::new(count, NUMBERS.0, NUMBERS.1);
        Sum { leaves, added: 0, leaf: 0.0, nodes: Nodes::new(leaves.tree()) }
    }

    /// Adds the next one.
    pub fn add(&mut self, number: f64) {
        self.leaf += number;
        if let Some(leaf) = self.leaves.ended_by(self.added) {
            self.nodes.push(TreeNode::leaf(leaf), std::mem::take(&mut self.leaf), |left, right| left + right);
        }
        self.added += 1;
    }

    /// The sum; zero of no numbers. Of fewer than were announced it is no number.
    pub fn total(self) -> f64 {
        if self.leaves.count() == 0 { 0.0 } else { self.nodes.into_total().unwrap_or(f64::NAN) }
    }
}

/// The sum of numbers, one per point.
pub fn sum(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let mut sum = Sum::of(numbers.len());
    numbers.for_each(|number| sum.add(number));
    sum.total()
}
