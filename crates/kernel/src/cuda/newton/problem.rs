//! A least-squares problem in its place: regions of the device's memory for everything that its kernels read and write.

use super::cut::FactorCut;
use super::dense::{CANDIDATES, DenseArguments};
use super::room::{KIND, Shares};
use crate::cuda::chunks::{Chunk, TermSize};
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{DeviceNumber, Region};
use crate::cuda::memory::{Lease, MemoryPool, Regions, Tenant};
use crate::cuda::program::{Handle, PlanArguments, stride, tables};
use linear::Unknowns;
use std::ops::Range;

/// A least-squares problem on the device.
#[derive(Debug)]
pub(super) struct LeastSquaresProblem {
    /// As long as it is held.
    pub(super) lease: Lease,
    /// The plan's own.
    pub(super) kernels: Handle,
    pub(super) sizes: Vec<TermSize>,
    pub(super) chunks: Vec<Chunk>,
    /// The rows of every chunk among all.
    pub(super) chunk_rows: Vec<Range<usize>>,
    /// Stamps of the points that are there.
    pub(super) resident: Vec<u64>,
    pub(super) blocks: usize,
    /// What the plan's kernels share.
    pub(super) arguments: PlanArguments,
    pub(super) unknowns: Unknowns,
    /// The square of all rows of residuals.
    pub(super) total: f64,
    /// Attempts of the last call.
    pub(super) tried: usize,
    /// With parameters as unknowns, whichever they are.
    pub(super) dense: DenseArguments,
    /// With the unknowns that there are.
    pub(super) factored: DenseArguments,
    /// Vectors to solve with.
    pub(super) vectors: SolutionVectors,
    /// Sums of rows with random signs, where equations are sketched; rows in terms of a subspace.
    pub(super) sketch: Region<f64>,
    /// Parameters, what is carried, and tables: what every step brings.
    pub(super) header: Region<u64>,
    /// The chunks' tables, and behind them one for all points.
    pub(super) tables: Vec<Region<u64>>,
    /// Packed copies of parameters beside the step's start.
    pub(super) packed: Region<DeviceNumber>,
}

/// Vectors to solve with, all candidates' of each: the right-hand side, the solution half-way, and in the end; `rows` is the
/// first of these where there are as many numbers as sums of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolutionVectors {
    pub(super) work: Region<f64>,
    pub(super) middle: Region<f64>,
    pub(super) of_unknowns: [Region<f64>; 3],
}

/// Unknowns of the matrix that is factorised, and numbers from one of its rows to the next.
pub(super) fn unknowns_of(unknowns: Unknowns, parameters: usize, all_rows: usize) -> [usize; 2] {
    let size = match unknowns {
        Unknowns::Parameters => parameters,
        Unknowns::Rows => all_rows,
        Unknowns::Diagonal => return [0, 0],
        Unknowns::Sketch { sums } => sums,
        Unknowns::Subspace { unknowns, .. } => unknowns,
    };
    [size, stride(size)]
}

