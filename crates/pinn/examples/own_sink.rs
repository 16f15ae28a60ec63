//! Sinks of your own, two at once: one keeps how loss and error fell in every phase, another writes events as JSON.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::{Event, Experiment, Fan, Sink, StepTaken, TrainError};
use std::sync::atomic::AtomicBool;

/// What one phase did.
struct Phase {
    first: f64,
    best: f64,
    steps: u64,
    error: Option<f64>,
}

/// One entry per phase.
#[derive(Default)]
struct Phases(Vec<Phase>);

impl Sink for Phases {
    /// Called in every step: only what is cheap belongs here.
    fn event(&mut self, event: &Event) {
        match (event, self.0.last_mut()) {
            (Event::PhaseStarted { .. }, _) => {
                self.0.push(Phase { first: f64::NAN, best: f64::INFINITY, steps: 0, error: None });
            }
            (Event::Step(StepTaken { phase_step, losses, .. }), Some(phase)) => {
                if *phase_step == 1 {
                    phase.first = losses.total;
                }
                phase.best = phase.best.min(losses.total);
                phase.steps = *phase_step;
            }
            (Event::Measured { error, .. }, Some(phase)) => phase.error = Some(*error),
            _ => {}
        }
    }

    /// Asks for the error against the reference now and then.
    fn wants_error(&self) -> bool {
        true
    }
}

/// Every event but the steps, as a program in another language would read it.
#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn event(&mut self, event: &Event) {
        if !matches!(event, Event::Step(_)) {
            self.0.extend(serde_json::to_string(event));
        }
    }
}

fn main() -> Result<(), TrainError> {
    let experiment = Experiment::open("poisson-2d", &["training.steps=40".to_owned()])?;
    let (mut phases, mut lines) = (Phases::default(), Lines::default());
    experiment.train(&AtomicBool::new(false), &mut Fan::new(vec![&mut phases, &mut lines]))?;
    lines.0.iter().for_each(|line| println!("{line}"));
    for (number, Phase { first, best, steps, error }) in phases.0.iter().enumerate() {
        let error = error.map_or_else(|| "not measured".to_owned(), |error| format!("{error:.1e}"));
        println!("phase {number}: {steps} steps, loss {first:.1e} to {best:.1e}, last error {error}");
    }
    Ok(())
}
