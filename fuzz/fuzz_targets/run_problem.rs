//! Any text as the problem file of a run: it is opened as `resume` and `evaluate` open it, or refused in words.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pinnace::Experiment;
use std::path::Path;

/// Larger ones are right and slow: points, networks and windows are not what is looked for here.
const MOST: usize = 4096;

/// So are more coordinates: a hundred take a second.
const MOST_COORDINATES: usize = 8;

/// Whether a problem is small enough to be opened many times a second.
fn is_small(text: &str) -> bool {
    let Ok(problem) = equation::parse::parse(text) else { return true };
    let phases = problem.training.phases.iter().filter_map(|phase| phase.points);
    let conditions = problem.conditions.iter().filter_map(|condition| condition.points);
    let width = problem.network.width.saturating_mul(problem.network.depth);
    let periodic = problem.network.periodic.iter().map(|periodic| periodic.harmonics);
    let fourier = problem.network.fourier.iter().map(|fourier| fourier.features);
    let numbers = phases.chain(conditions).chain(periodic).chain(fourier);
    let numbers = numbers.chain([width, problem.training.condition_points, problem.training.windows.count()]);
    problem.domain.len() <= MOST_COORDINATES
        && numbers.chain(problem.reference.grid.iter().map(|(_, count)| *count)).all(|number| number <= MOST)
}

fuzz_target!(|text: &str| {
    if !is_small(text) {
        return;
    }
    match Experiment::from_text("problem.toml", text, Path::new("no/such/folder"), &[]) {
        Ok(experiment) => {
            let _ = experiment.layout();
            let _ = (experiment.notes(), experiment.stated());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
