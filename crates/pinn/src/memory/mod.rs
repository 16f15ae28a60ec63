//! Memory: what a training or an evaluation needs of the host's, against what there is, before anything is written; and what it
//! takes on a device.
//!
//! `device` (a plan in words), `available` (what the operating system still gives), `need` (a sum by purpose, and the refusal), `training` (what phases
//! of training take).

mod available;
mod device;
mod need;

pub use available::available;
pub use device::device_note;
pub use need::{HostPurpose, MemoryError, MemoryItem, Need, show};

/// In megabytes.
pub fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
