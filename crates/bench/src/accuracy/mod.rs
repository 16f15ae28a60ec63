//! Error against time: trainings of several problems, by several methods, from several seeds.
//!
//! [`AccuracySettings::tasks`] → [`train_all`] → one [`Trial`] each, kept as a line of a [`RawFile`] →
//! [`summarize`] and [`pictures`].

mod picture;
mod published;
mod queue;
mod raw;
mod summary;
mod task;
mod trial;

pub use picture::pictures;
pub use published::{Published, published};
pub use queue::{News, train_all};
pub use raw::RawFile;
pub use summary::{AccuracySummary, summarize};
pub use task::{AccuracySettings, SHIPPED, TrialTask};
pub use trial::{Left, Trial, TrialHistory};
