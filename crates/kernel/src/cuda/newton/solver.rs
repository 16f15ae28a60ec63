//! The last least-squares problem: other calls come between its parts.

use super::candidates::Tried;
use super::dense::{self, CANDIDATES, REPORT, SHARED_OUT};
use super::problem::LeastSquaresProblem;
use super::queue::Queue;
use super::room;
use crate::Points;
use crate::cuda::CudaError;
use crate::cuda::chunks::{chunks, tiles as count_tiles};
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::{MemoryLedger, MemoryPlan};
use crate::cuda::program::{Other, Variant, Work, largest, stride, tables};
use linear::{Attempt, Course, Unknowns};

/// What is known about the equations; the equations themselves stay.
pub(crate) struct Surveyed {
    pub(crate) squares: Vec<f64>,
    pub(crate) trace: f64,
    pub(crate) slope_square: f64,
}

/// Equations on the device, and the kernels that solve them.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    /// Kernels of dense linear algebra, once they were needed.
    module: Option<Other>,
    problem: Option<LeastSquaresProblem>,
}

impl Newton {
    /// Loads what steps of least squares need, side by side.
    pub(crate) fn load(&mut self, context: &mut DeviceContext) -> Result<Other, CudaError> {
        if let Some(module) = self.module {
            return Ok(module);
        }
        let (points, dense) = (largest(context.plan()), dense::text());
        let wanted = [Work::Fill, Work::Rows].map(|work| (work, points, Variant::default()));
        let loaded = context.program.load_all(&wanted, &[dense::to_load(&dense)])?;
        self.module = loaded.first().copied();
        self.module.ok_or(CudaError::NoEquations)
    }

    /// See [`crate::Kernel::plan_equations`].
    pub(crate) fn plan(
        &mut self,
        context: &mut DeviceContext,
        points: &[Points],
        unknowns: Unknowns,
    ) -> Result<MemoryPlan, CudaError> {
        self.load(context)?;
        room::plan(context, points, unknowns)
    }

    /// JᵀJ, or JJᵀ, and Jᵀr at `parameters`, rows of residual k multiplied by `scales[k]`; `momentum` is what steps may be
    /// damped towards.
    pub(crate) fn linearize(
        &mut self,
        context: &mut DeviceContext,
        points: &[Points],
        parameters: &[f64],
        (scales, momentum): (&[f64], Option<&[f64]>),
        unknowns: Unknowns,
    ) -> Result<Surveyed, CudaError> {
        let module = self.load(context)?;
        let mut problem = self.problem_for(context, points, unknowns)?;
        bring(context, &mut problem, points, [parameters, momentum.unwrap_or_default(), scales])?;
        Queue { program: &context.program, module, problem: &problem }.equations()?;
        let mut report = vec![0.0; REPORT + SHARED_OUT * tables(context.plan())];
        context.memory.fetch(problem.dense.report, &mut report)?;
        let squares = squares(&report[REPORT..]);
        problem.total = squares.iter().zip(scales).map(|(square, scale)| square * scale * scale).sum();
        self.problem = Some(problem);
        // What a random subspace has of both is to the whole as its size is to that of all parameters.
        let share = match unknowns {
            Unknowns::Subspace { unknowns, .. } => parameters.len() as f64 / unknowns as f64,
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => 1.0,
        };
        Ok(Surveyed { squares, trace: share * report[0], slope_square: share * report[1] })
    }

    /// The problem's place on the device: the last one's, where that is held and points are as many.
    fn problem_for(
        &mut self,
        context: &mut DeviceContext,
        points: &[Points],
        unknowns: Unknowns,
    ) -> Result<LeastSquaresProblem, CudaError> {
        let fits = |known: &LeastSquaresProblem| {
            let counts = known.sizes.iter().map(|size| size.count);
            let same = known.unknowns.is_like(unknowns);
            context.memory.holds(known.lease) && same && counts.eq(points.iter().map(Points::len))
        };
        if let Some(known) = self.problem.take_if(|known| fits(known)) {
            return Ok(LeastSquaresProblem { unknowns, ..known });
        }
        self.problem = None;
        let taken = room::take(context, points, unknowns);
        if taken.is_err() {
            context.memory.give_up_equations();
        }
        taken
    }

