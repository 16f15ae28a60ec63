//! Points that a device looks for: those that lie inside shapes, and those whose turn it is in the order of an epoch.

use super::prepare::{ChunkTables, Prepared, Step};
use crate::cuda::CudaError;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{Region, Shape, ToLoad, given};
use crate::cuda::program::{NUMBERS, Other, PlanArguments, SEQUENCE, kernel_of};
use std::fmt::Write;

/// Of a block.
const THREADS: usize = 256;

/// Blocks that share a multiprocessor.
const EACH: usize = 8;

/// The kernels: how many candidates lie inside in each group, before each group, and the points.
const KERNELS: [&str; 3] = ["count_inside", "count_before", "place"];

given! {
    /// What the kernels are given; as `Arguments` in `device/step/search.cuh`.
    pub(super) struct SearchArguments laid out as SearchWords {
        rows: Region<f64>,
        counts: Region<u64>,
        parts: Region<u64>,
        insides: Region<u64>,
        inside_count: u64,
        jobs: Region<u64>,
        job_count: u64,
        progress: Region<u64>,
        index: u64,
        seed: u64,
        renewal: u64,
        interval: u64,
        always: u64,
    }
}

/// What a call looks for, on the device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Search {
    module: Other,
    counts: Region<u64>,
    insides: Region<u64>,
}

impl Search {
    /// With room for counts, and the places of parts inside shapes.
    pub(super) fn new(
        step: &mut Step,
        context: &mut DeviceContext,
        counts: Region<u64>,
        insides: Region<u64>,
    ) -> Result<Self, CudaError> {
        let module = match step.search {
            Some(module) => module,
            None => *step.search.insert(load(context)?),
        };
        Ok(Search { module, counts, insides })
    }

    fn arguments(&self, plan: &PlanArguments) -> SearchArguments {
        let PlanArguments { rows, parts, progress, index, seed, renewal, interval, always, .. } = *plan;
        let Search { counts, insides, .. } = *self;
        let (jobs, job_count, inside_count) = (Region::default(), 0, insides.count() as u64);
        SearchArguments {
            rows,
            counts,
            parts,
            insides,
            inside_count,
            jobs,
            job_count,
            progress,
            index,
            seed,
            renewal,
            interval,
            always,
        }
    }

    /// Queues what counts candidates of a step's draw, where there are any and the draw is due.
    pub(super) fn queue_count(&self, context: &DeviceContext, step: &PlanArguments) -> Result<(), CudaError> {
        if self.insides.count() == 0 || (step.interval == 0 && step.always == 0) {
            return Ok(());
        }
        let (program, arguments) = (&context.program, self.arguments(step));
        program.launch_other(self.module, KERNELS[0], program.machine().blocks(EACH), &arguments)?;
        program.launch_other(self.module, KERNELS[1], self.insides.count(), &arguments)
    }

    /// Queues what writes the points of a chunk.
    fn queue_place(
        &self,
        context: &DeviceContext,
        chunk: &ChunkTables,
        step: &PlanArguments,
    ) -> Result<(), CudaError> {
        let ChunkTables { sought, sought_count, .. } = *chunk;
        if sought_count == 0 {
            return Ok(());
        }
        let program = &context.program;
        let arguments = SearchArguments { jobs: sought, job_count: sought_count, ..self.arguments(step) };
        program.launch_other(self.module, KERNELS[2], program.machine().blocks(EACH), &arguments)
    }
}

/// Queues the points of a chunk that have to be looked for, where there are any.
pub(super) fn queue_search(
    context: &DeviceContext,
    prepared: &Prepared,
    chunk: usize,
    step: &PlanArguments,
) -> Result<(), CudaError> {
    prepared.search.map_or(Ok(()), |search| search.queue_place(context, &prepared.places[chunk], step))
}

/// The text of the kernels.
pub(in crate::cuda) fn text() -> String {
    let mut text = String::from("// Points that are looked for, made by pinnace.\ntypedef double number;\n");
    for (name, value) in [("THREADS", THREADS), ("WORKSPACE_BYTES", THREADS * size_of::<u64>())] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    for part in [NUMBERS, SEQUENCE, include_str!("../device/step/search.cuh")] {
        text.push('\n');
        text += part;
    }
    // So many blocks share a multiprocessor: registers are few enough for them, and none that is used often is moved out.
    text += &kernel_of(KERNELS[0], 3, "    count_candidates(arguments);\n");
    text += &kernel_of(KERNELS[1], 1, "    add_up_counts(arguments);\n");
    text + &kernel_of(KERNELS[2], 3, "    place_points(arguments);\n")
}

/// Loads the kernels.
fn load(context: &mut DeviceContext) -> Result<Other, CudaError> {
    let shape = Shape { threads: THREADS, shared: 0, each: EACH };
    let text = text();
    let wanted = ToLoad { text: &text, shape, kernels: &KERNELS, staging: &[], tables: &[] };
    Ok(context.program.load_all(&[], &[wanted])?.remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::chunks::JOB;
    use crate::cuda::machine::assert_twins;
    use crate::cuda::parts::{GROUP, PART, TestKind};

    /// Words of an inside test before its steps, of a step before its numbers, and of an order.
    const HEADS: [usize; 3] = [5, 2, 5];

    #[test]
    fn the_kernels_read_what_they_are_given() {
        let words = |bytes: usize| bytes * size_of::<u64>();
        let sizes = [
            ("sizeof(Job)", words(JOB)),
            ("sizeof(Part)", words(PART)),
            ("sizeof(Test)", words(HEADS[0])),
            ("sizeof(TestStep)", words(HEADS[1])),
            ("sizeof(Order)", words(HEADS[2])),
            ("GROUP", GROUP),
        ];
        let kinds = [
            ("WITHIN", TestKind::Within),
            ("EITHER", TestKind::Either),
            ("BOTH", TestKind::Both),
            ("WITHOUT", TestKind::Without),
            ("BALL", TestKind::Ball),
            ("BLOCK", TestKind::Block),
            ("ELLIPSOID", TestKind::Ellipsoid),
            ("HALF_SPACE", TestKind::HalfSpace),
            ("CYLINDER", TestKind::Cylinder),
            ("CONE", TestKind::Cone),
            ("TORUS", TestKind::Torus),
            ("SIDES", TestKind::Sides),
        ];
        let kinds = kinds.map(|(name, kind)| (name, kind as usize));
        let constants: Vec<(&str, usize)> = sizes.into_iter().chain(kinds).collect();
        assert_twins::<SearchArguments>(&text(), &constants);
    }
}
