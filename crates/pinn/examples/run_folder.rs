//! Trains into a folder and reads it again.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::run::{Folder, RunPlace, SECONDS_PER_CHECKPOINT};
use pinnace::{Experiment, Quiet, Run, TrainError};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), TrainError> {
    let experiment = Experiment::open("poisson-2d", &["training.steps=300".to_owned()])?;
    let mut now = experiment.start();
    let place = RunPlace::At("my-run".into());
    let mut folder = Folder::create(&place, &experiment, &now, None, SECONDS_PER_CHECKPOINT)?;
    folder.train(&experiment, &mut now, &AtomicBool::new(false), &mut Quiet)?;

    let run = Run::open(Path::new("my-run"))?;
    println!("{} parameters after {} steps", run.parameters().len(), run.snapshot().steps);
    println!("{} records", run.history()?.len());
    Ok(())
}
