//! An optimizer of your own: gradient descent with momentum, on the loss that Pinnace computes.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::optimize::{Optimizer, StepOutcome};
use pinnace::{Experiment, Refusal, TrainError};
use pinnace::{Loss, State, StateError};

/// Polyak's heavy ball: what is left of the last step, plus a step down the slope.
struct HeavyBall {
    momentum: f64,
    velocity: Vec<f64>,
    gradient: Vec<f64>,
}

impl Optimizer for HeavyBall {
    fn step<'step>(
        &'step mut self,
        loss: &'step mut dyn Loss,
        parameters: &mut [f64],
        rate: f64,
    ) -> Result<StepOutcome<'step>, Refusal> {
        // Losses that are not finite come back as an error, before anything has changed.
        let losses = loss.eval(parameters, &mut self.gradient)?;
        for ((parameter, velocity), slope) in
            parameters.iter_mut().zip(&mut self.velocity).zip(&self.gradient)
        {
            *velocity = self.momentum * *velocity - rate * slope;
            *parameter += *velocity;
        }
        Ok(StepOutcome::Taken { losses, length: rate, evaluations: 1, trust: None })
    }

    fn forget_loss(&mut self) {
        self.velocity.fill(0.0);
    }

    /// What a checkpoint has to keep, so that training can be resumed.
    fn save(&self) -> State {
        State::default().with_numbers("velocity", self.velocity.as_slice())
    }

    fn restore(&mut self, state: &State) -> Result<(), StateError> {
        self.velocity = state.sized("velocity", self.velocity.len())?.to_vec();
        Ok(())
    }
}

fn main() -> Result<(), TrainError> {
    let experiment = Experiment::open("poisson-2d", &[])?;
    let mut objective = experiment.objective()?;
    let mut parameters = experiment.plan().initialize(experiment.problem().training.seed);
    let count = parameters.len();
    let mut ball = HeavyBall { momentum: 0.95, velocity: vec![0.0; count], gradient: vec![0.0; count] };
    for step in 0..=2000 {
        if let StepOutcome::Taken { losses, .. } = ball.step(&mut objective, &mut parameters, 3e-5)?
            && step % 500 == 0
        {
            println!("step {step:4}  loss {:.3e}", losses.total);
        }
    }
    for (unknown, error) in experiment.problem().unknowns.iter().zip(experiment.errors(&parameters)?) {
        let relative = error.and_then(|error| error.relative_l2).unwrap_or(f64::NAN);
        println!("{}: relative L2 {relative:.2e}", unknown.name);
    }
    Ok(())
}
