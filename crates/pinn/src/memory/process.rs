//! What this process has taken of the host's memory.

use std::path::Path;

const STATUS: &str = "/proc/self/status";

/// Bytes that this process has in memory now; `None` where the system does not tell.
pub fn resident() -> Option<u64> {
    of_status("VmRSS:")
}

/// The most that it had since [`forget_peak`], or ever.
pub(crate) fn peak() -> Option<u64> {
    of_status("VmHWM:")
}

/// Counts [`peak`] from now on; whether the system does that.
pub(crate) fn forget_peak() -> bool {
    // Linux since 4.0 (proc(5), /proc/pid/clear_refs).
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn of_status(key: &str) -> Option<u64> {
    super::available::kibibytes(&std::fs::read_to_string(Path::new(STATUS)).ok()?, key)
}
