//! What every owner in this folder works with: a plan's kernels, and memory for what they read and write.

use super::memory::{MemoryLedger, MemoryPool, Regions, Tenant};
use super::program::{LoadedProgram, PlanArguments};
use equation::taylor::Plan;
use std::sync::Arc;

/// Kernels and memory of one plan.
#[derive(Debug)]
pub(crate) struct DeviceContext {
    pub(super) program: LoadedProgram,
    pub(super) memory: MemoryLedger,
}

impl DeviceContext {
    pub(crate) fn plan(&self) -> &Arc<Plan> {
        self.program.plan()
    }

    /// What all kernels of a call share.
    pub(crate) fn arguments(&self, regions: &Regions) -> PlanArguments {
        let memory = &self.memory;
        let numbers = |pool| memory.pool(Tenant::Calls, regions, pool);
        let words = |pool| memory.pool(Tenant::Calls, regions, pool);
        PlanArguments {
            parameters: words(MemoryPool::Header),
            weights: numbers(MemoryPool::Weights),
            scratch: numbers(MemoryPool::Jets),
            gradients: numbers(MemoryPool::Gradients),
            turns: memory.pool(Tenant::Calls, regions, MemoryPool::Turns),
            sums: words(MemoryPool::Sums),
            result: words(MemoryPool::Result),
            unscale: 1.0,
            rows: words(MemoryPool::Rows),
            seeds: words(MemoryPool::Seeds),
            output: words(MemoryPool::Output),
            values: words(MemoryPool::Values),
            ..PlanArguments::default()
        }
    }
}
