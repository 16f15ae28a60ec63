//! Finds room for a least-squares problem, in an arena of its own: all rows at once where memory allows, in chunks where
//! it does not.

use super::dense::{self, CANDIDATES, Cut, Dense, SHARED_OUT};
use super::short::Short;
use super::{Newton, REPORT, row_count};
use crate::Points;
use crate::cuda::emit::Work;
use crate::cuda::engine::{Cuda, tables};
use crate::cuda::machine::{Arena, Arguments};
use crate::cuda::memory::{MemoryPlan, Pool, Regions};
use crate::cuda::rows::{Chunk, Size, Wanted, chunks, tiles as count_tiles};
use crate::cuda::{CudaError, tiles};
use linear::{Products, Unknowns};

/// Bytes of rows of the Jacobian that are there at one time, where memory allows.
const MOST_BYTES: usize = 1 << 30;

/// The same where every turn of conjugate gradients needs all rows.
const MOST_BYTES_ITERATED: usize = 64 << 30;

/// The same where they are combined and gone: fewer points at a time would leave most multiprocessors idle.
const MOST_BYTES_COMBINED: usize = 16 << 30;

/// Words of a residual's entry; as `kinds` in `device/dense/dense.cuh`.
const KIND: usize = 4;

/// Parts of the rows whose products with numbers are added up apart.
pub(super) const SLOPE_PARTS: usize = 32;

/// Vectors per candidate: step, bend, and two to solve with.
pub(super) const VECTORS: usize = 4;

/// Sets of parameters whose residuals are wanted at once: on both sides of every candidate.
const MOST_SETS: usize = 2 * CANDIDATES;

/// How a problem is shared out.
struct Shares {
    unknowns: Unknowns,
    products: Products,
    kernels: usize,
    blocks: usize,
    sizes: Vec<Size>,
    chunks: Vec<Chunk>,
    /// Rows of the largest chunk, and of all.
    rows: usize,
    all_rows: usize,
    /// Parts of a chunk's rows, or of the parameters, that are added up apart.
    parts: usize,
}

/// Whether fewer tiles at a time would be another way: all rows have to be there where they are the unknowns.
fn is_divisible(tiles_each: usize, unknowns: Unknowns) -> bool {
    tiles_each > 1 && unknowns != Unknowns::Rows
}

