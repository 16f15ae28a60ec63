//! Which method a problem gets that names none, and why.

use crate::optimize::Extent;
use equation::problem::Solver;
use kernel::Precision;
use std::fmt;

/// Operations up to which a step of Gauss-Newton is the fastest way to small errors: a few seconds on two
/// cores.
const MOST_FLOPS: f64 = 3e11;

/// What `optimizer = "auto"` became, and why.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Choice {
    /// Its steps are cheap enough.
    GaussNewton {
        /// Their size at first.
        extent: Extent,
    },
    /// They cost too much.
    TooLarge {
        /// Their size.
        extent: Extent,
    },
    /// They need more digits.
    TooCoarse,
}

impl Choice {
    /// The choice for steps of this size in some numbers.
    pub fn of(extent: Extent, precision: Precision) -> Self {
        match precision {
            Precision::F32
            | Precision::Bf16x6
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => Choice::TooCoarse,
            Precision::F64 if extent.flops(Solver::Auto) > MOST_FLOPS => Choice::TooLarge { extent },
            Precision::F64 => Choice::GaussNewton { extent },
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Choice::GaussNewton { extent } => {
                write!(formatter, "gauss-newton by {}", Reason(extent))
            }
            Choice::TooLarge { extent } => write!(
                formatter,
                "adam, then lbfgs: gauss-newton would be by {}, which is too much",
                Reason(extent)
            ),
            Choice::TooCoarse => {
                formatter.write_str("adam, then lbfgs: gauss-newton needs f64 to be worth its cost")
            }
        }
    }
}

/// Which way of solving is cheapest, and what the others would cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reason(pub Extent);

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason(extent) = *self;
        let best = extent.best();
        let cost = |solver: Solver| format!("{:.3} Gflop", extent.flops(solver) / 1e9);
        write!(
            formatter,
            "{}: {} rows, {} parameters, {} a step",
            best.name(),
            extent.rows,
            extent.parameters,
            cost(best)
        )?;
        for solver in Solver::ALL.into_iter().filter(|&solver| solver != best && solver != Solver::Auto) {
            write!(formatter, "; {} {}", solver.name(), cost(solver))?;
        }
        Ok(())
    }
}
