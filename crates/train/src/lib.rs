//! Training, whatever is trained: losses and methods that lower them, what they remember, and how that is kept.
//!
//! Nothing here knows a differential equation, a network or a device: those enter through [`Loss`] and what it offers.

#![forbid(unsafe_code)]

pub mod checkpoint;
mod descent;
mod loss;
mod losses;
pub mod optimize;
mod pace;
mod refusal;
mod state;
mod vectors;

pub use descent::{Concern, Descent};
pub use linear::Hardware;
pub use loss::{Elsewhere, Extent, LeastSquares, Linearized, Loss, TriedStep};
pub use losses::Losses;
pub use pace::Pace;
pub use refusal::{Refusal, Shortage};
pub use state::{Array, State, StateError};
pub use vectors::{Room, Vectors};
