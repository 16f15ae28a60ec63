//! Measuring speed: what `pinnace bench` runs. Timings live here and in benches, never in tests.

mod case;
mod memory;
mod scaling;
mod step;

pub use case::CaseError;
pub use memory::peak_bytes;
pub use scaling::{ProcessorReport, ScalingReport, ScalingSettings, bench_scaling};
pub use step::{DeviceMemory, FirstSteps, StepReport, StepSettings, bench_step, first_steps_of_case};
