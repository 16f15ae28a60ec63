//! Normal equations that stay on the device: rows of the Jacobian, chunk by chunk, and their products with each other.

use super::dense::{self, CANDIDATES, Dense, SHARED_OUT};
use super::emit::Work;
use super::engine::{Cuda, tables};
use super::machine::{Arena, Arguments, Module};
use super::memory::{Pool, Regions};
use super::rows::{Chunk, Size, Wanted, chunks, tiles as count_tiles};
use super::{CudaError, tiles};
use crate::Points;
use std::ops::Range;

/// Bytes of rows of the Jacobian that are there at one time, where memory allows.
const MOST_BYTES: usize = 1 << 30;

/// Words of a residual's entry; as `kinds` in `device/dense.cuh`.
const KIND: usize = 4;

/// Parts of the rows whose products with numbers are added up apart.
pub(super) const SLOPE_PARTS: usize = 32;

/// Vectors per candidate: step, bend, and two to solve with.
pub(super) const VECTORS: usize = 4;

/// Numbers that the host is told before the squares.
pub(super) const REPORT: usize = 2 * CANDIDATES;

/// A least-squares problem on the device.
#[derive(Debug)]
pub(super) struct Newton {
    arena: Arena,
    regions: Regions,
    /// Dense linear algebra.
    module: Module,
    /// The plan's own.
    kernels: usize,
    sizes: Vec<Size>,
    chunks: Vec<Chunk>,
    /// Stamps of the points that are there.
    resident: Vec<u64>,
    blocks: usize,
    /// What the kernels share.
    arguments: Arguments,
    pub(super) dense: Dense,
    /// Addresses of the chunks' tables.
    tables: Vec<u64>,
}

/// What is known about the equations; the equations themselves stay.
pub(crate) struct Surveyed {
    pub(crate) squares: Vec<f64>,
    pub(crate) trace: f64,
    pub(crate) slope_square: f64,
}

impl Newton {
    pub(super) fn place(&self, pool: Pool) -> usize {
        self.regions.get(pool).start
    }
}

fn row_count(chunk: &Chunk, each: &[usize]) -> usize {
    chunk.ranges.iter().zip(each).map(|(range, each)| range.len() * each).sum()
}

