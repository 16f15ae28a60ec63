//! Finds room for a call: all points at once where memory allows, in chunks where it does not, with fewer blocks where
//! even that is too much.

use super::emit::Work;
use super::engine::{Cuda, tables};
use super::machine::Arena;
use super::memory::{MemoryPlan, MemoryUse, Pool, Regions};
use super::off::WORKSPACE;
use super::rows::{Chunk, PartTable, Size, Wanted, chunks, tiles as count_tiles};
use super::{CompileMode, CudaError};
use crate::Visits;

/// Counts of turns that a word holds.
const TURNS_PER_WORD: usize = size_of::<u64>() / size_of::<i32>();

/// What one call needs beside the resident points, in words or numbers.
#[derive(Clone, Copy, Default)]
pub(super) struct Needs {
    pub(super) header: usize,
    pub(super) blocks: usize,
    /// Numbers of all channels, where no block has its own.
    pub(super) jets: usize,
    pub(super) points: usize,
    pub(super) rows: usize,
    pub(super) output: usize,
    pub(super) values: usize,
    pub(super) seeds: usize,
    pub(super) moments: usize,
    pub(super) steps: usize,
}

/// A call on all terms, with its place in memory.
pub(super) struct Room {
    pub(super) kernels: usize,
    pub(super) blocks: usize,
    pub(super) sizes: Vec<Size>,
    pub(super) chunks: Vec<Chunk>,
    /// Words of every chunk's table and jobs.
    pub(super) tables: Vec<[Vec<u64>; 2]>,
    pub(super) parts: PartTable,
    pub(super) regions: Regions,
}

