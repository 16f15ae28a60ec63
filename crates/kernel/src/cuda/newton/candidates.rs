//! Steps for several dampings of equations that are on the device: factors, solutions, bends, losses. The host is told
//! a few numbers per candidate.

use super::dense::{self, CANDIDATES, Dense, SHARED_OUT};
use super::room::{SLOPE_PARTS, VECTORS};
use super::{Newton, REPORT, squares};
use crate::cuda::CudaError;
use crate::cuda::engine::{Cuda, tables};
use crate::cuda::memory::Pool;
use linear::{Attempt, Course, Unknowns};
use std::ops::Range;

/// A step that was tried.
pub(crate) struct Tried {
    /// By how much the model says that the loss will fall.
    pub(crate) promise: f64,
    /// Sums of squares of every residual at its end.
    pub(crate) squares: Vec<f64>,
}

/// Which half of the equations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Forward,
    Backward,
}

impl Cuda<'_> {
    /// Solves the last equations for every attempt, lets the steps bend where they are to, and evaluates the residuals
    /// at their ends; at corrected ends too, behind the others, where there are such.
    pub(crate) fn try_steps(
        &mut self,
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<Tried>, CudaError> {
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        let count = attempts.len();
        let [dense, factored] = [newton.dense, newton.factored].map(|own| own.trying(attempts, course));
        let unknowns = newton.unknowns;
        let refined = unknowns == Unknowns::Parameters && attempts.iter().any(Attempt::is_refined);
        let Newton { middle, total, .. } = *newton;
        match unknowns {
            Unknowns::Parameters | Unknowns::Rows => {
                self.queue_factors(&factored)?;
                self.queue_dense("begin", count, &Dense { to: middle, ..factored })?;
                self.queue_backward(newton, [&factored, &Dense { to: dense.step, ..dense }], "steps")?;
                if refined {
                    self.queue_refinement(newton, &dense, course.patience)?;
                }
            }
            Unknowns::Sketch { .. } => {
                self.queue_factors(&factored)?;
                self.iterate_steps([&factored, &dense], course.patience)?;
            }
            Unknowns::Diagonal => self.iterate_steps([&factored, &dense], course.patience)?,
            Unknowns::Subspace { .. } => {
                self.queue_factors(&factored)?;
                self.queue_subspace_steps(newton, [&factored, &dense])?;
            }
        }
        self.queue_dense("ahead", count, &dense)?;
        if let (Unknowns::Subspace { .. }, Some(newton)) = (unknowns, &self.newton) {
            self.queue_subspace_promise(newton, &factored)?;
        }
        if course.bend.is_some() {
            let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
            self.queue_ends(newton, dense.moved, 2 * count)?;
            self.queue_bends(newton, [&factored, &dense], "curve")?;
            if unknowns == Unknowns::Diagonal {
                self.iterate_bends([&factored, &dense], course.patience)?;
            }
        }
        let newton = self.newton.as_ref().ok_or(CudaError::NoEquations)?;
        self.queue_dense("end", count, &dense)?;
        self.queue_ends(newton, dense.moved, count)?;
        self.queue_squares(newton, dense.others, 0..count)?;
        let mut ends = count;
        if let Some(correction) = course.correction {
            let corrected = dense.moved + CANDIDATES as u64 * dense.stride * size_of::<f64>() as u64;
            for turn in 0..correction.times {
                self.queue_bends(newton, [&factored.correcting(), &dense.correcting()], "arrive")?;
                let from = if turn == 0 { dense.moved } else { corrected };
                self.queue_dense("correct", count, &Dense { from, to: corrected, ..dense })?;
                self.queue_ends(newton, corrected, count)?;
            }
            self.queue_squares(newton, dense.others, count..2 * count)?;
            ends = 2 * count;
        }
        let each = SHARED_OUT * tables(self.plan);
        let mut report = vec![0.0; REPORT + ends * each];
        self.fetch_from(Pool::Result, 0, &mut report)?;
        let tried = |end: usize| {
            let (number, attempt) = (end % count, &attempts[end % count]);
            let promise = if unknowns.is_iterated() || refined && attempt.is_refined() {
                total - report[2 * CANDIDATES + number]
            } else {
                // |r|² − |r − J·step|² = step·slope + added·step·(step − origin), since step solves the equations.
                report[2 * number] + attempt.added * report[2 * number + 1]
            };
            Tried { promise, squares: squares(&report[REPORT + end * each..][..each]) }
        };
        let tried = (0..ends).map(tried).collect();
        if let Some(newton) = &mut self.newton {
            newton.tried = count;
        }
        Ok(tried)
    }

    /// The parameters at an end that was tried last.
    pub(crate) fn fetch_end(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), CudaError> {
        let stride = dense::stride(parameters.len());
        let tried = self.newton.as_ref().map_or(0, |newton| newton.tried);
        let place = if number < tried { number } else { CANDIDATES + number - tried };
        self.fetch_from(Pool::Candidates, (VECTORS * CANDIDATES + place) * stride, parameters)
    }

    /// Queues what equations say to rows that a kernel fills, for every candidate; without a factor, the rows alone.
    fn queue_bends(
        &self,
        newton: &Newton,
        [factored, dense]: [&Dense; 2],
        rows: &str,
    ) -> Result<(), CudaError> {
        let Newton { work, middle, .. } = *newton;
        self.queue_dense(rows, dense.candidates as usize * SHARED_OUT * tables(self.plan), dense)?;
        match newton.unknowns {
            Unknowns::Parameters => self.queue_slopes(newton, &Dense { to: work, ..*dense }, "add")?,
            Unknowns::Rows => {}
            Unknowns::Diagonal => return Ok(()),
            Unknowns::Sketch { .. } => return self.queue_sketched_bends(newton, [factored, dense]),
            Unknowns::Subspace { .. } => return self.queue_subspace_bends(newton, [factored, dense]),
        }
        self.queue_solution(Half::Forward, &Dense { from: work, to: middle, ..*factored })?;
        self.queue_backward(newton, [factored, &Dense { to: dense.bend, ..*dense }], "add")
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
            Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } | Unknowns::Subspace { .. } => {
                let to = newton.solution;
                self.queue_solution(Half::Backward, &Dense { from, to, ..*factored })?;
                self.queue_slopes(newton, &Dense { curved: to, ..*dense }, last)
            }
        }
    }

    fn queue_factors(&self, dense: &Dense) -> Result<(), CudaError> {
        let (cut, count) = (dense.cut(), dense.factor_count as usize);
        self.queue_dense("damp", cut.columns() * dense::BLOCK * count, dense)?;
        let (kernel, blocks) = cut.kernel();
        self.queue_dense(kernel, blocks * count, dense)
    }

    pub(super) fn queue_solution(&self, half: Half, dense: &Dense) -> Result<(), CudaError> {
        let name = match half {
            Half::Forward => "forward",
            Half::Backward => "backward",
        };
        self.queue_dense(name, dense.cut().columns() * dense.candidates as usize, dense)
    }

    /// Queues Jᵀ times one number per row, for all candidates, and a kernel that adds up its parts.
    pub(super) fn queue_slopes(&self, newton: &Newton, dense: &Dense, last: &str) -> Result<(), CudaError> {
        let dense = Dense { parts: SLOPE_PARTS as u64, ..*dense };
        let stride = dense.stride as usize;
        for (number, rows) in self.chunk_rows(newton).into_iter().enumerate() {
            self.queue_rows_again(newton, number, &rows)?;
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

    /// Queues rows of a chunk that did not stay.
    pub(super) fn queue_rows_again(
        &self,
        newton: &Newton,
        chunk: usize,
        rows: &Range<usize>,
    ) -> Result<(), CudaError> {
        if newton.chunks.len() == 1 { Ok(()) } else { self.queue_rows(newton, chunk, rows.start) }
    }
}
