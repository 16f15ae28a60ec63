//! The machine that a measurement was taken on, by name.

use pinnace::{Device, Hardware};

/// What a device calls itself, as far as the system tells.
pub(crate) fn name(device: Device) -> String {
    let unknown = || "unknown".to_owned();
    match device.hardware() {
        Hardware::Cpu => processor().unwrap_or_else(unknown),
        Hardware::Accelerator => pinnace::describe_gpu().unwrap_or_else(|_| unknown()),
    }
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