impl Cuda<'_> {
    /// Bytes of the least-squares problem.
    pub(super) fn newton_bytes(&self) -> usize {
        self.newton.as_ref().map_or(0, |newton| newton.arena.bytes())
    }

    /// Residuals per point of every term.
    fn residuals_each(&self) -> Vec<usize> {
        self.plan.terms.iter().map(|term| term.residuals.len()).collect()
    }

    /// JᵀJ and Jᵀr at `parameters`, rows of residual k multiplied by `scales[k]`.
    pub(crate) fn linearize(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        scales: &[f64],
    ) -> Result<Surveyed, CudaError> {
        let newton = self.newton_for(points)?;
        self.newton = Some(newton);
        self.bring(points, parameters, scales)?;
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        self.launch(newton.kernels, "pack", self.pack_blocks(newton.kernels), &newton.arguments)?;
        let products = dense::tiles(self.plan.parameter_count());
        for (chunk, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows(newton, chunk, rows.start)?;
            let dense = Dense { row_count: rows.len() as u64, fresh: u64::from(chunk == 0), ..newton.dense };
            self.queue_dense(newton, "products", products * dense.parts as usize, &dense)?;
        }
        self.queue_dense(newton, "gather", products, &newton.dense)?;
        self.queue_dense(newton, "measure", 1, &newton.dense)?;
        self.queue_squares(newton, newton.dense.values, 1)?;
        let mut report = vec![0.0; REPORT + SHARED_OUT * tables(self.plan)];
        self.fetch_from(Pool::Result, 0, &mut report)?;
        Ok(Surveyed { squares: squares(&report[REPORT..]), trace: report[0], slope_square: report[1] })
    }

    /// The rows of JᵀJ up to their diagonals, and Jᵀr behind the last one.
    pub(crate) fn fetch_matrix(&mut self) -> Result<Vec<Vec<f64>>, CudaError> {
        let size = self.plan.parameter_count();
        let stride = dense::stride(size);
        let mut numbers = vec![0.0; (size + 1) * stride];
        self.fetch_from(Pool::Matrix, 0, &mut numbers)?;
        let rows = numbers.chunks_exact(stride).enumerate();
        Ok(rows.map(|(row, numbers)| numbers[..size.min(row + 1)].to_vec()).collect())
    }

    /// Fetches numbers of the problem's memory, some numbers behind a pool's start.
    pub(super) fn fetch_from(
        &mut self,
        pool: Pool,
        behind: usize,
        numbers: &mut [f64],
    ) -> Result<(), CudaError> {
        let Cuda { machine, staging, newton, .. } = self;
        let newton = newton.as_ref().ok_or(CudaError::NoEquations)?;
        machine.fetch(&newton.arena, newton.place(pool) + behind * size_of::<f64>(), staging, numbers)
    }

    /// Queues a kernel of dense linear algebra.
    pub(super) fn queue_dense(
        &self,
        newton: &Newton,
        name: &str,
        blocks: usize,
        arguments: &Dense,
    ) -> Result<(), CudaError> {
        self.machine.launch(&newton.module, name, blocks, arguments)
    }

    /// The rows of every chunk among all.
    pub(super) fn chunk_rows(&self, newton: &Newton) -> Vec<Range<usize>> {
        let each = self.residuals_each();
        let mut end = 0;
        let range = |chunk: &Chunk| {
            let start = end;
            end += row_count(chunk, &each);
            start..end
        };
        newton.chunks.iter().map(range).collect()
    }

    /// Queues rows and residuals of a chunk, whose first row is `start`.
    pub(super) fn queue_rows(&self, newton: &Newton, chunk: usize, start: usize) -> Result<(), CudaError> {
        let arguments = Arguments {
            table: newton.tables[chunk],
            values: newton.arguments.values + (start * size_of::<f64>()) as u64,
            ..newton.arguments
        };
        self.launch(newton.kernels, Work::Rows.name(), newton.blocks, &arguments)
    }

    /// Queues the residuals of all points for parameters at an address, into an address; `slot` is where their packed
    /// copies go.
    pub(super) fn queue_residuals(
        &self,
        newton: &Newton,
        slot: usize,
        parameters: u64,
        values: u64,
    ) -> Result<(), CudaError> {
        let packed = self.source_of(newton.kernels).packed * self.number_bytes();
        let weights = newton.arguments.weights + (slot * packed) as u64;
        // Behind the chunks' tables is one for all points.
        let table = newton.tables[newton.chunks.len()];
        let arguments = Arguments { parameters, weights, values, table, ..newton.arguments };
        self.launch(newton.kernels, "pack", self.pack_blocks(newton.kernels), &arguments)?;
        self.launch(newton.kernels, "residuals", newton.blocks, &arguments)
    }

    /// Queues the squares of residuals that lie at an address, for so many candidates.
    pub(super) fn queue_squares(
        &self,
        newton: &Newton,
        values: u64,
        candidates: usize,
    ) -> Result<(), CudaError> {
        let report = newton.dense.report + (REPORT * size_of::<f64>()) as u64;
        let arguments = Dense { values, report, ..newton.dense };
        self.queue_dense(newton, "squares", candidates * SHARED_OUT * tables(self.plan), &arguments)
    }

    /// Brings parameters, tables and, if they are not there, points.
    fn bring(&mut self, points: &[Points], parameters: &[f64], scales: &[f64]) -> Result<(), CudaError> {
        let each = self.residuals_each();
        let Cuda { machine, staging, newton, .. } = self;
        let newton = newton.as_mut().ok_or(CudaError::NoEquations)?;
        let numbers = parameters.iter().chain(scales).map(|number| number.to_bits());
        let mut words: Vec<u64> = numbers.collect();
        let (mut first, mut kind) = (0, 0);
        for (size, &each) in newton.sizes.iter().zip(&each) {
            for residual in 0..each {
                words.extend([
                    (first + residual) as u64,
                    each as u64,
                    size.count as u64,
                    scales[kind].to_bits(),
                ]);
                kind += 1;
            }
            first += size.count * each;
        }
        let whole = chunks(&newton.sizes, count_tiles(&newton.sizes).max(1));
        for chunk in newton.chunks.iter().chain(&whole) {
            words.extend(chunk.table_among_all(&newton.sizes));
        }
        machine.send(&newton.arena, newton.place(Pool::Header), staging, words.into_iter())?;
        if !newton.resident.iter().copied().eq(points.iter().map(Points::stamp)) {
            let rows = points.iter().flat_map(Points::iter).flatten().map(|number| number.to_bits());
            machine.send(&newton.arena, newton.place(Pool::Points), staging, rows)?;
            newton.resident = points.iter().map(Points::stamp).collect();
        }
        Ok(())
    }

    /// The problem's place on the device: the last one's, where points are as many.
    fn newton_for(&mut self, points: &[Points]) -> Result<Newton, CudaError> {
        let known = self.newton.take();
        let counts: Vec<usize> = points.iter().map(Points::len).collect();
        let fits = |known: &Newton| known.sizes.iter().map(|size| size.count).eq(counts.iter().copied());
        if let Some(known) = known.filter(fits) {
            return Ok(known);
        }
        let tile = tiles::for_all(self.plan, &counts, self.machine.blocks(super::emit::EACH));
        let kernels = self.kernels(Work::Rows, tile)?;
        let mut sizes = Wanted::Given(points).sizes(self.plan);
        sizes.iter_mut().zip(&self.source_of(kernels).points).for_each(|(size, tile)| size.tile = *tile);
        let all = count_tiles(&sizes).max(1);
        let blocks = all.min(self.blocks(kernels));
        let each = self.residuals_each();
        let row_bytes = dense::stride(self.plan.parameter_count()) * size_of::<f64>();
        let most = each.iter().copied().max().unwrap_or(1).max(1) * row_bytes;
        let mut tiles_each = all;
        loop {
            let chunks = chunks(&sizes, tiles_each);
            let rows = chunks.iter().map(|chunk| row_count(chunk, &each)).max().unwrap_or(0);
            let regions = self.newton_regions(kernels, blocks, &sizes, &chunks, rows);
            let room = self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.arena.bytes()));
            let fits = rows * row_bytes <= MOST_BYTES.max(most) && regions.bytes() <= room;
            let mut arena = Arena::new(&self.machine);
            match if fits {
                arena.reserve(regions.bytes())
            } else {
                Err(CudaError::Memory { bytes: regions.bytes() })
            } {
                Ok(()) => {
                    self.peak = self.peak.max(self.arena.bytes() + arena.bytes());
                    let module = self.machine.load(&dense::text(), dense::shape(), &dense::names())?;
                    return Ok(self.settled(arena, regions, module, (kernels, blocks), sizes, chunks, rows));
                }
                Err(CudaError::Memory { .. }) if tiles_each > 1 => tiles_each = tiles_each.div_ceil(2),
                Err(error) => return Err(error),
            }
        }
    }

    fn newton_regions(
        &self,
        kernels: usize,
        blocks: usize,
        sizes: &[Size],
        chunks: &[Chunk],
        rows: usize,
    ) -> Regions {
        let parameters = self.plan.parameter_count();
        let (stride, word, source) = (dense::stride(parameters), size_of::<f64>(), self.source_of(kernels));
        let (kinds, all_rows) = (tables(self.plan), self.all_rows(sizes));
        let table = (3 * (self.plan.terms.len() + 1)) * (chunks.len() + 1);
        let tiles = dense::tiles(parameters);
        let parts = tiles * dense::parts(tiles, rows, self.machine.blocks(1)) * dense::TILE;
        let factor = dense::column_blocks(parameters) * dense::BLOCK * (stride + dense::BLOCK);
        let number = self.number_bytes();
        Regions::new(&[
            (Pool::Points, sizes.iter().map(|size| size.count * size.width).sum::<usize>() * word),
            (Pool::Header, (parameters + (1 + KIND) * kinds + table) * word),
            (Pool::Weights, (1 + 2 * CANDIDATES) * source.packed * number),
            (Pool::Jets, blocks * source.scratch * number),
            (Pool::Jacobian, rows * stride * word),
            (Pool::Parts, parts.max(SLOPE_PARTS * CANDIDATES * stride) * word),
            (Pool::Matrix, stride * stride * word),
            (Pool::Factors, CANDIDATES * factor * word),
            (Pool::Candidates, (VECTORS + 2) * CANDIDATES * stride * word),
            (Pool::Values, (1 + 3 * CANDIDATES) * all_rows * word),
            (Pool::Result, (REPORT + CANDIDATES * SHARED_OUT * kinds) * word),
        ])
    }

    /// Rows of the whole problem.
    fn all_rows(&self, sizes: &[Size]) -> usize {
        sizes.iter().zip(self.residuals_each()).map(|(size, each)| size.count * each).sum()
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one struct")]
    fn settled(
        &self,
        arena: Arena,
        regions: Regions,
        module: Module,
        (kernels, blocks): (usize, usize),
        sizes: Vec<Size>,
        chunks: Vec<Chunk>,
        rows: usize,
    ) -> Newton {
        let address = |pool: Pool| {
            let region = regions.get(pool);
            arena.address_of(region.start, region.len())
        };
        let word = size_of::<f64>() as u64;
        let parameters = self.plan.parameter_count();
        let (stride, kinds) = (dense::stride(parameters) as u64, tables(self.plan) as u64);
        let header = address(Pool::Header);
        let factors = header + parameters as u64 * word;
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
            ..Arguments::default()
        };
        let tiles = dense::tiles(parameters);
        let all_rows = self.all_rows(&sizes) as u64;
        let vectors = CANDIDATES as u64 * stride * word;
        let step = address(Pool::Candidates);
        let values = address(Pool::Values);
        let corners = (dense::column_blocks(parameters) * dense::BLOCK * CANDIDATES) as u64 * stride * word;
        let dense = Dense {
            rows: address(Pool::Jacobian),
            stride,
            size: parameters as u64,
            parts: dense::parts(tiles, rows, self.machine.blocks(1)) as u64,
            sums: address(Pool::Parts),
            matrix: address(Pool::Matrix),
            factors: address(Pool::Factors),
            corners: address(Pool::Factors) + corners,
            step,
            bend: step + vectors,
            moved: step + VECTORS as u64 * vectors,
            parameters: header,
            values,
            others: values + all_rows * word,
            curved: values + (1 + 2 * CANDIDATES as u64) * all_rows * word,
            all_rows,
            kinds: kind_table,
            kind_count: kinds,
            report: address(Pool::Result),
            ..Dense::default()
        };
        let tables = (0..=chunks.len() as u64).map(|chunk| first + chunk * table_bytes).collect();
        Newton {
            arena,
            regions,
            module,
            kernels,
            sizes,
            chunks,
            resident: Vec::new(),
            blocks,
            arguments,
            dense,
            tables,
        }
    }
}

/// Sums of squares from their parts, in a fixed order.
pub(super) fn squares(parts: &[f64]) -> Vec<f64> {
    parts.chunks_exact(SHARED_OUT).map(|parts| parts.iter().sum()).collect()
}
