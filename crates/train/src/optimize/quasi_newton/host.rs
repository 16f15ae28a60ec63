//! The vectors of a method on the host.

use super::Workings;
use super::curvature::{Curvature, Move};
use super::memory::dot;
use crate::{Loss, Losses, Refusal};

/// They, and what is known of the curvature.
#[derive(Clone, Debug)]
pub(super) struct HostWorkings {
    pub(super) curvature: Curvature,
    pub(super) gradient: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    trial_gradient: Vec<f64>,
}

impl HostWorkings {
    pub(super) fn new(parameters: usize, curvature: Curvature) -> Self {
        let zeros = || vec![0.0; parameters];
        HostWorkings {
            curvature,
            gradient: zeros(),
            direction: zeros(),
            trial: zeros(),
            trial_gradient: zeros(),
        }
    }

    /// Turns the direction around, from up to down.
    fn turn(&mut self) -> f64 {
        let descent = dot(&self.direction, &self.gradient);
        self.direction.iter_mut().for_each(|number| *number = -*number);
        descent
    }
}

impl Workings for HostWorkings {
    fn begin(&mut self, loss: &mut dyn Loss, parameters: &[f64], losses: &mut Losses) -> Result<(), Refusal> {
        losses.clone_from(loss.eval(parameters, &mut self.gradient)?);
        Ok(())
    }

    fn square(&mut self, _loss: &mut dyn Loss) -> Result<f64, Refusal> {
        Ok(dot(&self.gradient, &self.gradient))
    }

    fn aim(&mut self, _loss: &mut dyn Loss) -> Result<f64, Refusal> {
        self.curvature.apply(&self.gradient, &mut self.direction);
        Ok(self.turn())
    }

    fn aim_straight(&mut self, _loss: &mut dyn Loss) -> Result<f64, Refusal> {
        self.curvature.clear();
        self.direction.copy_from_slice(&self.gradient);
        Ok(self.turn())
    }

    fn sample(
        &mut self,
        loss: &mut dyn Loss,
        parameters: &[f64],
        length: f64,
        losses: &mut Losses,
    ) -> Result<f64, Refusal> {
        for (trial, (from, along)) in self.trial.iter_mut().zip(parameters.iter().zip(&self.direction)) {
            *trial = from + length * along;
        }
        losses.clone_from(loss.eval(&self.trial, &mut self.trial_gradient)?);
        Ok(dot(&self.trial_gradient, &self.direction))
    }

    fn accept(&mut self, _loss: &mut dyn Loss, parameters: &mut [f64], length: f64) -> Result<(), Refusal> {
        self.curvature.learn(&Move {
            from: parameters,
            to: &self.trial,
            before: &self.gradient,
            after: &self.trial_gradient,
            direction: &self.direction,
            length,
        });
        parameters.copy_from_slice(&self.trial);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.curvature.is_empty()
    }

    fn clear(&mut self) {
        self.curvature.clear();
    }

    fn forget_loss(&mut self) {
        self.curvature.forget_loss();
    }
}
