//! Why something cannot be exported.

use std::path::PathBuf;

/// Why something cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The system does not let us write there.
    #[error("cannot write {}: {cause}", path.display())]
    Unwritable {
        /// Where.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A file of an earlier export, which this one does not have, cannot be removed.
    #[error("cannot remove {}, which is of an earlier export: {cause}", path.display())]
    Unremovable {
        /// Where.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// VTK files of points that are no grid.
    #[error("VTK files hold grids, and this problem has none of its own: name one, such as `{example}`")]
    NoGrid {
        /// A grid of this problem.
        example: String,
    },
    /// More coordinates than a picture has.
    #[error(
        "VTK files show up to three coordinates{}, and this problem has {found}: fix the others, as in `--grid z=0.5`, or export csv or npy",
        if *series { " beside time" } else { ", time among them" }
    )]
    TooManyCoordinates {
        /// How many.
        found: usize,
        /// Whether time would be a series.
        series: bool,
    },
    /// The tensors do not make a file.
    #[error("the network cannot be written as safetensors: {0}")]
    Tensors(#[from] safetensors::SafeTensorError),
}