impl Cuda<'_> {
    /// The problem's place on the device: the last one's, where points are as many.
    pub(super) fn newton_for(
        &mut self,
        points: &[Points],
        unknowns: Unknowns,
        wanted: Products,
    ) -> Result<Newton, CudaError> {
        let known = self.newton.take();
        let counts: Vec<usize> = points.iter().map(Points::len).collect();
        let fits = |known: &Newton| {
            let sizes = known.sizes.iter().map(|size| size.count);
            known.unknowns.is_like(unknowns) && known.wanted == wanted && sizes.eq(counts.iter().copied())
        };
        let mut arena = match known {
            Some(known) if fits(&known) => return Ok(Newton { unknowns, ..known }),
            Some(Newton { arena, .. }) => arena,
            None => Arena::new(&self.machine),
        };
        let (kernels, sizes) = self.newton_sizes(points)?;
        let all = count_tiles(&sizes).max(1);
        let (mut tiles_each, mut products) = (all, wanted);
        loop {
            let found = self.newton_room(kernels, &sizes, tiles_each, (unknowns, products));
            let reserved = found.and_then(|(regions, shares, each)| {
                tiles_each = each;
                arena.reserve(regions.bytes()).map(|()| (regions, shares))
            });
            match reserved {
                Ok((regions, shares)) => {
                    self.peak = self.peak.max(self.arena.bytes() + arena.bytes());
                    return Ok(Newton { wanted, ..self.settled(arena, regions, shares) });
                }
                Err(CudaError::Memory { .. }) if is_divisible(tiles_each, unknowns) => {
                    tiles_each = tiles_each.div_ceil(2);
                }
                // Exact ones take less.
                Err(CudaError::Memory { .. }) if products == Products::Short => {
                    (tiles_each, products) = (all, Products::Exact);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// See [`crate::Kernel::plan_equations`].
    pub(crate) fn plan_equations(
        &mut self,
        points: &[Points],
        unknowns: Unknowns,
        products: Products,
    ) -> Result<MemoryPlan, CudaError> {
        let (kernels, sizes) = self.newton_sizes(points)?;
        let room =
            |products| self.newton_room(kernels, &sizes, count_tiles(&sizes).max(1), (unknowns, products));
        let (regions, shares, _) = match room(products) {
            Err(CudaError::Memory { .. }) if products == Products::Short => room(Products::Exact)?,
            found => found?,
        };
        Ok(self.memory_plan(&regions, [shares.chunks.len(), shares.blocks]))
    }

    /// The kernels of rows, and how they take points.
    fn newton_sizes(&mut self, points: &[Points]) -> Result<(usize, Vec<Size>), CudaError> {
        self.load_equations()?;
        // The largest in any case: points become more while training, and compiling again takes longer than all that
        // smaller tiles would save before.
        let kernels = self.kernels(Work::Rows, tiles::largest(self.plan))?;
        let mut sizes = Wanted::Given(points).sizes(self.plan);
        sizes.iter_mut().zip(&self.source_of(kernels).points).for_each(|(size, tile)| size.tile = *tile);
        Ok((kernels, sizes))
    }

    /// The problem under the present limits, with at most so many tiles of points at a time, and with how many.
    fn newton_room(
        &self,
        kernels: usize,
        sizes: &[Size],
        mut tiles_each: usize,
        (unknowns, products): (Unknowns, Products),
    ) -> Result<(Regions, Shares, usize), CudaError> {
        let most = match unknowns {
            Unknowns::Parameters | Unknowns::Rows => MOST_BYTES,
            Unknowns::Diagonal | Unknowns::Sketch { .. } => MOST_BYTES_ITERATED,
            Unknowns::Subspace { .. } => MOST_BYTES_COMBINED,
        };
        let row = dense::stride(self.plan.parameter_count()) * size_of::<f64>();
        // Calls on single terms share the limit.
        let kept = |limit: usize| self.arena.bytes().max(limit / 4);
        let room = self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(kept(limit)));
        loop {
            let shares = self.shares(kernels, sizes, tiles_each, (unknowns, products));
            let regions = self.newton_regions(&shares);
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

    /// The problem with so many tiles of points at a time.
    fn shares(
        &self,
        kernels: usize,
        sizes: &[Size],
        tiles_each: usize,
        (unknowns, products): (Unknowns, Products),
    ) -> Shares {
        let each = self.residuals_each();
        let chunks = chunks(sizes, tiles_each);
        let rows = chunks.iter().map(|chunk| row_count(chunk, &each)).max().unwrap_or(0);
        let all_rows = chunks.iter().map(|chunk| row_count(chunk, &each)).sum();
        let parameters = self.plan.parameter_count();
        let (tiles, summed) = match unknowns {
            Unknowns::Parameters => (dense::tiles(parameters), rows),
            Unknowns::Rows => (dense::tiles(all_rows), dense::stride(parameters)),
            Unknowns::Diagonal => (0, rows),
            Unknowns::Sketch { sums } => (dense::tiles(sums), dense::stride(parameters)),
            Unknowns::Subspace { unknowns, .. } => (dense::tiles(unknowns), all_rows),
        };
        Shares {
            unknowns,
            products,
            kernels,
            // No more than run at a time: a block that waits for others to end would make all of them wait.
            blocks: (MOST_SETS * count_tiles(sizes)).min(self.blocks(kernels)).max(MOST_SETS),
            sizes: sizes.to_vec(),
            rows,
            all_rows,
            parts: dense::parts(tiles, summed, self.machine.blocks(1)),
            chunks,
        }
    }

    fn newton_regions(&self, shares: &Shares) -> Regions {
        let parameters = self.plan.parameter_count();
        let Shares { unknowns, products, kernels, blocks, ref sizes, ref chunks, rows, all_rows, parts } =
            *shares;
        let (stride, word, source) = (dense::stride(parameters), size_of::<f64>(), self.source_of(kernels));
        let (kinds, table) = (tables(self.plan), 3 * (self.plan.terms.len() + 1) * (chunks.len() + 1));
        let (size, vectors, sums) = match unknowns {
            Unknowns::Parameters => (parameters, 0, 0),
            Unknowns::Rows => (all_rows, 3 * CANDIDATES + 1, 0),
            Unknowns::Diagonal => (0, 0, 0),
            Unknowns::Sketch { sums } => (sums, 3 * CANDIDATES, dense::stride(sums) * stride),
            Unknowns::Subspace { unknowns, .. } => {
                (unknowns, 3 * CANDIDATES, all_rows * dense::stride(unknowns))
            }
        };
        let side = if size == 0 { 0 } else { dense::stride(size) };
        let parts = dense::tiles(size) * parts * dense::TILE;
        let cut = self.cut(size);
        let factor = cut.columns() * dense::BLOCK * (side + 2 * dense::BLOCK);
        let number = self.number_bytes();
        Regions::new(&[
            (Pool::Points, sizes.iter().map(|size| size.count * size.width).sum::<usize>() * word),
            (Pool::Header, (2 * parameters + (1 + KIND) * kinds + table) * word),
            (Pool::Weights, (1 + MOST_SETS) * source.packed * number),
            (Pool::Jets, blocks * source.scratch * number),
            (Pool::Jacobian, rows * stride * word),
            (Pool::Sketch, sums * word),
            (Pool::Halves, Short::bytes(products, unknowns, rows, stride)),
            (Pool::Parts, parts.max(SLOPE_PARTS * CANDIDATES * stride) * word),
            (Pool::Matrix, side * side * word),
            (Pool::Factors, CANDIDATES * (factor + cut.flags()) * word),
            (Pool::Candidates, ((VECTORS + 2) * CANDIDATES + 2) * stride * word),
            (Pool::Unknowns, vectors * side * word),
            (Pool::Values, (1 + 3 * CANDIDATES) * all_rows * word),
            (Pool::Result, (REPORT + 2 * CANDIDATES * SHARED_OUT * kinds) * word),
        ])
    }

    /// How a factor of so many unknowns is cut.
    fn cut(&self, unknowns: usize) -> Cut {
        Cut { unknowns, wide: unknowns >= self.machine.least_wide() }
    }

    /// The problem in its place, nothing of it brought there yet.
    fn settled(&self, arena: Arena, regions: Regions, shares: Shares) -> Newton {
        let Shares { unknowns, products, kernels, blocks, sizes, chunks, rows, all_rows, parts } = shares;
        let address = |pool: Pool| {
            let region = regions.get(pool);
            arena.address_of(region.start, region.len())
        };
        let word = size_of::<f64>() as u64;
        let parameters = self.plan.parameter_count();
        let (stride, kinds) = (dense::stride(parameters) as u64, tables(self.plan) as u64);
        let header = address(Pool::Header);
        let carried = header + parameters as u64 * word;
        let factors = carried + parameters as u64 * word;
        let kind_table = factors + kinds * word;
        let first = kind_table + KIND as u64 * kinds * word;
        let table_bytes = 3 * (self.plan.terms.len() as u64 + 1) * word;
        let arguments = Arguments {
            parameters: header,
            factors,
            rows: address(Pool::Points),
            weights: address(Pool::Weights),
            scratch: address(Pool::Jets),
            output: address(Pool::Jacobian),
            values: address(Pool::Values),
            unscale: 1.0,
            candidates: 1,
            all_rows: all_rows as u64,
            ..Arguments::default()
        };
        let all_rows = all_rows as u64;
        let vectors = CANDIDATES as u64 * stride * word;
        let step = address(Pool::Candidates);
        let values = address(Pool::Values);
        let size = match unknowns {
            Unknowns::Parameters => parameters,
            Unknowns::Rows => all_rows as usize,
            Unknowns::Diagonal => 0,
            Unknowns::Sketch { sums } => sums,
            Unknowns::Subspace { unknowns, .. } => unknowns,
        };
        let side = dense::stride(size) as u64;
        let cut = self.cut(size);
        let corners = (cut.columns() * dense::BLOCK * CANDIDATES) as u64 * side * word;
        let flags = corners + (CANDIDATES * cut.columns() * 2 * dense::BLOCK.pow(2)) as u64 * word;
        let rows_of_unknowns = address(Pool::Unknowns);
        let row_vectors = CANDIDATES as u64 * side * word;
        let along = rows_of_unknowns + 3 * row_vectors;
        let own_slope = step + (VECTORS as u64 + 2) * vectors;
        let (work, middle, curved, apart, slope) = match unknowns {
            Unknowns::Parameters | Unknowns::Diagonal | Unknowns::Sketch { .. } => (
                step + 2 * vectors,
                step + 3 * vectors,
                values + (1 + 2 * CANDIDATES as u64) * all_rows * word,
                all_rows,
                match unknowns {
                    Unknowns::Parameters => address(Pool::Matrix) + parameters as u64 * stride * word,
                    _ => own_slope,
                },
            ),
            Unknowns::Subspace { .. } => (
                rows_of_unknowns,
                rows_of_unknowns + row_vectors,
                values + (1 + 2 * CANDIDATES as u64) * all_rows * word,
                all_rows,
                own_slope,
            ),
            Unknowns::Rows => {
                (rows_of_unknowns, rows_of_unknowns + row_vectors, rows_of_unknowns, side, own_slope)
            }
        };
        let dense = Dense {
            rows: address(Pool::Jacobian),
            stride,
            size: parameters as u64,
            parts: parts as u64,
            sums: address(Pool::Parts),
            matrix: address(Pool::Matrix),
            factors: address(Pool::Factors),
            corners: address(Pool::Factors) + corners,
            flags: address(Pool::Factors) + flags,
            step,
            bend: step + vectors,
            moved: step + VECTORS as u64 * vectors,
            parameters: header,
            carried,
            values,
            others: values + all_rows * word,
            curved,
            apart,
            slope,
            all_rows,
            kinds: kind_table,
            kind_count: kinds,
            report: address(Pool::Result),
            diagonal: own_slope + stride * word,
            sketched: if let Unknowns::Sketch { sums } = unknowns { sums as u64 } else { 0 },
            wide: u64::from(cut.wide),
            ..Dense::default()
        };
        let factored = match unknowns {
            Unknowns::Parameters | Unknowns::Diagonal => dense,
            // Nothing is damped towards what is carried there: the row behind the last one holds zeros.
            Unknowns::Sketch { .. } => {
                let carried = address(Pool::Matrix) + size as u64 * side * word;
                Dense { size: size as u64, stride: side, carried, ..dense }
            }
            // What is damped towards lies behind the slope, as products like it.
            Unknowns::Subspace { .. } => Dense {
                rows: address(Pool::Sketch),
                row_count: all_rows,
                size: size as u64,
                stride: side,
                carried: address(Pool::Matrix) + (size as u64 + 1) * side * word,
                in_rows: 1,
                ..dense
            },
            Unknowns::Rows => Dense { size: all_rows, stride: side, carried: along, in_rows: 1, ..dense },
        };
        let sketch = address(Pool::Sketch);
        let short = Short::at(address(Pool::Halves), unknowns, rows, stride as usize);
        let tables = (0..=chunks.len() as u64).map(|chunk| first + chunk * table_bytes).collect();
        Newton {
            arena,
            regions,
            kernels,
            sizes,
            chunks,
            resident: Vec::new(),
            blocks,
            arguments,
            unknowns,
            wanted: products,
            products,
            short,
            total: 0.0,
            tried: 0,
            dense,
            factored,
            work,
            middle,
            solution: rows_of_unknowns + 2 * row_vectors,
            sketch,
            tables,
        }
    }
}
