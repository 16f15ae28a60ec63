//! The true value of an unknown at any point.

use super::cole_hopf;
use equation::expression::{Expression, Leaf, evaluate};
use equation::problem::{Problem, Solution};

/// A solution that Pinnace knows by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Burgers from a sine, `burgers-cole-hopf`.
    BurgersColeHopf,
}

impl Named {
    /// All of them.
    pub const ALL: [Named; 1] = [Named::BurgersColeHopf];

    /// As problem files call it.
    pub fn name(self) -> &'static str {
        match self {
            Named::BurgersColeHopf => "burgers-cole-hopf",
        }
    }
}

/// Why a reference cannot be computed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ReferenceError {
    /// No solution is called that.
    #[error("reference of `{unknown}`: there is no solution named `{name}`; known: {}", known())]
    UnknownSolution {
        /// Of which unknown.
        unknown: String,
        /// As the file calls it.
        name: String,
    },
    /// The solution needs a constant that the problem does not have.
    #[error("reference of `{unknown}`: `{}` needs a positive constant `{constant}`", solution.name())]
    MissingConstant {
        /// Of which unknown.
        unknown: String,
        /// Which solution.
        solution: Named,
        /// The missing constant.
        constant: &'static str,
    },
    /// The solution needs a coordinate that the problem does not have.
    #[error("reference of `{unknown}`: `{}` needs a coordinate `{coordinate}`", solution.name())]
    MissingCoordinate {
        /// Of which unknown.
        unknown: String,
        /// Which solution.
        solution: Named,
        /// The missing coordinate.
        coordinate: &'static str,
    },
    /// The test grid has more points than memory should be spent on.
    #[error("the reference grid has {points:e} points; at most {limit:e} are supported")]
    GridTooLarge {
        /// Its size.
        points: f64,
        /// The limit.
        limit: f64,
    },
}

fn known() -> String {
    Named::ALL.map(Named::name).join(", ")
}

/// The true value of an unknown.
#[derive(Clone, Copy, Debug)]
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
}

impl Truth {
    /// The truth about the unknown at `unknown`: `None` where the problem gives none, or gives a table,
    /// which [`Tables`](crate::table::Tables) holds.
    pub fn of(problem: &Problem, unknown: usize) -> Result<Option<Truth>, ReferenceError> {
        let called = || problem.unknowns[unknown].name.clone();
        match problem.reference.solutions.get(unknown).and_then(Option::as_ref) {
            Some(Solution::Formula(expression)) => Ok(Some(Truth::Formula(*expression))),
            Some(Solution::Named(name)) => match Named::ALL.iter().find(|named| named.name() == name) {
                Some(named) => Truth::named(*named, problem, called()).map(Some),
                None => Err(ReferenceError::UnknownSolution { unknown: called(), name: name.clone() }),
            },
            Some(Solution::File { .. }) | None => Ok(None),
        }
    }

    fn named(solution: Named, problem: &Problem, unknown: String) -> Result<Truth, ReferenceError> {
        match solution {
            Named::BurgersColeHopf => {
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
        }
    }

    /// The value at a point of the domain; NaN where a formula has none.
    pub fn value(&self, problem: &Problem, place: &[f64]) -> f64 {
        match *self {
            Truth::Formula(expression) => evaluate(&problem.pool, expression, &|leaf| match leaf {
                Leaf::Coordinate(axis) => place[usize::from(axis)],
                // The parser admits only coordinates in reference formulas.
                _ => f64::NAN,
            }),
            Truth::BurgersColeHopf { viscosity, time, space } => {
                cole_hopf(viscosity, place[time], place[space])
            }
        }
    }
}