impl LeastSquaresProblem {
    /// The problem in its place, nothing of it brought there yet.
    pub(super) fn settled(context: &DeviceContext, lease: Lease, regions: &Regions, shares: Shares) -> Self {
        let Shares { unknowns, kernels, blocks, sizes, chunks, chunk_rows, all_rows, parts, .. } = shares;
        let (plan, program) = (context.plan(), &context.program);
        let pool =
            |pool: MemoryPool| -> Region<f64> { context.memory.pool(Tenant::Equations, regions, pool) };
        let numbers =
            |pool| -> Region<DeviceNumber> { context.memory.pool(Tenant::Equations, regions, pool) };
        let (size, kinds) = (plan.parameter_count(), tables(plan));
        let (row, table) = (stride(size), 3 * (plan.terms.len() + 1));
        let header = pool(MemoryPool::Header);
        let [parameters, momentum, factors, kind_table] = header.split([size, size, kinds, KIND * kinds]);
        let first = 2 * size + (1 + KIND) * kinds;
        let tables =
            (0..=chunks.len()).map(|chunk| header.part(first + chunk * table, table).cast()).collect();
        let packed = program.source(kernels).packed * program.number_bytes();
        let weights = numbers(MemoryPool::Weights);
        let values = pool(MemoryPool::Values);
        let arguments = PlanArguments {
            parameters,
            factors,
            rows: pool(MemoryPool::Points),
            weights,
            scratch: numbers(MemoryPool::Jets),
            output: pool(MemoryPool::Jacobian),
            values,
            unscale: 1.0,
            candidates: 1,
            all_rows: all_rows as u64,
            ..PlanArguments::default()
        };
        let every = CANDIDATES * row;
        let [step, acceleration, third, fourth, moved, own_slope, diagonal] =
            pool(MemoryPool::Candidates).split([every, every, every, every, 2 * every, row, row]);
        let [_, others, curved] = values.split([all_rows, 2 * CANDIDATES * all_rows, CANDIDATES * all_rows]);
        let [unknown, side] = unknowns_of(unknowns, size, all_rows);
        let vectors =
            SolutionVectors::of(pool(MemoryPool::Unknowns), unknowns, CANDIDATES * side, [third, fourth]);
        let matrix = pool(MemoryPool::Matrix);
        let cut = FactorCut { unknowns: unknown, wide: program.machine().is_wide(unknown) };
        let [numbers_of_factors, corners, flags] = cut.split(pool(MemoryPool::Factors), side);
        let dense = DenseArguments {
            rows: arguments.output,
            stride: row as u64,
            size: size as u64,
            parts: parts as u64,
            sums: pool(MemoryPool::Parts),
            matrix,
            factors: numbers_of_factors,
            corners,
            flags: flags.cast(),
            step,
            acceleration,
            moved,
            parameters,
            momentum,
            values,
            others,
            curved: if unknowns == Unknowns::Rows { vectors.work } else { curved },
            apart: if unknowns == Unknowns::Rows { side } else { all_rows } as u64,
            slope: if unknowns == Unknowns::Parameters { matrix.from(size * row) } else { own_slope },
            all_rows: all_rows as u64,
            kinds: kind_table.cast(),
            kind_count: kinds as u64,
            report: pool(MemoryPool::Result),
            diagonal,
            sketched: if let Unknowns::Sketch { sums } = unknowns { sums as u64 } else { 0 },
            wide: u64::from(cut.wide),
            ..DenseArguments::default()
        };
        let own = DenseArguments { size: unknown as u64, stride: side as u64, ..dense };
        let sketch = pool(MemoryPool::Sketch);
        let factored = match unknowns {
            Unknowns::Parameters | Unknowns::Diagonal => dense,
            // Nothing is damped towards what is carried there: the row behind the last one holds zeros.
            Unknowns::Sketch { .. } => DenseArguments { momentum: matrix.part(unknown * side, side), ..own },
            // What is damped towards lies behind the slope, as products like it.
            Unknowns::Subspace { .. } => DenseArguments {
                rows: sketch,
                row_count: all_rows as u64,
                momentum: matrix.part((unknown + 1) * side, side),
                in_rows: 1,
                ..own
            },
            Unknowns::Rows => {
                // Products of rows with what is carried, behind the vectors.
                let momentum = pool(MemoryPool::Unknowns).part(3 * CANDIDATES * side, side);
                DenseArguments { momentum, in_rows: 1, ..own }
            }
        };
        LeastSquaresProblem {
            lease,
            kernels,
            sizes,
            chunks,
            chunk_rows,
            resident: Vec::new(),
            blocks,
            arguments,
            unknowns,
            total: 0.0,
            tried: 0,
            dense,
            factored,
            vectors,
            sketch,
            header: header.cast(),
            tables,
            packed: weights.from(packed),
        }
    }
}

impl SolutionVectors {
    /// Of all candidates; where unknowns are not the parameters they have vectors of their own, of `every` numbers.
    fn of(own: Region<f64>, unknowns: Unknowns, every: usize, [work, middle]: [Region<f64>; 2]) -> Self {
        match unknowns {
            Unknowns::Parameters | Unknowns::Diagonal => {
                SolutionVectors { work, middle, of_unknowns: [Region::default(); 3] }
            }
            Unknowns::Sketch { .. } => SolutionVectors { work, middle, of_unknowns: own.split([every; 3]) },
            Unknowns::Rows | Unknowns::Subspace { .. } => {
                let of_unknowns = own.split([every; 3]);
                SolutionVectors { work: of_unknowns[0], middle: of_unknowns[1], of_unknowns }
            }
        }
    }

    /// Where the solution of the unknowns goes in the end.
    pub(super) fn solution(&self) -> Region<f64> {
        self.of_unknowns[2]
    }
}
