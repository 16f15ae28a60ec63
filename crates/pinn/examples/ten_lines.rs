//! The library in ten lines: train a built-in problem and print how wrong it is.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::{Experiment, Quiet, TrainError};
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), TrainError> {
    let experiment = Experiment::open("poisson-2d", &["training.budget=300 steps".to_owned()])?;
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet)?;
    for (unknown, error) in experiment.problem().unknowns.iter().zip(&trained.errors) {
        let relative = error.as_ref().and_then(|error| error.relative_l2).unwrap_or(f64::NAN);
        println!("{}: relative L2 {relative:.2e} after {} steps", unknown.name, trained.steps);
    }
    Ok(())
}
