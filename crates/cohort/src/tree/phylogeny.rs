//! What a tree and a table have in common: the branches above the taxa, in the order in which they are walked.

use super::error::TreeError;
use super::{NONE, Tree};
use crate::few::Few;
use crate::table::Table;
use std::collections::HashMap;

/// What becomes of taxa that are not in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Missing {
    /// Nothing is computed.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
}

/// A branch, after all branches below it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Branch {
    /// Its length.
    pub length: f64,
    /// The taxon at its end; none for branches with others below.
    pub taxon: Option<u32>,
    /// Whether it is the first one at the node above: others are added to it.
    pub first: bool,
}

/// The branches of a tree that lead to taxa of a table. Branches that follow each other without a fork are one; the one above the
/// last fork stays, down from the root, since all samples share it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Phylogeny {
    branches: Vec<Branch>,
    /// Reaches to the root above the last fork.
    stem: f64,
}

impl Phylogeny {
    /// Brings a table and a tree together. Returns the table without taxa that are not in the tree, and their names.
    pub fn of(table: Table, tree: &Tree, missing: Missing) -> Result<(Table, Phylogeny, Few), TreeError> {
        let places: HashMap<&str, u32> = tree.tips().map(|tip| (tree.name(tip), tip as u32)).collect();
        let tips: Vec<Option<u32>> =
            table.taxa().iter().map(|taxon| places.get(taxon.as_str()).copied()).collect();
        let names = table.taxa().iter().zip(&tips).filter(|(_, tip)| tip.is_none());
        let lost = Few::of(names.map(|(taxon, _)| taxon.as_str()));
        // The tree is another one, whatever is to become of a few.
        if lost.count() == tips.len() {
            return Err(TreeError::NoneInTree {
                taxa: lost,
                tips: Few::of(tree.tips().map(|tip| tree.name(tip))),
            });
        }
        if lost.count() > 0 && missing == Missing::Refuse {
            return Err(TreeError::NotInTree { taxa: tips.len(), missing: lost });
        }
        let table = if lost.count() > 0 { table.with_taxa(|taxon| tips[taxon].is_some()) } else { table };
        let tips: Vec<u32> = tips.into_iter().flatten().collect();
        Ok((table, Phylogeny::above(tree, &tips), lost))
    }

    /// Every branch comes after those below it.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The way from the root to the first fork, which is part of the last branch.
    pub fn stem(&self) -> f64 {
        self.stem
    }

    /// The branches above tips, each of which is a taxon.
    fn above(tree: &Tree, tips: &[u32]) -> Phylogeny {
        let mut taxa = vec![NONE; tree.nodes()];
        tips.iter().enumerate().for_each(|(taxon, &tip)| taxa[tip as usize] = taxon as u32);
        // Taxa below every node, and children with any.
        let (mut below, mut forks) = (vec![0u32; tree.nodes()], vec![0u32; tree.nodes()]);
        for node in (0..tree.nodes()).rev() {
            below[node] += u32::from(taxa[node] != NONE);
            if let Some(parent) = tree.parent(node).filter(|_| below[node] > 0) {
                below[parent] += below[node];
                forks[parent] += 1;
            }
        }
        let kept = |node: usize| taxa[node] != NONE || forks[node] > 1;
        // The next kept node above, and the way there.
        let mut up = vec![(NONE, 0.0); tree.nodes()];
        let mut top = None;
        let mut children: Vec<(u32, u32)> = Vec::new();
        for node in (0..tree.nodes()).filter(|&node| below[node] > 0) {
            let above = match tree.parent(node) {
                Some(parent) if kept(parent) => (parent as u32, 0.0),
                Some(parent) => up[parent],
                None => (NONE, 0.0),
            };
            up[node] = (above.0, above.1 + tree.length(node));
            if kept(node) {
                match above.0 {
                    NONE => top = Some(node),
                    parent => children.push((parent, node as u32)),
                }
            }
        }
        let Some(top) = top else { return Phylogeny::default() };
        // The child with the most taxa first: what waits for its brothers is then short, and never more than a logarithm of lists.
        children.sort_by_key(|&(parent, node)| (parent, u32::MAX - below[node as usize], node));
        let of = |parent: u32| {
            let start = children.partition_point(|pair| pair.0 < parent);
            let end = children.partition_point(|pair| pair.0 <= parent);
            start..end
        };
        let mut branches = Vec::new();
        let mut open = vec![(top as u32, of(top as u32), true)];
        while let Some((node, rest, first)) = open.last_mut() {
            if let Some(next) = rest.next() {
                let child = children[next].1;
                let is_first = next == 0 || children[next - 1].0 != *node;
                open.push((child, of(child), is_first));
                continue;
            }
            let node = *node as usize;
            let taxon = Some(taxa[node]).filter(|&taxon| taxon != NONE);
            branches.push(Branch { length: up[node].1, taxon, first: *first });
            open.pop();
        }
        Phylogeny { branches, stem: up[top].1 }
    }
}
