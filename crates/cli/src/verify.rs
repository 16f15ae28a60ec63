//! `pinnace verify`

use crate::args::Verify;
use crate::clean::{self, stderr};
use crate::{evaluate, exit, session, trust};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn verify(choices: &Verify, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let run = evaluate::open(&choices.run)?;
    let (experiment, snapshot) = (run.experiment(), run.snapshot());
    let budget = choices.budget.unwrap_or(snapshot.seconds.max(1.0));
    let stop = session::listen_for_interruption()?;
    if !choices.quiet {
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "training a second network from another seed for {budget:.1} s");
    }
    let estimate = experiment.verify(run.parameters(), (snapshot.steps, snapshot.seconds), budget, stop)?;
    let Some(estimate) = estimate else { return Ok(ExitCode::from(exit::INTERRUPTED)) };
    if choices.json {
        let object = json!({
            "run": choices.run.to_string_lossy(),
            "problem": experiment.name(),
            "steps": snapshot.steps,
            "budget": budget,
        });
        writeln!(output, "{}", trust::with_estimate(object, Some(&estimate))?)?;
    } else {
        writeln!(output, "{}", clean::line(&experiment.problem().title))?;
        writeln!(
            output,
            "after {} steps, beside a second network that was trained for {budget:.1} s",
            snapshot.steps
        )?;
        trust::write(Some(&estimate), output)?;
    }
    Ok(trust::code(Some(&estimate), choices.strict))
}
