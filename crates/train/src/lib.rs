//! Training, whatever is trained: losses and methods that lower them, what they remember, and how that is kept.
//!
//! Nothing here knows a differential equation, a network or a device: those enter through [`Loss`] and what it offers.

#![forbid(unsafe_code)]

pub mod checkpoint;
mod descent;
mod event;
pub mod folder;
mod loss;
mod losses;
pub mod optimize;
mod pace;
mod refusal;
mod sink;
mod snapshot;
pub mod stability;
mod state;
mod stopped;
pub mod trainer;
mod vectors;

pub use descent::{Concern, Descent};
pub use event::{BalancedPart, Deviation, Event, Fallback, MemoryTaken, Note, PointsMoved, StepTaken};
pub use linear::Hardware;
pub use loss::{Extent, LeastSquares, Linearized, Loss, OnDevice, TriedStep};
pub use losses::Losses;
pub use pace::Pace;
pub use refusal::{Refusal, Shortage};
pub use sink::{Fan, Once, Quiet, Sink};
pub use snapshot::Snapshot;
pub use state::{Array, State, StateError};
pub use stopped::Stopped;
pub use vectors::{Room, Vectors};
