//! The two kinds of machines that steps are taken on.

/// Where numbers are computed and lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hardware {
    /// On the CPU, in the host's memory.
    Cpu,
    /// On a device with memory of its own.
    Accelerator,
}
