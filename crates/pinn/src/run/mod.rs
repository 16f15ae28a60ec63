//! Runs of experiments as folders; [`train::folder`] says what is in one. [`Run::open`] reads one, [`Folder`] writes one.

mod contents;
mod folder;
mod meaning;
mod open;
mod resume;
mod transfer;

pub use crate::error::{ChangeRefusal, TransferError};
pub use folder::Folder;
pub use open::Run;
pub use train::folder::{
    Live, Notice, Record, Renewal, RunError, RunPlace, SECONDS_PER_CHECKPOINT, Told, Used,
};
