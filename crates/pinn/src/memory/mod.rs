//! Memory: what a training or an evaluation needs of the host's, against what there is, before anything is written; and what it
//! takes on a device.
//!
//! `device` (a plan in words), `available` (what the operating system still gives), `need` (a sum by purpose, and the refusal), `process` (what
//! this one has taken), `watch` (how full memory is).

mod available;
mod device;
mod need;
mod process;
mod watch;

pub use available::available;
pub use device::device_note;
pub use need::{HostPurpose, MemoryError, MemoryItem, Need, show};
pub use process::resident;
pub(crate) use process::{forget_peak, peak};
pub use watch::{Filling, MemoryReading};

/// In megabytes.
pub fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
