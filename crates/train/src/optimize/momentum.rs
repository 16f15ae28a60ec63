//! Gradient descent with momentum (Polyak 1964; Sutskever, Martens, Dahl, Hinton 2013) and RMSProp (Tieleman, Hinton 2012).

use super::{Optimizer, StepOutcome};
use crate::{Loss, Refusal, State, StateError};
use linear::{Carried, Moments, Update};

/// Added to the root of the square of RMSProp, so that a vanishing gradient gives no step.
const FLOOR: f64 = 1e-8;

/// The state of a method whose steps have a velocity.
#[derive(Clone, PartialEq, Debug)]
pub struct Momentum {
    /// How parameters move; the length of a step is set when it is taken.
    rule: Update,
    /// The velocity is the mean.
    moments: Moments,
    gradient: Vec<f64>,
}

impl Momentum {
    /// Gradient descent before the first step.
    pub fn sgd(parameters: usize, momentum: f64, nesterov: bool) -> Self {
        Self::new(parameters, Update::Momentum { rate: 0.0, momentum, nesterov })
    }

    /// RMSProp before the first step.
    pub fn rmsprop(parameters: usize, square_decay: f64, momentum: f64) -> Self {
        Self::new(parameters, Update::RmsProp { rate: 0.0, square_decay, floor: FLOOR, momentum })
    }

    fn new(parameters: usize, rule: Update) -> Self {
        Momentum { rule, moments: Moments::new(parameters), gradient: vec![0.0; parameters] }
    }

    /// What the velocity is called where it is saved: each rule has its own unit of it, and goes on from no other.
    fn velocity(&self) -> &'static str {
        match self.rule {
            Update::RmsProp { .. } => "rmsprop.velocity",
            Update::Momentum { .. } | Update::Adam { .. } => "sgd.velocity",
        }
    }
}

/// What the running mean of the squares is called where it is saved.
const SQUARE: &str = "rmsprop.square";

impl Optimizer for Momentum {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        let losses = loss.eval(parameters, &mut self.gradient)?;
        self.rule.with_rate(rate).apply(&mut self.moments, parameters, &self.gradient);
        Ok(StepOutcome::Taken { losses, length: rate, evaluations: 1, trust: None })
    }

    fn update(&mut self) -> Option<(Update, Carried<'_>)> {
        Some((self.rule, Carried::from(&mut self.moments)))
    }

    /// Velocities are worth as much with other points: nothing is forgotten.
    fn forget_loss(&mut self) {}

    fn save(&self) -> State {
        let Moments { steps, mean, square } = &self.moments;
        let state = State::default().with_counts("steps", [*steps]);
        let state = state.with_numbers(self.velocity(), mean.as_slice());
        match self.rule {
            Update::RmsProp { .. } => state.with_numbers(SQUARE, square.as_slice()),
            Update::Momentum { .. } | Update::Adam { .. } => state,
        }
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        let parameters = self.gradient.len();
        let square = match self.rule {
            Update::RmsProp { .. } => state.sized(SQUARE, parameters)?.to_vec(),
            Update::Momentum { .. } | Update::Adam { .. } => vec![0.0; parameters],
        };
        self.moments = Moments {
            steps: state.count("steps")?,
            mean: state.sized(self.velocity(), parameters)?.to_vec(),
            square,
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where so many steps down a bowl end, whose curvatures are these.
    fn descended(mut method: Momentum, curvatures: [f64; 2], rate: f64, steps: usize) -> [f64; 2] {
        let mut parameters = [1.0, 1.0];
        for _ in 0..steps {
            let gradient = [curvatures[0] * parameters[0], curvatures[1] * parameters[1]];
            method.rule.with_rate(rate).apply(&mut method.moments, &mut parameters, &gradient);
        }
        parameters
    }

    #[test]
    fn two_steps_agree_with_the_algorithms_by_hand() {
        // Of u²/2 from 1, with steps of a half: the gradient is u.
        let [polyak, _] = descended(Momentum::sgd(2, 0.5, false), [1.0, 0.0], 0.5, 2);
        assert_eq!(polyak, 0.5 + (0.5 * -0.5 - 0.5 * 0.5));
        // v = -1/2, u = 1 - 1/4 - 1/2 = 1/4; v = -1/4 - 1/8, u = 1/4 - 3/16 - 1/8.
        let [nesterov, _] = descended(Momentum::sgd(2, 0.5, true), [1.0, 0.0], 0.5, 2);
        assert_eq!(nesterov, 0.25 - 0.1875 - 0.125);
        let [rmsprop, still] = descended(Momentum::rmsprop(2, 0.75, 0.0), [1.0, 0.0], 0.5, 1);
        assert!((rmsprop - (1.0 - 0.5 / 0.5)).abs() < 1e-7 && still == 1.0, "{rmsprop} {still}");
    }

    #[test]
    fn a_badly_scaled_bowl_is_descended_much_farther_with_momentum() {
        let (curvatures, rate) = ([1.0, 1e-3], 1.0);
        let [_, without] = descended(Momentum::sgd(2, 0.0, false), curvatures, rate, 500);
        let ends = [false, true].map(|nesterov| {
            let [steep, flat] = descended(Momentum::sgd(2, 0.95, nesterov), curvatures, rate, 500);
            steep.abs().max(flat.abs())
        });
        assert!(without > 0.6 && ends.iter().all(|end| *end < 2e-3), "{without} {ends:?}");
    }

    #[test]
    fn the_scale_of_a_direction_is_nothing_to_rmsprop() {
        for momentum in [0.0, 0.5] {
            let ends = descended(Momentum::rmsprop(2, 0.99, momentum), [2e3, 2e-2], 1e-3, 2000);
            assert!(ends.iter().all(|end| end.abs() < 3e-3), "{momentum} {ends:?}");
        }
    }

    #[test]
    fn a_state_of_one_is_none_of_the_other() {
        let (sgd, rmsprop) = (Momentum::sgd(2, 0.9, false), Momentum::rmsprop(2, 0.99, 0.0));
        assert!(sgd.clone().restore(&rmsprop.save()).is_err());
        assert!(rmsprop.clone().restore(&sgd.save()).is_err());
        assert!(crate::optimize::Adam::new(2).restore(&sgd.save()).is_err());
        let mut nesterov = Momentum::sgd(2, 0.9, true);
        nesterov.restore(&sgd.save()).expect("velocities are the same thing");
    }
}
