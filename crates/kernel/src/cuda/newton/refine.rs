//! Steps with less damping than any factor could have: conjugate gradients on all rows, with the factor's help.

use super::Newton;
use super::candidates::Half;
use super::dense::{CANDIDATES, Dense, THREADS};
use crate::cuda::CudaError;
use crate::cuda::engine::Cuda;
use linear::Patience;

impl Cuda<'_> {
    /// Queues conjugate gradients that begin with the steps that factors gave, for all candidates at once. What is not
    /// needed before steps have ends is used: the residuals there, and the parameters beside the step's start.
    pub(super) fn queue_refinement(
        &self,
        newton: &Newton,
        dense: &Dense,
        patience: Patience,
    ) -> Result<(), CudaError> {
        let word = size_of::<f64>() as u64;
        let candidates = CANDIDATES as u64;
        let count = dense.candidates as usize;
        let direction = dense.moved;
        let own = Dense {
            kept: dense.moved + candidates * dense.stride * word,
            curved: dense.others,
            along: dense.others + candidates * dense.all_rows * word,
            apart: dense.all_rows,
            ..*dense
        };
        let (slope, middle, next) = (newton.work, newton.middle, own.bend);
        self.queue_along(newton, &Dense { from: own.step, to: own.curved, fresh: 1, ..own })?;
        for turn in 0..patience.most {
            self.queue_slopes(newton, &Dense { to: slope, ..own }, "remain")?;
            self.queue_solution(Half::Forward, &Dense { from: slope, to: middle, ..own })?;
            self.queue_solution(Half::Backward, &Dense { from: middle, to: next, ..own })?;
            let turned = Dense { from: next, to: direction, fresh: u64::from(turn == 0), ..own };
            self.queue_dense("turn", count, &turned)?;
            self.queue_along(newton, &Dense { from: direction, to: own.along, fresh: 0, ..own })?;
            self.queue_dense("lengthen", count, &Dense { from: direction, ..own })?;
        }
        self.queue_dense("remaining", count, &own)
    }

    /// Queues J times the candidates' vectors.
    pub(super) fn queue_along(&self, newton: &Newton, dense: &Dense) -> Result<(), CudaError> {
        let warps = THREADS / 32;
        for (number, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows_again(newton, number, &rows)?;
            let to = dense.to + (rows.start * size_of::<f64>()) as u64;
            let part = Dense { row_count: rows.len() as u64, to, ..*dense };
            self.queue_dense("along", rows.len().div_ceil(warps), &part)?;
        }
        Ok(())
    }
}
