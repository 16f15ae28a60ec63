//! Finds room for a call: all points at once where memory allows, in chunks where it does not, with fewer blocks where
//! even that is too much.

use super::prepare::Step;
use crate::Visits;
use crate::cuda::CudaError;
use crate::cuda::chunks::{Chunk, TermSize, Wanted, chunks, tiles as count_tiles};
use crate::cuda::context::DeviceContext;
use crate::cuda::memory::{MemoryLedger, MemoryPlan, MemoryPool, Regions};
use crate::cuda::off::{WORKSPACE, separate_numbers};
use crate::cuda::parts::PartTable;
use crate::cuda::program::{CompileMode, Handle, LoadedProgram, Work, tables};
use std::sync::Arc;

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
    /// Whether sums have a place of their own, also where steps stay on the device.
    pub(super) apart: bool,
}

/// A call on all terms, with its place in memory.
pub(super) struct CallRoom {
    pub(super) kernels: Handle,
    pub(super) blocks: usize,
    pub(super) sizes: Vec<TermSize>,
    pub(super) chunks: Vec<Chunk>,
    /// Words of every chunk's table, and of its jobs: points that are drawn, and those that are looked for.
    pub(super) tables: Vec<[Vec<u64>; 3]>,
    pub(super) parts: PartTable,
    /// Whether there is room for two sets of points.
    pub(super) two_sets: bool,
    pub(super) regions: Regions,
}

