//! Equations of a random subspace of the parameters: rows in its terms are fewer numbers, all of which stay. What follows is as
//! with few parameters, until steps are wanted.

use super::candidates::Half;
use super::dense::{self, Dense, THREADS};
use super::room::SLOPE_PARTS;
use super::{Newton, dense::BLOCK};
use crate::cuda::CudaError;
use crate::cuda::engine::Cuda;
use linear::Unknowns;

/// Rows that a block combines; as in `device/dense/subspace.cuh`.
pub(super) const COMBINED: usize = 8;

impl Cuda<'_> {
    /// Queues JᵀJ and Jᵀr of the subspace, and Jᵀ times the rows' products with what is carried.
    pub(super) fn queue_subspace(&self, newton: &Newton) -> Result<(), CudaError> {
        let (own, factored) = (&newton.dense, &newton.factored);
        let (unknowns, warps) = (factored.size as usize, THREADS / 32);
        for (number, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows(newton, number, rows.start)?;
            let part = Dense {
                row_count: rows.len() as u64,
                first_row: rows.start as u64,
                to: newton.sketch,
                ..self.in_terms_of(newton, own)
            };
            let blocks = unknowns.div_ceil(THREADS) * rows.len().div_ceil(COMBINED);
            self.queue_dense("combine", blocks, &part)?;
            self.queue_dense("complete", rows.len().div_ceil(warps), &part)?;
        }
        let products = dense::tiles(unknowns);
        let compact = Dense { in_rows: 0, fresh: 1, ..*factored };
        self.queue_dense("products", products * compact.parts as usize, &compact)?;
        self.queue_gathering(products, &compact)?;
        self.queue_dense("measure", 1, &compact)
    }

    /// Queues steps by the factors that are there.
    pub(super) fn queue_subspace_steps(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
    ) -> Result<(), CudaError> {
        let middle = newton.middle;
        self.queue_dense("begin", dense.candidates as usize, &Dense { to: middle, ..*factored })?;
        self.queue_spread(newton, [factored, &Dense { to: dense.step, fresh: 1, ..*dense }])
    }

    /// Queues what those steps promise.
    pub(super) fn queue_subspace_promise(&self, newton: &Newton, factored: &Dense) -> Result<(), CudaError> {
        let from = newton.solution;
        self.queue_dense("promise", factored.candidates as usize, &Dense { from, ..*factored })
    }

    /// Queues what the subspace's equations say to rows.
    pub(super) fn queue_subspace_bends(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
    ) -> Result<(), CudaError> {
        let Newton { work, middle, .. } = *newton;
        let slopes = Dense {
            parts: SLOPE_PARTS as u64,
            curved: dense.curved,
            apart: dense.all_rows,
            fresh: 1,
            to: work,
            ..*factored
        };
        let stride = slopes.stride as usize;
        self.queue_dense("slopes", stride / BLOCK * SLOPE_PARTS, &slopes)?;
        self.queue_dense("add", (slopes.candidates as usize * stride).div_ceil(THREADS), &slopes)?;
        self.queue_solution(Half::Forward, &Dense { from: work, to: middle, ..*factored })?;
        self.queue_spread(newton, [factored, &Dense { to: dense.bend, fresh: 0, ..*dense }])
    }

    /// Queues the second half of solutions, from the middle, and what they mean for the parameters.
    fn queue_spread(&self, newton: &Newton, [factored, dense]: [&Dense; 2]) -> Result<(), CudaError> {
        let (from, to) = (newton.middle, newton.solution);
        self.queue_solution(Half::Backward, &Dense { from, to, ..*factored })?;
        let spread = Dense { from: to, ..self.in_terms_of(newton, dense) };
        let all = dense.candidates as usize * dense.stride as usize;
        self.queue_dense("spread", all.div_ceil(THREADS), &spread)
    }

    /// With what tells where a parameter is in the subspace.
    fn in_terms_of(&self, newton: &Newton, dense: &Dense) -> Dense {
        let key = match newton.unknowns {
            Unknowns::Subspace { turn, .. } => linear::Subspace::key(turn),
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => 0,
        };
        Dense { key, sketched: newton.factored.size, apart: newton.factored.stride, ..*dense }
    }
}
