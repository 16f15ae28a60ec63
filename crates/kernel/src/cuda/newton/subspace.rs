//! Equations of a random subspace of the parameters: rows in its terms are fewer numbers, all of which stay. What follows is as
//! with few parameters, until steps are wanted.

use super::candidates::Half;
use super::cut::tiles;
use super::dense::{BLOCK, DenseArguments, THREADS};
use super::queue::Queue;
use super::room::SLOPE_PARTS;
use crate::cuda::CudaError;
use linear::{Subspace, Unknowns};

/// Rows that a block combines; as in `device/dense/subspace.cuh`.
pub(super) const COMBINED: usize = 8;

impl Queue<'_> {
    /// Queues JᵀJ and Jᵀr of the subspace, and Jᵀ times the rows' products with what is carried.
    pub(super) fn subspace(&self) -> Result<(), CudaError> {
        let (own, factored) = (&self.problem.dense, &self.problem.factored);
        let (unknowns, warps) = (factored.size as usize, THREADS / 32);
        for (number, rows) in self.problem.chunk_rows.iter().enumerate() {
            self.rows(number)?;
            let part = DenseArguments {
                row_count: rows.len() as u64,
                first_row: rows.start as u64,
                to: self.problem.sketch,
                ..self.in_terms_of(own)
            };
            let blocks = unknowns.div_ceil(THREADS) * rows.len().div_ceil(COMBINED);
            self.launch("combine", blocks, &part)?;
            self.launch("complete", rows.len().div_ceil(warps), &part)?;
        }
        let products = tiles(unknowns);
        let compact = DenseArguments { in_rows: 0, fresh: 1, ..*factored };
        self.launch("products", products * compact.parts as usize, &compact)?;
        self.gathering(products, &compact)?;
        self.launch("measure", 1, &compact)
    }

    /// Queues steps by the factors that are there.
    pub(super) fn subspace_steps(&self, [factored, dense]: [&DenseArguments; 2]) -> Result<(), CudaError> {
        let middle = self.problem.vectors.middle;
        self.launch("begin", dense.candidates as usize, &DenseArguments { to: middle, ..*factored })?;
        self.spread([factored, &DenseArguments { to: dense.step, fresh: 1, ..*dense }])
    }

    /// Queues what those steps promise.
    pub(super) fn subspace_promise(&self, factored: &DenseArguments) -> Result<(), CudaError> {
        let from = self.problem.vectors.solution();
        self.launch("predicted", factored.candidates as usize, &DenseArguments { from, ..*factored })
    }

    /// Queues what the subspace's equations say to rows.
    pub(super) fn subspace_bends(&self, [factored, dense]: [&DenseArguments; 2]) -> Result<(), CudaError> {
        let (work, middle) = (self.problem.vectors.work, self.problem.vectors.middle);
        let slopes = DenseArguments {
            parts: SLOPE_PARTS as u64,
            curved: dense.curved,
            apart: dense.all_rows,
            fresh: 1,
            to: work,
            ..*factored
        };
        let stride = slopes.stride as usize;
        self.launch("slopes", stride / BLOCK * SLOPE_PARTS, &slopes)?;
        self.launch("add", (slopes.candidates as usize * stride).div_ceil(THREADS), &slopes)?;
        self.solution(Half::Forward, &DenseArguments { from: work, to: middle, ..*factored })?;
        self.spread([factored, &DenseArguments { to: dense.acceleration, fresh: 0, ..*dense }])
    }

    /// Queues the second half of solutions, from the middle, and what they mean for the parameters.
    fn spread(&self, [factored, dense]: [&DenseArguments; 2]) -> Result<(), CudaError> {
        let (from, to) = (self.problem.vectors.middle, self.problem.vectors.solution());
        self.solution(Half::Backward, &DenseArguments { from, to, ..*factored })?;
        let spread = DenseArguments { from: to, ..self.in_terms_of(dense) };
        let all = dense.candidates as usize * dense.stride as usize;
        self.launch("spread", all.div_ceil(THREADS), &spread)
    }

    /// With what tells where a parameter is in the subspace.
    fn in_terms_of(&self, dense: &DenseArguments) -> DenseArguments {
        let (factored, key) = (
            &self.problem.factored,
            match self.problem.unknowns {
                Unknowns::Subspace { turn, .. } => Subspace::key(turn),
                Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => 0,
            },
        );
        DenseArguments { key, sketched: factored.size, apart: factored.stride, ..*dense }
    }
}
