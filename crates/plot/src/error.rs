//! Why there is no picture.

use crate::ResolutionError;
use pinnace::TrainError;
use pinnace::run::RunError;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// A picture is to be drawn on a grid that is none.
    #[error(transparent)]
    Resolution(#[from] ResolutionError),
    /// A picture cannot be encoded.
    #[error("cannot encode the picture: {0}")]
    Encoding(#[from] png::EncodingError),
    /// What is to be drawn cannot be read or computed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The folder of a run cannot be read or written.
    #[error(transparent)]
    Run(#[from] RunError),
}
