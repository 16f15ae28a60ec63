//! Leaves and the tree over them.

use std::ops::Range;

/// How items are divided into leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaves {
    items: usize,
    span: usize,
}

impl Leaves {
    /// Leaves of as many items as the smallest power of two, from `least` on, that makes at most `most` of them.
    pub fn new(items: usize, least: usize, most: usize) -> Leaves {
        let span = items.div_ceil(most.max(1)).max(least).max(1).next_power_of_two();
        Leaves { items, span }
    }

    /// All items in one leaf, however many will come.
    pub fn one() -> Leaves {
        let many = 1 << (usize::BITS - 2);
        Leaves { items: many, span: many }
    }

    /// How many leaves.
    pub fn count(self) -> usize {
        self.items.div_ceil(self.span)
    }

    /// Items of a leaf, but for the last one.
    pub fn span(self) -> usize {
        self.span
    }

    /// How many items.
    pub fn len(self) -> usize {
        self.items
    }

    /// Whether there is nothing to add up.
    pub fn is_empty(self) -> bool {
        self.items == 0
    }

    /// The items of a leaf.
    pub fn items(self, leaf: usize) -> Range<usize> {
        (leaf * self.span).min(self.items)..((leaf + 1) * self.span).min(self.items)
    }

    /// The leaf that an item ends, if it ends one.
    pub fn ended_by(self, item: usize) -> Option<usize> {
        // A power of two: this is asked for every number of a sum.
        let last = (item + 1) & (self.span - 1) == 0 || item + 1 == self.items;
        last.then_some(item / self.span)
    }

    /// The tree over them.
    pub fn tree(self) -> Tree {
        Tree { leaves: self.count() }
    }
}

/// A balanced binary tree over numbered leaves: every node is divided after the largest power of two below its count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tree {
    leaves: usize,
}

/// A node of a tree: the consecutive leaves that it adds up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeNode {
    first: usize,
    count: usize,
}

impl TreeNode {
    /// A single leaf.
    pub fn leaf(number: usize) -> TreeNode {
        TreeNode { first: number, count: 1 }
    }

    /// Its leaves.
    pub fn leaves(self) -> Range<usize> {
        self.first..self.first + self.count
    }
}

impl Tree {
    /// Over so many leaves.
    pub fn new(leaves: usize) -> Tree {
        Tree { leaves }
    }

    /// The node that adds up everything.
    pub fn root(self) -> TreeNode {
        TreeNode { first: 0, count: self.leaves }
    }

    /// The node that is made of these two, the left one first; `None` where the tree does not add them to each other.
    pub fn joined(self, left: TreeNode, right: TreeNode) -> Option<TreeNode> {
        // Left parts have as many leaves as a power of two, and lie at multiples of twice as many. The right part has as
        // many, or what is left of the tree.
        let both = (left.first + 2 * left.count).min(self.leaves);
        let apart = left.count.is_power_of_two() && left.first.is_multiple_of(2 * left.count);
        let next = right.first == left.first + left.count && right.first + right.count == both;
        (apart && next).then(|| TreeNode { first: left.first, count: both - left.first })
    }
}
