//! Measuring speed: what `pinnace bench` runs. Timings live here and in benches, never in tests.

mod case;
mod iteration;
mod memory;
mod step;

pub use case::CaseError;
pub use iteration::{IterationReport, bench_iteration, first_iterations_of_case};
pub use memory::peak_bytes;
pub use step::{FirstSteps, StepReport, StepSettings, bench_step, first_steps_of_case};
