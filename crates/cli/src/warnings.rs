//! What seems wrong with a problem though it can be trained.

use crate::clean::stderr;
use crate::exit::Usage;
use pinnace::Experiment;
use std::io::Write;

/// Tells of it, whatever else is to be quiet: it is no progress.
pub(crate) fn show(experiment: &Experiment) {
    for warning in experiment.warnings() {
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "pinnace: warning: {warning}");
    }
}

/// Tells only what the problem does not tell itself: how its points reach its shape.
pub(crate) fn show_of_points(experiment: &Experiment) {
    let own = experiment.problem().warnings();
    for warning in experiment.warnings().iter().filter(|warning| !own.contains(warning)) {
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "pinnace: warning: {warning}");
    }
}

/// Refuses it where `--strict` was given.
pub(crate) fn check(experiment: &Experiment, strict: bool) -> Result<(), Usage> {
    if !strict {
        return Ok(());
    }
    match experiment.warnings().len() {
        0 => Ok(()),
        count => {
            let errors = if count == 1 { "the warning into an error" } else { "warnings into errors" };
            Err(Usage(format!("nothing was done: --strict turns {errors}")))
        }
    }
}
