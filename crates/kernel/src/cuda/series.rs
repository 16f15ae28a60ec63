//! Many steps of training in one launch, where there are so few points that every block has one tile.

use super::emit::{Source, Work};
use super::engine::{Cuda, Prepared, reduced};
use super::machine::{Arguments, Launching};
use super::rows::Chunk;
use super::{CompileMode, CudaError};

/// Places that a block moves at a time, in those that a block of the update adds up; as `GROUPS_WISHED` in `device/step/series.cuh`.
pub(super) fn groups(threads: usize) -> usize {
    if threads < 128 { 2 } else { 4 }
}

/// Blocks that are worth having beside those with a tile: one for every piece of the gradient, and for the loss.
fn wished(source: &Source) -> usize {
    source.gradient.div_ceil(reduced(source.shape.threads) * groups(source.shape.threads)) + 1
}

impl Cuda<'_> {
    /// Whether steps at so many points of every term can follow each other in one launch, where `each` blocks share a
    /// multiprocessor: every block has one tile at most, and some have none.
    pub(super) fn series_fits(&self, source: &Source, counts: &[usize], each: usize) -> bool {
        // By the rule it is not taken: it was slower in six cases of seven (`benches/gpu/small-steps.md`).
        let wanted = match self.mode() {
            CompileMode::ManySteps | CompileMode::MaxAutotune => true,
            CompileMode::Default | CompileMode::ReduceOverhead | CompileMode::Off => false,
        };
        wanted && source.networks > 0 && source.tiles(counts) < self.machine.waiting_blocks(each)
    }

    /// Blocks that move parameters beside those that have a tile, if one launch can take many steps.
    pub(super) fn movers(
        &self,
        kernels: usize,
        blocks: usize,
        chunks: &[Chunk],
    ) -> Result<Option<usize>, CudaError> {
        let [chunk] = chunks else { return Ok(None) };
        if !self.takes_series(kernels) {
            return Ok(None);
        }
        let source = self.source_of(kernels);
        let counts: Vec<usize> = chunk.ranges.iter().map(|range| range.len()).collect();
        let most = self.machine.together(self.module(kernels, Work::Evaluate.name()))?;
        if source.tiles(&counts) != blocks || blocks > most {
            return Ok(None);
        }
        let free = (most - blocks).min(wished(source));
        Ok((free > 0).then_some(free))
    }

    /// Queues some steps as one launch.
    pub(super) fn queue_series(
        &self,
        prepared: &Prepared,
        movers: usize,
        count: usize,
    ) -> Result<(), CudaError> {
        let place = prepared.places[0];
        let blocks = prepared.arguments.blocks as usize;
        let arguments = Arguments {
            table: place.table,
            jobs: place.jobs,
            job_count: place.job_count,
            fresh: 1,
            series: count as u64,
            ..prepared.arguments
        };
        let name = Work::Evaluate.name();
        let module = self.module(prepared.kernels, name);
        self.machine.launch_as(module, name, (blocks + movers, Launching::Together), &arguments)?;
        self.queue_advance(prepared, count)
    }
}
