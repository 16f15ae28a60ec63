//! An improvement of your own: how many threads find the batches of the next steps, measured before the first step.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::performance::{Alternative, Improvement};
use pinnace::{Experiment, Quiet, TrainError};
use std::sync::atomic::AtomicBool;

/// Some threads find batches beside those that compute. Their number changes no bit of a result.
struct BatchWorkers;

impl Improvement for BatchWorkers {
    fn key(&self) -> &'static str {
        "performance.workers"
    }

    fn present(&self, experiment: &Experiment) -> String {
        experiment.workers().to_string()
    }

    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let others = [0, 1, 2, 4].into_iter().filter(|workers| *workers != experiment.workers());
        Ok(others
            .map(|workers| Alternative {
                value: workers.to_string(),
                experiment: experiment.clone().with_workers(Some(workers)),
            })
            .collect())
    }
}

fn main() -> Result<(), TrainError> {
    let overrides = [
        "performance.level=\"custom\"",
        "training.optimizer=adam",
        "training.points=20000",
        "training.batch=1000",
        "training.budget=200 steps",
    ];
    let experiment = Experiment::open("burgers", &overrides.map(str::to_owned))?;
    let experiment = experiment.improved(&[&BatchWorkers], &mut |line| println!("{line}"))?;
    // Threads, the cores they run on and priorities, as the level says; the system has them back at the end.
    let claim = experiment.machine_use().claim();
    for decision in experiment.performance() {
        println!("{decision}");
    }
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet)?;
    drop(claim);
    println!("loss {:.2e} after {} steps", trained.losses.total, trained.steps);
    Ok(())
}
