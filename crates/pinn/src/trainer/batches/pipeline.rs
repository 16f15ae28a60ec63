//! Threads that find the points of the next steps while a step is taken. What a step visits is a function of its number: how many
//! threads there are decides who finds it and when, and not a bit of it. They look for batches, of which a step may add up several:
//! what waits is so many batches, however many points a step has.
//!
//! Batches are handed over in memory of the host. Where a device takes the steps, those of the next one are taken before a step begins:
//! it copies them into memory of its own beside the step.

use super::source::Batched;
use crate::TrainError;
use equation::problem::Problem;
use equation::taylor::{Plan, Term};
use kernel::Points;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Batches that are found before they are wanted, at most, by so many threads where nobody says how many: each may have one that is
/// found beside the one it looks for.
pub(crate) fn ahead(workers: usize) -> u64 {
    const LEAST: u64 = 4;
    LEAST.max(2 * workers as u64)
}

/// The points of a step, with the position of their term.
pub(super) type StepPoints = Vec<(usize, Points)>;

/// What has to be known to find the points of any step.
#[derive(Debug)]
pub(super) struct BatchWork {
    problem: Problem,
    parts: Vec<(Batched, Arc<Term>)>,
    /// How many batches a step adds up.
    accumulate: u64,
}

impl BatchWork {
    /// What steps visit in batches.
    pub(super) fn new(problem: &Problem, plan: &Plan, batched: Vec<Batched>, accumulate: usize) -> Self {
        let part = |own: Batched| {
            let term = Arc::clone(&plan.terms[own.number]);
            (own, term)
        };
        let parts = batched.into_iter().map(part).collect();
        BatchWork { problem: problem.clone(), parts, accumulate: accumulate.max(1) as u64 }
    }

    /// What is visited in batches.
    pub(super) fn batched(&self) -> impl Iterator<Item = &Batched> {
        self.parts.iter().map(|(own, _)| own)
    }

    /// Whether any of it takes time to be found.
    pub(super) fn takes_time(&self) -> bool {
        self.batched().any(|own| !own.is_held())
    }

    /// A piece of what losses are looked at, of some draw.
    pub(super) fn piece(&self, draw: u64, number: u64) -> Result<StepPoints, TrainError> {
        let piece = |(own, term): &(Batched, Arc<Term>)| {
            Ok((own.number, own.piece(&self.problem, term, draw, number)?))
        };
        self.parts.iter().map(piece).collect()
    }

    /// The points of a step, all at a time.
    pub(super) fn of_step(&self, step: u64) -> Result<StepPoints, TrainError> {
        let part =
            |(own, term): &(Batched, Arc<Term>)| Ok((own.number, own.batch(&self.problem, term, step)?));
        self.parts.iter().map(part).collect()
    }

    /// One batch of a step, where batches are counted through all steps.
    fn of_batch(&self, number: u64) -> Result<StepPoints, TrainError> {
        let place = (number / self.accumulate, number % self.accumulate);
        let part = |(own, term): &(Batched, Arc<Term>)| {
            Ok((own.number, own.part_of_batch(&self.problem, term, place)?))
        };
        self.parts.iter().map(part).collect()
    }
}

/// Threads and what they have found.
#[derive(Debug)]
pub(super) struct Pipeline {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    work: Arc<BatchWork>,
    ring: Mutex<Ring>,
    changed: Condvar,
}

#[derive(Debug)]
struct Ring {
    /// The batch that is wanted next, counted through all steps.
    wanted: u64,
    /// The first one that nobody looks for yet.
    next: u64,
    /// Up to how many batches before they are wanted.
    ahead: u64,
    found: BTreeMap<u64, Result<StepPoints, TrainError>>,
    /// Nobody wants anything any more.
    closed: bool,
    /// A thread has ended before it was told to.
    broken: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Ring> {
        // Nothing is left half done under the lock.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'ring>(&self, ring: MutexGuard<'ring, Ring>) -> MutexGuard<'ring, Ring> {
        self.changed.wait(ring).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says so when a thread ends: who waits for it would wait for ever.
struct Leaving<'shared>(&'shared Shared);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.lock().broken = true;
        self.0.changed.notify_all();
    }
}

