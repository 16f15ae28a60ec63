//! The true value of an unknown at any point.

use super::{Cache, Component, Driven, Named, Periodic, ReferenceError, Unsettled, cole_hopf};
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
    Fourier {
        /// Of all unknowns.
        solution: Arc<Periodic>,
        /// Which of them.
        unknown: usize,
    },
    /// Steady flow under a moving lid.
    Cavity {
        /// Of all unknowns.
        solution: Arc<Driven>,
        /// Which of them.
        component: Component,
    },
}

impl Truth {
    /// The truth about every unknown: `None` where the problem gives none, or gives a table, which
    /// whoever reads data files holds. Nothing is computed yet.
    pub fn all(problem: &Problem, cache: &Cache) -> Result<Vec<Option<Truth>>, ReferenceError> {
        // Unknowns of a system are solved for together.
        let (mut periodic, mut driven) = (None, None);
        let mut truth = |(unknown, solution): (usize, &Option<Solution>)| {
            let called = || problem.unknowns[unknown].name.clone();
            match solution {
                Some(Solution::Formula(expression)) => Ok(Some(Truth::Formula(*expression))),
                Some(Solution::Named { name, .. }) => match Named::find(name) {
                    Some(Named::BurgersColeHopf) => Truth::burgers(problem, called()).map(Some),
                    Some(Named::FourierEtdrk4) => {
                        let unfit = |reason| ReferenceError::Unfit { unknown: called(), reason };
                        let solve = || Periodic::new(problem, tolerance(problem), cache).map_err(unfit);
                        let solution = shared(&mut periodic, solve)?;
                        Ok(Some(Truth::Fourier { solution, unknown }))
                    }
                    Some(Named::ChebyshevCavity) => {
                        let unfit = |reason| ReferenceError::NoCavity { unknown: called(), reason };
                        let solve = || Driven::new(problem, tolerance(problem), cache).map_err(unfit);
                        let component = Component::find(&called()).map_err(unfit)?;
                        Ok(Some(Truth::Cavity { solution: shared(&mut driven, solve)?, component }))
                    }
                    None => Err(ReferenceError::UnknownSolution { unknown: called(), name: name.clone() }),
                },
                Some(Solution::File { .. }) | None => Ok(None),
            }
        };
        problem.reference.solutions.iter().enumerate().map(&mut truth).collect()
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

    /// Computes what has to be computed before a value is known: at most some minutes, once.
    pub fn settle(&self, problem: &Problem, unknown: usize) -> Result<(), ReferenceError> {
        let unsettled = |solution, last| {
            let unknown = problem.unknowns[unknown].name.clone();
            ReferenceError::Unsettled { unknown, solution, last }
        };
        match self {
            Truth::Formula(_) | Truth::BurgersColeHopf { .. } => Ok(()),
            Truth::Fourier { solution, .. } => {
                solution.history().map(|_| ()).map_err(|last| unsettled(Named::FourierEtdrk4, last))
            }
            Truth::Cavity { solution, component } => {
                let settled = solution.accuracy(*component).map(|_| ());
                settled.map_err(|change| unsettled(Named::ChebyshevCavity, Unsettled { change }))
            }
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
            Truth::Fourier { solution, unknown } => {
                let mut value = [f64::NAN];
                solution.values(*unknown, std::iter::once(place), &mut value);
                value[0]
            }
            Truth::Cavity { solution, component } => {
                let mut value = [f64::NAN];
                solution.values(*component, std::iter::once(place), &mut value);
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
                Truth::Fourier { solution, unknown } => solution.values(*unknown, places, values),
                Truth::Cavity { solution, component } => solution.values(*component, places, values),
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

/// What was made before, or else what `make` makes.
fn shared<T, E>(slot: &mut Option<Arc<T>>, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
    Ok(match slot {
        Some(made) => Arc::clone(made),
        None => Arc::clone(slot.insert(Arc::new(make()?))),
    })
}

/// The smallest that any unknown asks for.
fn tolerance(problem: &Problem) -> Option<f64> {
    let stated = problem.reference.solutions.iter().flatten().filter_map(|solution| match solution {
        Solution::Named { tolerance, .. } => *tolerance,
        Solution::Formula(_) | Solution::File { .. } => None,
    });
    stated.reduce(f64::min)
}
