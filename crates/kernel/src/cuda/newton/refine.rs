//! Steps with less damping than any factor could have: conjugate gradients on all rows, with the factor's help.

use super::candidates::Half;
use super::dense::{CANDIDATES, DenseArguments, THREADS};
use super::queue::Queue;
use crate::cuda::CudaError;
use linear::Patience;

impl Queue<'_> {
    /// Queues conjugate gradients that begin with the steps that factors gave, for all candidates at once. What is not
    /// needed before steps have ends is used: the residuals there, and the parameters beside the step's start.
    pub(super) fn refinement(&self, dense: &DenseArguments, patience: Patience) -> Result<(), CudaError> {
        let count = dense.candidates as usize;
        let direction = dense.moved;
        let own = DenseArguments {
            kept: dense.moved.from(CANDIDATES * dense.stride as usize),
            curved: dense.others,
            along: dense.others.from(CANDIDATES * dense.all_rows as usize),
            apart: dense.all_rows,
            ..*dense
        };
        let (slope, middle, next) =
            (self.problem.vectors.work, self.problem.vectors.middle, own.acceleration);
        self.along(&DenseArguments { from: own.step, to: own.curved, fresh: 1, ..own })?;
        for turn in 0..patience.most {
            self.slopes(&DenseArguments { to: slope, ..own }, "remain")?;
            self.solution(Half::Forward, &DenseArguments { from: slope, to: middle, ..own })?;
            self.solution(Half::Backward, &DenseArguments { from: middle, to: next, ..own })?;
            let turned = DenseArguments { from: next, to: direction, fresh: u64::from(turn == 0), ..own };
            self.launch("turn", count, &turned)?;
            self.along(&DenseArguments { from: direction, to: own.along, fresh: 0, ..own })?;
            self.launch("lengthen", count, &DenseArguments { from: direction, ..own })?;
        }
        self.launch("remaining", count, &own)
    }

    /// Queues J times the candidates' vectors.
    pub(super) fn along(&self, dense: &DenseArguments) -> Result<(), CudaError> {
        let warps = THREADS / 32;
        for (number, rows) in self.problem.chunk_rows.iter().enumerate() {
            self.rows_again(number)?;
            let part =
                DenseArguments { row_count: rows.len() as u64, to: dense.to.from(rows.start), ..*dense };
            self.launch("along", rows.len().div_ceil(warps), &part)?;
        }
        Ok(())
    }
}
