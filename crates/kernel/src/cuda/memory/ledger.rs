//! Who has how much of the machine's memory.

use super::arena::Arena;
use super::plan::{MemoryPlan, MemoryUse};
use super::pools::{MemoryPool, Regions};
use crate::cuda::CudaError;
use crate::cuda::machine::{Machine, Region, Ring, Staging};

/// Words of the staging memory at least: copies are made in pieces of it.
const STAGING: usize = 1 << 20;

/// Who has an arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tenant {
    /// Calls on points: what one of them leaves there the next may write over.
    Calls,
    /// A least-squares problem. It stays while calls come between its parts, but where both have no room it goes.
    Equations,
    /// Vectors of an optimizer. They stay.
    Vectors,
}

/// That equations have not gone since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lease(u64);

/// The machine's memory, as far as it is ours.
#[derive(Debug)]
pub(crate) struct MemoryLedger {
    machine: Machine,
    staging: Staging,
    /// Where copies run beside what is queued.
    ring: Option<Ring>,
    calls: Arena,
    equations: Arena,
    vectors: Arena,
    /// How often equations went.
    gone: u64,
    /// Bytes that all arenas may have, and those that the machine turned out to have.
    limit: Option<usize>,
    available: Option<usize>,
    /// The most bytes that all had.
    peak: usize,
}

impl MemoryLedger {
    /// Nothing is taken yet but memory for copies, some words or more at a time.
    pub(crate) fn new(machine: &Machine, words: usize) -> Result<Self, CudaError> {
        let [calls, equations, vectors] = [(); 3].map(|()| Arena::new(machine));
        Ok(MemoryLedger {
            staging: machine.staging(STAGING.max(words))?,
            ring: None,
            machine: machine.clone(),
            calls,
            equations,
            vectors,
            gone: 0,
            limit: None,
            available: None,
            peak: 0,
        })
    }

    fn arena(&self, tenant: Tenant) -> &Arena {
        match tenant {
            Tenant::Calls => &self.calls,
            Tenant::Equations => &self.equations,
            Tenant::Vectors => &self.vectors,
        }
    }

    /// Bytes of all arenas.
    pub(crate) fn bytes(&self) -> usize {
        self.calls.bytes() + self.equations.bytes() + self.vectors.bytes()
    }

    /// Bytes that the machine has beside them.
    pub(crate) fn free_bytes(&self) -> usize {
        self.machine.free_bytes()
    }

    /// Bytes that all arenas may have.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Bounds the arenas of calls and equations, which go, from the next call on; `None` takes what the machine has.
    pub(crate) fn set_limit(&mut self, limit: Option<usize>) {
        (self.limit, self.available) = (limit, None);
        self.calls = Arena::new(&self.machine);
        self.give_up_equations();
    }

    /// Bytes that calls may have where equations go for them.
    pub(crate) fn most_bytes(&self) -> usize {
        self.most_beside(self.vectors.bytes())
    }

    /// Bytes that calls may have beside equations that stay.
    pub(crate) fn most_bytes_beside_equations(&self) -> usize {
        self.most_beside(self.vectors.bytes() + self.equations.bytes())
    }

