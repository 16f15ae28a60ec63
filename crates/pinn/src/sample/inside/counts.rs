//! How many candidates lie inside before a candidate, so that any part of a draw is found without looking at all before it.

use super::candidate::CandidateRegion;
use super::cover::Cover;
use equation::counter::Stream;
use equation::problem::Sampler;
use geometry::Solid;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Candidates per entry of a table.
pub(super) const ENTRY: u64 = 1 << 16;

/// As many draws, and covers, are kept at a time: those of the terms of a plan.
const KEPT: usize = 8;

/// Points inside among all candidates up to the end of each entry.
pub(super) type Counts = Vec<u64>;

/// The shape and box that something was found for.
#[derive(Clone, Debug)]
pub(super) struct CandidateGround {
    /// Its place is held, so that no other shape comes to lie there, but not the shape, which may be a large mesh.
    solid: Weak<Solid>,
    reaches: Vec<[u64; 2]>,
    axes: Vec<usize>,
}

/// The candidates that counts are of.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CountSource {
    ground: CandidateGround,
    sampler: Sampler,
    stream: Stream,
    /// Where the sequence depends on it.
    count: Option<usize>,
}

impl PartialEq for CandidateGround {
    fn eq(&self, other: &Self) -> bool {
        Weak::ptr_eq(&self.solid, &other.solid) && self.reaches == other.reaches && self.axes == other.axes
    }
}

impl CandidateGround {
    pub(super) fn of(region: &CandidateRegion<'_>) -> CandidateGround {
        let reaches = (0..region.domain.len()).map(|axis| {
            let (low, high) = region.domain.reach(axis);
            [low.to_bits(), high.to_bits()]
        });
        let geometry = region.geometry;
        CandidateGround {
            solid: Arc::downgrade(&geometry.solid),
            reaches: reaches.collect(),
            axes: geometry.axes.clone(),
        }
    }
}

impl CountSource {
    pub(super) fn new(
        ground: CandidateGround,
        sampler: Sampler,
        stream: Stream,
        count: Option<usize>,
    ) -> CountSource {
        CountSource { ground, sampler, stream, count }
    }
}

/// What follows from candidates, kept to be looked up: whoever finds nothing here finds the same again, only later.
struct Memory {
    counts: Vec<(CountSource, Arc<Counts>)>,
    covers: Vec<(CandidateGround, CoverFound)>,
}

/// A cover, and which share of candidates in it lies inside.
pub(super) type CoverFound = (Arc<Cover>, f64);

static MEMORY: Mutex<Memory> = Mutex::new(Memory { counts: Vec::new(), covers: Vec::new() });

/// The newest come first.
fn find<K: PartialEq, V: Clone>(entries: &[(K, V)], key: &K) -> Option<V> {
    entries.iter().find(|(own, _)| own == key).map(|(_, value)| value.clone())
}

fn put<K: PartialEq, V>(entries: &mut Vec<(K, V)>, key: K, value: V) {
    entries.retain(|(own, _)| *own != key);
    entries.insert(0, (key, value));
    entries.truncate(KEPT);
}

/// The counts of a draw, as far as they are known.
pub(super) fn known(source: &CountSource) -> Arc<Counts> {
    let memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    find(&memory.counts, source).unwrap_or_default()
}

/// Keeps the counts of a draw, unless more of them are known.
pub(super) fn keep(source: &CountSource, counts: Counts) {
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let before = find(&memory.counts, source).map_or(0, |before| before.len());
    if counts.len() > before {
        put(&mut memory.counts, source.clone(), Arc::new(counts));
    }
}

/// Whose turn it is to count.
static TURN: Mutex<()> = Mutex::new(());

/// Waits until nobody else counts. Threads that computations are shared out to do not wait: who counts may wait for them.
pub(super) fn turn() -> Option<MutexGuard<'static, ()>> {
    let may_wait = rayon::current_thread_index().is_none();
    may_wait.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The cover of a shape; `make` makes one where there is none.
pub(super) fn cover<E>(
    ground: &CandidateGround,
    make: impl FnOnce() -> Result<CoverFound, E>,
) -> Result<CoverFound, E> {
    let find_it = || {
        let memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
        find(&memory.covers, ground)
    };
    if let Some(found) = find_it() {
        return Ok(found);
    }
    // Not under the lock: threads that wait for it may be those that would help.
    let made = make()?;
    let mut memory = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    put(&mut memory.covers, ground.clone(), made.clone());
    Ok(made)
}
