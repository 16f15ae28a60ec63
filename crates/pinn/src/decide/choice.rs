//! Which method a problem gets that names none, and why.

use equation::problem::Solver;
use kernel::{Device, Precision};
use std::fmt;
use train::{Extent, Hardware};

/// Operations up to which a step of Gauss-Newton is the fastest way to small errors: about six seconds on one core, and one on
/// a GPU for data centres. A number for each kind of device, not a measurement: what is chosen must not depend on the moment.
fn most_flops(device: Device) -> f64 {
    match device.hardware() {
        Hardware::Cpu => 3e11,
        Hardware::Accelerator => 2e13,
    }
}

/// What `optimizer = "auto"` became, and why.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// Its steps are cheap enough.
    GaussNewton {
        /// Their size at first.
        extent: Extent,
        /// Where they are taken.
        device: Device,
    },
    /// They cost too much.
    TooLarge {
        /// Their size.
        extent: Extent,
        /// Where they would be taken.
        device: Device,
    },
    /// They need more digits.
    TooCoarse,
}

impl Choice {
    /// The choice for steps of this size on a device, in some numbers.
    pub fn of(extent: Extent, device: Device, precision: Precision) -> Self {
        match precision {
            Precision::F32
            | Precision::Bf16x6
            | Precision::Fp16x3
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => Choice::TooCoarse,
            Precision::F64 if extent.flops(extent.best_on(device.hardware())) <= most_flops(device) => {
                Choice::GaussNewton { extent, device }
            }
            Precision::F64 => Choice::TooLarge { extent, device },
        }
    }
}

impl Choice {
    /// Why.
    pub fn why(&self) -> String {
        match *self {
            Choice::GaussNewton { extent, device } => {
                format!("its steps are cheap enough here, by {}", SolverCosts(extent, device))
            }
            Choice::TooLarge { extent, device } => {
                format!("Gauss-Newton is too expensive: {}", SolverCosts(extent, device))
            }
            Choice::TooCoarse => "Gauss-Newton needs f64".to_owned(),
        }
    }
}

/// Which way of solving is cheapest, and what the others would cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SolverCosts(pub Extent, pub Device);

impl fmt::Display for SolverCosts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SolverCosts(extent, device) = *self;
        let best = extent.best_on(device.hardware());
        let cost = |solver: Solver| format!("{:.3} Gflop", extent.flops(solver) / 1e9);
        write!(
            formatter,
            "{}: {} rows, {} parameters, {} and {:.1} MB a step",
            best.name(),
            extent.rows,
            extent.parameters,
            cost(best),
            extent.bytes(best) as f64 / 1e6
        )?;
        for solver in Solver::ALL.into_iter().filter(|&solver| solver != best && solver != Solver::Auto) {
            write!(formatter, "; {} {}", solver.name(), cost(solver))?;
        }
        Ok(())
    }
}