impl Step {
    /// The room that a call on all terms takes under the present limits, with `[moments, steps]` words beside it.
    /// Nothing is allocated.
    fn room(
        &mut self,
        context: &mut DeviceContext,
        wanted: Wanted<'_>,
        [moments, steps]: [usize; 2],
    ) -> Result<CallRoom, CudaError> {
        let plan = Arc::clone(context.plan());
        let mut sizes = wanted.sizes(&plan);
        let counts: Vec<usize> = sizes.iter().map(|size| size.count).collect();
        let searches =
            context.program.mode() == CompileMode::MaxAutotune && context.program.tiles().is_none();
        if searches && !self.tuning {
            // The search itself asks for room.
            self.tuning = true;
            let tuned = self.tune(context, wanted, &counts);
            self.tuning = false;
            tuned?;
        }
        let program = &mut context.program;
        let separate = program.mode() == CompileMode::Off;
        let kernels =
            if separate { self.baseline.kernels(program)? } else { program.kernels_for(&counts)? };
        let tiles = &context.program.source(kernels).points;
        sizes.iter_mut().zip(tiles).for_each(|(size, tile)| size.tile = *tile);
        let all = count_tiles(&sizes);
        let parts = match wanted {
            Wanted::Given(_) => PartTable::default(),
            Wanted::Drawn(recipe) => PartTable::of(recipe),
        };
        let mut blocks = all.clamp(1, context.program.blocks(kernels));
        let mut rounds = all.div_ceil(blocks).max(1);
        let mut two_sets = self.other.wanted && matches!(wanted, Wanted::Given(_));
        loop {
            let chunks = chunks(&sizes, rounds * blocks);
            let tables: Vec<[Vec<u64>; 3]> = chunks
                .iter()
                .map(|chunk| {
                    let [drawn, sought] = match wanted {
                        Wanted::Given(_) => Default::default(),
                        Wanted::Drawn(recipe) => chunk.jobs(&sizes, recipe, &parts),
                    };
                    [chunk.table(&sizes), drawn, sought]
                })
                .collect();
            let sets = 1 + usize::from(two_sets);
            let words: usize = tables.iter().flatten().map(Vec::len).sum();
            let factors: usize = plan.terms.iter().map(|term| term.residuals.len()).sum();
            let needs = Needs {
                header: plan.parameter_count() + factors + words + parts.words.len() + parts.insides.len(),
                points: sets * chunks.iter().map(|chunk| chunk.words(&sizes)).max().unwrap_or(0)
                    + parts.counts,
                blocks,
                jets: if separate { separate_numbers(&plan, &chunks) } else { 0 },
                moments,
                steps,
                apart: self.adds_up_apart(),
                ..Needs::default()
            };
            let regions = laid_out(&context.program, kernels, needs);
            if regions.bytes() <= context.memory.most_bytes() {
                let kernels = if chunks.len() > 1 { context.program.chunked(kernels)? } else { kernels };
                return Ok(CallRoom { kernels, blocks, sizes, chunks, tables, parts, two_sets, regions });
            } else if two_sets {
                two_sets = false;
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
    pub(super) fn take_room(
        &mut self,
        context: &mut DeviceContext,
        wanted: Wanted<'_>,
        extra: [usize; 2],
    ) -> Result<CallRoom, CudaError> {
        loop {
            let room = self.room(context, wanted, extra)?;
            match self.reserve(&mut context.memory, room.regions.bytes()) {
                Ok(()) => return Ok(room),
                Err(CudaError::Memory { bytes }) => context.memory.note_shortage(bytes),
                Err(other) => return Err(other),
            }
        }
    }

    /// Room for a call on one term, allocated; also says how many blocks there is room for. Resident points stay
    /// where they are if that is possible.
    pub(super) fn regions(
        &mut self,
        context: &mut DeviceContext,
        kernels: Handle,
        needs: Needs,
    ) -> Result<(Regions, usize), CudaError> {
        let DeviceContext { program, memory } = context;
        let mut blocks = needs.blocks;
        loop {
            let points = self.resident_words();
            let regions = laid_out(program, kernels, Needs { blocks, points, ..needs });
            let reserved = match regions.bytes() {
                bytes if bytes > memory.most_bytes_beside_equations() => Err(CudaError::Memory { bytes }),
                bytes => self.reserve(memory, bytes),
            };
            match reserved {
                Ok(()) => return Ok((regions, blocks)),
                Err(CudaError::Memory { .. }) if memory.give_up_equations() => {}
                Err(CudaError::Memory { .. }) if points > 0 => self.forget_points(),
                Err(CudaError::Memory { .. }) if blocks > 1 => blocks = blocks.div_ceil(2),
                Err(error) => return Err(error),
            }
        }
    }

    /// Points stay where they are only if the arena does.
    fn reserve(&mut self, memory: &mut MemoryLedger, bytes: usize) -> Result<(), CudaError> {
        let reserved = memory.reserve_for_calls(bytes);
        if reserved != Ok(false) {
            self.forget_points();
        }
        reserved.map(|_| ())
    }

    /// See [`crate::Kernel::plan_memory`].
    pub(crate) fn plan_memory(
        &mut self,
        context: &mut DeviceContext,
        visits: Visits<'_>,
    ) -> Result<MemoryPlan, CudaError> {
        let extra = super::places::words(context.plan(), self.clip_words);
        let wanted = Wanted::from(visits);
        match context.program.mode() {
            CompileMode::Default | CompileMode::ReduceOverhead => {
                let counts: Vec<usize> = wanted.sizes(context.plan()).iter().map(|size| size.count).collect();
                context.program.load_training(&counts)?;
            }
            CompileMode::MaxAutotune | CompileMode::Off => {}
        }
        let room = self.room(context, wanted, extra)?;
        let DeviceContext { program, memory } = context;
        Ok(memory.planned(&room.regions, program.image_bytes(), [room.chunks.len(), room.blocks]))
    }
}

fn laid_out(program: &LoadedProgram, kernels: Handle, needs: Needs) -> Regions {
    let number = program.number_bytes();
    let (plan, source) = (program.plan(), program.source(kernels));
    let word = size_of::<u64>();
    // Steps that stay on the device hand nothing back.
    let kept = needs.moments > 0 && !needs.apart;
    let results = if kept { 0 } else { plan.parameter_count() + tables(plan) };
    let direction = if program.work(kernels) == Some(Work::Along) { source.packed } else { 0 };
    let separate = program.work(kernels).is_none();
    let groups = needs.blocks.div_ceil(source.sharing);
    let (gradients, workspace) = if separate { (1, WORKSPACE) } else { (groups, 0) };
    Regions::new(&[
        (MemoryPool::Points, needs.points * word),
        (MemoryPool::Header, needs.header * word),
        (MemoryPool::Weights, source.packed * number),
        (MemoryPool::Direction, direction * number),
        (MemoryPool::Jets, (needs.jets + needs.blocks * source.scratch) * number),
        (MemoryPool::Gradients, gradients * source.gradient * number),
        (MemoryPool::Turns, (groups * source.turns).div_ceil(TURNS_PER_WORD) * word),
        (MemoryPool::Workspace, workspace),
        (MemoryPool::Sums, needs.blocks * source.sums * word),
        (MemoryPool::Result, results * word),
        (MemoryPool::Moments, needs.moments * word),
        (MemoryPool::Steps, needs.steps * word),
        (MemoryPool::Rows, needs.rows * word),
        (MemoryPool::Seeds, needs.seeds * word),
        (MemoryPool::Output, needs.output * word),
        (MemoryPool::Values, needs.values * word),
    ])
}
