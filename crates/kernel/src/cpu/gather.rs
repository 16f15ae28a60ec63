//! What tiles add up to: leaves by whoever computes them, nodes of the tree by whoever completes them.

use super::tile::TileSums;
use linear::Float;
use linear::tree::{Leaves, Meeting, TreeNode};
use rayon::prelude::*;
use std::sync::Mutex;

/// Tiles per leaf, at least: each leaf costs one gradient to clear and one to add.
const TILES: usize = 8;
/// Where there are few tiles, leaves are smaller, down to two tiles, as long as there are fewer than these: threads want work.
const FEW: usize = 32;
/// Leaves, at most.
const MOST: usize = 256;

/// How tiles are divided into leaves: a function of their number alone.
pub(super) fn leaves(tiles: usize) -> Leaves {
    Leaves::new(tiles, (tiles / FEW).clamp(2, TILES), MOST)
}

/// Sums of leaves and nodes, and the memory for them.
#[derive(Debug)]
pub(super) struct Gather<T> {
    meeting: Meeting<Part<T>>,
    spare: Spare<T>,
}

/// A leaf is added up in the numbers of its tiles, a node in f64.
#[derive(Debug)]
enum Part<T> {
    Leaf(TileSums<T>),
    Node(TileSums<f64>),
}

/// Sums that nothing counts in.
#[derive(Debug)]
struct Spare<T> {
    /// Lengths of a gradient, of its scalars and of squares.
    lengths: [usize; 3],
    leaves: Mutex<Vec<TileSums<T>>>,
    nodes: Mutex<Vec<TileSums<f64>>>,
}

impl<T: Float> Gather<T> {
    /// Of gradients with so many packed weights and scalars, and of so many residuals.
    pub(super) fn new(lengths: [usize; 3]) -> Self {
        let spare = Spare { lengths, leaves: Mutex::default(), nodes: Mutex::default() };
        Gather { meeting: Meeting::new(), spare }
    }

    /// Adds up leaves on all threads, `each` adding the tiles of one, and shows the sum to `whole`.
    pub(super) fn add_up<R>(
        &mut self,
        leaves: Leaves,
        each: impl Fn(usize, &mut TileSums<T>) + Sync,
        whole: impl FnOnce(&TileSums<f64>) -> R,
    ) -> R {
        self.meeting.begin(leaves.tree());
        self.spare.reserve(rayon::current_num_threads().min(leaves.count()));
        let (meeting, spare) = (&self.meeting, &self.spare);
        // One at a time: tiles of conditions are much cheaper than tiles of the interior.
        (0..leaves.count()).into_par_iter().with_max_len(1).for_each(|leaf| {
            let mut sums = spare.leaf();
            sums.clear();
            leaves.items(leaf).for_each(|tile| each(tile, &mut sums));
            meeting.arrive(TreeNode::leaf(leaf), Part::Leaf(sums), |left, right| spare.add(left, right));
        });
        let total = match self.meeting.take_total() {
            Some(Part::Node(sums)) => sums,
            Some(Part::Leaf(leaf)) => self.spare.lift(leaf),
            None => {
                let mut nothing = self.spare.node();
                nothing.clear();
                nothing
            }
        };
        let result = whole(&total);
        self.spare.keep_node(total);
        result
    }
}

impl<T: Float> Spare<T> {
    /// Makes as many as threads usually hold at a time, so that steps allocate nothing later.
    fn reserve(&mut self, threads: usize) {
        let [leaves, nodes] = [4 * threads, 4 * threads + 4];
        let lengths = self.lengths;
        let known = self.leaves.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.extend((known.len()..leaves).map(|_| TileSums::new(lengths)));
        let known = self.nodes.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.extend((known.len()..nodes).map(|_| TileSums::new(lengths)));
    }

    fn leaf(&self) -> TileSums<T> {
        let found = self.leaves.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
        found.unwrap_or_else(|| TileSums::new(self.lengths))
    }

    fn node(&self) -> TileSums<f64> {
        let found = self.nodes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
        found.unwrap_or_else(|| TileSums::new(self.lengths))
    }

    fn keep_leaf(&self, sums: TileSums<T>) {
        self.leaves.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(sums);
    }

    fn keep_node(&self, sums: TileSums<f64>) {
        self.nodes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(sums);
    }

    /// A leaf as a node.
    fn lift(&self, leaf: TileSums<T>) -> TileSums<f64> {
        let mut node = self.node();
        node.gradient.iter_mut().zip(&leaf.gradient).for_each(|(to, from)| *to = from.to_f64());
        node.scalars.copy_from_slice(&leaf.scalars);
        node.squares.copy_from_slice(&leaf.squares);
        self.keep_leaf(leaf);
        node
    }

    fn add(&self, left: Part<T>, right: Part<T>) -> Part<T> {
        let (mut left, right) = match (left, right) {
            (Part::Leaf(left), Part::Leaf(right)) => {
                let mut node = self.node();
                let both = left.gradient.iter().zip(&right.gradient);
                let sums = both.map(|(left, right)| left.to_f64() + right.to_f64());
                node.gradient.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
                node.scalars.copy_from_slice(&left.scalars);
                node.squares.copy_from_slice(&left.squares);
                add(&mut node.scalars, &right.scalars);
                add(&mut node.squares, &right.squares);
                self.keep_leaf(left);
                self.keep_leaf(right);
                return Part::Node(node);
            }
            (Part::Leaf(left), Part::Node(right)) => (self.lift(left), right),
            (Part::Node(left), Part::Leaf(right)) => (left, self.lift(right)),
            (Part::Node(left), Part::Node(right)) => (left, right),
        };
        add(&mut left.gradient, &right.gradient);
        add(&mut left.scalars, &right.scalars);
        add(&mut left.squares, &right.squares);
        self.keep_node(right);
        Part::Node(left)
    }
}

fn add(to: &mut [f64], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
