//! What is known of the loss's curvature: a few steps, or a whole matrix.

use super::broyden::Broyden;
use super::memory::CurvatureMemory;
use crate::{State, StateError};

/// An approximate inverse Hessian.
#[derive(Clone, Debug)]
pub(super) enum Curvature {
    /// Made of the last steps.
    Limited(CurvatureMemory),
    /// All of it, learnt over all steps.
    Dense(Box<Broyden>),
}

/// A step and what it did to the gradient.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move<'step> {
    /// Parameters before.
    pub(super) from: &'step [f64],
    /// Parameters after.
    pub(super) to: &'step [f64],
    /// Gradient before.
    pub(super) before: &'step [f64],
    /// Gradient after.
    pub(super) after: &'step [f64],
    /// The negative of the inverse Hessian times the gradient before.
    pub(super) direction: &'step [f64],
    /// In multiples of the direction.
    pub(super) length: f64,
}

impl Move<'_> {
    pub(super) fn step(&self) -> impl Iterator<Item = f64> {
        self.to.iter().zip(self.from).map(|(to, from)| to - from)
    }

    pub(super) fn change(&self) -> impl Iterator<Item = f64> {
        self.after.iter().zip(self.before).map(|(after, before)| after - before)
    }
}

impl Curvature {
    pub(super) fn limited(parameters: usize, pairs: usize) -> Self {
        Curvature::Limited(CurvatureMemory::new(parameters, pairs))
    }

    pub(super) fn dense(parameters: usize) -> Self {
        Curvature::Dense(Box::new(Broyden::new(parameters)))
    }

    /// How many steps are remembered; `None` where all of them are.
    pub(super) fn pairs(&self) -> Option<usize> {
        match self {
            Curvature::Limited(memory) => Some(memory.size()),
            Curvature::Dense(_) => None,
        }
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Curvature::Limited(memory) => memory.is_empty(),
            Curvature::Dense(broyden) => broyden.is_empty(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        match self {
            Curvature::Limited(memory) => memory.clear(),
            Curvature::Dense(broyden) => broyden.clear(),
        }
    }

    /// The loss is another function from now on. A few steps say nothing about it; a whole matrix is mostly
    /// the network's.
    pub(super) fn forget_loss(&mut self) {
        match self {
            Curvature::Limited(memory) => memory.clear(),
            Curvature::Dense(broyden) => broyden.forget_gradient(),
        }
    }

    /// Multiplies the gradient at the parameters.
    pub(super) fn apply(&mut self, gradient: &[f64], product: &mut [f64]) {
        match self {
            Curvature::Limited(memory) => {
                product.copy_from_slice(gradient);
                memory.apply(product);
            }
            Curvature::Dense(broyden) => broyden.apply(gradient, product),
        }
    }

    /// Takes in a step from where [`Self::apply`] was last asked.
    pub(super) fn learn(&mut self, step: &Move<'_>) {
        match self {
            Curvature::Limited(memory) => memory.push(step.step(), step.change()),
            Curvature::Dense(broyden) => broyden.learn(step),
        }
    }

    pub(super) fn save(&self, state: State) -> State {
        match self {
            Curvature::Limited(memory) => memory.save(state),
            Curvature::Dense(broyden) => broyden.save(state),
        }
    }

    /// On `Err`, nothing has changed.
    pub(super) fn restore(&mut self, state: &State) -> Result<(), StateError> {
        match self {
            Curvature::Limited(memory) => memory.restore(state),
            Curvature::Dense(broyden) => broyden.restore(state),
        }
    }
}
