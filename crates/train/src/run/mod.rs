//! Runs as folders: what was trained, how it went, and from where it can go on.
//!
//! ```text
//! runs/burgers-20261115-081500/
//!   problem.toml       the problem with all overrides: with data/ it suffices to train again
//!   data/              the problem's data files, where it has any
//!   environment.json   version, device, precision, processor, seed, when
//!   metrics.jsonl      how it went, one line per logged step
//!   checkpoints/       the last two states of training
//!   *.png              pictures, drawn at the end
//!   lock               held by the process that trains
//! ```
//!
//! [`Run::open`] reads one, [`Folder`] writes one.

mod calendar;
mod create;
mod environment;
mod error;
mod folder;
mod lock;
mod metrics;
mod open;
mod resume;
mod transfer;

pub use create::Place;
pub use error::{Notice, RunError};
pub use folder::Folder;
pub use metrics::{Record, Told};
pub use open::Run;
pub use transfer::TransferError;

/// Seconds between two checkpoints, unless someone says otherwise.
pub const SECONDS_PER_CHECKPOINT: f64 = 10.0;

const PROBLEM: &str = "problem.toml";
const DATA: &str = "data";
const CHECKPOINTS: &str = "checkpoints";
const METRICS: &str = "metrics.jsonl";
const ENVIRONMENT: &str = "environment.json";