impl Pipeline {
    /// So many threads, or as many as the system gives, that begin with a step and are so many batches ahead at most.
    pub(super) fn start(work: Arc<BatchWork>, (workers, ahead): (usize, u64), step: u64) -> Self {
        let first = step * work.accumulate;
        let (found, closed, broken) = (BTreeMap::new(), false, false);
        let ring = Ring { wanted: first, next: first, ahead: ahead.max(1), found, closed, broken };
        let (ring, changed) = (Mutex::new(ring), Condvar::new());
        let shared = Arc::new(Shared { work, ring, changed });
        let spawn = |_| {
            let shared = Arc::clone(&shared);
            Builder::new().name("batches".to_owned()).spawn(move || look(&shared)).ok()
        };
        let workers = (0..workers).map_while(spawn).collect();
        Pipeline { shared, workers }
    }

    /// For how many batches they look at most.
    pub(super) fn ahead(&self) -> u64 {
        self.shared.lock().ahead
    }

    /// Makes that another number. What was found and is too much now is dropped: it is found again when it is wanted.
    pub(super) fn set_ahead(&self, ahead: u64) {
        let mut ring = self.shared.lock();
        ring.ahead = ahead.max(1);
        let end = ring.wanted + ring.ahead;
        let dropped = ring.found.split_off(&end);
        if !dropped.is_empty() {
            ring.next = end;
        }
        drop(ring);
        self.shared.changed.notify_all();
    }

    /// How many threads there are.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The points of a step, as soon as they are found.
    pub(super) fn take(&self, step: u64) -> Result<StepPoints, TrainError> {
        let work = &self.shared.work;
        let first = step * work.accumulate;
        let mut all = self.take_batch(first)?;
        if work.accumulate > 1 {
            let rooms = all.iter_mut().zip(work.batched());
            rooms.for_each(|((_, points), own)| {
                points.reserve(own.size.min(own.count).saturating_sub(points.len()))
            });
        }
        for number in first + 1..first + work.accumulate {
            for ((_, points), (_, more)) in all.iter_mut().zip(self.take_batch(number)?) {
                points.append(&more);
            }
        }
        Ok(all)
    }

    fn take_batch(&self, number: u64) -> Result<StepPoints, TrainError> {
        let mut ring = self.shared.lock();
        if ring.wanted != number {
            (ring.wanted, ring.next) = (number, number);
            ring.found.clear();
        }
        self.shared.changed.notify_all();
        loop {
            if let Some(found) = ring.found.remove(&number) {
                (ring.wanted, ring.next) = (number + 1, ring.next.max(number + 1));
                self.shared.changed.notify_all();
                return found;
            }
            if ring.broken || self.workers.is_empty() {
                drop(ring);
                return self.shared.work.of_batch(number);
            }
            ring = self.shared.wait(ring);
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        // What went wrong in one of them was told where its step was wanted.
        self.workers.drain(..).for_each(|worker| _ = worker.join());
    }
}

/// What a thread does: it finds the first batch that nobody looks for, as long as that is wanted soon.
fn look(shared: &Shared) {
    let _leaving = Leaving(shared);
    let mut ring = shared.lock();
    while !ring.closed {
        if ring.next >= ring.wanted + ring.ahead {
            ring = shared.wait(ring);
            continue;
        }
        let number = ring.next;
        ring.next += 1;
        drop(ring);
        let found = shared.work.of_batch(number);
        ring = shared.lock();
        // Whoever went back to an earlier step has no use for it, but it is what would be found again.
        if number >= ring.wanted {
            ring.found.insert(number, found);
            shared.changed.notify_all();
        }
    }
}