    fn most_beside(&self, others: usize) -> usize {
        let allowed = self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(others));
        allowed.min(self.available.unwrap_or(usize::MAX))
    }

    /// Bytes that equations may have: calls on single terms share the limit.
    pub(crate) fn most_bytes_of_equations(&self) -> usize {
        let kept = |limit: usize| self.calls.bytes().max(limit / 4);
        self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(kept(limit)))
    }

    /// Room for a call; says whether its arena is another one now. Equations go where both would be more than the limit, or
    /// more than there is.
    pub(crate) fn reserve_for_calls(&mut self, bytes: usize) -> Result<bool, CudaError> {
        if bytes <= self.calls.bytes() {
            return Ok(false);
        }
        if bytes > self.most_bytes_beside_equations() {
            self.give_up_equations();
        }
        match self.calls.reserve(bytes) {
            Err(CudaError::Memory { .. }) if self.give_up_equations() => self.calls.reserve(bytes)?,
            reserved => reserved?,
        }
        self.note_peak();
        Ok(true)
    }

    /// Room for equations; those before them are gone if it has to grow.
    pub(crate) fn reserve_for_equations(&mut self, bytes: usize) -> Result<Lease, CudaError> {
        if bytes > self.equations.bytes() {
            self.gone += 1;
        }
        self.equations.reserve(bytes)?;
        self.note_peak();
        Ok(Lease(self.gone))
    }

    /// Room for vectors, of which a limit allows half: the others are gone.
    pub(crate) fn reserve_for_vectors(&mut self, bytes: usize) -> Result<(), CudaError> {
        self.vectors = Arena::new(&self.machine);
        if self.limit.is_some_and(|limit| bytes > limit / 2) {
            return Err(CudaError::Memory { bytes });
        }
        self.vectors.reserve(bytes)?;
        self.note_peak();
        Ok(())
    }

    fn note_peak(&mut self) {
        self.peak = self.peak.max(self.bytes());
    }

    /// Whether equations are still where they were.
    pub(crate) fn holds(&self, lease: Lease) -> bool {
        lease == Lease(self.gone)
    }

    /// Between two steps equations may go: the next step adds up its own. Says whether there were any.
    pub(crate) fn give_up_equations(&mut self) -> bool {
        let any = self.equations.bytes() > 0;
        if any {
            self.equations = Arena::new(&self.machine);
            self.gone += 1;
        }
        any
    }

    /// The machine does not have so much: what it has is tried next, or less where that was not in one piece.
    pub(crate) fn note_shortage(&mut self, bytes: usize) {
        let free = self.machine.free_bytes();
        self.available = Some(if free < bytes { free } else { bytes - bytes.div_ceil(4) });
    }

    /// The part of a tenant's arena that a pool is.
    pub(crate) fn pool<T>(&self, tenant: Tenant, regions: &Regions, pool: MemoryPool) -> Region<T> {
        self.arena(tenant).region(regions.get(pool))
    }

    /// All of a tenant's arena.
    pub(crate) fn whole<T>(&self, tenant: Tenant) -> Region<T> {
        self.arena(tenant).region(0..self.arena(tenant).bytes())
    }

    /// Copies words to the beginning of a region, piece by piece.
    pub(crate) fn send<T>(
        &mut self,
        to: Region<T>,
        words: impl Iterator<Item = u64>,
    ) -> Result<(), CudaError> {
        self.machine.send(to, &mut self.staging, words)
    }

    /// Fetches numbers from the beginning of a region, piece by piece.
    pub(crate) fn fetch(&mut self, from: Region<f64>, numbers: &mut [f64]) -> Result<(), CudaError> {
        self.machine.fetch(from, &mut self.staging, numbers)
    }

    /// Makes room in the host's memory for copies beside what is queued, or gives it back.
    pub(crate) fn set_ring(&mut self, wanted: bool) -> Result<(), CudaError> {
        match (wanted, &self.ring) {
            (true, None) => self.ring = Some(self.machine.ring()?),
            (false, Some(_)) => self.ring = None,
            (true, Some(_)) | (false, None) => {}
        }
        Ok(())
    }

    /// Begins to copy numbers beside what is queued, where there is room for that. Nobody else may use the region before
    /// [`MemoryLedger::await_aside`].
    pub(crate) fn send_aside(&mut self, to: Region<f64>, numbers: &[f64]) -> Result<(), CudaError> {
        self.ring.as_mut().map_or(Ok(()), |ring| self.machine.send_aside(to, ring, numbers))
    }

    /// What is queued from now on waits for those copies.
    pub(crate) fn await_aside(&self) -> Result<(), CudaError> {
        self.ring.as_ref().map_or(Ok(()), |ring| self.machine.await_aside(ring))
    }

    /// See [`crate::Kernel::memory_use`]; compiled kernels take `images` bytes.
    pub(crate) fn used(&self, images: usize) -> MemoryUse {
        let (measured, context) = self.machine.taken_bytes().unzip();
        let in_pages = |bytes: usize| bytes.next_multiple_of(self.machine.page());
        MemoryUse { planned: in_pages(self.peak) + in_pages(images), measured, context }
    }

    /// What regions take beside `images` bytes of compiled kernels, with so many chunks and blocks.
    pub(crate) fn planned(
        &mut self,
        regions: &Regions,
        images: usize,
        [chunks, blocks]: [usize; 2],
    ) -> MemoryPlan {
        let (page, bytes) = (self.machine.page(), regions.bytes());
        MemoryPlan {
            pools: regions.groups(),
            kernels: images.next_multiple_of(page),
            rest: bytes.next_multiple_of(page) - bytes,
            staging: size_of_val(self.staging.words()) + self.ring.as_ref().map_or(0, |_| Ring::bytes()),
            chunks,
            blocks,
            limit: self.limit,
            shortage: self.available.is_some(),
        }
    }
}
