//! Loss and gradient of all terms.

use super::prepare::{ChunkTables, Prepared, Step, send_points};
use super::search::queue_search;
use crate::Weighted;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::program::{LoadedProgram, PlanArguments, Work};
use std::ops::Range;

impl Step {
    /// See [`crate::Kernel::evaluate`].
    pub(crate) fn evaluate(
        &mut self,
        context: &mut DeviceContext,
        over: Weighted<'_>,
        parameters: &[f64],
        gradient: &mut [f64],
        squares: &mut [f64],
    ) -> Result<(), CudaError> {
        let wanted = Wanted::Given(over.points);
        let prepared = self.prepare(context, (wanted, over.factors), Some(parameters), [0, 0])?;
        self.add_up(context, &prepared, wanted)?;
        let mut result = vec![0.0; parameters.len() + squares.len()];
        context.memory.fetch(prepared.arguments.result, &mut result)?;
        gradient.copy_from_slice(&result[..parameters.len()]);
        squares.copy_from_slice(&result[parameters.len()..]);
        Ok(())
    }

    /// Adds up loss and gradient at the parameters that are there; both are left at the call's result.
    pub(crate) fn add_up(
        &self,
        context: &mut DeviceContext,
        prepared: &Prepared,
        wanted: Wanted<'_>,
    ) -> Result<(), CudaError> {
        context.program.pack(prepared.kernels, &prepared.arguments)?;
        self.visit(context, prepared, wanted, &prepared.arguments)?;
        context.program.reduce(prepared.kernels, &prepared.arguments)
    }

    /// Adds up losses and gradients of all chunks, bringing points there that do not stay.
    pub(super) fn visit(
        &self,
        context: &mut DeviceContext,
        prepared: &Prepared,
        wanted: Wanted<'_>,
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        let streamed = prepared.chunks.len() > 1;
        for (number, chunk) in prepared.chunks.iter().enumerate() {
            if streamed {
                send_points(context, prepared.arguments.rows, wanted, chunk)?;
                queue_draw(context, prepared, number, arguments)?;
            }
            self.queue_chunk(context, prepared, number, arguments)?;
        }
        Ok(())
    }

    /// Queues loss and gradient of one chunk, whose points are there.
    pub(super) fn queue_chunk(
        &self,
        context: &DeviceContext,
        prepared: &Prepared,
        chunk: usize,
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        let program = &context.program;
        let (table, fresh) = (prepared.places[chunk].table, u64::from(chunk == 0));
        let (own, blocks) = (PlanArguments { table, fresh, ..*arguments }, arguments.blocks as usize);
        if let Some(operations) = prepared.operations.get(chunk) {
            return self.baseline.queue(context, (prepared.kernels, &prepared.regions), operations, &own);
        }
        program.launch(prepared.kernels, Work::Evaluate.name(), blocks, &own)?;
        match program.source(prepared.kernels).narrow {
            Some(_) => program.launch(prepared.kernels, "narrow", blocks, &own),
            None => Ok(()),
        }
    }
}

/// Blocks per multiprocessor that draw, at most: no point waits for another, and many are under way at a time.
const DRAWING: usize = 8;

/// Points for which another block is worth it.
const BLOCK: usize = 128;

/// Queues the draw of a chunk's points, where there is something to draw.
pub(super) fn queue_draw(
    context: &DeviceContext,
    prepared: &Prepared,
    chunk: usize,
    arguments: &PlanArguments,
) -> Result<(), CudaError> {
    queue_search(context, prepared, chunk, arguments)?;
    let ChunkTables { jobs, job_count, .. } = prepared.places[chunk];
    if job_count == 0 {
        return Ok(());
    }
    let program = &context.program;
    let arguments = PlanArguments { jobs, job_count, ..*arguments };
    let points: usize = prepared.chunks[chunk].ranges.iter().map(Range::len).sum();
    let blocks = points.div_ceil(BLOCK).clamp(1, program.machine().blocks(DRAWING));
    program.launch(prepared.kernels, "draw", blocks, &arguments)
}

/// Queues what tells the device that so many steps are done.
pub(super) fn queue_advance(
    program: &LoadedProgram,
    prepared: &Prepared,
    count: usize,
) -> Result<(), CudaError> {
    let arguments = PlanArguments { index: count as u64, ..prepared.arguments };
    program.launch(prepared.kernels, "advance", 1, &arguments)
}
