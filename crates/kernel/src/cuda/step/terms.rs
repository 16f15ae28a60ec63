//! Work on one term: residuals and predictions, Jacobian rows, products with the Jacobian from either side. More
//! points than one launch may write about take several.

use super::prepare::Step;
use super::room::Needs;
use crate::Points;
use crate::cuda::CudaError;
use crate::cuda::context::DeviceContext;
use crate::cuda::memory::{MemoryLedger, MemoryPool, Tenant};
use crate::cuda::program::{EACH, PlanArguments, Work, for_any, for_term};
use equation::taylor::{Plan, Term};
use std::ops::Range;
use std::sync::Arc;

/// Some points of a term, or of the prediction behind the last term.
type TermRange<'call> = (usize, &'call Points, Range<usize>);

/// Numbers that one launch reads and writes at most: more points take several launches.
const MOST: usize = 1 << 22;

fn term(plan: &Plan, term: usize) -> &Term {
    plan.terms.get(term).unwrap_or(&plan.prediction)
}

/// Numbers that one launch may read and write: a quarter of a limit, where there is one.
fn most_numbers(memory: &MemoryLedger) -> usize {
    MOST.min(memory.most_bytes_beside_equations() / (4 * size_of::<f64>()))
}

/// The words of some rows of points.
fn rows(points: &Points, range: Range<usize>) -> impl Iterator<Item = u64> {
    range.flat_map(|index| points.row(index)).map(|number| number.to_bits())
}

impl Step {
    /// Residuals of a term, or the prediction's values after the last term, point by point.
    pub(crate) fn fill(
        &mut self,
        context: &mut DeviceContext,
        (term, points): (usize, &Points),
        parameters: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        let place = (term, points, 0..points.len());
        self.write(context, Work::Fill, place, [parameters, &[]], &mut [], out)
    }

    /// See [`crate::Kernel::jacobian`].
    pub(crate) fn jacobian(
        &mut self,
        context: &mut DeviceContext,
        place: TermRange<'_>,
        parameters: &[f64],
        residuals: &mut [f64],
        rows: &mut [f64],
    ) -> Result<(), CudaError> {
        self.write(context, Work::Jacobian, place, [parameters, &[]], residuals, rows)
    }

    /// See [`crate::Kernel::jacobian_times`].
    pub(crate) fn along(
        &mut self,
        context: &mut DeviceContext,
        (term, points): (usize, &Points),
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        let place = (term, points, 0..points.len());
        self.write(context, Work::Along, place, [parameters, direction], &mut [], out)
    }

    /// Launches work on some points of a term, which writes as many numbers per point as `out` has room for, and
    /// the residuals where they are wanted.
    fn write(
        &mut self,
        context: &mut DeviceContext,
        work: Work,
        (number, points, range): TermRange<'_>,
        [parameters, direction]: [&[f64]; 2],
        residuals: &mut [f64],
        out: &mut [f64],
    ) -> Result<(), CudaError> {
        if out.is_empty() {
            return Ok(());
        }
        let plan = Arc::clone(context.plan());
        let (each, values) = (out.len() / range.len(), residuals.len() / range.len());
        let numbers = each + values + points.width();
        let most = (most_numbers(&context.memory) / numbers).clamp(1, range.len());
        let size = match work {
            // As where equations need them; the number of points changes from call to call.
            Work::Fill => for_any(&plan, term(&plan, number)),
            _ => for_term(&plan, term(&plan, number), most, context.program.machine().blocks(EACH)),
        };
        let kernels = context.program.kernels(work, size)?;
        let blocks = most.div_ceil(size).min(context.program.blocks(kernels));
        let needs = Needs {
            header: parameters.len() + direction.len(),
            blocks,
            rows: most * points.width(),
            output: most * each,
            values: most * values,
            ..Needs::default()
        };
        let (regions, blocks) = self.regions(context, kernels, needs)?;
        let mut arguments = context.arguments(&regions);
        let header = parameters.iter().chain(direction).map(|number| number.to_bits());
        context.memory.send(arguments.parameters, header)?;
        context.program.pack(kernels, &arguments)?;
        if work == Work::Along {
            let along = arguments.parameters.part(parameters.len(), direction.len());
            arguments.direction = context.memory.pool(Tenant::Calls, &regions, MemoryPool::Direction);
            let packing = PlanArguments { parameters: along, weights: arguments.direction, ..arguments };
            context.program.pack(kernels, &packing)?;
            arguments.seeds = along.from(plan.architecture.weight_count());
        }
        arguments.term = number as u64;
        for (number, part) in out.chunks_mut(most * each).enumerate() {
            let (start, count) = (number * most, part.len() / each);
            let first = range.start + start;
            context.memory.send(arguments.rows, rows(points, first..first + count))?;
            arguments.points = count as u64;
            context.program.launch(kernels, work.name(), blocks, &arguments)?;
            context.memory.fetch(arguments.output, part)?;
            let part = &mut residuals[start * values..(start + count) * values];
            context.memory.fetch(arguments.values, part)?;
        }
        Ok(())
    }

    /// See [`crate::Kernel::transposed_times`].
    pub(crate) fn transposed(
        &mut self,
        context: &mut DeviceContext,
        (number, points): (usize, &Points),
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), CudaError> {
        if points.is_empty() {
            gradient.fill(0.0);
            return Ok(());
        }
        let own = term(context.plan(), number);
        let each = own.residuals.len();
        let most = (most_numbers(&context.memory) / (each + points.width())).clamp(1, points.len());
        let size = for_term(context.plan(), own, most, context.program.machine().blocks(EACH));
        let kernels = context.program.kernels(Work::Transposed, size)?;
        let blocks = most.div_ceil(size).min(context.program.blocks(kernels));
        let needs = Needs {
            header: parameters.len(),
            blocks,
            rows: most * points.width(),
            seeds: most * each,
            ..Needs::default()
        };
        let (regions, blocks) = self.regions(context, kernels, needs)?;
        let mut arguments = context.arguments(&regions);
        context.memory.send(arguments.parameters, parameters.iter().map(|number| number.to_bits()))?;
        context.program.pack(kernels, &arguments)?;
        (arguments.term, arguments.blocks) = (number as u64, blocks as u64);
        for (number, part) in seeds.chunks(most * each).enumerate() {
            let (start, count) = (number * most, part.len() / each);
            context.memory.send(arguments.rows, rows(points, start..start + count))?;
            context.memory.send(arguments.seeds, part.iter().map(|number| number.to_bits()))?;
            (arguments.points, arguments.fresh) = (count as u64, u64::from(number == 0));
            context.program.launch(kernels, Work::Transposed.name(), blocks, &arguments)?;
        }
        context.program.reduce(kernels, &arguments)?;
        context.memory.fetch(arguments.result, gradient)
    }
}
