//! `pinnace list`

use crate::exit;
use pinnace::{BUILT_IN, Experiment};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn list(output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let width = BUILT_IN.iter().map(|built_in| built_in.name.len()).max().unwrap_or(0);
    for built_in in BUILT_IN {
        let experiment = Experiment::open(built_in.name, &[])?;
        let problem = experiment.problem();
        writeln!(output, "{:width$}  {}", built_in.name, problem.title)?;
        for equation in &problem.equations {
            writeln!(output, "{:width$}    {}", "", equation.text)?;
        }
        writeln!(
            output,
            "{:width$}    {} coordinates, {} parameters",
            "",
            problem.domain.len(),
            experiment.plan().parameter_count()
        )?;
    }
    Ok(exit::DONE)
}
