//! Damped linear equations as data: what is to be factorised, and in which numbers.

use crate::Subspace;

/// What the unknowns are of the equations that a device factorises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknowns {
    /// JᵀJ, with all rows in chunks where memory is short.
    Parameters,
    /// JJᵀ, smaller where there are fewer rows than parameters; all rows have to be there (Woodbury).
    Rows,
    /// Nothing is factorised: conjugate gradients on the rows find a step, in multiples of the diagonal of JᵀJ. Rows come in
    /// chunks where memory is short.
    Diagonal,
    /// JJᵀ of sums of rows with random signs, in terms of which few conjugate gradients on all rows suffice.
    Sketch {
        /// How many.
        sums: usize,
    },
    /// JᵀJ of the random subspace of a turn ([`crate::Subspace`]): steps move in it alone. Rows come in chunks where memory is
    /// short; in terms of the subspace all of them stay.
    Subspace {
        /// Which one.
        turn: u64,
        /// Its size.
        unknowns: usize,
    },
}

impl Unknowns {
    /// As many sums as suffice for so many rows.
    pub fn sketch(rows: usize) -> Self {
        Unknowns::Sketch { sums: sketched(rows) }
    }

    /// The subspace of a turn, as large as suffices for so many parameters.
    pub fn subspace(parameters: usize, turn: u64) -> Self {
        Unknowns::Subspace { turn, unknowns: Subspace::unknowns_for(parameters) }
    }

    /// Whether equations have the same form and size, at whatever turn.
    pub fn is_like(self, other: Unknowns) -> bool {
        let at_first = |one: Unknowns| match one {
            Unknowns::Subspace { unknowns, .. } => Unknowns::Subspace { turn: 0, unknowns },
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => one,
        };
        at_first(self) == at_first(other)
    }

    /// The least damping, in multiples of the mean of the diagonal of JᵀJ, with which equations of so many parameters are
    /// factorised.
    pub fn least_damping(self, parameters: usize) -> f64 {
        /// The inverse is found as a difference, which takes digits too.
        const DIGITS: f64 = 64.0;
        match self {
            Unknowns::Parameters | Unknowns::Subspace { .. } => least_damping(parameters),
            Unknowns::Rows | Unknowns::Diagonal => 0.0,
            Unknowns::Sketch { .. } => DIGITS * least_damping(parameters),
        }
    }

    /// When conjugate gradients end that find or refine a step.
    pub fn patience(self) -> Patience {
        match self {
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Subspace { .. } => {
                Patience { most: 8, tolerance: 0.0 }
            }
            Unknowns::Diagonal => Patience { most: 200, tolerance: 1e-9 },
            Unknowns::Sketch { .. } => Patience { most: 24, tolerance: 1e-3 },
        }
    }

    /// Whether steps have the damping of their factor, however little they were to have: to refine them would leave a
    /// subspace.
    pub fn stays(self) -> bool {
        match self {
            Unknowns::Subspace { .. } => true,
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch { .. } => false,
        }
    }

    /// Whether every step is found by conjugate gradients.
    pub fn is_iterated(self) -> bool {
        match self {
            Unknowns::Parameters | Unknowns::Rows | Unknowns::Subspace { .. } => false,
            Unknowns::Diagonal | Unknowns::Sketch { .. } => true,
        }
    }
}

/// When conjugate gradients end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Patience {
    /// After so many.
    pub most: usize,
    /// When the slope that is left, measured by what it is multiplied with, is this part of the first one.
    pub tolerance: f64,
}

/// Sums with random signs that stand for so many rows where equations are sketched.
pub fn sketched(rows: usize) -> usize {
    /// On an H200 steps with twice as many are no better, and with half as many worse.
    const MOST: usize = 2048;
    rows.div_ceil(2).min(MOST)
}

/// The least damping, in multiples of the mean of the diagonal of JᵀJ, with which a factor in f64 is sure to exist: the
/// largest eigenvalue is at most as many times the mean as there are parameters, and its rounding is in all others.
pub fn least_damping(parameters: usize) -> f64 {
    2.0 * parameters as f64 * f64::EPSILON
}
