//! The true value of an unknown at any point.

use super::{Named, Periodic, ReferenceError, cole_hopf};
use equation::expression::{Expression, Leaf, evaluate};
use equation::problem::{Problem, Solution};
use kernel::Points;
use rayon::prelude::*;
use std::sync::Arc;

/// Points that one task computes.
const TASK: usize = 512;

/// The true value of an unknown.
#[derive(Clone, Debug)]
pub enum Truth {
    /// A closed form in the problem's pool.
    Formula(Expression),
    /// [`cole_hopf`].
    BurgersColeHopf {
        /// The equation's constant `nu`.
        viscosity: f64,
        /// Position of `t`.
        time: usize,
        /// Position of `x`.
        space: usize,
    },
    /// The problem itself, solved in Fourier modes.
    Fourier(Arc<Periodic>),
}

impl Truth {
    /// The truth about the unknown at `unknown`: `None` where the problem gives none, or gives a table,
    /// which [`Tables`](crate::table::Tables) holds.
    pub fn of(problem: &Problem, unknown: usize) -> Result<Option<Truth>, ReferenceError> {
        let called = || problem.unknowns[unknown].name.clone();
        match problem.reference.solutions.get(unknown).and_then(Option::as_ref) {
            Some(Solution::Formula(expression)) => Ok(Some(Truth::Formula(*expression))),
            Some(Solution::Named(name)) => match Named::ALL.iter().find(|named| named.name() == name) {
                Some(Named::BurgersColeHopf) => Truth::burgers(problem, called()).map(Some),
                Some(Named::FourierEtdrk4) => Truth::fourier(problem, called()).map(Some),
                None => Err(ReferenceError::UnknownSolution { unknown: called(), name: name.clone() }),
            },
            Some(Solution::File { .. }) | None => Ok(None),
        }
    }

    fn burgers(problem: &Problem, unknown: String) -> Result<Truth, ReferenceError> {
        let solution = Named::BurgersColeHopf;
        let viscosity = problem.constants.iter().find(|(name, value)| name == "nu" && *value > 0.0);
        let coordinate = |name: &'static str| {
            problem.domain.find(name).ok_or_else(|| ReferenceError::MissingCoordinate {
                unknown: unknown.clone(),
                solution,
                coordinate: name,
            })
        };
        let (time, space) = (coordinate("t")?, coordinate("x")?);
        match viscosity {
            Some(&(_, viscosity)) => Ok(Truth::BurgersColeHopf { viscosity, time, space }),
            None => Err(ReferenceError::MissingConstant { unknown, solution, constant: "nu" }),
        }
    }

    fn fourier(problem: &Problem, unknown: String) -> Result<Truth, ReferenceError> {
        match Periodic::new(problem) {
            Ok(periodic) => Ok(Truth::Fourier(Arc::new(periodic))),
            Err(reason) => Err(ReferenceError::Unfit { unknown, reason }),
        }
    }

    /// Computes what has to be computed before a value is known: at most some seconds, once.
    pub fn settle(&self, problem: &Problem, unknown: usize) -> Result<(), ReferenceError> {
        match self {
            Truth::Formula(_) | Truth::BurgersColeHopf { .. } => Ok(()),
            Truth::Fourier(periodic) => periodic.history().map(|_| ()).map_err(|last| {
                ReferenceError::Unsettled { unknown: problem.unknowns[unknown].name.clone(), last }
            }),
        }
    }

    /// The value at a point of the domain; NaN where a formula has none, and where [`Truth::settle`] fails.
    pub fn value(&self, problem: &Problem, place: &[f64]) -> f64 {
        match self {
            Truth::Formula(expression) => evaluate(&problem.pool, *expression, &|leaf| match leaf {
                Leaf::Coordinate(axis) => place[usize::from(axis)],
                // The parser admits only coordinates in reference formulas.
                _ => f64::NAN,
            }),
            Truth::BurgersColeHopf { viscosity, time, space } => {
                cole_hopf(*viscosity, place[*time], place[*space])
            }
            Truth::Fourier(periodic) => {
                let mut value = [f64::NAN];
                periodic.values(std::iter::once(place), &mut value);
                value[0]
            }
        }
    }

    /// [`Truth::value`] at every point, on all cores.
    pub fn values(&self, problem: &Problem, points: &Points) -> Vec<f64> {
        let mut values = vec![0.0; points.len()];
        values.par_chunks_mut(TASK).enumerate().for_each(|(task, values)| {
            let places = (task * TASK..points.len()).map(|index| points.row(index));
            match self {
                Truth::Fourier(periodic) => periodic.values(places, values),
                Truth::Formula(_) | Truth::BurgersColeHopf { .. } => {
                    values
                        .iter_mut()
                        .zip(places)
                        .for_each(|(value, place)| *value = self.value(problem, place));
                }
            }
        });
        values
    }
}
