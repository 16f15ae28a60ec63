//! An optimizer of your own in the ordinary trainer, with budgets, checkpoints and resume: gradient descent with momentum.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::optimize::{Optimizer, StepOutcome};
use pinnace::run::{Folder, RunPlace, SECONDS_PER_CHECKPOINT};
use pinnace::{Experiment, Loss, OwnOptimizer, Quiet, Refusal, State, StateError, TrainError};
use std::path::Path;
use std::sync::atomic::AtomicBool;

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

/// The ball for so many trainable numbers.
fn ball(parameters: usize, _weights: usize) -> Box<dyn Optimizer> {
    let zeros = || vec![0.0; parameters];
    Box::new(HeavyBall { momentum: 0.95, velocity: zeros(), gradient: zeros() })
}

fn main() -> Result<(), TrainError> {
    let own = OwnOptimizer::new("heavy ball", ball);
    let overrides = ["training.learning_rate=3e-5", "training.budget=2000 steps"].map(str::to_owned);
    let experiment = Experiment::open("poisson-2d", &overrides)?.with_optimizer(own.clone());

    // Budgets, checkpoints and events are those of any other method.
    let (place, stop) = (RunPlace::At("heavy-ball".into()), AtomicBool::new(false));
    let mut now = experiment.start();
    let mut folder = Folder::create(&place, &experiment, &now, None, SECONDS_PER_CHECKPOINT)?;
    folder.train(&experiment, &mut now, &stop, &mut Quiet)?;
    drop(folder);

    // The run continues with the same ball, from where it was and as fast.
    let longer = ["training.budget=3000 steps".to_owned()];
    let prepare = |experiment: Experiment| experiment.with_optimizer(own);
    let (run, mut folder) =
        Folder::resume_as(Path::new("heavy-ball"), &longer, SECONDS_PER_CHECKPOINT, prepare)?;
    let trained = folder.train(run.experiment(), &mut run.snapshot().clone(), &stop, &mut Quiet)?;
    println!("{} steps, loss {:.3e}", trained.steps, trained.losses.total);
    for (unknown, error) in run.experiment().problem().unknowns.iter().zip(trained.errors) {
        let relative = error.and_then(|error| error.relative_l2).unwrap_or(f64::NAN);
        println!("{}: relative L2 {relative:.2e}", unknown.name);
    }
    Ok(())
}
