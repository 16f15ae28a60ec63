//! `pinnace resume`

use crate::args::Resume;
use crate::session::{self, Asked};
use crate::{notices, warnings};
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
    let asked = if overrides.is_empty() { Asked::End } else { Asked::More };
    session::train(run.experiment(), run.snapshot().clone(), Some(folder), (asked, &choices.manner), output)
}
