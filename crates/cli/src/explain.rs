//! `pinnace explain`

use crate::args::Explain;
use crate::exit;
use pinnace::{Experiment, kernel_text};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn explain(choices: &Explain, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let experiment = Experiment::open(&choices.chosen.problem, &choices.chosen.set)?;
    if choices.cuda {
        write!(output, "{}", kernel_text(experiment.plan(), choices.precision))?;
        return Ok(exit::DONE);
    }
    let text = experiment.plan().explain(experiment.problem());
    writeln!(output, "{}", text.trim_end())?;
    Ok(exit::DONE)
}
