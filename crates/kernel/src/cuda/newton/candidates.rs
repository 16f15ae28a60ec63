//! Steps for several dampings of equations that are on the device: factors, solutions, bends, losses. The host is told
//! a few numbers per candidate.

use super::dense::{self, CANDIDATES, DenseArguments, REPORT, SHARED_OUT};
use super::queue::Queue;
use super::room::SLOPE_PARTS;
use super::solver::squares;
use crate::cuda::CudaError;
use crate::cuda::memory::MemoryLedger;
use crate::cuda::program::tables;
use linear::{Attempt, Course, Unknowns};

/// A step that was tried.
pub(crate) struct Tried {
    /// By how much the model says that the loss will fall.
    pub(crate) predicted: f64,
    /// Sums of squares of every residual at its end.
    pub(crate) squares: Vec<f64>,
}

/// Which half of the equations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Forward,
    Backward,
}

impl Queue<'_> {
    /// Steps for all attempts, and at their ends the residuals.
    pub(super) fn steps(
        &self,
        memory: &mut MemoryLedger,
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<Tried>, CudaError> {
        let (count, unknowns) = (attempts.len(), self.problem.unknowns);
        let [dense, factored] =
            [self.problem.dense, self.problem.factored].map(|own| own.trying(attempts, course));
        let refined = unknowns == Unknowns::Parameters && attempts.iter().any(Attempt::is_refined);
        self.solutions(memory, [&factored, &dense], course, refined)?;
        self.launch("ahead", count, &dense)?;
        if let Unknowns::Subspace { .. } = unknowns {
            self.subspace_promise(&factored)?;
        }
        if course.acceleration.is_some() {
            self.ends(dense.moved, 2 * count)?;
            self.bends([&factored, &dense], "curve")?;
            if unknowns == Unknowns::Diagonal {
                self.iterate_accelerations(memory, [&factored, &dense], course.patience)?;
            }
        }
        self.launch("end", count, &dense)?;
        self.ends(dense.moved, count)?;
        self.squares(dense.others, 0..count)?;
        let mut ends = count;
        if let Some(correction) = course.correction {
            self.corrections([&factored, &dense], correction.times)?;
            self.squares(dense.others, count..2 * count)?;
            ends = 2 * count;
        }
        let each = SHARED_OUT * tables(self.program.plan());
        let mut report = vec![0.0; REPORT + ends * each];
        memory.fetch(dense.report, &mut report)?;
        let tried = |end: usize| {
            let (number, attempt) = (end % count, &attempts[end % count]);
            let predicted = if unknowns.is_iterated() || refined && attempt.is_refined() {
                self.problem.total - report[2 * CANDIDATES + number]
            } else {
                // |r|² − |r − J·step|² = step·slope + added·step·(step − origin), since step solves the equations.
                report[2 * number] + attempt.added * report[2 * number + 1]
            };
            Tried { predicted, squares: squares(&report[REPORT + end * each..][..each]) }
        };
        Ok((0..ends).map(tried).collect())
    }

    /// Queues the solutions of the equations.
    fn solutions(
        &self,
        memory: &mut MemoryLedger,
        [factored, dense]: [&DenseArguments; 2],
        course: Course,
        refined: bool,
    ) -> Result<(), CudaError> {
        match self.problem.unknowns {
            Unknowns::Parameters | Unknowns::Rows => {
                self.factors(factored)?;
                let middle = self.problem.vectors.middle;
                self.launch("begin", dense.candidates as usize, &DenseArguments { to: middle, ..*factored })?;
                self.backward([factored, &DenseArguments { to: dense.step, ..*dense }], "steps")?;
                if refined {
                    self.refinement(dense, course.patience)?;
                }
                Ok(())
            }
            Unknowns::Sketch { .. } => {
                self.factors(factored)?;
                self.iterate_steps(memory, [factored, dense], course.patience)
            }
            Unknowns::Diagonal => self.iterate_steps(memory, [factored, dense], course.patience),
            Unknowns::Subspace { .. } => {
                self.factors(factored)?;
                self.subspace_steps([factored, dense])
            }
        }
    }

    /// Queues what takes off corrections from the steps' ends, and the residuals there.
    fn corrections(&self, [factored, dense]: [&DenseArguments; 2], times: usize) -> Result<(), CudaError> {
        let count = dense.candidates as usize;
        let corrected = dense.moved.from(CANDIDATES * dense.stride as usize);
        for turn in 0..times {
            self.bends([&factored.correcting(), &dense.correcting()], "arrive")?;
            let from = if turn == 0 { dense.moved } else { corrected };
            self.launch("correct", count, &DenseArguments { from, to: corrected, ..*dense })?;
            self.ends(corrected, count)?;
        }
        Ok(())
    }

    /// Queues what equations say to rows that a kernel fills, for every candidate; without a factor, the rows alone.
    fn bends(&self, [factored, dense]: [&DenseArguments; 2], rows: &str) -> Result<(), CudaError> {
        let (work, middle) = (self.problem.vectors.work, self.problem.vectors.middle);
        let blocks = dense.candidates as usize * SHARED_OUT * tables(self.program.plan());
        self.launch(rows, blocks, dense)?;
        match self.problem.unknowns {
            Unknowns::Parameters => self.slopes(&DenseArguments { to: work, ..*dense }, "add")?,
            Unknowns::Rows => {}
            Unknowns::Diagonal => return Ok(()),
            Unknowns::Sketch { .. } => return self.sketched_bends([factored, dense]),
            Unknowns::Subspace { .. } => return self.subspace_bends([factored, dense]),
        }
        self.solution(Half::Forward, &DenseArguments { from: work, to: middle, ..*factored })?;
        self.backward([factored, &DenseArguments { to: dense.acceleration, ..*dense }], "add")
    }

    /// Queues the second half of solutions, from the middle, and what they mean for the parameters: its last kernel is
    /// named where unknowns are rows.
    fn backward(&self, [factored, dense]: [&DenseArguments; 2], last: &str) -> Result<(), CudaError> {
        let from = self.problem.vectors.middle;
        match self.problem.unknowns {
            Unknowns::Parameters => {
                self.solution(Half::Backward, &DenseArguments { from, to: dense.to, ..*factored })
            }
            Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } | Unknowns::Subspace { .. } => {
                let to = self.problem.vectors.solution();
                self.solution(Half::Backward, &DenseArguments { from, to, ..*factored })?;
                self.slopes(&DenseArguments { curved: to, ..*dense }, last)
            }
        }
    }

    fn factors(&self, dense: &DenseArguments) -> Result<(), CudaError> {
        let (cut, count) = (dense.cut(), dense.factor_count as usize);
        self.launch("damp", cut.columns() * dense::BLOCK * count, dense)?;
        let (kernel, blocks) = cut.kernel();
        self.launch(kernel, blocks * count, dense)
    }

    pub(super) fn solution(&self, half: Half, dense: &DenseArguments) -> Result<(), CudaError> {
        let name = match half {
            Half::Forward => "forward",
            Half::Backward => "backward",
        };
        self.launch(name, dense.cut().columns() * dense.candidates as usize, dense)
    }

    /// Queues Jᵀ times one number per row, for all candidates, and a kernel that adds up its parts.
    pub(super) fn slopes(&self, dense: &DenseArguments, last: &str) -> Result<(), CudaError> {
        let dense = DenseArguments { parts: SLOPE_PARTS as u64, ..*dense };
        let stride = dense.stride as usize;
        for (number, rows) in self.problem.chunk_rows.iter().enumerate() {
            self.rows_again(number)?;
            let part = DenseArguments {
                row_count: rows.len() as u64,
                fresh: u64::from(number == 0),
                curved: dense.curved.from(rows.start),
                ..dense
            };
            self.launch("slopes", stride / dense::BLOCK * SLOPE_PARTS, &part)?;
        }
        let all = dense.candidates as usize * stride;
        self.launch(last, all.div_ceil(dense::THREADS), &dense)
    }
}
