//! Measuring speed and accuracy: what `pinnace bench` runs. Timings live here and in benches, never in tests.

#![forbid(unsafe_code)]

mod accuracy;
mod accuracy_error;
mod case;
mod error;
mod iteration;
mod machine;
mod memory;
mod points;
mod regress;
mod scaling;
mod step;

pub use accuracy::{
    AccuracySettings, AccuracySummary, Left, News, Published, RawFile, SHIPPED, Trial, TrialHistory,
    TrialTask, pictures, published, summarize, train_all,
};
pub use accuracy_error::AccuracyError;
pub use case::CaseError;
pub use error::BenchError;
pub use iteration::{IterationReport, bench_iteration, first_iterations_of_case};
pub use memory::peak_bytes;
pub use points::{PointsIn, PointsReport, PointsSettings, bench_points, point_kinds};
pub use regress::{BaselineError, BaselineLine, Comparison, Speed, read_baseline};
pub use scaling::{ProcessorReport, ScalingReport, ScalingSettings, bench_scaling};
pub use step::{DeviceMemory, FirstSteps, StepReport, StepSettings, bench_step, first_steps_of_case};
