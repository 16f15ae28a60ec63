//! Launches of one problem: what its equations are made of.

use super::cut::tiles;
use super::dense::{self, DenseArguments, REPORT, SHARED_OUT, THREADS};
use super::problem::LeastSquaresProblem;
use crate::cuda::CudaError;
use crate::cuda::machine::Region;
use crate::cuda::program::{LoadedProgram, Other, PlanArguments, Work, tables};
use linear::Unknowns;
use std::ops::Range;

/// A problem, and the kernels that work on it.
#[derive(Clone, Copy)]
pub(super) struct Queue<'call> {
    pub(super) program: &'call LoadedProgram,
    /// Those of dense linear algebra.
    pub(super) module: Other,
    pub(super) problem: &'call LeastSquaresProblem,
}

impl Queue<'_> {
    /// Queues the equations at the parameters that are there, and the squares of their residuals.
    pub(super) fn equations(&self) -> Result<(), CudaError> {
        let problem = self.problem;
        self.program.pack(problem.kernels, &problem.arguments)?;
        match problem.unknowns {
            Unknowns::Parameters => self.columns()?,
            Unknowns::Rows => self.pairs()?,
            Unknowns::Diagonal | Unknowns::Sketch { .. } => self.diagonal()?,
            Unknowns::Subspace { .. } => self.subspace()?,
        }
        self.squares(problem.dense.values, 0..1)
    }

    /// Queues JᵀJ and Jᵀr.
    fn columns(&self) -> Result<(), CudaError> {
        let problem = self.problem;
        let products = tiles(problem.dense.size as usize);
        for (chunk, rows) in problem.chunk_rows.iter().enumerate() {
            self.rows(chunk)?;
            let dense = DenseArguments {
                row_count: rows.len() as u64,
                fresh: u64::from(chunk == 0),
                ..problem.dense
            };
            self.launch("products", products * dense.parts as usize, &dense)?;
        }
        self.gathering(products, &problem.dense)?;
        self.launch("measure", 1, &problem.dense)
    }

    /// Queues JJᵀ, r and Jᵀr.
    fn pairs(&self) -> Result<(), CudaError> {
        let problem = self.problem;
        let rows = problem.dense.all_rows;
        let products = tiles(rows as usize);
        self.rows(0)?;
        let dense = DenseArguments { row_count: rows, candidates: 1, ..problem.dense };
        let (residuals, along) = (problem.vectors.work, problem.factored.momentum);
        let own = DenseArguments { in_rows: 1, ..dense };
        let warps = THREADS / 32;
        let split = DenseArguments { to: residuals, acceleration: along, ..own };
        self.launch("split", (rows as usize).div_ceil(warps), &split)?;
        self.launch("products", products * dense.parts as usize, &own)?;
        self.gathering(products, &problem.factored)?;
        self.slopes(&DenseArguments { curved: residuals, to: dense.slope, ..dense }, "add")?;
        self.launch("measure_rows", 1, &DenseArguments { from: residuals, ..dense })
    }

    /// Queues sums of the parts of so many tiles.
    pub(super) fn gathering(&self, tiles: usize, dense: &DenseArguments) -> Result<(), CudaError> {
        self.launch("gather", tiles * dense::GATHERING, dense)
    }

    /// Queues a kernel of dense linear algebra.
    pub(super) fn launch(
        &self,
        name: &str,
        blocks: usize,
        arguments: &DenseArguments,
    ) -> Result<(), CudaError> {
        self.program.launch_other(self.module, name, blocks, arguments)
    }

    /// Queues rows and residuals of a chunk.
    pub(super) fn rows(&self, chunk: usize) -> Result<(), CudaError> {
        let problem = self.problem;
        let arguments = PlanArguments {
            table: problem.tables[chunk],
            values: problem.arguments.values.from(problem.chunk_rows[chunk].start),
            ..problem.arguments
        };
        self.program.launch(problem.kernels, Work::Rows.name(), problem.blocks, &arguments)
    }

    /// Queues rows of a chunk that did not stay.
    pub(super) fn rows_again(&self, chunk: usize) -> Result<(), CudaError> {
        if self.problem.chunks.len() == 1 { Ok(()) } else { self.rows(chunk) }
    }

    /// Queues the residuals of all points at so many sets of parameters.
    pub(super) fn ends(&self, parameters: Region<f64>, count: usize) -> Result<(), CudaError> {
        let LeastSquaresProblem { kernels, tables, chunks, .. } = self.problem;
        let arguments = PlanArguments {
            parameters,
            weights: self.problem.packed,
            values: self.problem.dense.others,
            // Behind the chunks' tables is one for all points.
            table: tables[chunks.len()],
            candidates: count as u64,
            ..self.problem.arguments
        };
        self.program.pack(*kernels, &arguments)?;
        // As many for every set.
        let blocks = self.problem.blocks / count * count;
        if self.program.source(*kernels).packed == 0 {
            let output = Region::default();
            return self.program.launch(
                *kernels,
                Work::Rows.name(),
                blocks,
                &PlanArguments { output, ..arguments },
            );
        }
        self.program.launch(*kernels, "residuals", blocks, &arguments)
    }

    /// Queues the squares of residuals, for these of the ends of which the host is told.
    pub(super) fn squares(&self, values: Region<f64>, ends: Range<usize>) -> Result<(), CudaError> {
        let each = SHARED_OUT * tables(self.program.plan());
        let report = self.problem.dense.report.from(REPORT + ends.start * each);
        self.launch("squares", ends.len() * each, &DenseArguments { values, report, ..self.problem.dense })
    }
}
