//! Trees: parents, lengths and names of nodes, and what a tree and a table have in common.

mod error;
mod newick;
mod phylogeny;
mod write;

pub use error::{NewickFault, TreeError, TreeMistake};
pub use phylogeny::{Branch, Missing, Phylogeny};

/// In the place of the parent of the root.
pub(crate) const NONE: u32 = u32::MAX;

/// A rooted tree. Nodes are numbered so that parents come before their children; 0 is the root.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tree {
    parents: Vec<u32>,
    lengths: Vec<f64>,
    /// Where the name of each node ends in `letters`.
    ends: Vec<usize>,
    letters: String,
    children: Vec<u32>,
    /// Branches without a length, which count as 0.
    without_length: usize,
}

impl Tree {
    /// Nodes, tips among them.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The node above, of all but the root.
    pub fn parent(&self, node: usize) -> Option<usize> {
        Some(self.parents[node]).filter(|&parent| parent != NONE).map(|parent| parent as usize)
    }

    /// The length of the branch above a node.
    pub fn length(&self, node: usize) -> f64 {
        self.lengths[node]
    }

    /// The name of a node, empty where it has none.
    pub fn name(&self, node: usize) -> &str {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.letters[start..self.ends[node]]
    }

    /// Whether a node has no children.
    pub fn is_tip(&self, node: usize) -> bool {
        self.children[node] == 0
    }

    /// Nodes without children.
    pub fn tips(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes()).filter(|&node| self.is_tip(node))
    }

    /// Branches that the text gave no length; they count as 0.
    pub fn without_length(&self) -> usize {
        self.without_length
    }

    /// One more node, below `parent` or, for the first, nowhere; returns its number.
    pub(crate) fn push(&mut self, parent: Option<u32>) -> u32 {
        let node = self.parents.len() as u32;
        self.parents.push(parent.unwrap_or(NONE));
        self.lengths.push(0.0);
        self.ends.push(self.letters.len());
        self.children.push(0);
        if let Some(parent) = parent {
            self.children[parent as usize] += 1;
        }
        node
    }

    /// The length of the branch above a node.
    pub(crate) fn set_length(&mut self, node: u32, length: f64) {
        self.lengths[node as usize] = length;
    }

    /// The names of all nodes, in their order.
    pub(crate) fn set_names<'names>(&mut self, names: impl Iterator<Item = &'names str>) {
        self.letters.clear();
        for (end, name) in self.ends.iter_mut().zip(names) {
            self.letters.push_str(name);
            *end = self.letters.len();
        }
    }
}
