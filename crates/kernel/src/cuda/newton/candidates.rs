//! Steps for several dampings of equations that are on the device: factors, solutions, bends, losses. The host is told
//! a few numbers per candidate.

use super::dense::{self, CANDIDATES, Dense, SHARED_OUT};
use super::room::{SLOPE_PARTS, VECTORS};
use super::{Newton, REPORT, squares};
use crate::cuda::CudaError;
use crate::cuda::engine::{Cuda, tables};
use crate::cuda::memory::Pool;
use crate::{Attempt, Unknowns};

/// A step that was tried.
pub(crate) struct Tried {
    /// By how much the model says that the loss will fall.
    pub(crate) promise: f64,
    /// Sums of squares of every residual at its end.
    pub(crate) squares: Vec<f64>,
}

/// Which half of the equations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Forward,
    Backward,
}

impl Cuda<'_> {
    /// Solves the last equations for every attempt, lets the steps bend where they are to, and evaluates the residuals
    /// at their ends.
    pub(crate) fn try_steps(&mut self, attempts: &[Attempt], bent: bool) -> Result<Vec<Tried>, CudaError> {
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        let count = attempts.len();
        let [dense, factored] = [newton.dense, newton.factored].map(|own| {
            let mut own = Dense { candidates: count as u64, bent: u64::from(bent), ..own };
            for (number, attempt) in attempts.iter().enumerate() {
                own.added[number] = attempt.added;
                own.pulled[number] = f64::from(u8::from(attempt.carried));
            }
            own
        });
        let Newton { work, middle, .. } = *newton;
        self.queue_factors(&factored)?;
        self.queue_dense("begin", count, &Dense { to: middle, ..factored })?;
        self.queue_backward(newton, [&factored, &Dense { to: dense.step, ..dense }], "steps")?;
        self.queue_dense("ahead", count, &dense)?;
        if bent {
            self.queue_ends(newton, 2 * count)?;
            self.queue_dense("curve", count * SHARED_OUT * tables(self.plan), &dense)?;
            if newton.unknowns == Unknowns::Parameters {
                self.queue_slopes(newton, &Dense { to: work, ..dense }, "add")?;
            }
            self.queue_solution(Half::Forward, &Dense { from: work, to: middle, ..factored })?;
            self.queue_backward(newton, [&factored, &Dense { to: dense.bend, ..dense }], "add")?;
        }
        self.queue_dense("end", count, &dense)?;
        self.queue_ends(newton, count)?;
        self.queue_squares(newton, dense.others, count)?;
        let each = SHARED_OUT * tables(self.plan);
        let mut report = vec![0.0; REPORT + count * each];
        self.fetch_from(Pool::Result, 0, &mut report)?;
        let tried = |(number, attempt): (usize, &Attempt)| {
            // |r|² − |r − J·step|² = step·slope + added·step·(step − origin), since step solves the equations.
            let promise = report[2 * number] + attempt.added * report[2 * number + 1];
            Tried { promise, squares: squares(&report[REPORT + number * each..][..each]) }
        };
        Ok(attempts.iter().enumerate().map(tried).collect())
    }

    /// The parameters at the end of a step that was tried last.
    pub(crate) fn fetch_end(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), CudaError> {
        let stride = dense::stride(parameters.len());
        self.fetch_from(Pool::Candidates, (VECTORS * CANDIDATES + number) * stride, parameters)
    }

    /// Queues the second half of solutions, from the middle, and what they mean for the parameters: its last kernel is
    /// named where unknowns are rows.
    fn queue_backward(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
        last: &str,
    ) -> Result<(), CudaError> {
        let from = newton.middle;
        match newton.unknowns {
            Unknowns::Parameters => {
                self.queue_solution(Half::Backward, &Dense { from, to: dense.to, ..*factored })
            }
            Unknowns::Rows => {
                let to = newton.solution;
                self.queue_solution(Half::Backward, &Dense { from, to, ..*factored })?;
                self.queue_slopes(newton, &Dense { curved: to, ..*dense }, last)
            }
        }
    }

    fn queue_factors(&self, dense: &Dense) -> Result<(), CudaError> {
        let (blocks, count) = (dense::column_blocks(dense.size as usize), dense.candidates as usize);
        self.queue_dense("damp", blocks * dense::BLOCK * count, dense)?;
        for column in 0..blocks {
            let (dense, right) = (Dense { column: column as u64, ..*dense }, blocks - column - 1);
            self.queue_dense("finish", (right + 1) * count, &dense)?;
            self.queue_dense("rest", right * (right + 1) / 2 * count, &dense)?;
        }
        Ok(())
    }

    fn queue_solution(&self, half: Half, dense: &Dense) -> Result<(), CudaError> {
        let (blocks, count) = (dense::column_blocks(dense.size as usize), dense.candidates as usize);
        for turn in 0..blocks {
            let (name, column) = match half {
                Half::Forward => ("forward", turn),
                Half::Backward => ("backward", blocks - 1 - turn),
            };
            self.queue_dense(name, (blocks - turn) * count, &Dense { column: column as u64, ..*dense })?;
        }
        Ok(())
    }

    /// Queues Jᵀ times one number per row, for all candidates, and a kernel that adds up its parts. Rows that did not stay
    /// are computed again.
    pub(super) fn queue_slopes(&self, newton: &Newton, dense: &Dense, last: &str) -> Result<(), CudaError> {
        let dense = Dense { parts: SLOPE_PARTS as u64, ..*dense };
        let stride = dense.stride as usize;
        let chunks = self.chunk_rows(newton);
        let stayed = chunks.len() == 1;
        for (number, rows) in chunks.into_iter().enumerate() {
            if !stayed {
                self.queue_rows(newton, number, rows.start)?;
            }
            let part = Dense {
                row_count: rows.len() as u64,
                fresh: u64::from(number == 0),
                curved: dense.curved + (rows.start * size_of::<f64>()) as u64,
                ..dense
            };
            self.queue_dense("slopes", stride / dense::BLOCK * SLOPE_PARTS, &part)?;
        }
        let all = dense.candidates as usize * stride;
        self.queue_dense(last, all.div_ceil(dense::THREADS), &dense)
    }
}
