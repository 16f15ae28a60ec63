//! The plan as text for people.

use super::Plan;
use crate::problem::Problem;

impl Plan {
    /// The plan as text for people: equations, channels and why, costs, programs and adjoints.
    pub fn explain(&self, _problem: &Problem) -> String {
        String::new()
    }
}
