//! Why trained parameters are no start of another run.

use std::path::PathBuf;

/// Why the parameters of a run are no start for an experiment.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TransferError {
    /// The networks differ in size.
    #[error("the network of {} does not fit: {}", run.display(), differences.join(", "))]
    Shapes {
        /// Which run.
        run: PathBuf,
        /// Such as `layer1.weight is 2×32 there and 2×64 here`.
        differences: Vec<String>,
    },
    /// The networks see the coordinates in other ways.
    #[error("the network of {} does not fit: its inputs are other functions of the coordinates; `periodic` and `fourier` must agree, and with `fourier` domain and seed too", run.display())]
    Inputs {
        /// Which run.
        run: PathBuf,
    },
    /// Their times come in other windows.
    #[error("the network of {} does not fit: it has {theirs} time window{}, this problem {ours}", run.display(), if *theirs == 1 { "" } else { "s" })]
    Windows {
        /// Which run.
        run: PathBuf,
        /// How many there.
        theirs: usize,
        /// How many here.
        ours: usize,
    },
    /// A trainable scalar has left the bounds that it has here.
    #[error("`{parameter}` is {value} in {}, which is outside its bounds here", run.display())]
    Outside {
        /// Which run.
        run: PathBuf,
        /// Which scalar.
        parameter: String,
        /// Its value there.
        value: f64,
    },
}
