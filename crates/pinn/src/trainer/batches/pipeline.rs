//! Threads that find the points of the next steps while a step is taken. What a step visits is a function of its number: how many
//! threads there are decides who finds it and when, and not a bit of it.
//!
//! Batches are handed over in memory of the host. A device copies them into memory of its own when it takes the step: a copy beside
//! the step before would begin where [`Pipeline::take`] ends.

use super::source::Batched;
use crate::TrainError;
use equation::problem::Problem;
use equation::taylor::{Plan, Term};
use kernel::Points;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Steps whose batches are found before they are wanted, at most, by so many threads: each may have one that is found beside the one it
/// looks for.
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
}

impl BatchWork {
    /// What steps visit in batches.
    pub(super) fn new(problem: &Problem, plan: &Plan, batched: Vec<Batched>) -> Self {
        let part = |own: Batched| {
            let term = Arc::clone(&plan.terms[own.number]);
            (own, term)
        };
        BatchWork { problem: problem.clone(), parts: batched.into_iter().map(part).collect() }
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

    /// The points of a step.
    pub(super) fn of_step(&self, step: u64) -> Result<StepPoints, TrainError> {
        let part =
            |(own, term): &(Batched, Arc<Term>)| Ok((own.number, own.batch(&self.problem, term, step)?));
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
    ahead: u64,
    ring: Mutex<Ring>,
    changed: Condvar,
}

#[derive(Debug)]
struct Ring {
    /// The step that is wanted next.
    wanted: u64,
    /// The first step that nobody looks for yet.
    next: u64,
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
    /// So many threads, or as many as the system gives, that begin with a step.
    pub(super) fn start(work: Arc<BatchWork>, workers: usize, step: u64) -> Self {
        let ring = Ring { wanted: step, next: step, found: BTreeMap::new(), closed: false, broken: false };
        let (ring, changed) = (Mutex::new(ring), Condvar::new());
        let shared = Arc::new(Shared { work, ahead: ahead(workers), ring, changed });
        let spawn = |_| {
            let shared = Arc::clone(&shared);
            Builder::new().name("batches".to_owned()).spawn(move || look(&shared)).ok()
        };
        let workers = (0..workers).map_while(spawn).collect();
        Pipeline { shared, workers }
    }

    /// For how many steps they look at most.
    pub(super) fn ahead(&self) -> u64 {
        self.shared.ahead
    }

    /// How many threads there are.
    pub(super) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The points of a step, as soon as they are found.
    pub(super) fn take(&self, step: u64) -> Result<StepPoints, TrainError> {
        let mut ring = self.shared.lock();
        if ring.wanted != step {
            (ring.wanted, ring.next) = (step, step);
            ring.found.clear();
        }
        self.shared.changed.notify_all();
        loop {
            if let Some(found) = ring.found.remove(&step) {
                (ring.wanted, ring.next) = (step + 1, ring.next.max(step + 1));
                self.shared.changed.notify_all();
                return found;
            }
            if ring.broken || self.workers.is_empty() {
                drop(ring);
                return self.shared.work.of_step(step);
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

/// What a thread does: it finds the points of the first step that nobody looks for, as long as that is wanted soon.
fn look(shared: &Shared) {
    let _leaving = Leaving(shared);
    let mut ring = shared.lock();
    while !ring.closed {
        if ring.next >= ring.wanted + shared.ahead {
            ring = shared.wait(ring);
            continue;
        }
        let step = ring.next;
        ring.next += 1;
        drop(ring);
        let found = shared.work.of_step(step);
        ring = shared.lock();
        // Whoever went back to an earlier step has no use for it, but it is what would be found again.
        if step >= ring.wanted {
            ring.found.insert(step, found);
            shared.changed.notify_all();
        }
    }
}
