//! What is known about a reference: how it was made and how far it can be trusted.

use super::{Accuracy, Named, ReferenceError, Truth, Unsettled};
use equation::problem::Problem;

/// What is known about the reference of an unknown.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// How it is made.
    pub method: &'static str,
    /// How finely, in words; empty where that has no meaning.
    pub resolution: String,
    /// Errors below this, relative to the largest value, may be the reference's own; `None` where nobody
    /// knows.
    pub floor: Option<f64>,
}

impl Facts {
    /// Of a table that came with the problem.
    pub fn of_table(points: usize) -> Facts {
        Facts { method: "table", resolution: format!("{points} points"), floor: None }
    }

    fn of_fourier(accuracy: Accuracy) -> Facts {
        let Accuracy { samples: [rows, columns], steps, by_steps, by_samples, between } = accuracy;
        // What is smaller is chance.
        let between = between.max(f64::EPSILON);
        let samples = if rows > 1 { format!("{rows} × {columns}") } else { columns.to_string() };
        Facts {
            method: Named::FourierEtdrk4.name(),
            resolution: format!("{samples} samples, {steps} steps; between stored times {between:.1e}"),
            // Refining changes both at once.
            floor: Some(by_steps + by_samples),
        }
    }
}

impl Truth {
    /// What is known about it. Computes what has to be computed, as [`Truth::settle`] does.
    pub fn facts(&self, problem: &Problem, unknown: usize) -> Result<Facts, ReferenceError> {
        let unsettled = |solution, last| {
            let unknown = problem.unknowns[unknown].name.clone();
            ReferenceError::Unsettled { unknown, solution, last }
        };
        match self {
            Truth::Formula(_) => {
                Ok(Facts { method: "formula", resolution: String::new(), floor: Some(f64::EPSILON) })
            }
            Truth::BurgersColeHopf { .. } => {
                // The bound of its own tests.
                let floor = Some(1e-13);
                Ok(Facts { method: Named::BurgersColeHopf.name(), resolution: String::new(), floor })
            }
            Truth::Fourier { solution, .. } => match solution.history() {
                Ok(history) => Ok(Facts::of_fourier(history.accuracy())),
                Err(last) => Err(unsettled(Named::FourierEtdrk4, last)),
            },
            Truth::Cavity { solution, component } => match solution.accuracy(*component) {
                Ok((degree, change)) => Ok(Facts {
                    method: Named::ChebyshevCavity.name(),
                    resolution: format!("polynomials of degree {degree}"),
                    floor: Some(change),
                }),
                Err(change) => Err(unsettled(Named::ChebyshevCavity, Unsettled { change })),
            },
        }
    }
}
