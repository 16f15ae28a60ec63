//! A tree that grows at random: every lineage splits at the same rate (Yule 1925), seen from its end.

use crate::counters::Stream;
use crate::tree::Tree;

/// From the root to every tip: three substitutions in ten places, as far as bacteria are apart in a piece of their 16S gene.
const HEIGHT: f64 = 0.3;

pub(super) fn grow(tips: usize, stream: Stream) -> Tree {
    // Lineages are joined, the youngest split first; `nodes` are their nodes, and `heights` when those split.
    let total = 2 * tips - 1;
    let (mut children, mut heights) = (vec![[usize::MAX; 2]; total], vec![0.0; total]);
    let mut lineages: Vec<usize> = (0..tips).collect();
    let mut now = 0.0;
    for node in tips..total {
        let (step, count) = ((node - tips) as u64, lineages.len() as u64);
        now += stream.exponential(3 * step) / count as f64;
        let one = lineages.swap_remove(stream.below(3 * step + 1, count) as usize);
        let place = stream.below(3 * step + 2, count - 1) as usize;
        let other = std::mem::replace(&mut lineages[place], node);
        (children[node], heights[node]) = ([one, other], now);
    }
    let scale = HEIGHT / now;
    let mut tree = Tree::default();
    let mut open = vec![(total - 1, None)];
    while let Some((old, parent)) = open.pop() {
        let node = tree.push(parent.map(|(_, parent)| parent));
        if let Some((above, _)) = parent {
            tree.set_length(node, (heights[above] - heights[old]) * scale);
        }
        if old >= tips {
            let [one, other] = children[old];
            open.extend([(other, Some((old, node))), (one, Some((old, node)))]);
        }
    }
    tree
}
