//! What tiles of some size cost, by rules that were measured.

use super::emit::{KernelSource, TileMeasure};
use equation::taylor::{Plan, Term};

/// Blocks that share a gradient, at most.
pub(crate) const MOST_SHARING: usize = 4;

/// What a tile costs beside its points, in points: fetching weights, adding gradients.
const COST: f64 = 15.0;

/// Threads that keep a multiprocessor as busy as it gets.
const BUSY: f64 = 360.0;

/// What loss and gradient at so many points of every term cost, in columns that a busy multiprocessor works on.
pub(super) fn cost(plan: &Plan, measure: &TileMeasure, counts: &[usize], multiprocessors: usize) -> f64 {
    let channels = |term: &Term| term.channels.len() * term.row.sites;
    let columns = plan.terms.iter().zip(&measure.points).map(|(term, points)| channels(term) * points);
    let widest = plan.terms.iter().map(|term| channels(term)).max().unwrap_or(1);
    let tile = columns.max().unwrap_or(1) as f64 + COST * widest as f64;
    // Of the multiprocessor that has the most. Too few of them leave it waiting.
    let (own, each) = (measure.tiles(counts).div_ceil(multiprocessors), measure.shape.each);
    let rest = match own % each {
        0 => 0.0,
        rest => (rest as f64).max(BUSY / measure.shape.threads as f64),
    };
    tile * ((own - own % each) as f64 + rest)
}

/// Bytes of gradients that are added up while a busy multiprocessor works on a column.
const UPDATED: f64 = 4e5;

/// What adding up gradients costs, in the same columns.
pub(super) fn update_cost(bytes: usize) -> f64 {
    bytes as f64 / UPDATED
}

/// The share of the second-level cache that keeps what blocks write and read again, and the bytes that memory moves while a
/// busy multiprocessor works on a column (`benches/gpu/fused-step.md`).
const KEPT: f64 = 0.7;
const MOVED: f64 = 6e5;

/// What it costs that sums wait outside of the second-level cache of so many bytes, in the same columns: `scratch` bytes of
/// every tile, where all that is read again are `resident` bytes.
pub(super) fn missed_cost(tiles: usize, scratch: usize, resident: usize, cache: usize) -> f64 {
    let missed = 1.0 - KEPT * cache as f64 / resident.max(1) as f64;
    // Written and read.
    2.0 * (tiles * scratch) as f64 * missed.max(0.0) / MOVED
}

/// How many blocks share a gradient. It leaves room for others in the second-level cache; but at the start all of them
/// wait for the first one, which counts where blocks have few tiles, and more so in f64 (`benches/gpu/fused-step.md`).
pub(super) fn sharing(tiles: usize, blocks: usize, doubles: bool) -> usize {
    match tiles / blocks.max(1) {
        4.. => MOST_SHARING,
        _ if tiles > blocks && !doubles => 2,
        _ => 1,
    }
}

/// Whether narrow terms should have a kernel of their own: a block then has tiles enough that it matters little when a
/// kernel ends with some of them idle.
pub(super) fn apart(tiles: usize, blocks: usize) -> bool {
    tiles >= 8 * blocks
}

/// What merging may cost: compiling takes half as long then.
const MERGING: f64 = 1.02;

/// Whether narrow terms should go through the network of the widest one (`sources`: each with its own, merged): where
/// that costs next to nothing, for they are few or leave no block with more tiles.
pub(super) fn merges(
    plan: &Plan,
    sources: &[KernelSource; 2],
    counts: &[usize],
    multiprocessors: usize,
) -> bool {
    let [own, merged] =
        sources.each_ref().map(|source| cost(plan, &source.measure(), counts, multiprocessors));
    sources[1].networks < sources[0].networks && merged <= MERGING * own
}