impl Cuda<'_> {
    /// The room that a call on all terms takes under the present limits, with `[moments, steps]` words beside it.
    /// Nothing is allocated.
    pub(super) fn room(
        &mut self,
        wanted: Wanted<'_>,
        [moments, steps]: [usize; 2],
    ) -> Result<Room, CudaError> {
        // Methods by gradients have no use for them.
        self.newton = None;
        let plan = self.plan;
        let mut sizes = wanted.sizes(plan);
        let counts: Vec<usize> = sizes.iter().map(|size| size.count).collect();
        if self.mode() == CompileMode::MaxAutotune && !self.tuning {
            // The search itself asks for room.
            self.tuning = true;
            let tuned = self.tune(wanted, &counts);
            self.tuning = false;
            tuned?;
        }
        let kernels = self.kernels_for(&counts)?;
        let tiles = &self.source_of(kernels).points;
        sizes.iter_mut().zip(tiles).for_each(|(size, tile)| size.tile = *tile);
        let separate = self.work(kernels) == Work::Separate;
        let all = count_tiles(&sizes);
        let parts = PartTable::of(wanted);
        let mut blocks = all.clamp(1, self.blocks(kernels));
        let mut rounds = all.div_ceil(blocks).max(1);
        loop {
            let chunks = chunks(&sizes, rounds * blocks);
            let tables: Vec<[Vec<u64>; 2]> = chunks
                .iter()
                .map(|chunk| {
                    let jobs = match wanted {
                        Wanted::Given(_) => Vec::new(),
                        Wanted::Drawn(recipe) => chunk.jobs(&sizes, recipe, &parts),
                    };
                    [chunk.table(&sizes), jobs]
                })
                .collect();
            let words: usize = tables.iter().flatten().map(Vec::len).sum();
            let factors: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
            let needs = Needs {
                header: plan.parameter_count() + factors + words + parts.words.len(),
                points: chunks.iter().map(|chunk| chunk.words(&sizes)).max().unwrap_or(0),
                blocks,
                jets: if separate { self.separate_numbers(&chunks) } else { 0 },
                moments,
                steps,
                ..Needs::default()
            };
            let regions = self.laid_out(kernels, needs);
            if regions.bytes() <= self.most_bytes() {
                let kernels = if chunks.len() > 1 { self.chunked(kernels)? } else { kernels };
                return Ok(Room { kernels, blocks, sizes, chunks, tables, parts, regions });
            } else if rounds > 1 {
                rounds = rounds.div_ceil(2);
            } else if blocks > 1 {
                blocks = blocks.div_ceil(2);
            } else {
                return Err(CudaError::Memory { bytes: regions.bytes() });
            }
        }
    }

    /// Room for a call on all terms, allocated. Where the machine does not have it, less is tried.
    pub(super) fn take_room(&mut self, wanted: Wanted<'_>, extra: [usize; 2]) -> Result<Room, CudaError> {
        loop {
            let room = self.room(wanted, extra)?;
            match self.reserve(room.regions.bytes()) {
                Ok(()) => return Ok(room),
                Err(CudaError::Memory { bytes }) => self.note_shortage(bytes),
                Err(other) => return Err(other),
            }
        }
    }

    /// Room for a call on one term, allocated; also says how many blocks there is room for. Resident points stay
    /// where they are if that is possible.
    pub(super) fn regions(&mut self, kernels: usize, needs: Needs) -> Result<(Regions, usize), CudaError> {
        let mut blocks = needs.blocks;
        loop {
            let points = self.resident_words();
            let regions = self.laid_out(kernels, Needs { blocks, points, ..needs });
            let reserved = match regions.bytes() {
                bytes if bytes > self.most_bytes() => Err(CudaError::Memory { bytes }),
                bytes => self.reserve(bytes),
            };
            match reserved {
                Ok(()) => return Ok((regions, blocks)),
                // Between two steps equations may go: the next step adds up its own.
                Err(CudaError::Memory { .. }) if self.newton.is_some() => self.newton = None,
                Err(CudaError::Memory { .. }) if points > 0 => self.forget_points(),
                Err(CudaError::Memory { .. }) if blocks > 1 => blocks = blocks.div_ceil(2),
                Err(error) => return Err(error),
            }
        }
    }

    fn laid_out(&self, kernels: usize, needs: Needs) -> Regions {
        let number = self.number_bytes();
        let source = self.source_of(kernels);
        let word = size_of::<u64>();
        // Steps that stay on the device hand nothing back.
        let results = if needs.moments > 0 { 0 } else { self.plan.parameter_count() + tables(self.plan) };
        let direction = if self.work(kernels) == Work::Along { source.packed } else { 0 };
        let separate = self.work(kernels) == Work::Separate;
        let groups = needs.blocks.div_ceil(source.sharing);
        let (gradients, workspace) = if separate { (1, WORKSPACE) } else { (groups, 0) };
        Regions::new(&[
            (Pool::Points, needs.points * word),
            (Pool::Header, needs.header * word),
            (Pool::Weights, source.packed * number),
            (Pool::Direction, direction * number),
            (Pool::Jets, (needs.jets + needs.blocks * source.scratch) * number),
            (Pool::Gradients, gradients * source.gradient * number),
            (Pool::Turns, (groups * source.turns).div_ceil(TURNS_PER_WORD) * word),
            (Pool::Workspace, workspace),
            (Pool::Sums, needs.blocks * source.sums * word),
            (Pool::Result, results * word),
            (Pool::Moments, needs.moments * word),
            (Pool::Steps, needs.steps * word),
            (Pool::Rows, needs.rows * word),
            (Pool::Seeds, needs.seeds * word),
            (Pool::Output, needs.output * word),
            (Pool::Values, needs.values * word),
        ])
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), CudaError> {
        if bytes > self.arena.bytes() {
            self.forget_points();
            self.arena.reserve(bytes)?;
            self.peak = self.peak.max(self.bytes());
        }
        Ok(())
    }

    /// Bytes that the arena may have: what the user allows and the machine turned out to have.
    pub(super) fn most_bytes(&self) -> usize {
        let allowed = self
            .limit
            .map_or(usize::MAX, |limit| limit.saturating_sub(self.newton_bytes() + self.vector_bytes()));
        allowed.min(self.available.unwrap_or(usize::MAX))
    }

    /// The machine does not have so much: what it has is tried next, or less where that was not in one piece.
    fn note_shortage(&mut self, bytes: usize) {
        let free = self.machine.free_bytes();
        self.available = Some(if free < bytes { free } else { bytes - bytes.div_ceil(4) });
    }

    /// Bounds the arena from the next call on; `None` takes what the machine has.
    pub(crate) fn limit_bytes(&mut self, limit: Option<usize>) {
        (self.limit, self.available) = (limit, None);
        (self.arena, self.newton) = (Arena::new(&self.machine), None);
        self.forget_points();
        self.series = None;
    }

    /// See [`crate::Kernel::memory_use`].
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let (measured, context) = self.machine.taken_bytes().unzip();
        let in_pages = |bytes: usize| bytes.next_multiple_of(self.machine.page());
        MemoryUse { planned: in_pages(self.peak) + in_pages(self.image_bytes()), measured, context }
    }

    /// See [`crate::Kernel::plan_memory`].
    pub(crate) fn plan_memory(&mut self, visits: Visits<'_>) -> Result<MemoryPlan, CudaError> {
        let (extra, wanted) = (self.step_words(), Wanted::from(visits));
        if matches!(self.mode(), CompileMode::Default | CompileMode::ReduceOverhead | CompileMode::ManySteps)
        {
            let counts: Vec<usize> = wanted.sizes(self.plan).iter().map(|size| size.count).collect();
            self.load_training(&counts)?;
        }
        let room = self.room(wanted, extra)?;
        let movers = self.movers(room.kernels, room.blocks, &room.chunks)?;
        Ok(MemoryPlan { movers, ..self.memory_plan(&room.regions, [room.chunks.len(), room.blocks]) })
    }

    /// What regions take, with so many chunks and blocks.
    pub(super) fn memory_plan(&mut self, regions: &Regions, [chunks, blocks]: [usize; 2]) -> MemoryPlan {
        let (page, bytes) = (self.machine.page(), regions.bytes());
        MemoryPlan {
            pools: regions.groups(),
            kernels: self.image_bytes().next_multiple_of(page),
            rest: bytes.next_multiple_of(page) - bytes,
            staging: self.staging_bytes(),
            chunks,
            blocks,
            movers: None,
            limit: self.limit,
            shortage: self.available.is_some(),
        }
    }
}
