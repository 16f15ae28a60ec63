//! What every owner in this folder works with: a plan's kernels, and memory for what they read and write.

use super::memory::{Memory, Pool, Regions, Tenant};
use super::program::{Arguments, Program};
use equation::taylor::Plan;
use std::sync::Arc;

/// Kernels and memory of one plan.
#[derive(Debug)]
pub(crate) struct Context {
    pub(super) program: Program,
    pub(super) memory: Memory,
}

impl Context {
    pub(crate) fn plan(&self) -> &Arc<Plan> {
        self.program.plan()
    }

    /// What all kernels of a call share.
    pub(crate) fn arguments(&self, regions: &Regions) -> Arguments {
        let memory = &self.memory;
        let numbers = |pool| memory.pool(Tenant::Calls, regions, pool);
        let words = |pool| memory.pool(Tenant::Calls, regions, pool);
        Arguments {
            parameters: words(Pool::Header),
            weights: numbers(Pool::Weights),
            scratch: numbers(Pool::Jets),
            gradients: numbers(Pool::Gradients),
            turns: memory.pool(Tenant::Calls, regions, Pool::Turns),
            sums: words(Pool::Sums),
            result: words(Pool::Result),
            unscale: 1.0,
            rows: words(Pool::Rows),
            seeds: words(Pool::Seeds),
            output: words(Pool::Output),
            values: words(Pool::Values),
            ..Arguments::default()
        }
    }
}
