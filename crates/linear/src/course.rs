//! Steps of damped Gauss-Newton as data: which are tried, how they are found and what shape they have. Whoever takes a step, a
//! CPU or a device, takes it by these numbers.

use crate::{Patience, Unknowns};

/// A step that a device is to try.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attempt {
    /// To the diagonal of JᵀJ.
    pub added: f64,
    /// The same in the matrix that is factorised. Where that is more, because rounding leaves no factor of a matrix with
    /// less, conjugate gradients on J itself find the step; where unknowns are rows it has to be the same.
    pub factored: f64,
    /// Whether it is damped towards the momentum that the linearisation was given, or towards nothing.
    pub momentum: bool,
}

impl Attempt {
    /// Whether a factor has more damping than the step.
    pub fn is_refined(&self) -> bool {
        self.added < self.factored
    }
}

/// Geodesic acceleration of steps: half of what the residuals' curvature along a step does to its equations is added (Transtrum, Sethna 2012).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bend {
    /// Where curvature is seen, before and behind, in multiples of the step.
    pub reach: f64,
    /// The most that a step is accelerated: half its acceleration's length, in multiples of its own.
    pub most: f64,
}

impl Bend {
    /// Far enough ahead for differences to have digits, near enough to see the same curvature.
    pub const USUAL: Bend = Bend { reach: 0.1, most: 0.75 };
}

/// What the equations of a step's start say at its end is taken off there, as a step of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Correction {
    /// To the diagonal of JᵀJ: J has turned too far on the way for its small singular values to be of use there.
    pub added: f64,
    /// How often.
    pub times: usize,
}

impl Correction {
    /// How often ends are corrected.
    pub const TIMES: usize = 2;
}

/// How steps are found, and their shape.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Course {
    /// Of conjugate gradients that find a step, or refine one whose factor has more damping than it.
    pub patience: Patience,
    /// The solution of the equations is the step where there is none.
    pub acceleration: Option<Bend>,
    /// Ends are corrected as well, and tried beside those that are not.
    pub correction: Option<Correction>,
}

impl Course {
    /// The solutions of the equations.
    pub fn straight(unknowns: Unknowns) -> Self {
        Course { patience: unknowns.patience(), acceleration: None, correction: None }
    }

    /// The same, with geodesic acceleration.
    pub fn accelerated(unknowns: Unknowns) -> Self {
        Course { acceleration: Some(Bend::USUAL), ..Course::straight(unknowns) }
    }

    /// The same, also corrected with so much added to the diagonal of JᵀJ.
    pub fn corrected(unknowns: Unknowns, added: f64) -> Self {
        let correction = Correction { added, times: Correction::TIMES };
        Course { correction: Some(correction), ..Course::accelerated(unknowns) }
    }
}
