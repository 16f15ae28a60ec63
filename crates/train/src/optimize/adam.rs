//! Adam (Kingma, Ba 2015, algorithm 1) and AdamW (Loshchilov, Hutter 2019, algorithm 2).

use super::{Optimizer, StepOutcome};
use crate::{Loss, Refusal, State, StateError};
use linear::{Carried, Moments, Update};

/// Decay of the gradient's running mean; the paper's beta_1.
const MEAN_DECAY: f64 = 0.9;
/// Decay of the running mean of its square; the paper's beta_2.
const SQUARE_DECAY: f64 = 0.999;
/// Added to the root of the square, so that a vanishing gradient gives no step; the paper's epsilon.
const FLOOR: f64 = 1e-8;

/// The state of Adam or AdamW.
#[derive(Clone, PartialEq, Debug)]
pub struct Adam {
    decay: f64,
    decaying: usize,
    moments: Moments,
    gradient: Vec<f64>,
}

impl Adam {
    /// The state before the first step.
    pub fn new(parameters: usize) -> Self {
        Self::decaying(parameters, 0.0, 0)
    }

    /// AdamW's state before the first step: the first `decaying` of the parameters are drawn towards
    /// zero, by `decay` of themselves in a step of length one.
    pub fn decaying(parameters: usize, decay: f64, decaying: usize) -> Self {
        Adam { decay, decaying, moments: Moments::new(parameters), gradient: vec![0.0; parameters] }
    }

    /// How parameters move in a step of length `rate`.
    fn rule(&self, rate: f64) -> Update {
        Update::Adam {
            rate,
            mean_decay: MEAN_DECAY,
            square_decay: SQUARE_DECAY,
            floor: FLOOR,
            decay: self.decay,
            decaying: self.decaying,
        }
    }

    /// Moves `parameters` against `self.gradient`, whose square is finite.
    fn move_along(&mut self, parameters: &mut [f64], rate: f64) {
        self.rule(rate).apply(&mut self.moments, parameters, &self.gradient);
    }
}

impl Optimizer for Adam {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let losses = loss.eval(parameters, &mut self.gradient)?;
        self.move_along(parameters, rate);
        Ok(StepOutcome::Taken { losses, length: rate, evaluations: 1, trust: None })
    }

    fn update(&mut self) -> Option<(Update, Carried<'_>)> {
        Some((self.rule(0.0), Carried::from(&mut self.moments)))
    }

    /// Running means of the gradient are worth as much with other points: nothing is forgotten.
    fn forget_loss(&mut self) {}

    fn save(&self) -> State {
        let Moments { steps, mean, square } = &self.moments;
        State::default()
            .with_counts("steps", [*steps])
            .with_numbers("mean", mean.as_slice())
            .with_numbers("square", square.as_slice())
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let parameters = self.gradient.len();
        self.moments = Moments {
            steps: state.count("steps")?,
            mean: state.sized("mean", parameters)?.to_vec(),
            square: state.sized("square", parameters)?.to_vec(),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate_whatever_the_gradient() {
        let mut adam = Adam::new(3);
        adam.gradient = vec![1e-3, -5.0, 0.0];
        let mut parameters = [1.0, 1.0, 1.0];
        adam.move_along(&mut parameters, 0.1);
        // The floor shortens the step by at most 1e-8/1e-3.
        assert!((parameters[0] - 0.9).abs() < 2e-6);
        assert!((parameters[1] - 1.1).abs() < 2e-6);
        assert_eq!(parameters[2], 1.0);
    }

    #[test]
    fn two_steps_agree_with_the_algorithm_by_hand() {
        let mut adam = Adam::new(1);
        let mut parameters = [0.0];
        for gradient in [1.0, 3.0] {
            adam.gradient[0] = gradient;
            adam.move_along(&mut parameters, 0.5);
        }
        let mean = (0.9 * 0.1 + 0.1 * 3.0) / (1.0 - 0.81);
        let square: f64 = (0.999 * 0.001 + 0.001 * 9.0) / (1.0 - 0.998001);
        let expected = -0.5 / (1.0 + FLOOR) - 0.5 * mean / (square.sqrt() + FLOOR);
        assert!((parameters[0] - expected).abs() < 1e-14);
    }

    #[test]
    fn decay_is_independent_of_the_gradient_and_spares_the_last_parameters() {
        let mut adam = Adam::decaying(3, 0.1, 2);
        let mut plain = Adam::new(3);
        (adam.gradient, plain.gradient) = (vec![0.0, 2.0, 2.0], vec![0.0, 2.0, 2.0]);
        let (mut decayed, mut parameters) = ([4.0, 4.0, 4.0], [4.0, 4.0, 4.0]);
        adam.move_along(&mut decayed, 0.5);
        plain.move_along(&mut parameters, 0.5);
        assert_eq!(decayed[0], 4.0 * (1.0 - 0.5 * 0.1));
        // The gradient's part of the step is the same, whatever the decay.
        assert!((decayed[1] - (parameters[1] - 4.0 * 0.5 * 0.1)).abs() < 1e-15);
        assert_eq!(decayed[2], parameters[2]);
        assert_eq!(adam.moments, plain.moments);
    }

    #[test]
    fn a_badly_scaled_bowl_is_descended() {
        let mut adam = Adam::new(2);
        let mut parameters = [1.0, 1.0];
        for step in 0..4000 {
            adam.gradient = vec![2e3 * parameters[0], 2e-2 * parameters[1]];
            adam.move_along(&mut parameters, 0.01 * 0.998f64.powi(step));
        }
        assert!(parameters.iter().all(|parameter| parameter.abs() < 1e-2), "{parameters:?}");
    }
}
