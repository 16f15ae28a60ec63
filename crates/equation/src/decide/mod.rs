//! What a file leaves open, filled in by what its equations and conditions say, with the reason for each choice.
//!
//! The parser only reads; this pass runs once after it. What also depends on a device, on time or on data is decided above
//! this crate, and appended to the same list.
//!
//! `windows` (how time is cut), `activation` (what neurons do), `conditions` (units, exact conditions and their points).

mod activation;
mod conditions;
mod decision;
mod windows;

pub use decision::{Decision, Decisions, part, quoted};

use crate::constrain::constrain;
use crate::problem::{LeftOpen, NotExact, Problem};

/// The problem with nothing left open that follows from its equations, and what was decided. `Err` where a condition
/// that is stated to be exact cannot be.
pub fn decide(mut problem: Problem) -> Result<(Problem, Decisions), NotExact> {
    let mut decisions = Decisions::default();
    // Which conditions can be exact depends on the windows.
    decisions.extend(windows::decide(&mut problem));
    decisions.extend(activation::decide(&mut problem));
    let stated = conditions::ConditionStatements::of(&problem);
    let mut problem = constrain(problem);
    decisions.extend(stated.decisions(&problem)?);
    decisions.extend(conditions::points(&mut problem));
    problem.open = LeftOpen::default();
    Ok((problem, decisions))
}
