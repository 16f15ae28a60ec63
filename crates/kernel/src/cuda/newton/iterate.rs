//! Steps without a factor of their own equations: conjugate gradients on all rows, for all candidates at once.

use super::candidates::Half;
use super::cut::tiles;
use super::dense::{self, CANDIDATES, DenseArguments, THREADS};
use super::queue::Queue;
use super::room::SLOPE_PARTS;
use crate::cuda::CudaError;
use crate::cuda::machine::Region;
use crate::cuda::memory::MemoryLedger;
use crate::cuda::program::tables;
use linear::{Patience, Unknowns};

/// Conjugate gradients between two looks at how far they are: the host waits for those.
const LOOK: usize = 8;

impl Queue<'_> {
    /// Queues the diagonal of JᵀJ, Jᵀr, and the sums of rows where equations are sketched, with the products of those.
    pub(super) fn diagonal(&self) -> Result<(), CudaError> {
        let problem = self.problem;
        let is_sketched = matches!(problem.unknowns, Unknowns::Sketch { .. });
        let own = DenseArguments { candidates: 1, parts: SLOPE_PARTS as u64, ..problem.dense };
        let stride = own.stride as usize;
        for (number, rows) in problem.chunk_rows.iter().enumerate() {
            self.rows(number)?;
            let part = DenseArguments {
                row_count: rows.len() as u64,
                first_row: rows.start as u64,
                fresh: u64::from(number == 0),
                ..own
            };
            self.launch("diagonal", stride / dense::BLOCK * SLOPE_PARTS, &part)?;
            if is_sketched {
                let blocks = stride.div_ceil(THREADS) * problem.factored.stride as usize;
                self.launch("sketch", blocks, &DenseArguments { to: problem.sketch, ..part })?;
            }
        }
        self.launch("add", stride.div_ceil(THREADS), &DenseArguments { to: own.diagonal, ..own })?;
        let residuals = DenseArguments { others: own.values, ..own };
        self.launch("arrive", dense::SHARED_OUT * tables(self.program.plan()), &residuals)?;
        self.slopes(&DenseArguments { to: own.slope, ..own }, "add")?;
        if is_sketched {
            let products = tiles(own.sketched as usize);
            let side = problem.factored.stride;
            let pairs = DenseArguments {
                rows: problem.sketch,
                row_count: side,
                apart: side,
                in_rows: 1,
                ..problem.dense
            };
            self.launch("products", products * pairs.parts as usize, &pairs)?;
            self.gathering(products, &problem.factored)?;
        }
        self.launch("measure_diagonal", 1, &own)
    }

    /// Finds the steps of all candidates, from what is carried where they are pulled there.
    pub(super) fn iterate_steps(
        &self,
        memory: &mut MemoryLedger,
        [factored, dense]: [&DenseArguments; 2],
        patience: Patience,
    ) -> Result<(), CudaError> {
        let along = dense.others.from((dense.candidates * dense.all_rows) as usize);
        let own = DenseArguments { curved: dense.others, along, ..*dense };
        self.launch("start", vector_blocks(&own), &DenseArguments { to: own.step, ..own })?;
        self.along(&DenseArguments { from: own.step, to: own.curved, fresh: 1, ..own })?;
        self.iterate(memory, [factored, &own], patience)?;
        self.launch("remaining", own.candidates as usize, &own)
    }

    /// Finds how the steps of all candidates bend, from the rows' second derivatives.
    pub(super) fn iterate_accelerations(
        &self,
        memory: &mut MemoryLedger,
        [factored, dense]: [&DenseArguments; 2],
        patience: Patience,
    ) -> Result<(), CudaError> {
        let own = DenseArguments {
            step: dense.acceleration,
            along: dense.others,
            pulled: [0.0; CANDIDATES],
            to: dense.acceleration,
            ..*dense
        };
        self.launch("start", vector_blocks(&own), &own)?;
        self.iterate(memory, [factored, &own], patience)
    }

    /// Queues what sketched equations say to rows: bends or corrections, as well as they know.
    pub(super) fn sketched_bends(&self, [factored, dense]: [&DenseArguments; 2]) -> Result<(), CudaError> {
        self.slopes(&DenseArguments { to: self.problem.vectors.work, ..*dense }, "add")?;
        self.divided([factored, dense], dense.acceleration)
    }

    /// Conjugate gradients from `step`, with what its rows leave in `curved`.
    fn iterate(
        &self,
        memory: &mut MemoryLedger,
        [factored, own]: [&DenseArguments; 2],
        patience: Patience,
    ) -> Result<(), CudaError> {
        let (work, middle) = (self.problem.vectors.work, self.problem.vectors.middle);
        let count = own.candidates as usize;
        let own = DenseArguments { enough: patience.tolerance.powi(2), iterated: 1, kept: work, ..*own };
        let direction = own.moved;
        for turn in 0..patience.most {
            self.slopes(&DenseArguments { to: work, ..own }, "remain")?;
            self.divided([factored, &own], middle)?;
            let turned = DenseArguments { from: middle, to: direction, fresh: u64::from(turn == 0), ..own };
            self.launch("turn", count, &turned)?;
            self.along(&DenseArguments { from: direction, to: own.along, fresh: 0, ..own })?;
            self.launch("lengthen", count, &DenseArguments { from: direction, ..own })?;
            if (turn + 1) % LOOK == 0 && turn + 1 < patience.most && !goes_on(memory, &own)? {
                break;
            }
        }
        Ok(())
    }

    /// Queues the slopes in `work` in terms of what is known of the equations.
    fn divided(&self, [factored, dense]: [&DenseArguments; 2], to: Region<f64>) -> Result<(), CudaError> {
        let problem = self.problem;
        let slope = DenseArguments { kept: problem.vectors.work, from: problem.vectors.work, to, ..*dense };
        let blocks = vector_blocks(dense);
        if problem.unknowns == Unknowns::Diagonal {
            return self.launch("by_diagonal", blocks, &slope);
        }
        let side = factored.stride;
        let [rows, middle, solution] = problem.vectors.of_unknowns;
        let sums = DenseArguments { rows: problem.sketch, row_count: side, apart: side, fresh: 0, ..slope };
        self.launch("along", (side as usize).div_ceil(THREADS / 32), &DenseArguments { to: rows, ..sums })?;
        self.solution(Half::Forward, &DenseArguments { from: rows, to: middle, ..*factored })?;
        self.solution(Half::Backward, &DenseArguments { from: middle, to: solution, ..*factored })?;
        let back = DenseArguments {
            curved: solution,
            row_count: dense.sketched,
            parts: SLOPE_PARTS as u64,
            fresh: 1,
            ..sums
        };
        self.launch("slopes", dense.stride as usize / dense::BLOCK * SLOPE_PARTS, &back)?;
        self.launch("by_sketch", blocks, &DenseArguments { parts: SLOPE_PARTS as u64, ..slope })
    }
}

/// Whether any candidate has a slope left that is worth another turn.
fn goes_on(memory: &mut MemoryLedger, own: &DenseArguments) -> Result<bool, CudaError> {
    let mut sizes = [0.0; 2 * CANDIDATES];
    memory.fetch(own.report, &mut sizes)?;
    let (now, first) = sizes.split_at(CANDIDATES);
    let mut pairs = now.iter().zip(first).take(own.candidates as usize);
    Ok(pairs.any(|(now, first)| *now > own.enough * first))
}

/// Blocks with a thread for every number of all candidates' vectors.
fn vector_blocks(dense: &DenseArguments) -> usize {
    (dense.candidates * dense.stride).div_ceil(THREADS as u64) as usize
}
