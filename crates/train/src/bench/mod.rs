//! Measuring speed: what `pinnace bench` runs. Timings live here and in benches, never in tests.

mod case;
mod memory;
mod step;

pub use case::CaseError;
pub use memory::peak_bytes;
pub use step::{DeviceMemory, FirstSteps, StepReport, StepSettings, bench_step, first_steps_of_case};
