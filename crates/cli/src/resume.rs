//! `pinnace resume`

use crate::args::Resume;
use crate::{notices, session, warnings};
use pinnace::run::Folder;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn resume(choices: &Resume, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut overrides = choices.set.clone();
    overrides.extend(choices.budget.map(|budget| format!("training.budget=\"{budget}\"")));
    overrides.extend(choices.steps.map(|steps| format!("training.steps={steps}")));
    let (run, folder) = Folder::resume(&choices.run, &overrides, choices.manner.checkpoint_every)?;
    notices::show(run.notices());
    notices::show(folder.notices());
    warnings::show(run.experiment());
    session::train(run.experiment(), run.snapshot().clone(), Some(folder), &choices.manner, output)
}
