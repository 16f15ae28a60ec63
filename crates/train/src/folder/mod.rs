//! Runs as folders: what was trained, how it went, and from where it can go on.
//!
//! ```text
//! runs/burgers-20261115-081500/
//!   problem.toml       the problem with all overrides: with data/ it suffices to train again
//!   data/              the problem's data files, where it has any
//!   environment.json   version, device, precision, CPU, seed, when
//!   manifest.json      lengths and checksums of problem, data and checkpoints
//!   metrics.jsonl      how it went, one line per logged step
//!   checkpoints/       the last two states of training, and the best
//!   trouble/           states where something went wrong, where it did
//!   *.png              pictures, drawn at the end
//!   lock               held by the process that trains
//! ```
//!
//! [`Opened::open`] reads one, [`KeptFolder`] writes one.

mod best;
mod calendar;
mod create;
mod drafts;
mod environment;
mod error;
mod keep;
mod lock;
mod manifest;
mod metrics;
mod newest;
mod notice;
mod open;
mod regular;
mod renewal;
mod resume;

pub use create::{Contents, RunPlace};
pub use error::RunError;
pub use keep::KeptFolder;
pub use metrics::{History, Record, Told};
pub use notice::{Live, Notice, Used};
pub use open::Opened;
pub use regular::{open_regular, read_regular};
pub use renewal::Renewal;
pub use resume::Held;

/// Seconds between two checkpoints, unless someone says otherwise.
pub const SECONDS_PER_CHECKPOINT: f64 = 10.0;

/// The file that says what is trained.
pub const PROBLEM: &str = "problem.toml";

/// The folder of the problem's data.
pub const DATA: &str = "data";

const CHECKPOINTS: &str = "checkpoints";

/// States where something went wrong.
const TROUBLE: &str = "trouble";

const METRICS: &str = "metrics.jsonl";
const ENVIRONMENT: &str = "environment.json";
