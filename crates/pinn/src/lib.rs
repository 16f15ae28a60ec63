//! Pinnace as a library: a problem file in, a trained solution and its measured error out.
//!
//! The pipeline is [`Experiment`] (problem, plan, data) → [`Experiment::train`] → [`Trained`]. Nothing
//! here prints, exits, or reads arguments; whoever wants to watch implements [`Sink`].
//! `examples/ten_lines.rs` is the whole use of it.

#![forbid(unsafe_code)]

mod afford;
mod check;
mod course;
pub mod decide;
mod error;
mod estimate;
mod evaluate;
mod experiment;
mod fallback;
mod grid;
pub mod largest;
pub mod memory;
mod objective;
mod opinion;
pub mod performance;
mod problem_file;
mod problems;
mod territory;
mod trained;

pub mod export;
pub mod run;
pub mod sample;
pub mod table;
pub mod trainer;
pub mod trust;
mod windows;

pub use check::{CheckedPrecision, GradientReport};
pub use equation::decide::{Decision, Decisions};
pub use equation::expression::Derivative;
pub use equation::parse::Diagnostics;
pub use equation::problem::{
    Affinity, Budget, FieldNameError, Performance, PerformanceLevel, Problem, Solution, Tiles,
};
pub use equation::problem::{Enforcement, Treatment};
pub use equation::taylor::Plan;
pub use error::{GridError, TrainError};
pub use evaluate::{
    FieldError, FieldSummary, Fields, Misfit, Places, QuantityValue, Validation, largest_relative,
    level_is_free,
};
pub use experiment::Experiment;
pub use fallback::{Off, SlowWay};
pub use geometry::Measure;
pub use grid::{Axis, Grid, GridExtent};
pub use kernel::cuda::{CompileMode, MemoryPlan, MemoryUse, describe as describe_gpu, kernel_text};
pub use kernel::{ChosenDevice, Device, DeviceError, KernelError, Points, Precision, PrecisionError};
pub use linear::{ARITHMETIC, Level};
pub use objective::Objective;
pub use problems::{BUILT_IN, BuiltIn, Group};
pub use run::Run;
pub use store::{read_bytes, write_atomically};

/// What is kept to be found again: compiled kernels, reference solutions.
pub mod cache {
    pub use store::{Holdings, Removed, RoomHoldings, cache_limit};
}

/// How learning rates change, as data; [`optimize::rate`] has their numbers.
pub mod schedule {
    pub use method::{Decay, Order, Peaks, Schedule};
}

pub use territory::{FirstPoints, Footing, Holding, Interface, Territory, Wall};
pub use train::checkpoint;
pub use train::folder::RunError;
pub use train::trainer::OwnOptimizer;
pub use train::{
    Array, BalancedPart, Concern, Descent, Deviation, Event, Extent, Fallback, Fan, Hardware, LeastSquares,
    Linearized, Loss, Losses, MemoryTaken, Note, OnDevice, Pace, PointsMoved, Quiet, Refusal, Room, Shortage,
    Sink, Snapshot, State, StateError, StepTaken, Stopped, TriedStep, Vectors, optimize, stability,
};
pub use trained::Trained;
