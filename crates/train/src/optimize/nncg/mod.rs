//! NysNewton-CG (Rathore, Lei, Frangella, Lu, Udell 2024, algorithms 4 to 7): damped Newton steps by conjugate gradients, with a Nyström
//! approximation of the Hessian as their preconditioner, as long as Armijo's rule says.
//!
//! Products with the Hessian are differences of gradients, which f64 has the digits for: two gradients each.

mod bent;
mod nystrom;
mod solve;

use super::{Optimizer, StepOutcome};
use crate::{Loss, Losses, Refusal, State, StateError};
use bent::Bent;
use nystrom::Nystrom;
use solve::solve;

/// Share of the predicted decrease that a step must achieve, and what is left of one that does not: the paper's alpha and beta.
const DECREASE: f64 = 0.1;
const SHORTENING: f64 = 0.5;
/// Trial steps of one search.
const TRIALS: usize = 30;

/// Names in a saved state.
const STEPS: &str = "nncg.steps";
const DIRECTION: &str = "nncg.direction";
const VECTORS: &str = "nncg.vectors";
const VALUES: &str = "nncg.values";

/// What NysNewton-CG is told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NewtonSettings {
    /// What is added to the curvature; the paper's mu.
    pub damping: f64,
    /// Rank of the preconditioner; the paper's s.
    pub rank: usize,
    /// Steps between two preconditioners; the paper's F.
    pub every: u64,
}

/// The state of NysNewton-CG.
#[derive(Clone, PartialEq, Debug)]
pub struct NysNewtonCg {
    settings: NewtonSettings,
    steps: u64,
    /// Of the last step, where the next solution starts; zero before the first.
    direction: Vec<f64>,
    preconditioner: Option<Nystrom>,
    gradient: Vec<f64>,
    losses: Losses,
}

impl NysNewtonCg {
    /// The state before the first step.
    pub fn new(parameters: usize, settings: NewtonSettings) -> Self {
        let zero = vec![0.0; parameters];
        NysNewtonCg {
            settings,
            steps: 0,
            direction: zero.clone(),
            preconditioner: None,
            gradient: zero,
            losses: Losses::default(),
        }
    }

    /// How far to go against a direction along which the loss falls by `slope`: where it has fallen enough; `None` where it never does.
    fn length(
        &self,
        (loss, evaluations): (&mut dyn Loss, &mut u64),
        parameters: &[f64],
        direction: &[f64],
        slope: f64,
    ) -> Result<Option<(f64, Vec<f64>)>, Refusal> {
        let (start, mut unused) = (self.losses.total, vec![0.0; parameters.len()]);
        let noise = loss.noise(start);
        let mut length = 1.0;
        for _ in 0..TRIALS {
            let end: Vec<f64> =
                parameters.iter().zip(direction).map(|(own, part)| own - length * part).collect();
            *evaluations += 1;
            match loss.eval(&end, &mut unused) {
                // A step that promises less than rounding is none.
                Ok(found) if DECREASE * length * slope > noise || found.total < start => {
                    if found.total <= start - DECREASE * length * slope {
                        return Ok(Some((length, end)));
                    }
                }
                Ok(_) | Err(Refusal::Residual(_) | Refusal::Gradient) => {}
                Err(refusal) => return Err(refusal),
            }
            length *= SHORTENING;
        }
        Ok(None)
    }
}

impl Optimizer for NysNewtonCg {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        _rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let mut evaluations = 1;
        let NewtonSettings { damping, rank, every } = self.settings;
        let losses = loss.eval(parameters, &mut self.gradient)?;
        self.losses.clone_from(losses);
        let gradient = self.gradient.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
        if !(gradient * gradient).is_normal() {
            return Ok(StepOutcome::GradientVanished { gradient, evaluations });
        }
        let mut bent = Bent::new(loss, parameters, &mut evaluations);
        let fresh = self.preconditioner.is_none() || self.steps.is_multiple_of(every);
        let found = fresh.then(|| Nystrom::of(&mut bent, rank, self.steps)).transpose()?;
        let preconditioner = found.as_ref().or(self.preconditioner.as_ref());
        let start = Some(&*self.direction).filter(|direction| direction.iter().any(|part| *part != 0.0));
        let mut direction = solve(&mut bent, preconditioner, damping, &self.gradient, start)?;
        let slope = |direction: &[f64]| direction.iter().zip(&self.gradient).map(|(a, b)| a * b).sum::<f64>();
        let mut fall = slope(&direction);
        let mut step = None;
        if fall > 0.0 && fall.is_finite() {
            step = self.length((loss, &mut evaluations), parameters, &direction, fall)?;
        }
        if step.is_none() {
            // What is known of the curvature leads nowhere: straight down.
            direction.copy_from_slice(&self.gradient);
            fall = gradient * gradient;
            step = self.length((loss, &mut evaluations), parameters, &direction, fall)?;
        }
        let Some((length, end)) = step else {
            return Ok(StepOutcome::NoDescent { gradient, evaluations });
        };
        parameters.copy_from_slice(&end);
        self.steps += 1;
        self.direction = direction;
        self.preconditioner = found.or(self.preconditioner.take());
        Ok(StepOutcome::Taken { losses: &self.losses, length, evaluations, trust: None })
    }

    /// The curvature is another one.
    fn forget_loss(&mut self) {
        self.preconditioner = None;
        self.direction.fill(0.0);
    }

    fn save(&self) -> State {
        let state = State::default()
            .with_counts(STEPS, [self.steps])
            .with_numbers(DIRECTION, self.direction.as_slice());
        match &self.preconditioner {
            None => state,
            Some(Nystrom { vectors, values }) => state
                .with_numbers(VECTORS, vectors.iter().collect::<Vec<_>>())
                .with_numbers(VALUES, values.as_slice()),
        }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let count = self.direction.len();
        let (steps, direction) = (state.count(STEPS)?, state.sized(DIRECTION, count)?.to_vec());
        let preconditioner = match state.numbers(VALUES) {
            Err(StateError::Missing { .. }) => None,
            values => {
                let values = values?;
                Some(Nystrom::saved(state.sized(VECTORS, values.len() * count)?, values))
            }
        };
        (self.steps, self.direction, self.preconditioner) = (steps, direction, preconditioner);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
