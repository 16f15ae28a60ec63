//! A sink of your own: keeps the loss of every phase and how fast points were visited, then prints them.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::{Event, Experiment, Sink, TrainError};
use std::sync::atomic::AtomicBool;

/// What one phase did.
struct Phase {
    first: f64,
    best: f64,
    steps: u64,
    points_per_second: f64,
}

/// One entry per phase.
#[derive(Default)]
struct Phases(Vec<Phase>);

impl Sink for Phases {
    /// Called in every step: only what is cheap belongs here.
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::PhaseStarted { .. } => {
                let (first, best) = (f64::NAN, f64::INFINITY);
                self.0.push(Phase { first, best, steps: 0, points_per_second: 0.0 });
            }
            Event::Step { phase, phase_step, losses, points_per_second, .. } => {
                let phase = &mut self.0[*phase];
                if *phase_step == 1 {
                    phase.first = losses.total;
                }
                phase.best = phase.best.min(losses.total);
                phase.steps = *phase_step;
                phase.points_per_second = *points_per_second;
            }
            Event::Started { .. } | Event::PhaseEnded { .. } | Event::Finished { .. } => {}
        }
    }
}

fn main() -> Result<(), TrainError> {
    let experiment = Experiment::open("poisson-2d", &["training.budget=500 steps".to_owned()])?;
    let mut phases = Phases::default();
    experiment.train(&AtomicBool::new(false), &mut phases)?;
    for (number, phase) in phases.0.iter().enumerate() {
        let Phase { first, best, steps, points_per_second } = phase;
        println!(
            "phase {number}: {steps} steps, loss {first:.2e} to {best:.2e}, {points_per_second:.1e} points/s"
        );
    }
    Ok(())
}
