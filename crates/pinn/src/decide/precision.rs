//! The numbers to compute in where nobody says.

use super::Settings;
use equation::problem::Order;
use kernel::cuda::CompileMode;
use kernel::{Device, Precision};
use train::Hardware;

fn all_follow_the_gradient(phases: &[Settings]) -> bool {
    phases.iter().all(|phase| phase.method.traits().order == Order::First)
}

/// On a GPU, methods that follow the gradient need no more digits than f32 has, and are many times as fast; all others
/// need f64. The phases are those that the device would have in f64.
pub(crate) fn suitable(phases: &[Settings], device: Device, compile: CompileMode) -> Precision {
    match device.hardware() {
        Hardware::Accelerator if all_follow_the_gradient(phases) => {
            device.fastest_as_accurate_as_f32(compile)
        }
        Hardware::Accelerator | Hardware::Cpu => Precision::F64,
    }
}

/// Why that.
pub(crate) fn why(phases: &[Settings], device: Device) -> String {
    let mut methods: Vec<&str> = phases.iter().map(|phase| phase.method.title()).collect();
    methods.dedup();
    let methods = methods.join(" and ");
    match device.hardware() {
        Hardware::Accelerator if all_follow_the_gradient(phases) => {
            format!("{methods} needs no more digits than f32 has")
        }
        Hardware::Accelerator => format!("{methods} needs f64"),
        Hardware::Cpu => "CPUs are fast in f64 as well".to_owned(),
    }
}
