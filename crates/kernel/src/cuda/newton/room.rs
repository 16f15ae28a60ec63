//! Finds room for a least-squares problem, in an arena of its own: all rows at once where memory allows, in chunks where
//! it does not.

use super::cut::{FactorCut, TILE, parts, tiles};
use super::dense::{CANDIDATES, REPORT, SHARED_OUT};
use super::problem::{LeastSquaresProblem, unknowns_of};
use crate::Points;
use crate::cuda::CudaError;
use crate::cuda::chunks::{Chunk, TermSize, Wanted, chunks, tiles as count_tiles};
use crate::cuda::context::DeviceContext;
use crate::cuda::memory::{MemoryPlan, MemoryPool, Regions};
use crate::cuda::program::{Handle, LoadedProgram, Work, largest, stride, tables};
use equation::taylor::Plan;
use linear::Unknowns;
use std::ops::Range;

/// Bytes of rows of the Jacobian that are there at one time, where memory allows.
const MOST_BYTES: usize = 1 << 30;

/// The same where every turn of conjugate gradients needs all rows.
const MOST_BYTES_ITERATED: usize = 64 << 30;

/// The same where they are combined and gone: fewer points at a time would leave most multiprocessors idle.
const MOST_BYTES_COMBINED: usize = 16 << 30;

/// Words of a residual's entry; as `kinds` in `device/dense/dense.cuh`.
pub(super) const KIND: usize = 4;

/// Parts of the rows whose products with numbers are added up apart.
pub(super) const SLOPE_PARTS: usize = 32;

/// Vectors per candidate: step, bend, and two to solve with.
pub(super) const VECTORS: usize = 4;

/// Sets of parameters whose residuals are wanted at once: on both sides of every candidate.
const MOST_SETS: usize = 2 * CANDIDATES;

/// How a problem is shared out.
pub(super) struct Shares {
    pub(super) unknowns: Unknowns,
    pub(super) kernels: Handle,
    pub(super) blocks: usize,
    pub(super) sizes: Vec<TermSize>,
    pub(super) chunks: Vec<Chunk>,
    /// The rows of every chunk among all.
    pub(super) chunk_rows: Vec<Range<usize>>,
    /// Rows of the largest chunk, and of all.
    pub(super) rows: usize,
    pub(super) all_rows: usize,
    /// Parts of a chunk's rows, or of the parameters, that are added up apart.
    pub(super) parts: usize,
}

/// Whether fewer tiles at a time would be another way: all rows have to be there where they are the unknowns.
fn is_divisible(tiles_each: usize, unknowns: Unknowns) -> bool {
    tiles_each > 1 && unknowns != Unknowns::Rows
}

/// The problem's place on the device, where room for it is reserved.
pub(super) fn take(
    context: &mut DeviceContext,
    points: &[Points],
    unknowns: Unknowns,
) -> Result<LeastSquaresProblem, CudaError> {
    let (kernels, sizes) = kernels_of_rows(&mut context.program, points)?;
    let mut tiles_each = count_tiles(&sizes).max(1);
    loop {
        let reserved = find(context, kernels, &sizes, tiles_each, unknowns).and_then(|found| {
            let (regions, shares, each) = found;
            tiles_each = each;
            let lease = context.memory.reserve_for_equations(regions.bytes())?;
            Ok(LeastSquaresProblem::settled(context, lease, &regions, shares))
        });
        match reserved {
            Err(CudaError::Memory { .. }) if is_divisible(tiles_each, unknowns) => {
                tiles_each = tiles_each.div_ceil(2);
            }
            settled => return settled,
        }
    }
}

/// See [`crate::Kernel::plan_equations`].
pub(super) fn plan(
    context: &mut DeviceContext,
    points: &[Points],
    unknowns: Unknowns,
) -> Result<MemoryPlan, CudaError> {
    let (kernels, sizes) = kernels_of_rows(&mut context.program, points)?;
    let all = count_tiles(&sizes).max(1);
    let (regions, shares, _) = find(context, kernels, &sizes, all, unknowns)?;
    let images = context.program.image_bytes();
    Ok(context.memory.planned(&regions, images, [shares.chunks.len(), shares.blocks]))
}

/// The kernels of rows, and how they take points.
fn kernels_of_rows(
    program: &mut LoadedProgram,
    points: &[Points],
) -> Result<(Handle, Vec<TermSize>), CudaError> {
    // The largest in any case: points become more while training, and compiling again takes longer than all that
    // smaller tiles would save before.
    let kernels = program.kernels(Work::Rows, largest(program.plan()))?;
    let mut sizes = Wanted::Given(points).sizes(program.plan());
    sizes.iter_mut().zip(&program.source(kernels).points).for_each(|(size, tile)| size.tile = *tile);
    Ok((kernels, sizes))
}

