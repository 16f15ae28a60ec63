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

/// What training may go on in where a precision turns out to be too inaccurate: the fastest with as many digits as f32 has, then f64.
pub(crate) fn rungs(precision: Precision, device: Device, compile: CompileMode) -> Vec<Precision> {
    let mut rungs = vec![precision];
    let accurate = device.fastest_as_accurate_as_f32(compile);
    rungs.extend([accurate].into_iter().filter(|rung| rung.epsilon() < precision.epsilon()));
    rungs.extend(
        [Precision::F64].into_iter().filter(|_| precision != Precision::F64 && accurate != Precision::F64),
    );
    rungs
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