    /// The problem, if it is still there.
    fn problem(&self, memory: &MemoryLedger) -> Result<&LeastSquaresProblem, CudaError> {
        self.problem.as_ref().filter(|problem| memory.holds(problem.lease)).ok_or(CudaError::NoEquations)
    }

    /// Solves the last equations for every attempt, lets the steps bend where they are to, and evaluates the residuals
    /// at their ends; at corrected ends too, behind the others, where there are such.
    pub(crate) fn try_steps(
        &mut self,
        context: &mut DeviceContext,
        attempts: &[Attempt],
        course: Course,
    ) -> Result<Vec<Tried>, CudaError> {
        let problem = self.problem(&context.memory)?;
        let module = self.module.ok_or(CudaError::NoEquations)?;
        let DeviceContext { program, memory } = context;
        let tried = Queue { program, module, problem }.steps(memory, attempts, course)?;
        if let Some(problem) = &mut self.problem {
            problem.tried = attempts.len();
        }
        Ok(tried)
    }

    /// The parameters at an end that was tried last.
    pub(crate) fn fetch_end(
        &mut self,
        memory: &mut MemoryLedger,
        number: usize,
        parameters: &mut [f64],
    ) -> Result<(), CudaError> {
        let LeastSquaresProblem { tried, dense, .. } = self.problem(memory)?;
        let place = if number < *tried { number } else { CANDIDATES + number - tried };
        let row = stride(parameters.len());
        memory.fetch(dense.moved.part(place * row, row), parameters)
    }

    /// The rows of JᵀJ up to their diagonals, and Jᵀr behind the last one.
    pub(crate) fn fetch_matrix(&mut self, memory: &mut MemoryLedger) -> Result<Vec<Vec<f64>>, CudaError> {
        let dense = self.problem(memory)?.dense;
        let (size, stride) = (dense.size as usize, dense.stride as usize);
        let mut numbers = vec![0.0; (size + 1) * stride];
        memory.fetch(dense.matrix, &mut numbers)?;
        let rows = numbers.chunks_exact(stride).enumerate();
        Ok(rows.map(|(row, numbers)| numbers[..size.min(row + 1)].to_vec()).collect())
    }
}

/// Brings parameters, what is carried, tables and, if they are not there, points.
fn bring(
    context: &mut DeviceContext,
    problem: &mut LeastSquaresProblem,
    points: &[Points],
    [parameters, momentum, scales]: [&[f64]; 3],
) -> Result<(), CudaError> {
    let nothing = vec![0.0; parameters.len() - momentum.len()];
    let numbers = parameters.iter().chain(momentum).chain(&nothing).chain(scales);
    let mut words: Vec<u64> = numbers.map(|number| number.to_bits()).collect();
    let (mut first, mut kind) = (0, 0);
    for (size, term) in problem.sizes.iter().zip(&context.plan().terms) {
        let each = term.residuals.len();
        for residual in 0..each {
            let scale = scales[kind].to_bits();
            words.extend([(first + residual) as u64, each as u64, size.count as u64, scale]);
            kind += 1;
        }
        first += size.count * each;
    }
    let whole = chunks(&problem.sizes, count_tiles(&problem.sizes).max(1));
    for chunk in problem.chunks.iter().chain(&whole) {
        words.extend(chunk.table_among_all(&problem.sizes));
    }
    context.memory.send(problem.header, words.into_iter())?;
    if !problem.resident.iter().copied().eq(points.iter().map(Points::stamp)) {
        let rows = points.iter().flat_map(Points::iter).flatten().map(|number| number.to_bits());
        let there: Region<f64> = problem.arguments.rows;
        context.memory.send(there, rows)?;
        problem.resident = points.iter().map(Points::stamp).collect();
    }
    Ok(())
}

/// Sums of squares from their parts, in a fixed order.
pub(super) fn squares(parts: &[f64]) -> Vec<f64> {
    parts.chunks_exact(SHARED_OUT).map(|parts| parts.iter().sum()).collect()
}
