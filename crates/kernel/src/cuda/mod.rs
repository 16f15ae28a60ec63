//! The CUDA engine: kernels written for one plan, compiled when they are first needed.
//!
//! `emit` writes a plan as CUDA C++, `compiler` and `cache` make machine code of it, `gpu` talks to the driver,
//! `engine` plans memory and launches. `stand_in` runs the same kernels on the processor, to check them where there
//! is no GPU.

mod busy;
mod cache;
mod compiler;
mod emit;
mod engine;
mod error;
mod given;
mod gpu;
mod layout;
mod machine;
mod memory;
mod newton;
mod off;
mod peak;
#[cfg(test)]
mod probe;
mod room;
mod rows;
mod series;
mod stand_in;
mod steps;
mod terms;
mod tiles;
mod tune;
mod vectors;

pub use busy::Busy;
pub use emit::Unfused;
pub(crate) use engine::Cuda;
pub use error::CudaError;
pub(crate) use machine::Machine;
pub use memory::{MemoryPlan, MemoryUse, Purpose};
pub(crate) use newton::{CANDIDATES, Tried, distinct_factors};
pub use tune::{CompileMode, CompileModeError};

use crate::Precision;
use equation::taylor::Plan;

/// The GPU that kernels would run on, in words; `Err` says why there is none.
pub fn describe() -> Result<String, CudaError> {
    gpu::Gpu::open().map(|gpu| gpu.describe())
}

/// The most operations per second that products could reach on the GPU in some precision; `None` where its data sheet
/// is not known here.
pub fn peak_flops(precision: Precision) -> Result<Option<f64>, CudaError> {
    gpu::Gpu::open().map(|gpu| gpu.peak_flops(precision))
}

/// The machine's GPU.
pub(crate) fn gpu() -> Result<Machine, CudaError> {
    gpu::Gpu::open().map(Machine::Gpu)
}

/// The processor standing in for a GPU with so much memory.
pub(crate) fn stand_in(bytes: usize) -> Machine {
    Machine::StandIn(stand_in::StandIn { bytes })
}

/// What the run-time compiler made of one kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Which kernel.
    pub kernel: &'static str,
    /// Bytes of machine code.
    pub bytes: usize,
    /// What the compiler said: registers and spills of every function.
    pub log: String,
}

/// Which kernels of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernels {
    /// Those that training by gradients needs.
    Training,
    /// Those that it needs where points are few and one launch takes many steps.
    Series,
    /// Those that it needs in mode `off`.
    Separate,
    /// Those of predictions, Jacobians and their equations too.
    All,
}

/// Compiles kernels of a plan for an architecture such as `sm_90a`, or finds them compiled, without a GPU; for checks.
pub fn compile(
    plan: &Plan,
    precision: Precision,
    kernels: Kernels,
    architecture: &str,
) -> Result<Vec<Report>, CudaError> {
    let works = match kernels {
        Kernels::Training | Kernels::Series => &[emit::Work::Evaluate][..],
        Kernels::Separate => &[emit::Work::Separate],
        Kernels::All => &emit::Work::ALL,
    };
    let cache = cache::Cache::of_user();
    let mut target = target(precision, architecture);
    let mut most = tiles::MOST;
    if kernels == Kernels::Series {
        target.variant =
            emit::Variant { merged: true, series: true, alone: true, ..emit::Variant::default() };
        most = 2 * tiles::FEWEST;
    }
    let mut reports = Vec::new();
    for &work in works {
        let source = emit::source(plan, target, work, most);
        for one in source.to_load(work) {
            let compiled = cache.compiled(one.kernels[0], one.text, architecture)?;
            reports.push(Report { kernel: work.name(), bytes: compiled.image.len(), log: compiled.log });
        }
    }
    if kernels == Kernels::All {
        let compiled = cache.compiled("products", &newton::text(), architecture)?;
        reports.push(Report { kernel: "dense", bytes: compiled.image.len(), log: compiled.log });
        let compiled = cache.compiled("vectors", &vectors::text(), architecture)?;
        reports.push(Report { kernel: "vectors", bytes: compiled.image.len(), log: compiled.log });
    }
    Ok(reports)
}

/// The kernels that training by gradients needs, as text.
pub fn kernel_text(plan: &Plan, precision: Precision) -> String {
    emit::source(plan, target(precision, "sm_90a"), emit::Work::Evaluate, tiles::MOST).whole_text()
}

/// Kernels as they are written for many points.
fn target(precision: Precision, architecture: &str) -> emit::Target {
    let variant = emit::Variant { sharing: tiles::MOST_SHARING, apart: true, ..emit::Variant::default() };
    emit::Target { precision, shared: shared(architecture), groups: gpu::groups(architecture), variant }
}

/// Bytes of shared memory of a multiprocessor of an architecture (CUDA C++ Programming Guide, compute capabilities).
fn shared(architecture: &str) -> usize {
    let kilobytes = match architecture {
        "sm_80" | "sm_87" => 164,
        "sm_90" | "sm_90a" | "sm_100" | "sm_100a" | "sm_103" => 228,
        _ => 100,
    };
    kilobytes * 1024
}
