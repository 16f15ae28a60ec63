//! Steps without a factor of their own equations: conjugate gradients on all rows, for all candidates at once.

use super::candidates::Half;
use super::dense::{CANDIDATES, Dense, THREADS};
use super::room::SLOPE_PARTS;
use super::{Newton, dense};
use crate::cuda::CudaError;
use crate::cuda::engine::{Cuda, tables};
use crate::cuda::memory::Pool;
use linear::{Patience, Unknowns};

/// Conjugate gradients between two looks at how far they are: the host waits for those.
const LOOK: usize = 8;

impl Cuda<'_> {
    /// Queues the diagonal of JᵀJ, Jᵀr, and the sums of rows where equations are sketched, with the products of those.
    pub(super) fn queue_diagonal(&self, newton: &Newton) -> Result<(), CudaError> {
        let own = Dense { candidates: 1, parts: SLOPE_PARTS as u64, ..newton.dense };
        let stride = own.stride as usize;
        for (number, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows(newton, number, rows.start)?;
            let part = Dense {
                row_count: rows.len() as u64,
                first_row: rows.start as u64,
                fresh: u64::from(number == 0),
                ..own
            };
            self.queue_dense("diagonal", stride / dense::BLOCK * SLOPE_PARTS, &part)?;
            if matches!(newton.unknowns, Unknowns::Sketch { .. }) {
                let blocks = stride.div_ceil(THREADS) * newton.factored.stride as usize;
                self.queue_dense("sketch", blocks, &Dense { to: newton.sketch, ..part })?;
            }
        }
        self.queue_dense("add", stride.div_ceil(THREADS), &Dense { to: own.diagonal, ..own })?;
        let residuals = Dense { others: own.values, ..own };
        self.queue_dense("arrive", dense::SHARED_OUT * tables(self.plan), &residuals)?;
        self.queue_slopes(newton, &Dense { to: own.slope, ..own }, "add")?;
        if matches!(newton.unknowns, Unknowns::Sketch { .. }) {
            let products = dense::tiles(own.sketched as usize);
            let side = newton.factored.stride;
            let pairs =
                Dense { rows: newton.sketch, row_count: side, apart: side, in_rows: 1, ..newton.dense };
            self.queue_dense("products", products * pairs.parts as usize, &pairs)?;
            self.queue_gathering(products, &newton.factored)?;
        }
        self.queue_dense("measure_diagonal", 1, &own)
    }

    /// Finds the steps of all candidates, from what is carried where they are pulled there.
    pub(super) fn iterate_steps(
        &mut self,
        [factored, dense]: [&Dense; 2],
        patience: Patience,
    ) -> Result<(), CudaError> {
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        let own = Dense {
            curved: dense.others,
            along: dense.others + dense.candidates * dense.all_rows * size_of::<f64>() as u64,
            ..*dense
        };
        self.queue_dense("start", vector_blocks(&own), &Dense { to: own.step, ..own })?;
        self.queue_along(newton, &Dense { from: own.step, to: own.curved, fresh: 1, ..own })?;
        self.iterate([factored, &own], patience)?;
        self.queue_dense("remaining", own.candidates as usize, &own)
    }

    /// Finds how the steps of all candidates bend, from the rows' second derivatives.
    pub(super) fn iterate_bends(
        &mut self,
        [factored, dense]: [&Dense; 2],
        patience: Patience,
    ) -> Result<(), CudaError> {
        let own = Dense {
            step: dense.bend,
            along: dense.others,
            pulled: [0.0; CANDIDATES],
            to: dense.bend,
            ..*dense
        };
        self.queue_dense("start", vector_blocks(&own), &own)?;
        self.iterate([factored, &own], patience)
    }

    /// Queues what sketched equations say to rows: bends or corrections, as well as they know.
    pub(super) fn queue_sketched_bends(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
    ) -> Result<(), CudaError> {
        self.queue_slopes(newton, &Dense { to: newton.work, ..*dense }, "add")?;
        self.queue_divided(newton, [factored, dense], dense.bend)
    }

    /// Conjugate gradients from `step`, with what its rows leave in `curved`.
    fn iterate(&mut self, [factored, own]: [&Dense; 2], patience: Patience) -> Result<(), CudaError> {
        let count = own.candidates as usize;
        let own = Dense { enough: patience.tolerance.powi(2), iterated: 1, ..*own };
        let direction = own.moved;
        for turn in 0..patience.most {
            let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
            let own = Dense { kept: newton.work, ..own };
            self.queue_slopes(newton, &Dense { to: newton.work, ..own }, "remain")?;
            self.queue_divided(newton, [factored, &own], newton.middle)?;
            let turned = Dense { from: newton.middle, to: direction, fresh: u64::from(turn == 0), ..own };
            self.queue_dense("turn", count, &turned)?;
            self.queue_along(newton, &Dense { from: direction, to: own.along, fresh: 0, ..own })?;
            self.queue_dense("lengthen", count, &Dense { from: direction, ..own })?;
            if (turn + 1) % LOOK == 0 && turn + 1 < patience.most && !self.goes_on(&own)? {
                break;
            }
        }
        Ok(())
    }

    /// Whether any candidate has a slope left that is worth another turn.
    fn goes_on(&mut self, own: &Dense) -> Result<bool, CudaError> {
        let mut sizes = [0.0; 2 * CANDIDATES];
        self.fetch_from(Pool::Result, 0, &mut sizes)?;
        let (now, first) = sizes.split_at(CANDIDATES);
        let mut pairs = now.iter().zip(first).take(own.candidates as usize);
        Ok(pairs.any(|(now, first)| *now > own.enough * first))
    }

    /// Queues the slopes in `work` in terms of what is known of the equations.
    fn queue_divided(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
        to: u64,
    ) -> Result<(), CudaError> {
        let slope = Dense { kept: newton.work, from: newton.work, to, ..*dense };
        let blocks = vector_blocks(dense);
        if newton.unknowns == Unknowns::Diagonal {
            return self.queue_dense("by_diagonal", blocks, &slope);
        }
        let side = factored.stride;
        let vectors = CANDIDATES as u64 * side * size_of::<f64>() as u64;
        let [rows, middle, solution] = [2, 1, 0].map(|before| newton.solution - before * vectors);
        let sums = Dense { rows: newton.sketch, row_count: side, apart: side, fresh: 0, ..slope };
        self.queue_dense("along", (side as usize).div_ceil(THREADS / 32), &Dense { to: rows, ..sums })?;
        self.queue_solution(Half::Forward, &Dense { from: rows, to: middle, ..*factored })?;
        self.queue_solution(Half::Backward, &Dense { from: middle, to: solution, ..*factored })?;
        let back = Dense {
            curved: solution,
            row_count: dense.sketched,
            parts: SLOPE_PARTS as u64,
            fresh: 1,
            ..sums
        };
        self.queue_dense("slopes", dense.stride as usize / dense::BLOCK * SLOPE_PARTS, &back)?;
        self.queue_dense("by_sketch", blocks, &Dense { parts: SLOPE_PARTS as u64, ..slope })
    }
}

/// Blocks with a thread for every number of all candidates' vectors.
fn vector_blocks(dense: &Dense) -> usize {
    (dense.candidates * dense.stride).div_ceil(THREADS as u64) as usize
}
