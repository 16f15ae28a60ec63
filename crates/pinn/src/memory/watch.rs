//! How full memory is while training goes on.

use super::available::available;
use super::need::show;
use super::process::resident;
use kernel::Kernel;
use std::fmt;

/// What this process has of some memory, and what it could still take, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filling {
    /// What it has.
    pub taken: u64,
    /// What it could take.
    pub free: u64,
}

/// A look at the memory of host and device; `None` where nobody tells, or where there is none of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryReading {
    /// Of the host: what is in memory of this process, within its control groups and limits.
    pub host: Option<Filling>,
    /// Of the device that a kernel runs on.
    pub device: Option<Filling>,
}

impl Filling {
    /// How much of it is taken, of what this process has and could have: what others have does not count.
    pub fn share(self) -> f64 {
        let all = self.taken as f64 + self.free as f64;
        if all > 0.0 { self.taken as f64 / all } else { 0.0 }
    }
}

impl fmt::Display for Filling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (percent, taken, free) = (100.0 * self.share(), show(self.taken), show(self.free));
        write!(formatter, "{percent:.1} % full: {taken} are taken, {free} are left")
    }
}

impl MemoryReading {
    /// As it is now.
    pub fn now(kernel: &Kernel) -> Self {
        // A variable that is no number was refused before training.
        let free = available().ok().flatten();
        let host = resident().zip(free).map(|(taken, free)| Filling { taken, free });
        let free = kernel.device_free_bytes();
        let device = free.map(|free| Filling { taken: kernel.device_bytes() as u64, free: free as u64 });
        MemoryReading { host, device }
    }
}
