//! Solutions that Pinnace knows by name, and why one cannot be computed.

use super::{NoCavity, Unfit, Unsettled};

/// A solution that Pinnace knows by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// Burgers from a sine, `burgers-cole-hopf`.
    BurgersColeHopf,
    /// The problem itself, solved in Fourier modes, `fourier-etdrk4`.
    FourierEtdrk4,
    /// Steady flow under a moving lid, `chebyshev-cavity`.
    ChebyshevCavity,
}

impl Named {
    /// All of them.
    pub const ALL: [Named; 3] = [Named::BurgersColeHopf, Named::FourierEtdrk4, Named::ChebyshevCavity];

    /// The one that problem files call this.
    pub fn find(name: &str) -> Option<Named> {
        Named::ALL.into_iter().find(|named| named.name() == name)
    }

    /// As problem files call it.
    pub fn name(self) -> &'static str {
        match self {
            Named::BurgersColeHopf => "burgers-cole-hopf",
            Named::FourierEtdrk4 => "fourier-etdrk4",
            Named::ChebyshevCavity => "chebyshev-cavity",
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
    /// The problem is not of the form that the solver solves.
    #[error("reference of `{unknown}`: `{}` cannot solve this problem: {reason}", Named::FourierEtdrk4.name())]
    Unfit {
        /// Of which unknown.
        unknown: String,
        /// What is in the way.
        reason: Unfit,
    },
    /// The problem is no driven cavity.
    #[error("reference of `{unknown}`: `{}` cannot solve this problem: {reason}", Named::ChebyshevCavity.name())]
    NoCavity {
        /// Of which unknown.
        unknown: String,
        /// What is in the way.
        reason: NoCavity,
    },
    /// Refining the solution still changes it.
    #[error(
        "reference of `{unknown}`: `{}` does not converge: the finest solution still changes by {:.1e}",
        solution.name(),
        last.change
    )]
    Unsettled {
        /// Of which unknown.
        unknown: String,
        /// Which solution.
        solution: Named,
        /// By how much.
        last: Unsettled,
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
