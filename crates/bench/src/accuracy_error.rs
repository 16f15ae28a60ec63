//! What can go wrong around trainings whose errors are compared.

use std::path::PathBuf;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum AccuracyError {
    /// Results of before would be mixed with new ones.
    #[error("{} already holds results: --resume completes them, --out DIR chooses another folder", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// Results of before were made in another way.
    #[error("{}: {problem} was trained with {key} {before}, now it is {now}; --out DIR chooses another folder", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// Of the first line that differs.
        problem: String,
        /// What differs.
        key: &'static str,
        /// What it was.
        before: String,
        /// What it would be.
        now: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
}
