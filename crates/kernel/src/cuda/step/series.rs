//! Many steps of training in one launch, where there are so few points that every block has one tile.

use super::evaluate::queue_advance;
use super::prepare::Prepared;
use crate::cuda::CudaError;
use crate::cuda::chunks::Chunk;
use crate::cuda::program::{Arguments, Handle, Program, Source, reduced};

/// Places that a block moves at a time, in those that a block of the update adds up; as `GROUPS_WISHED` in
/// `device/step/series.cuh`.
pub(super) fn groups(threads: usize) -> usize {
    if threads < 128 { 2 } else { 4 }
}

/// Blocks that are worth having beside those with a tile: one for every piece of the gradient, and for the loss.
fn wished(source: &Source) -> usize {
    source.gradient.div_ceil(reduced(source.shape.threads) * groups(source.shape.threads)) + 1
}

/// Blocks that move parameters beside those that have a tile, if one launch can take many steps.
pub(super) fn movers(
    program: &Program<'_>,
    kernels: Handle,
    blocks: usize,
    chunks: &[Chunk],
) -> Result<Option<usize>, CudaError> {
    let [chunk] = chunks else { return Ok(None) };
    if !program.takes_series(kernels) {
        return Ok(None);
    }
    let source = program.source(kernels);
    let counts: Vec<usize> = chunk.ranges.iter().map(|range| range.len()).collect();
    let most = program.together(kernels)?;
    if source.tiles(&counts) != blocks || blocks > most {
        return Ok(None);
    }
    let free = (most - blocks).min(wished(source));
    Ok((free > 0).then_some(free))
}

/// Queues some steps as one launch.
pub(super) fn queue(
    program: &Program<'_>,
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
    program.launch_together(prepared.kernels, blocks + movers, &arguments)?;
    queue_advance(program, prepared, count)
}
