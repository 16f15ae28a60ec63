//! `pinnace resume`

use crate::args::Resume;
use crate::clean::stderr;
use crate::{session, warnings};
use pinnace::run::{Folder, Notice};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn resume(choices: &Resume, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut overrides = choices.set.clone();
    overrides.extend(choices.budget.map(|budget| format!("training.budget=\"{budget}\"")));
    overrides.extend(choices.steps.map(|steps| format!("training.steps={steps}")));
    let (run, folder) = Folder::resume(&choices.run, &overrides, choices.manner.checkpoint_every)?;
    show(run.notices());
    show(folder.notices());
    warnings::show(run.experiment());
    session::train(run.experiment(), run.snapshot().clone(), Some(folder), &choices.manner, output)
}

/// Tells what users should know about a run.
pub(crate) fn show(notices: &[Notice]) {
    for notice in notices {
        let kind = if notice.is_warning() { "warning" } else { "note" };
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "pinnace: {kind}: {notice}");
    }
}