/// The problem under the present limits, with at most so many tiles of points at a time, and with how many.
fn find(
    context: &DeviceContext,
    kernels: Handle,
    sizes: &[TermSize],
    mut tiles_each: usize,
    unknowns: Unknowns,
) -> Result<(Regions, Shares, usize), CudaError> {
    let most = match unknowns {
        Unknowns::Parameters | Unknowns::Rows => MOST_BYTES,
        Unknowns::Diagonal | Unknowns::Sketch { .. } => MOST_BYTES_ITERATED,
        Unknowns::Subspace { .. } => MOST_BYTES_COMBINED,
    };
    let row = stride(context.plan().parameter_count()) * size_of::<f64>();
    let room = context.memory.most_bytes_of_equations();
    loop {
        let shares = shares(&context.program, kernels, sizes, tiles_each, unknowns);
        let regions = regions(&context.program, &shares);
        let divisible = is_divisible(tiles_each, unknowns);
        if regions.bytes() <= room && !(divisible && shares.rows * row > most) {
            return Ok((regions, shares, tiles_each));
        } else if divisible {
            tiles_each = tiles_each.div_ceil(2);
        } else {
            return Err(CudaError::Memory { bytes: regions.bytes() });
        }
    }
}

/// The rows of every chunk among all.
fn chunk_rows(plan: &Plan, chunks: &[Chunk]) -> Vec<Range<usize>> {
    let mut end = 0;
    let range = |chunk: &Chunk| {
        let rows =
            chunk.ranges.iter().zip(&plan.terms).map(|(range, term)| range.len() * term.residuals.len());
        let start = end;
        end += rows.sum::<usize>();
        start..end
    };
    chunks.iter().map(range).collect()
}

/// The problem with so many tiles of points at a time.
fn shares(
    program: &LoadedProgram,
    kernels: Handle,
    sizes: &[TermSize],
    tiles_each: usize,
    unknowns: Unknowns,
) -> Shares {
    let chunks = chunks(sizes, tiles_each);
    let chunk_rows = chunk_rows(program.plan(), &chunks);
    let rows = chunk_rows.iter().map(|rows| rows.len()).max().unwrap_or(0);
    let all_rows = chunk_rows.last().map_or(0, |rows| rows.end);
    let parameters = program.plan().parameter_count();
    let (tiles, summed) = match unknowns {
        Unknowns::Parameters => (tiles(parameters), rows),
        Unknowns::Rows => (tiles(all_rows), stride(parameters)),
        Unknowns::Diagonal => (0, rows),
        Unknowns::Sketch { sums } => (tiles(sums), stride(parameters)),
        Unknowns::Subspace { unknowns, .. } => (tiles(unknowns), all_rows),
    };
    Shares {
        unknowns,
        kernels,
        // No more than run at a time: a block that waits for others to end would make all of them wait.
        blocks: (MOST_SETS * count_tiles(sizes)).min(program.blocks(kernels)).max(MOST_SETS),
        sizes: sizes.to_vec(),
        rows,
        all_rows,
        parts: parts(tiles, summed, program.machine().blocks(1)),
        chunks,
        chunk_rows,
    }
}

fn regions(program: &LoadedProgram, shares: &Shares) -> Regions {
    let plan = program.plan();
    let Shares { unknowns, blocks, ref sizes, ref chunks, rows, all_rows, parts, .. } = *shares;
    let (parameters, kinds) = (plan.parameter_count(), tables(plan));
    let (row, word, source) = (stride(parameters), size_of::<f64>(), program.source(shares.kernels));
    let table = 3 * (plan.terms.len() + 1) * (chunks.len() + 1);
    let [size, side] = unknowns_of(unknowns, parameters, all_rows);
    let (vectors, sums) = match unknowns {
        Unknowns::Parameters | Unknowns::Diagonal => (0, 0),
        Unknowns::Rows => (3 * CANDIDATES + 1, 0),
        Unknowns::Sketch { .. } => (3 * CANDIDATES, side * row),
        Unknowns::Subspace { .. } => (3 * CANDIDATES, all_rows * side),
    };
    let parts = tiles(size) * parts * TILE;
    let cut = FactorCut { unknowns: size, wide: program.machine().is_wide(size) };
    let factor: usize = cut.numbers(side).into_iter().sum();
    let number = program.number_bytes();
    Regions::new(&[
        (MemoryPool::Points, sizes.iter().map(|size| size.count * size.width).sum::<usize>() * word),
        (MemoryPool::Header, (2 * parameters + (1 + KIND) * kinds + table) * word),
        (MemoryPool::Weights, (1 + MOST_SETS) * source.packed * number),
        (MemoryPool::Jets, blocks * source.scratch * number),
        (MemoryPool::Jacobian, rows * row * word),
        (MemoryPool::Sketch, sums * word),
        (MemoryPool::Parts, parts.max(SLOPE_PARTS * CANDIDATES * row) * word),
        (MemoryPool::Matrix, side * side * word),
        (MemoryPool::Factors, CANDIDATES * (factor + cut.flags()) * word),
        (MemoryPool::Candidates, ((VECTORS + 2) * CANDIDATES + 2) * row * word),
        (MemoryPool::Unknowns, vectors * side * word),
        (MemoryPool::Values, (1 + 3 * CANDIDATES) * all_rows * word),
        (MemoryPool::Result, (REPORT + 2 * CANDIDATES * SHARED_OUT * kinds) * word),
    ])
}
