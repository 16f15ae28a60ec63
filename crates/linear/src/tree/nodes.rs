//! Values of nodes, added up as the tree says.

use super::{Tree, TreeNode};
use std::sync::{Mutex, MutexGuard};

/// What consecutive leaves, or nodes, add up to so far, as few nodes as the tree makes of them: a binary counter.
#[derive(Clone, Debug)]
pub struct Nodes<V> {
    tree: Tree,
    held: Vec<(TreeNode, V)>,
}

impl<V> Nodes<V> {
    /// Of no leaves yet.
    pub fn new(tree: Tree) -> Nodes<V> {
        Nodes { tree, held: Vec::new() }
    }

    /// Takes the next leaf or node. `add` adds the second value to the first, which lies left of it.
    pub fn push(&mut self, node: TreeNode, value: V, mut add: impl FnMut(V, V) -> V) {
        let (mut node, mut value) = (node, value);
        while let Some(parent) = self.held.last().and_then(|(left, _)| self.tree.joined(*left, node)) {
            let Some((_, left)) = self.held.pop() else { break };
            value = add(left, value);
            node = parent;
        }
        self.held.push((node, value));
    }

    /// The nodes, from left to right: at most two per level of the tree.
    pub fn into_parts(self) -> Vec<(TreeNode, V)> {
        self.held
    }

    /// The sum of all leaves; `None` before they are all there.
    pub fn into_total(mut self) -> Option<V> {
        let whole = self.held.first().is_some_and(|(node, _)| *node == self.tree.root());
        self.held.pop().filter(|_| whole).map(|(_, value)| value)
    }
}

/// Where threads meet that finish leaves in any order: whoever comes second to a node adds its two parts.
#[derive(Debug)]
pub struct Meeting<V> {
    tree: Tree,
    waiting: Mutex<Vec<(TreeNode, V)>>,
}

impl<V> Meeting<V> {
    /// Nobody has come yet.
    pub fn new() -> Meeting<V> {
        Meeting { tree: Tree::new(0), waiting: Mutex::new(Vec::new()) }
    }

    /// Begins anew, for the leaves of another tree.
    pub fn begin(&mut self, tree: Tree) {
        self.tree = tree;
        self.waiting.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    }

    /// Takes a leaf or node, and adds up all that it completes.
    pub fn arrive(&self, node: TreeNode, value: V, add: impl Fn(V, V) -> V) {
        let (mut node, mut value) = (node, value);
        loop {
            let mut waiting = self.waiting();
            let left = |(place, (other, _)): (usize, &(TreeNode, V))| {
                Some((place, self.tree.joined(*other, node)?, true))
            };
            let right = |(place, (other, _)): (usize, &(TreeNode, V))| {
                Some((place, self.tree.joined(node, *other)?, false))
            };
            let found = waiting.iter().enumerate().find_map(|one| left(one).or_else(|| right(one)));
            let Some((place, parent, is_left)) = found else {
                return waiting.push((node, value));
            };
            let (_, other) = waiting.swap_remove(place);
            drop(waiting);
            value = if is_left { add(other, value) } else { add(value, other) };
            node = parent;
        }
    }

    /// The sum of all leaves, once they are all there.
    pub fn take_total(&mut self) -> Option<V> {
        let root = self.tree.root();
        self.waiting().pop().filter(|(node, _)| *node == root).map(|(_, value)| value)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<(TreeNode, V)>> {
        self.waiting.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl<V> Default for Meeting<V> {
    fn default() -> Self {
        Meeting::new()
    }
}

/// The sum of all leaves, of nodes that others have added up, from left to right; `None` where some are missing.
pub fn combine<V>(
    tree: Tree,
    parts: impl IntoIterator<Item = (TreeNode, V)>,
    mut add: impl FnMut(V, V) -> V,
) -> Option<V> {
    let mut nodes = Nodes::new(tree);
    parts.into_iter().for_each(|(node, value)| nodes.push(node, value, &mut add));
    nodes.into_total()
}
