//! Equations that stay on the device: rows of the Jacobian, chunk by chunk, and the products of their columns, or of whole
//! rows, with each other.

mod candidates;
mod dense;
mod iterate;
mod refine;
mod room;
mod short;
mod subspace;

pub(crate) use candidates::Tried;
pub(crate) use dense::{CANDIDATES, LEAST_WIDE, distinct_factors, stride, text, to_load};

use super::CudaError;
use super::emit::Work;
use super::engine::{Cuda, tables};
use super::machine::{Arena, Arguments};
use super::memory::{Pool, Regions};
use super::rows::{Chunk, Size, chunks, tiles as count_tiles};
use crate::Points;
use dense::{Dense, SHARED_OUT, THREADS};
use linear::{Products, Unknowns};
use short::Short;
use std::ops::Range;

/// Numbers that the host is told before the squares: three per candidate.
const REPORT: usize = 3 * CANDIDATES;

/// A least-squares problem on the device.
#[derive(Debug)]
pub(super) struct Newton {
    arena: Arena,
    regions: Regions,
    /// The plan's own.
    kernels: usize,
    sizes: Vec<Size>,
    chunks: Vec<Chunk>,
    /// Stamps of the points that are there.
    resident: Vec<u64>,
    blocks: usize,
    /// What the kernels share.
    arguments: Arguments,
    unknowns: Unknowns,
    /// What was asked for, and for which there is room.
    wanted: Products,
    products: Products,
    short: Short,
    /// The square of all rows of residuals.
    total: f64,
    /// Attempts of the last call.
    tried: usize,
    /// With parameters as unknowns, whichever they are.
    dense: Dense,
    /// With the unknowns that there are.
    factored: Dense,
    /// Vectors to solve with, all candidates' of each: the right-hand side, the solution half-way, and in the end.
    work: u64,
    middle: u64,
    solution: u64,
    /// Sums of rows with random signs, where equations are sketched; rows in terms of a subspace.
    sketch: u64,
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
    fn place(&self, pool: Pool) -> usize {
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

    /// JᵀJ, or JJᵀ, and Jᵀr at `parameters`, rows of residual k multiplied by `scales[k]`; `carried` is what steps may be
    /// damped towards.
    pub(crate) fn linearize(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        (scales, carried): (&[f64], Option<&[f64]>),
        (unknowns, wanted): (Unknowns, Products),
    ) -> Result<Surveyed, CudaError> {
        let newton = self.newton_for(points, unknowns, wanted)?;
        self.newton = Some(newton);
        self.bring(points, parameters, scales, carried)?;
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        self.queue_packing(newton, &newton.arguments)?;
        match unknowns {
            Unknowns::Parameters => self.queue_columns(newton)?,
            Unknowns::Rows => self.queue_pairs(newton)?,
            Unknowns::Diagonal | Unknowns::Sketch { .. } => self.queue_diagonal(newton)?,
            Unknowns::Subspace { .. } => self.queue_subspace(newton)?,
        }
        self.queue_squares(newton, newton.dense.values, 0..1)?;
        let mut report = vec![0.0; REPORT + SHARED_OUT * tables(self.plan)];
        self.fetch_from(Pool::Result, 0, &mut report)?;
        let squares = squares(&report[REPORT..]);
        if let Some(newton) = &mut self.newton {
            newton.total = squares.iter().zip(scales).map(|(square, scale)| square * scale * scale).sum();
        }
        // What a random subspace has of both is to the whole as its size is to that of all parameters.
        let share = match unknowns {
            Unknowns::Subspace { unknowns, .. } => parameters.len() as f64 / unknowns as f64,
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => 1.0,
        };
        Ok(Surveyed { squares, trace: share * report[0], slope_square: share * report[1] })
    }

    /// Queues JᵀJ and Jᵀr.
    fn queue_columns(&self, newton: &Newton) -> Result<(), CudaError> {
        let products = dense::tiles(self.plan.parameter_count());
        for (chunk, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows(newton, chunk, rows.start)?;
            let dense = Dense { row_count: rows.len() as u64, fresh: u64::from(chunk == 0), ..newton.dense };
            match newton.products {
                Products::Exact => {
                    self.queue_dense("products", products * dense.parts as usize, &dense)?;
                }
                Products::Short => self.queue_short_columns(newton, &dense)?,
            }
        }
        self.queue_gathering(products, &newton.dense)?;
        if newton.products == Products::Short {
            self.queue_exact_slope(newton)?;
        }
        self.queue_dense("measure", 1, &newton.dense)
    }

    /// Queues JJᵀ, r and Jᵀr.
    fn queue_pairs(&self, newton: &Newton) -> Result<(), CudaError> {
        let rows = newton.dense.all_rows;
        let products = dense::tiles(rows as usize);
        self.queue_rows(newton, 0, 0)?;
        let dense = Dense { row_count: rows, candidates: 1, ..newton.dense };
        let (residuals, along) = (newton.work, newton.factored.carried);
        let own = match newton.products {
            Products::Exact => Dense { in_rows: 1, ..dense },
            Products::Short => newton.short.of(Dense { in_rows: 1, ..dense }),
        };
        // As many as there is room for: short products read the scales of all.
        let warps = THREADS / 32;
        let split = Dense { to: residuals, bend: along, ..own };
        self.queue_dense("split", (newton.factored.stride as usize).div_ceil(warps), &split)?;
        if newton.products == Products::Short {
            self.queue_halves(newton.unknowns, &own)?;
        }
        self.queue_dense("products", products * dense.parts as usize, &own)?;
        self.queue_gathering(products, &newton.factored)?;
        self.queue_slopes(newton, &Dense { curved: residuals, to: dense.slope, ..dense }, "add")?;
        self.queue_dense("measure_rows", 1, &Dense { from: residuals, ..dense })
    }

    /// The rows of JᵀJ up to their diagonals, and Jᵀr behind the last one.
    pub(crate) fn fetch_matrix(&mut self) -> Result<Vec<Vec<f64>>, CudaError> {
        let size = self.plan.parameter_count();
        let stride = stride(size);
        let mut numbers = vec![0.0; (size + 1) * stride];
        self.fetch_from(Pool::Matrix, 0, &mut numbers)?;
        let rows = numbers.chunks_exact(stride).enumerate();
        Ok(rows.map(|(row, numbers)| numbers[..size.min(row + 1)].to_vec()).collect())
    }

    /// Fetches numbers of the problem's memory, some numbers behind a pool's start.
    fn fetch_from(&mut self, pool: Pool, behind: usize, numbers: &mut [f64]) -> Result<(), CudaError> {
        let Cuda { machine, staging, newton, .. } = self;
        let newton = newton.as_ref().ok_or(CudaError::NoEquations)?;
        machine.fetch(&newton.arena, newton.place(pool) + behind * size_of::<f64>(), staging, numbers)
    }

    /// Queues sums of the parts of so many tiles.
    fn queue_gathering(&self, tiles: usize, dense: &Dense) -> Result<(), CudaError> {
        self.queue_dense("gather", tiles * dense::GATHERING, dense)
    }

    /// Queues a kernel of dense linear algebra.
    fn queue_dense(&self, name: &str, blocks: usize, arguments: &Dense) -> Result<(), CudaError> {
        let module = self.dense.as_ref().ok_or(CudaError::NoEquations)?;
        self.machine.launch(module, name, blocks, arguments)
    }

    /// The rows of every chunk among all.
    fn chunk_rows(&self, newton: &Newton) -> Vec<Range<usize>> {
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
    fn queue_rows(&self, newton: &Newton, chunk: usize, start: usize) -> Result<(), CudaError> {
        let arguments = Arguments {
            table: newton.tables[chunk],
            values: newton.arguments.values + (start * size_of::<f64>()) as u64,
            ..newton.arguments
        };
        self.launch(newton.kernels, Work::Rows.name(), newton.blocks, &arguments)
    }

    /// Queues the residuals of all points at so many sets of parameters from an address on.
    fn queue_ends(&self, newton: &Newton, parameters: u64, count: usize) -> Result<(), CudaError> {
        // Behind the packed copies of the step's start.
        let packed = self.source_of(newton.kernels).packed * self.number_bytes();
        let arguments = Arguments {
            parameters,
            weights: newton.arguments.weights + packed as u64,
            values: newton.dense.others,
            // Behind the chunks' tables is one for all points.
            table: newton.tables[newton.chunks.len()],
            candidates: count as u64,
            ..newton.arguments
        };
        self.queue_packing(newton, &arguments)?;
        // As many for every set.
        let blocks = newton.blocks / count * count;
        if self.source_of(newton.kernels).packed == 0 {
            return self.launch(
                newton.kernels,
                Work::Rows.name(),
                blocks,
                &Arguments { output: 0, ..arguments },
            );
        }
        self.launch(newton.kernels, "residuals", blocks, &arguments)
    }

    /// Queues copies of parameters that kernels can read, where they do not read the parameters themselves.
    fn queue_packing(&self, newton: &Newton, arguments: &Arguments) -> Result<(), CudaError> {
        match self.pack_blocks(newton.kernels) {
            0 => Ok(()),
            blocks => self.launch(newton.kernels, "pack", blocks, arguments),
        }
    }

    /// Queues the squares of residuals that lie at an address, for these of the ends of which the host is told.
    fn queue_squares(&self, newton: &Newton, values: u64, ends: Range<usize>) -> Result<(), CudaError> {
        let each = SHARED_OUT * tables(self.plan);
        let report = newton.dense.report + ((REPORT + ends.start * each) * size_of::<f64>()) as u64;
        self.queue_dense("squares", ends.len() * each, &Dense { values, report, ..newton.dense })
    }

    /// Brings parameters, tables and, if they are not there, points.
    fn bring(
        &mut self,
        points: &[Points],
        parameters: &[f64],
        scales: &[f64],
        carried: Option<&[f64]>,
    ) -> Result<(), CudaError> {
        let each = self.residuals_each();
        let Cuda { machine, staging, newton, .. } = self;
        let newton = newton.as_mut().ok_or(CudaError::NoEquations)?;
        let nothing = vec![0.0; parameters.len()];
        let numbers = parameters.iter().chain(carried.unwrap_or(&nothing)).chain(scales);
        let mut words: Vec<u64> = numbers.map(|number| number.to_bits()).collect();
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
}

/// Sums of squares from their parts, in a fixed order.
fn squares(parts: &[f64]) -> Vec<f64> {
    parts.chunks_exact(SHARED_OUT).map(|parts| parts.iter().sum()).collect()
}
