//! The CUDA engine: kernels written for one plan, compiled when they are first needed.
//!
//! From below: `machine` is what kernels run on, `memory` who has which part of its memory, `program` a plan as kernels,
//! `chunks` points in pieces. On these stand the owners of what stays on the device: `step` (points, losses, whole steps),
//! `newton` (equations), `vectors` (those of an optimizer). `off` is the baseline that steps are compared with. `engine` is all of them together.

mod chunks;
mod context;
mod engine;
mod error;
mod machine;
mod memory;
mod newton;
mod off;
mod parts;
mod program;
mod step;
mod vectors;

pub(crate) use engine::Cuda;
pub use error::CudaError;
pub use machine::Busy;
pub(crate) use machine::Machine;
pub use memory::{MemoryPlan, MemoryUse, Purpose};
pub(crate) use newton::{CANDIDATES, Tried, distinct_factors};
pub use program::{CompileMode, CompileModeError, Unfused};

use machine::{Gpu, KernelCache, StandIn, groups};
use program::{KernelTarget, MOST, MOST_SHARING, Rule, Variant, Work, source};

use crate::Precision;
use equation::taylor::Plan;

/// The GPU that kernels would run on, in words; `Err` says why there is none.
pub fn describe() -> Result<String, CudaError> {
    Gpu::open().map(|gpu| gpu.describe())
}

/// The most operations per second that products could reach on the GPU in some precision; `None` where its data sheet
/// is not known here.
pub fn peak_flops(precision: Precision) -> Result<Option<f64>, CudaError> {
    Gpu::open().map(|gpu| gpu.peak_flops(precision))
}

/// The machine's GPU.
pub(crate) fn gpu() -> Result<Machine, CudaError> {
    Gpu::open().map(Machine::Gpu)
}

/// The processor standing in for a GPU with so much memory.
pub(crate) fn stand_in(bytes: usize) -> Machine {
    Machine::StandIn(StandIn { bytes })
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
    /// Those that it needs in mode `off`.
    Separate,
    /// Those that move parameters by other rules than Adam's.
    Rules,
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
    let works: &[Work] = match kernels {
        Kernels::Training => &[Work::Evaluate],
        Kernels::Separate | Kernels::Rules => &[],
        Kernels::All => &Work::ALL,
    };
    let cache = KernelCache::of_user();
    let target = target(precision, architecture);
    let mut reports = Vec::new();
    let mut sources: Vec<_> =
        works.iter().map(|&work| (work.name(), source(plan, target, work, MOST))).collect();
    if matches!(kernels, Kernels::Separate | Kernels::All) {
        sources.push((off::NAME, off::source(plan, precision)));
    }
    for (kernel, written) in sources {
        for one in written.to_load() {
            let compiled = cache.compiled(one.kernels[0], one.text, architecture)?;
            reports.push(Report { kernel, bytes: compiled.image.len(), log: compiled.log });
        }
    }
    if kernels == Kernels::Rules {
        let around = source(plan, target, Work::Evaluate, MOST);
        for rule in Rule::OTHERS {
            let compiled = cache.compiled("update", &rule.text(&around), architecture)?;
            reports.push(Report { kernel: "update", bytes: compiled.image.len(), log: compiled.log });
        }
    }
    if kernels == Kernels::All {
        let compiled = cache.compiled("products", &newton::text(), architecture)?;
        reports.push(Report { kernel: "dense", bytes: compiled.image.len(), log: compiled.log });
        let compiled = cache.compiled("vectors", &vectors::text(), architecture)?;
        reports.push(Report { kernel: "vectors", bytes: compiled.image.len(), log: compiled.log });
        let compiled = cache.compiled("clip", &step::text(), architecture)?;
        reports.push(Report { kernel: "clip", bytes: compiled.image.len(), log: compiled.log });
        let compiled = cache.compiled("search", &step::search_text(), architecture)?;
        reports.push(Report { kernel: "search", bytes: compiled.image.len(), log: compiled.log });
    }
    Ok(reports)
}

/// The kernels that training by gradients needs, as text.
pub fn kernel_text(plan: &Plan, precision: Precision) -> String {
    source(plan, target(precision, "sm_90a"), Work::Evaluate, MOST).whole_text()
}

/// Kernels as they are written for many points.
fn target(precision: Precision, architecture: &str) -> KernelTarget {
    let variant = Variant { sharing: MOST_SHARING, apart: true, ..Variant::default() };
    KernelTarget { precision, shared: shared(architecture), groups: groups(architecture), variant }
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
